// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/irregular/ragged_tile.h"

#include "imp/lower/gpu/irregular/small_ints.h"

namespace skald::imp {

// Twice as many ends as a tile has on average, if so many fit: where most segments are short and
// few are long, most tiles have more than the average.
void RaggedTile::plan(Code& host) {
  const Operand points = host.max_i64(gpu_.total, const_i64(1));
  const Operand length = host.max_i64(
      host.binop(BinOpKind::kQuot, points, host.max_i64(gpu_.segments, const_i64(1)), "length"),
      const_i64(1));
  const Operand rounds =
      pieces(host, const_i64(2 * most_points_), host.mul_i64(length, const_i64(kGroupThreads)));
  window_ = host.mul_i64(host.min_i64(rounds, const_i64(kMostSegments / kGroupThreads)),
                         const_i64(kGroupThreads));
}

void RaggedTile::each(Code& code, Name thread, const SegmentShares::Bounds& share,
                      const std::function<void(Code&)>& body) {
  thread_ = thread;
  ends_ = code.alloc(Space::kShared, const_i64(4 * (kMostSegments + 2)), "ends");
  word_ = code.alloc(Space::kShared, const_i64(8), "word");
  first_segment_ = code.var(Prim::kI64, share.segment, "segment");
  first_point_ = code.var(Prim::kI64, share.point, "point");
  last_segment_ = share.last_segment;
  last_point_ = share.last_point;
  const auto is_left = [&](Code& at) {
    const Operand segments = at.less_i64(first_segment_, last_segment_);
    return at.either(segments, at.less_i64(first_point_, last_point_), "left");
  };
  const Name more = code.var(Prim::kBool, is_left(code), "more");
  Code inner(code.program());
  load_ends(inner);
  body(inner);
  inner.add(Assign{first_segment_, segment(inner, segments_)});
  inner.add(Assign{first_point_, point(inner, as_wide(inner, points_))});
  inner.add(Assign{more, is_left(inner)});
  inner.add(Barrier{});
  code.add(While{more, inner.finish()});
}

// Ends beyond the tile are as good as one just beyond it.
void RaggedTile::load_ends(Code& code) {
  const Operand beyond = const_i64(most_points_ + 1);
  const Operand room =
      code.min_i64(const_i64(most_points_), code.sub_i64(last_point_, first_point_));
  code.loop(
      thread_, window_,
      [&](Code& at, const Operand& number) {
        const Operand segment = at.add_i64(first_segment_, number);
        const Name end = at.var(Prim::kI64, beyond, "end");
        at.branch(at.less_i64(segment, last_segment_), [&](Code& here) {
          const Operand all = gpu_.offset(here, here.add_i64(segment, const_i64(1)));
          here.add(Assign{end, here.min_i64(here.sub_i64(all, first_point_), beyond)});
        });
        at.add(Store{Prim::kI32, ends_, number, as_small(at, end)});
      },
      kGroupThreads);
  const Operand is_one = code.less_i64(thread_, const_i64(1));
  code.branch(is_one, [&](Code& at) {
    at.add(Store{Prim::kI32, ends_, window_, as_small(at, beyond)});
    at.add(Store{Prim::kI32, word_, const_i64(0), const_i32(0)});
  });
  begin_of_first_ = gpu_.offset(code, first_segment_);
  code.add(Barrier{});
  // If the ends do not reach so far, the tile stops with the last of them.
  const Operand last = code.load(Prim::kI32, ends_, code.sub_i64(window_, const_i64(1)), "last");
  points_ = small(code, BinOpKind::kMin, last, as_small(code, room));
}

void RaggedTile::find_segments(Code& code) {
  code.loop(
      thread_, window_,
      [&](Code& at, const Operand& number) {
        const Operand own = at.load(Prim::kI32, ends_, number, "own");
        const Operand next = at.load(Prim::kI32, ends_, at.add_i64(number, const_i64(1)), "next");
        const Operand begins = small_less(at, own, small_sum(at, points_, const_i32(1)));
        const Operand is_last = at.both(begins, small_less(at, points_, next), "is_last");
        at.branch(is_last, [&](Code& here) {
          here.add(Store{Prim::kI32, word_, const_i64(0),
                         as_small(here, here.add_i64(number, const_i64(1)))});
        });
      },
      kGroupThreads);
  code.add(Barrier{});
  segments_ = code.load(Prim::kI32, word_, const_i64(0), "segments");
}

Operand RaggedTile::segment(Code& code, const Operand& number) const {
  return code.add_i64(first_segment_, as_wide(code, number));
}

Operand RaggedTile::point(Code& code, const Operand& number) const {
  return code.add_i64(first_point_, number);
}

Operand RaggedTile::segment_begin(Code& code, const Operand& number) const {
  const Name begin = code.var(Prim::kI64, const_i64(0), "begin");
  code.branch(
      small_less(code, const_i32(0), number),
      [&](Code& at) {
        const Operand before = small_sum(at, number, const_i32(-1));
        at.add(Assign{begin, point(at, as_wide(at, load_small(at, ends_, before)))});
      },
      [&](Code& at) { at.add(Assign{begin, begin_of_first_}); });
  return code.let(Prim::kI64, core::Value{begin}, "begin");
}

// An odd number of items, so that threads side by side use different banks.
void RaggedTile::find_path(Code& code) {
  const Operand items = small_sum(code, points_, segments_);
  const Operand more = small_sum(code, items, const_i32(kGroupThreads - 1));
  const Operand share = small(code, BinOpKind::kQuot, more, const_i32(kGroupThreads));
  const Operand each = small(code, BinOpKind::kOr, share, const_i32(1));
  const Operand thread = as_small(code, thread_);
  begin_ = small(code, BinOpKind::kMin, small(code, BinOpKind::kMul, thread, each), items);
  end_ = small(code, BinOpKind::kMin, small_sum(code, begin_, each), items);
  const Operand least = small(code, BinOpKind::kSub, begin_, points_);
  const Name low = code.var(Prim::kI32, small(code, BinOpKind::kMax, least, const_i32(0)), "low");
  const Name high = code.var(Prim::kI32, small(code, BinOpKind::kMin, begin_, segments_), "high");
  const Name more_left = code.var(Prim::kBool, small_less(code, low, high), "more");
  Code inner(code.program());
  const Operand middle = small(inner, BinOpKind::kQuot, small_sum(inner, low, high), const_i32(2));
  const Operand item = small_sum(inner, load_small(inner, ends_, middle), middle);
  inner.branch(
      small_less(inner, item, begin_),
      [&](Code& at) { at.add(Assign{low, small_sum(at, middle, const_i32(1))}); },
      [&](Code& at) { at.add(Assign{high, middle}); });
  inner.add(Assign{more_left, small_less(inner, low, high)});
  code.add(While{more_left, inner.finish()});
  own_segment_ = code.let(Prim::kI32, core::Value{low}, "own_segment");
  own_point_ = small(code, BinOpKind::kSub, begin_, own_segment_);
}

// Points up to the next end, or to the end of the path, then that end.
void RaggedTile::walk(Code& code, const PointOnPath& at_point, const Code::LoopBody& at_end) const {
  const Name segment = code.var(Prim::kI32, own_segment_, "segment");
  const Name point = code.var(Prim::kI32, own_point_, "point");
  const Name next = code.var(Prim::kI32, load_small(code, ends_, own_segment_), "next");
  const Name left = code.var(Prim::kI32, small(code, BinOpKind::kSub, end_, begin_), "left");
  const auto is_left = [&](Code& at) { return small_less(at, const_i32(0), left); };
  const Name more = code.var(Prim::kBool, is_left(code), "more");
  Code inner(code.program());
  const Operand ahead = small(inner, BinOpKind::kSub, next, point);
  const Operand take = small(inner, BinOpKind::kMin, ahead, left);
  const Operand stop = small_sum(inner, point, take);
  const Name number = inner.fresh("number");
  Code points(code.program());
  at_point(points, number, segment);
  const Operand from = inner.let(Prim::kI32, core::Value{point}, "from");
  inner.add(For{number, Prim::kI32, from, stop, const_i32(1), points.finish(), LoopHint::kNone});
  inner.add(Assign{point, stop});
  inner.add(Assign{left, small(inner, BinOpKind::kSub, left, take)});
  inner.branch(is_left(inner), [&](Code& at) {
    at_end(at, segment);
    at.add(Assign{segment, small_sum(at, segment, const_i32(1))});
    at.add(Assign{next, load_small(at, ends_, segment)});
    at.add(Assign{left, small_sum(at, left, const_i32(-1))});
  });
  inner.add(Assign{more, is_left(inner)});
  code.add(While{more, inner.finish()});
}

}  // namespace skald::imp
