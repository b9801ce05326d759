// SPDX-License-Identifier: Apache-2.0
// Updates of one thread, one after the other: those of the same bin that follow each other become
// one.  Keys that are all equal, or sorted, then cost no more than others.
#pragma once

#include <functional>
#include <vector>

#include "imp/lower/kernel/writer.h"

namespace skald::imp {

class BinRuns {
 public:
  // What is done for a run: a number of a bin, and the values of all its members, combined.
  using Update = std::function<void(Code&, const Operand& bin, const std::vector<Operand>& given)>;

  BinRuns(Code& code, KernelWriter& kernel, const core::Operator& op, Update update);
  // `bin` is an i32; negative: there is no such bin.
  void add(Code& code, const Operand& bin, const std::vector<Operand>& given);
  void finish(Code& code);

 private:
  KernelWriter& kernel_;
  const core::Operator& op_;
  Update update_;
  Name bin_;
  Accumulators sums_;
};

// The number of a bin as an i32, or -1.
Operand bin_or_none(Code& code, const Operand& inside, const Operand& number);

}  // namespace skald::imp
