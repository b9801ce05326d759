// SPDX-License-Identifier: Apache-2.0
// Ways to write a kernel, as values.  A table holds the ways for one set of sinks, best first; the
// first one that fits is taken.  Some find out only when the program runs whether they are good:
// they write a branch, whose other side is the rest of the table.
//
//   --explain=lowering        which way each kernel took, and why not the ones before it
//   --disable=reduce/across   leaves one out; the last of a table always stays
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "imp/lower/kernel/writer.h"

namespace skald::imp {

// Why a strategy does not fit, for people; nothing if it does.
using WhyNot = std::optional<std::string>;
// Code for the case that a strategy turns out not to be good: the rest of the table.
using Otherwise = std::function<void(Code&)>;

// `Kernel` is a KernelWriter, or something that has one as `kernel`.
template <class Kernel>
struct StrategyFor {
  std::string_view name;  // SINKS/WAY
  WhyNot (*why_not)(Kernel&);
  void (*write)(Kernel&, Code&, const Otherwise&);
};
using Strategy = StrategyFor<KernelWriter>;

template <class Kernel>
WhyNot always_fits(Kernel&) {
  return std::nullopt;
}

// Says what has been decided, with --explain=lowering.
void explain_taken(KernelWriter& kernel, std::string_view name);
void explain_refused(KernelWriter& kernel, std::string_view name, const std::string& why);
// Why a strategy is left out by --disable, or nothing.
WhyNot disabled(const KernelWriter& kernel, std::string_view name);

inline KernelWriter& writer_of(KernelWriter& kernel) {
  return kernel;
}
template <class Kernel>
KernelWriter& writer_of(Kernel& kernel) {
  return kernel.kernel;
}

template <class Kernel>
void choose(std::span<const StrategyFor<Kernel>> table, Kernel& kernel, Code& code) {
  KernelWriter& writer = writer_of(kernel);
  for (size_t k = 0; k < table.size(); ++k) {
    const StrategyFor<Kernel>& way = table[k];
    const bool is_last = k + 1 == table.size();
    WhyNot why = is_last ? std::nullopt : disabled(writer, way.name);
    if (!why) why = way.why_not(kernel);
    if (why && !is_last) {
      explain_refused(writer, way.name, *why);
      continue;
    }
    explain_taken(writer, way.name);
    return way.write(kernel, code,
                     [&, rest = table.subspan(k + 1)](Code& at) { choose(rest, kernel, at); });
  }
}

// For lists of all strategies.
struct StrategyName {
  std::string_view name;
  bool is_last;  // of its table
};
template <class Kernel>
void add_names(std::span<const StrategyFor<Kernel>> table, std::vector<StrategyName>& names) {
  for (const StrategyFor<Kernel>& way : table) names.push_back({way.name, &way == &table.back()});
}

}  // namespace skald::imp
