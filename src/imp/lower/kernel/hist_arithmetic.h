// SPDX-License-Identifier: Apache-2.0
// The arithmetic of machine/hist_model.h as code of the host: numbers and times are i64.
#pragma once

#include "imp/ir/code.h"
#include "machine/hist_costs.h"

namespace skald::imp {

class HistArithmetic {
 public:
  using Number = Operand;
  using Time = Operand;

  HistArithmetic(Code& code, const machine::HistCosts& costs) : code_(code), costs_(costs) {}

  static Number number(int64_t n) { return const_i64(n); }
  Number add(const Number& x, const Number& y) { return code_.add_i64(x, y); }
  Number mul(const Number& x, const Number& y) { return code_.mul_i64(x, y); }
  Number least(const Number& x, const Number& y) { return code_.min_i64(x, y); }
  Number most(const Number& x, const Number& y) { return code_.max_i64(x, y); }
  // Of numbers that are not negative, by one that is not 0.
  Number quotient(const Number& x, const Number& y) {
    return code_.binop(BinOpKind::kQuot, x, y, "quotient");
  }
  Time time(machine::HistCost cost, const Number& n) {
    return code_.mul_i64(const_i64(costs_[cost]), n);
  }
  Time plus(const Time& x, const Time& y) { return code_.add_i64(x, y); }
  Time by(const Time& x, const Number& n) { return code_.mul_i64(x, n); }
  Time over(const Time& x, const Number& n) { return quotient(x, n); }

 private:
  Code& code_;
  const machine::HistCosts& costs_;
};

}  // namespace skald::imp
