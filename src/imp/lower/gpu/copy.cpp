// SPDX-License-Identifier: Apache-2.0
// Copies of transposed arrays on devices: neighbouring threads should read neighbouring elements,
// and write neighbouring ones.  A group takes a square, reads it along the source's rows into its
// own memory, and writes it along the destination's:
//
//   source        square of a group       destination
//   a b c d  ──►    a b │ · ·    ──►      a e · ·      rows of the square have one element more
//   than e f g h         e f │ · ·             b f · ·      needed, so that columns lie in
//   different banks
#include "imp/lower/gpu/launch.h"
#include "imp/lower/gpu/target.h"

namespace skald::imp {

namespace {

constexpr int64_t kSide = 32;
constexpr int64_t kRow = kSide + 1;
// Few threads, so that each has many loads under way.
constexpr int64_t kSquareThreads = kGroupThreads / 2;
constexpr int64_t kSquareStep = kSquareThreads / kSide;

}  // namespace

bool copy_in_tiles(FunctionLowering& fn, Code& code, const ArrayPlace& dest,
                   const ArrayPlace& src) {
  const std::vector<Operand>& shape = dest.type.shape;
  const Operand one = const_i64(1), side = const_i64(kSide);
  if (fn.parallel_depth > 0 || shape.size() < 2 || src.loc.strides.empty()) return false;
  const size_t last = shape.size() - 1, along = contiguous_elsewhere(dest, src);
  if (along == last) return false;
  // One group for each square, at one index of the dimensions beside it.
  std::vector<Operand> squares = shape;
  squares[along] = pieces(code, shape[along], side);
  squares[last] = pieces(code, shape[last], side);
  Operand groups = one;
  for (const Operand& dim : squares) groups = code.mul_i64(groups, dim);
  const Prim elem = dest.type.elem;
  Launch launch{code.fresh("group"),       code.fresh("thread"), groups,
                const_i64(kSquareThreads), const_i64(0),         {}};
  ++fn.parallel_depth;
  Code inner(fn.prog);
  const Name square =
      inner.alloc(Space::kShared, const_i64(kSide * kRow * prim_size(elem)), "square");
  const std::vector<Operand> place = unflatten(inner, launch.group, squares);
  const Operand y = inner.binop(BinOpKind::kQuot, launch.thread, side, "y");
  const Operand x = inner.sub_i64(launch.thread, inner.mul_i64(y, side));
  const Operand first_along = inner.mul_i64(place[along], side);
  const Operand first_last = inner.mul_i64(place[last], side);
  // All elements of the square; `r` counts its rows, `x` is the place in one.
  const auto each = [&](Code& out, bool reading, bool whole) {
    out.loop(
        const_i64(0), side,
        [&](Code& at, const Operand& begin) {
          const Operand r = at.add_i64(begin, y);
          std::vector<Operand> indices = place;
          indices[along] = at.add_i64(first_along, reading ? x : r);
          indices[last] = at.add_i64(first_last, reading ? r : x);
          const auto move = [&](Code& here) {
            if (reading) {
              const Operand element = load(here, src, indices, "x");
              const Operand to = here.add_i64(here.mul_i64(r, const_i64(kRow)), x);
              here.add(Store{elem, square, to, element});
            } else {
              const Operand from = here.add_i64(here.mul_i64(x, const_i64(kRow)), r);
              const Operand element = here.load(elem, square, from, "x");
              here.add(Store{elem, dest.loc.block, address(here, dest, indices), element});
            }
          };
          if (whole) return move(at);
          const Operand row = at.less_i64(indices[along], shape[along]);
          const Operand column = at.less_i64(indices[last], shape[last]);
          at.branch(at.both(row, column, "inside"), move);
        },
        kSquareStep, whole ? LoopHint::kUnroll : LoopHint::kShort);
  };
  const auto fits = [&](const Operand& first, const Operand& size) {
    return inner.less_i64(inner.add_i64(first, const_i64(kSide - 1)), size);
  };
  const Operand is_whole =
      inner.both(fits(first_along, shape[along]), fits(first_last, shape[last]), "whole");
  const auto both_ways = [&](bool reading) {
    inner.branch(
        is_whole, [&](Code& at) { each(at, reading, true); },
        [&](Code& at) { each(at, reading, false); });
  };
  both_ways(true);
  inner.add(Barrier{});
  both_ways(false);
  --fn.parallel_depth;
  launch.body = inner.finish();
  add_launch(code, std::move(launch));
  return true;
}

}  // namespace skald::imp
