// SPDX-License-Identifier: Apache-2.0
// Operators on scalars, and == on all that has it.
//
//   operators.cpp   the overloaded operators of the language
//   primitives.cpp  the monomorphic primitives of the module `intrinsics`
//   equality.cpp    == and !=
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/futhark/elaborate/types/types.h"

namespace skald::futhark::elab {

class Operators {
 public:
  Operators(Code& code, Types& types) : code_(code), types_(types) {}

  // An operator of the language, by its symbol, on whatever primitive type the operands have.
  // `written`: the right side in the text of the program, for messages.
  ValuePtr binary(const std::string& op, const ValuePtr& lhs, const ValuePtr& rhs,
                  const Exp* written = nullptr);
  ValuePtr negate(const ValuePtr& v);
  ValuePtr complement(const ValuePtr& v);
  // add32, fdiv64, sext_i8_i32, …; null if there is none of this name.
  ValuePtr primitive(const std::string& name, const std::vector<ValuePtr>& args);

 private:
  Operand equal(const ValuePtr& x, const ValuePtr& y);
  Operand equal_sums(const Value& x, const Value& y);
  Operand equal_arrays(const ValuePtr& x, const ValuePtr& y);
  Operand division(BinOpKind op, Prim p, const Operand& lhs, const Operand& rhs,
                   const Exp* written = nullptr);
  Operand power(Prim p, const Operand& lhs, const Operand& rhs, const Exp* written = nullptr);
  // Converts; there and back again between signed and unsigned gives the first operand.
  Operand same_bits(Prim from, Prim to, const Operand& x);

  Code& code_;
  Types& types_;
  std::unordered_map<Name, Operand> reread_;  // an integer → what it was before a change of sign
};

}  // namespace skald::futhark::elab
