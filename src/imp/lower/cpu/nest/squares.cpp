// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/nest/squares.h"

#include <algorithm>

namespace skald::imp {

bool copy_in_squares(FunctionLowering& fn, Code& code, const ArrayPlace& dest,
                     const ArrayPlace& src) {
  const std::vector<Operand>& shape = dest.type.shape;
  if (fn.parallel_depth > 0 || shape.size() < 2 || src.loc.strides.empty()) return false;
  const size_t last = shape.size() - 1, along = contiguous_elsewhere(dest, src);
  if (along == last) return false;
  // Squares of rows of 256 bytes fit into the first cache and use whole cache lines on both sides.
  // Those of large results are half as wide and taken along the rows that are read (blocks.cpp).
  const auto squares_of = [&](Code& code, bool streamed) {
    const int64_t width = prim_size(dest.type.elem);
    const int64_t side = std::min<int64_t>(128, 256 / width);
    const auto most = [&](size_t dim) { return streamed && dim == last ? side / 2 : side; };
    std::vector<Operand> squares = shape;
    for (const size_t dim : {along, last})
      squares[dim] = pieces(code, shape[dim], const_i64(most(dim)));
    if (streamed) std::swap(squares[along], squares[last]);
    Operand count = const_i64(1);
    for (const Operand& dim : squares) count = code.mul_i64(count, dim);
    ++fn.parallel_depth;
    code.parallel_for(count, const_i64(4), [&](Code& square, const Operand& number) {
      std::vector<Operand> at = unflatten(square, number, squares);
      if (streamed) std::swap(at[along], at[last]);
      for (const size_t dim : {along, last})
        at[dim] = square.mul_i64(at[dim], const_i64(most(dim)));
      const auto here = [&](size_t dim) {
        return square.min_i64(const_i64(most(dim)), square.sub_i64(shape[dim], at[dim]));
      };
      const Operand rows = here(along);
      const Operand columns = here(last);
      const Operand length = const_i64(most(last));
      const Name buffer =
          square.alloc(Space::kScratch, const_i64(side * most(last) * width), "square");
      square.add(TransposeBlock{dest.type.elem, buffer, const_i64(0), length, src.loc.block,
                                address(square, src, at), src.loc.strides[last], columns, rows});
      const Operand start = address(square, dest, at);
      const Operand stride = strides(square, dest)[along];
      square.loop(const_i64(0), rows, [&](Code& row, const Operand& i) {
        const Operand from = row.mul_i64(i, length);
        const Operand to = row.add_i64(start, row.mul_i64(i, stride));
        if (streamed) {
          const Operand size = const_i64(width);
          const Operand offset = row.mul_i64(to, size);
          const Operand from_offset = row.mul_i64(from, size);
          row.add(CopyBytes{dest.loc.block, offset, buffer, from_offset, row.mul_i64(columns, size),
                            false, true});
          return;
        }
        row.loop(
            const_i64(0), columns,
            [&](Code& inner, const Operand& j) {
              const Operand x = inner.load(dest.type.elem, buffer, inner.add_i64(from, j), "x");
              inner.add(Store{dest.type.elem, dest.loc.block, inner.add_i64(to, j), x});
            },
            1, LoopHint::kSimd);
      });
    });
    --fn.parallel_depth;
  };
  fn.if_streamed(
      code, dest.type, [&](Code& large) { squares_of(large, true); },
      [&](Code& small) { squares_of(small, false); });
  return true;
}

}  // namespace skald::imp
