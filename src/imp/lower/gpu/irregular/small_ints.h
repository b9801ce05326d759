// SPDX-License-Identifier: Apache-2.0
// Places within a tile are numbers of 32 bits: these are quick on every device.
#pragma once

#include "imp/ir/code.h"

namespace skald::imp {

inline Operand const_i32(int64_t value) {
  return core::const_int(Prim::kI32, value);
}
inline Operand as_small(Code& code, const Operand& wide) {
  return code.let(Prim::kI32, core::Convert{Prim::kI64, Prim::kI32, wide}, "small");
}
inline Operand as_wide(Code& code, const Operand& narrow) {
  return code.let(Prim::kI64, core::Convert{Prim::kI32, Prim::kI64, narrow}, "wide");
}
inline Operand small(Code& code, BinOpKind op, const Operand& a, const Operand& b) {
  return code.let(Prim::kI32, core::BinOp{op, Prim::kI32, a, b}, "small");
}
inline Operand small_sum(Code& code, const Operand& a, const Operand& b) {
  return small(code, BinOpKind::kAdd, a, b);
}
inline Operand small_less(Code& code, const Operand& a, const Operand& b) {
  return code.let(Prim::kBool, core::CmpOp{CmpOpKind::kLt, Prim::kI32, a, b}, "less");
}
inline Operand small_equals(Code& code, const Operand& a, int64_t b) {
  return code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI32, a, const_i32(b)}, "same");
}
inline Operand load_small(Code& code, Name block, const Operand& at) {
  return code.load(Prim::kI32, block, as_wide(code, at), "small");
}

// Where element `number` lies if one place is left free after each row of banks: threads that read
// at distances of a power of two then use different banks.
inline Operand between_gaps(Code& code, const Operand& number, int64_t bytes) {
  return small_sum(code, number,
                   small(code, BinOpKind::kShr, number, const_i32(bytes > 4 ? 4 : 5)));
}
// So many places do for `count` elements.
inline int64_t with_gaps(int64_t count) {
  return count + count / 16 + 1;
}

}  // namespace skald::imp
