// SPDX-License-Identifier: Apache-2.0
// Operators that either keep what is in the bin or put something else there, by decisions that may
// follow each other: "if better then this, else if worse then that, else the one with the lower
// index".
#pragma once

#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "imp/lower/common/function.h"

namespace skald::imp {

// Does the body do so?  `olds` are what is in the bin; what replaces them is there from the start.
bool keeps_or_replaces(const core::Body& body, const std::vector<Operand>& olds);

// Code that decides step by step, each with only the statements and loads that it needs.
class BinChoice {
 public:
  using Emit = std::function<void(Code&)>;
  using Put = std::function<void(Code&, const std::vector<Operand>&)>;

  // `loads` are what the bin holds, by name; `put` replaces it.
  BinChoice(FunctionLowering& fn, std::vector<Operand> olds, std::unordered_map<Name, Emit> loads,
            Put put)
      : fn_(fn), olds_(std::move(olds)), loads_(std::move(loads)), put_(std::move(put)) {}

  // The body of an operator that keeps or replaces.
  void write(Code& code, const core::Body& body, std::unordered_set<Name> known = {});

 private:
  using Next = std::function<void(Code&, const std::unordered_set<Name>&)>;

  void decide(Code& code, const Operand& cond, const Next& yes, const Next& no, bool twice,
              std::unordered_set<Name> known, int steps);
  const core::BinOp* connective(const Operand& o) const;
  // Emits what `o` depends on and is not there yet.
  void need(Code& code, const Operand& o, std::unordered_set<Name>& known);

  FunctionLowering& fn_;
  std::vector<Operand> olds_;
  std::unordered_map<Name, Emit> loads_;
  Put put_;
  // By what they bind; of the body and those inside that code is made for.
  std::unordered_map<Name, const core::Stmt*> bindings_ = {};
};

}  // namespace skald::imp
