// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/tile_points.h"

namespace skald::imp {

namespace {

// a / b, where a < b + kMostTilePoints.
Operand short_quotient(Code& code, const Operand& a, const Operand& b) {
  constexpr int64_t kNarrow = int64_t{1} << 30;
  const auto narrow = [&](const Operand& wide) {
    return code.let(Prim::kU32, core::Convert{Prim::kI64, Prim::kU32, wide}, "narrow");
  };
  const Operand quotient =
      code.let(Prim::kU32, core::BinOp{BinOpKind::kQuot, Prim::kU32, narrow(a), narrow(b)}, "q");
  const Operand few = code.let(Prim::kI64, core::Convert{Prim::kU32, Prim::kI64, quotient}, "few");
  const Operand less = code.less_i64(a, b);
  const Operand at_most_one =
      code.let(Prim::kI64, core::Select{less, const_i64(0), const_i64(1)}, "at_most_one");
  const Operand is_narrow = code.less_i64(b, const_i64(kNarrow));
  return code.let(Prim::kI64, core::Select{is_narrow, few, at_most_one}, "quotient");
}

}  // namespace

TilePoints::TilePoints(Code& code, const Operand& begin, const std::vector<Operand>& shape)
    : first_(unflatten(code, begin, shape)), shape_(shape) {}

std::vector<Operand> TilePoints::at(Code& code, const Operand& offset) const {
  std::vector<Operand> indices = first_;
  Operand carry = offset;
  for (size_t k = indices.size(); k-- > 0;) {
    indices[k] = code.add_i64(indices[k], carry);
    if (k == 0) break;
    carry = short_quotient(code, indices[k], shape_[k]);
    indices[k] = code.sub_i64(indices[k], code.mul_i64(carry, shape_[k]));
  }
  return indices;
}

}  // namespace skald::imp
