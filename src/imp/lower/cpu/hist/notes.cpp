// SPDX-License-Identifier: Apache-2.0
// What --explain=hist says on the cpu.
#include <fmt/format.h>

#include "imp/lower/cpu/hist/hist.h"
#include "imp/lower/kernel/hist_notes.h"

namespace skald::imp {

namespace {

std::string_view cpu_class(const SinkInfo& info) {
  if (may_keep_bin(info.sink->op[0]))
    return "chooses: any order, and a bin is stored only if it changes";
  if (rounds(info.sink->op[0].fn.body)) return "rounds: the order is the same in every run";
  if (exact_operator(*info.sink)) return "is exact, and an atomic instruction: any order";
  return "is exact: any order";
}

}  // namespace

void explain_bins(KernelWriter& kernel, const std::vector<SinkInfo>& infos) {
  if (!explains_hist(kernel)) return;
  for (size_t k = 0; k < infos.size(); ++k) {
    if (writes_again(infos, k)) continue;
    const bool scalars = !infos[k].sink->op[0].fn.params[0].type.is_array();
    explain_hist(kernel,
                 fmt::format("bins of {} bytes; the operator {}", bin_bytes(kernel, infos[k]),
                             scalars ? cpu_class(infos[k]) : "works on arrays"));
  }
}

}  // namespace skald::imp
