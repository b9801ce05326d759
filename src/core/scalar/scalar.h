// SPDX-License-Identifier: Apache-2.0
// What the scalar operators compute: the reference semantics, used by the interpreter and by
// constant folding.  ops.h says what each operator means; here is what that leaves open:
//
//   f16        every operator computes in f32 (fma in f64) and rounds the result once.
//   min, max   of zeros with different signs take -0 as the smaller one.
//   sgn        of NaN is NaN, of ±0 is +0.
//   sinpi …    reduce the range exactly first: sinpi(0.5) = 1, sinpi of an integer is a zero with
//              the sign of the operand, cospi(0.5) = +0, tanpi(0.25) = 1.
//   NaN        results are some NaN; the sign and payload are not specified.
//
// Where the work is: scalar.cpp (one operand, comparisons), scalar_arithmetic.cpp,
// scalar_convert.cpp, scalar_math.cpp (float functions that the C library lacks).
#pragma once

#include "core/ir/ops.h"
#include "core/ir/type.h"

namespace skald::core {

Const eval(BinOpKind op, Prim type, const Const& lhs, const Const& rhs);
Const eval(UnOpKind op, Prim type, const Const& arg);
Const eval(CmpOpKind op, Prim type, const Const& lhs, const Const& rhs);
Const eval(TernOpKind op, Prim type, const Const& a, const Const& b, const Const& c);
Const eval_convert(Prim from, Prim to, const Const& arg);
Const eval_bitcast(Prim from, Prim to, const Const& arg);

// The same operators as functions on `Const::bits`, for whoever runs one operator many times.  A
// null pointer: the operator is not defined on that type.
using UnFn = uint64_t (*)(uint64_t);
using BinFn = uint64_t (*)(uint64_t, uint64_t);
using TernFn = uint64_t (*)(uint64_t, uint64_t, uint64_t);
UnFn scalar_fn(UnOpKind op, Prim type);
BinFn scalar_fn(BinOpKind op, Prim type);
BinFn scalar_fn(CmpOpKind op, Prim type);
TernFn scalar_fn(TernOpKind op, Prim type);
UnFn convert_fn(Prim from, Prim to);

}  // namespace skald::core
