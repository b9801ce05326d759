// SPDX-License-Identifier: Apache-2.0
// What the scalar operators compute: the reference semantics, used by the interpreter and by
// constant folding.  f16 computes in f32 and rounds.
#pragma once

#include "core/ops.h"
#include "core/type.h"

namespace skald::core {

Const eval(BinOpKind op, Prim type, const Const& lhs, const Const& rhs);
Const eval(UnOpKind op, Prim type, const Const& arg);
Const eval(CmpOpKind op, Prim type, const Const& lhs, const Const& rhs);
Const eval(TernOpKind op, Prim type, const Const& a, const Const& b, const Const& c);
Const eval_convert(Prim from, Prim to, const Const& arg);
Const eval_bitcast(Prim from, Prim to, const Const& arg);

}  // namespace skald::core
