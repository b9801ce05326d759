// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/irregular/ragged_points.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "imp/lower/gpu/irregular/small_ints.h"

namespace skald::imp {

namespace {

// The number of a segment in the tile.
constexpr Prim kNumber = Prim::kI16;
static_assert(RaggedTile::kMostSegments < 1 << 15);

bool asks_for_segments(const core::Lambda& pull) {
  const core::NameSet used = core::free_names(pull.body);
  return used.contains(pull.params[0].name) || used.contains(pull.params[1].name);
}

}  // namespace

RaggedPoints::RaggedPoints(GpuKernel& gpu, RaggedTile& tile)
    : gpu_(gpu),
      tile_(tile),
      needs_segments_(asks_for_segments(gpu.kernel.node.pull)),
      thunk_(gpu.kernel) {}

int64_t RaggedPoints::bytes(const GpuKernel& gpu) {
  return asks_for_segments(gpu.kernel.node.pull) ? prim_size(kNumber) : 0;
}

void RaggedPoints::make_room(Code& code, int64_t points) {
  points_ = points;
  if (needs_segments_)
    segment_of_ = code.alloc(Space::kShared, const_i64(points * prim_size(kNumber)), "segment_of");
}

// The segment of a point is the one that ends next.  In a tile without ends there is one for all.
void RaggedPoints::note_segments(Code& code) {
  code.branch(small_less(code, const_i32(0), tile_.segments()), [&](Code& some) {
    tile_.walk(
        some,
        [&](Code& at, const Operand& number, const Operand& segment) {
          at.add(Store{kNumber, segment_of_, as_wide(at, number),
                       at.let(kNumber, core::Convert{Prim::kI32, kNumber, segment}, "number")});
        },
        [](Code&, const Operand&) {});
  });
  code.add(Barrier{});
}

GpuPoint RaggedPoints::point_at(Code& code, const Operand& number) const {
  const Operand flat = tile_.point(code, number);
  if (!needs_segments_) return {{const_i64(0), const_i64(0), flat}, {flat}, flat};
  const Name own = code.var(Prim::kI32, const_i32(0), "own");
  code.branch(small_less(code, const_i32(0), tile_.segments()), [&](Code& at) {
    const Operand narrow = at.load(kNumber, segment_of_, number, "narrow");
    at.add(Assign{own, at.let(Prim::kI32, core::Convert{kNumber, Prim::kI32, narrow}, "own")});
  });
  const Operand within = code.sub_i64(flat, tile_.segment_begin(code, own));
  return {{tile_.segment(code, own), within, flat}, {flat}, flat};
}

void RaggedPoints::one(Code& code, const Operand& number, const Then& then) {
  const GpuPoint at = point_at(code, number);
  const core::Kernel& node = gpu_.kernel.node;
  const std::vector<Operand> values = gpu_.kernel.fn.apply(code, node.pull, at.indices);
  if (!node.guarded) return then(code, number, at, values);
  code.branch(values[0], [&](Code& inner) { then(inner, number, at, values); });
}

// First all of them are computed, so that their loads are under way together.
void RaggedPoints::batch(Code& code, int64_t count, Name position, const NumberOf& number,
                         const Guard& guard, const Then& then) {
  const auto each = [&](const Code::LoopBody& body) {
    code.loop(const_i64(0), const_i64(count), body, 1, LoopHint::kUnroll);
  };
  const auto indices = [&](Code& at, const Operand& k) {
    return point_at(at, number(at, k)).indices;
  };
  const auto note_position = [&](Code& at, const Operand& k) {
    at.add(Assign{position, point_at(at, number(at, k)).position});
  };
  const ThunkInSteps::Kept kept = thunk_.make_room(code, count);
  if (thunk_.has_reads())
    each([&](Code& at, const Operand& k) { thunk_.read(at, kept, k, indices(at, k)); });
  if (thunk_.has_checks()) {
    const Name fits = code.var(Prim::kBool, core::const_bool(true), "fits");
    each([&](Code& at, const Operand& k) {
      const Operand here = thunk_.fits(at, kept, k, indices(at, k));
      at.add(Assign{fits, at.both(fits, here, "fits")});
    });
    const auto check_each = [&](Code& at) {
      at.loop(
          const_i64(0), const_i64(count),
          [&](Code& inner, const Operand& k) {
            note_position(inner, k);
            thunk_.check(inner, kept, k, indices(inner, k));
          },
          1, LoopHint::kUnroll);
    };
    code.branch(fits, [](Code&) {}, check_each);
  }
  each([&](Code& at, const Operand& k) {
    if (thunk_.rest_may_fail()) note_position(at, k);
    thunk_.finish(at, kept, k, indices(at, k));
  });
  each([&](Code& at, const Operand& k) {
    guard(at, k, [&](Code& here) {
      const Operand own = number(here, k);
      const auto point = point_at(here, own);
      then(here, own, point, thunk_.values(here, kept, k));
    });
  });
}

void RaggedPoints::whole_tile(Code& code, Name thread, Name position, const Then& then) {
  const int64_t rows = points_ / kGroupThreads, most = thunk_.most_points(rows);
  for (int64_t row = 0; row < rows; row += most)
    batch(
        code, std::min(most, rows - row), position,
        [&](Code& at, const Operand& k) {
          const Operand before =
              at.mul_i64(at.add_i64(k, const_i64(row)), const_i64(kGroupThreads));
          return at.add_i64(before, thread);
        },
        [](Code& at, const Operand&, const std::function<void(Code&)>& body) { body(at); }, then);
}

// Points beyond the end are the last one once more, which is not used.
void RaggedPoints::part_of_tile(Code& code, Name thread, Name position, const Then& then) {
  const int64_t most = thunk_.most_points(points_ / kGroupThreads);
  const Operand end = as_wide(code, tile_.points());
  const Operand last = code.sub_i64(end, const_i64(1));
  const Name next = code.var(Prim::kI64, thread, "next");
  const Name more = code.var(Prim::kBool, code.less_i64(next, end), "more");
  Code inner(code.program());
  const auto far = [&](Code& at, const Operand& k) {
    return at.add_i64(next, at.mul_i64(k, const_i64(kGroupThreads)));
  };
  batch(
      inner, most, position,
      [&](Code& at, const Operand& k) { return at.min_i64(far(at, k), last); },
      [&](Code& at, const Operand& k, const std::function<void(Code&)>& body) {
        at.branch(at.less_i64(far(at, k), end), body);
      },
      then);
  inner.add(Assign{next, inner.add_i64(next, const_i64(most * kGroupThreads))});
  inner.add(Assign{more, inner.less_i64(next, end)});
  code.add(While{more, inner.finish()});
}

void RaggedPoints::each(Code& code, Name thread, const Then& then,
                        const std::function<void(Code&, const Operand& number)>& absent) {
  if (needs_segments_) note_segments(code);
  const Name position = code.var(Prim::kI64, const_i64(0), "position");
  Code tried(code.program());
  if (thunk_.most_points(points_ / kGroupThreads) > 1) {
    const Operand is_part = small_less(tried, tile_.points(), const_i32(points_));
    tried.branch(
        is_part, [&](Code& at) { part_of_tile(at, thread, position, then); },
        [&](Code& at) { whole_tile(at, thread, position, then); });
  } else {
    const core::Kernel& node = gpu_.kernel.node;
    tried.loop(
        thread, as_wide(tried, tile_.points()),
        [&](Code& at, const Operand& number) {
          at.add(Assign{position, tile_.point(at, number)});
          if (node.guarded && absent) absent(at, number);
          one(at, number, then);
        },
        kGroupThreads);
  }
  code.add(Attempt{position, tried.finish()});
}

}  // namespace skald::imp
