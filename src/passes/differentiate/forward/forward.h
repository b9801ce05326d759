// SPDX-License-Identifier: Apache-2.0
// Forward mode: every statement is followed by the same statement on tangents.
//
//   let {y : f32} = mul_f32(x, x)     let {y : f32} = mul_f32(x, x)
//                                     let {y' : f32} = add_f32(mul_f32(x, x'), mul_f32(x, x'))
//
// Names that do not depend on what is differentiated (activity.h) have no tangent, which means
// zero.  Bodies, loops and combinators carry tangents beside values; so do their operators: that
// of a reduction works on pairs of a value and its tangent.
//
//   forward.cpp   scalars and arrays
//   control.cpp   branches and loops
//   soacs.cpp     combinators
//   accs.cpp      accumulators
//   calls.cpp     functions that call themselves
#pragma once

#include "passes/differentiate/base/activity.h"

namespace skald::passes::ad {

class Forward {
 public:
  Forward(Session& session, const Activity& activity) : session_(session), activity_(activity) {}

  // The statement `let {pat} = jvp(…)`, whose function is prepared.
  void derive(Stmt stmt, Emit& out);
  // A function of values and tangents, which gives both, from one that is prepared.
  Function with_tangents(Lambda fn, const std::string& name);

 private:
  bool active(const Operand& operand) const { return activity_.has(operand); }
  void body(Body& body, Emit& out);
  void stmt(Stmt stmt, Emit& out);
  // The tangent, or zeros.
  Operand tangent(const Operand& operand, Emit& out);
  // Makes a name for the tangent of `name`.
  Param tangent_param(const Param& param);
  std::vector<Param> with_tangents(const std::vector<Param>& pat);
  // Sets the tangent of the only result.
  void set(const Stmt& stmt, Exp exp, Emit& out);

  bool scalar(const Stmt& stmt, Emit& out);
  bool array(Stmt& stmt, Emit& out);
  void branch(Stmt stmt, Emit& out);
  void loop(Stmt stmt, Emit& out);
  void map(Stmt stmt, Emit& out);
  void fold(Stmt stmt, Emit& out);
  void sum_tangents(Stmt stmt, Emit& out);
  void add_up_tangents(Stmt stmt, Emit& out);
  void hist(Stmt stmt, Emit& out);
  void scatter(Stmt stmt, Emit& out);
  void partition(Stmt stmt, Emit& out);
  void flatmap(Stmt stmt, Emit& out);
  void call(Stmt stmt, Emit& out);
  void with_acc(Stmt stmt, Emit& out);
  void update_acc(Stmt stmt, Emit& out);

  // Inputs and parameters with those of tangents behind them; the body with tangents of results
  // for which `wanted` holds, behind all others.
  void rows(std::vector<Name>& inputs, Lambda& fn, Loc loc);
  // The operator on values and tangents of the components for which `wanted` holds.
  void pair_operator(Operator& op, const std::vector<bool>& wanted, Loc loc);
  // An accumulator with tangents.
  Type acc_type(const Type& acc) const;
  // Gives an active accumulator that type.  False for anything else.
  bool retype(Param& param);

  Session& session_;
  const Activity& activity_;
  NameMap<Operand> tangents_;
};

}  // namespace skald::passes::ad
