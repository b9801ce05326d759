// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/kernel/hist_notes.h"

#include <fmt/format.h>

namespace skald::imp {

namespace {

std::string note(const KernelWriter& kernel, std::string_view what) {
  return fmt::format("hist: {}: {}", kernel.fn.prog.names.text(kernel.stmt.pat[0].name), what);
}

}  // namespace

bool explains_hist(const KernelWriter& kernel) {
  return kernel.fn.options.explain_hist && kernel.facts.has(core::Sink::kHist);
}

void explain_hist(KernelWriter& kernel, const std::string& what) {
  if (!explains_hist(kernel)) return;
  const std::string line = note(kernel, what);
  if (kernel.fn.explained.insert(line).second) kernel.fn.options.explain_hist(line);
}

bool reports_hist(const KernelWriter& kernel) {
  return explains_hist(kernel) && kernel.fn.target.can_print(kernel.fn);
}

void report_hist(KernelWriter& kernel, Code& code, std::string_view what,
                 const std::vector<HistNumber>& numbers) {
  if (!reports_hist(kernel)) return;
  const auto count = static_cast<int64_t>(numbers.size());
  const Name block = code.alloc(Space::kScratch, const_i64(8 * count), "numbers");
  std::string names;
  for (int64_t k = 0; k < count; ++k) {
    const HistNumber& number = numbers[static_cast<size_t>(k)];
    code.add(Store{Prim::kI64, block, const_i64(k), number.value});
    names += fmt::format("{}{}", k == 0 ? "" : ", ", number.what);
  }
  code.add(Trace{note(kernel, fmt::format("{} ({})", what, names)),
                 Prim::kI64,
                 block,
                 const_i64(0),
                 {const_i64(count)}});
}

}  // namespace skald::imp
