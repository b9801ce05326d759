// SPDX-License-Identifier: Apache-2.0
// Kernels as text, such that each can be compiled by itself, with exactly the helpers and functions
// it needs, or several at once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace skald::runtime {

struct KernelUnit {
  std::string name;
  // What goes before it: numbers of KernelTexts::pieces, ascending.
  std::vector<int32_t> pieces;
  std::string text;  // of the kernel itself
  bool uses_f64 = false;
  // It may record a failure; what cannot need not be waited for.
  bool may_fail = true;
  // Each group has scratch memory for one more thread.
  bool group_heap = false;
  // An earlier unit that is the same but for its name, and whose code serves this one, which has no
  // text; -1: none.
  int32_t same_as = -1;
};

struct KernelTexts {
  // Pieces of text that kernels share: definitions of the dialect, helpers, functions.  A piece may
  // need those before it.
  std::vector<std::string> pieces;
  std::vector<KernelUnit> units;

  // What to compile for some of the units, or for all.
  std::string source(std::span<const int32_t> numbers) const;
  std::string source() const;
  // The same for one unit, whatever its name is.
  std::string source_without_name(int32_t number) const;
};

}  // namespace skald::runtime
