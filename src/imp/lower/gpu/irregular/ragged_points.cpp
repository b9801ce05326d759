// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/irregular/ragged_points.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "imp/lower/gpu/fold/private_values.h"
#include "imp/lower/gpu/irregular/small_ints.h"

namespace skald::imp {

namespace {

// Points of a thread that are computed at once.
constexpr int64_t kAtOnce = 8;
// The number of a segment in the tile.
constexpr Prim kNumber = Prim::kI16;
static_assert(RaggedTile::kMostSegments < 1 << 15);

bool asks_for_segments(const core::Lambda& pull) {
  const core::NameSet used = core::free_names(pull.body);
  return used.contains(pull.params[0].name) || used.contains(pull.params[1].name);
}

}  // namespace

RaggedPoints::RaggedPoints(GpuKernel& gpu, RaggedTile& tile)
    : gpu_(gpu), tile_(tile), needs_segments_(asks_for_segments(gpu.kernel.node.pull)) {}

int64_t RaggedPoints::bytes(const GpuKernel& gpu) {
  return asks_for_segments(gpu.kernel.node.pull) ? prim_size(kNumber) : 0;
}

void RaggedPoints::make_room(Code& code, int64_t points) {
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
void RaggedPoints::several(Code& code, Name next, const Operand& end, int64_t count,
                           const Then& then) {
  const Operand far = const_i64((count - 1) * kGroupThreads);
  const auto are_there = [&](Code& at) { return at.less_i64(at.add_i64(next, far), end); };
  const Name more = code.var(Prim::kBool, are_there(code), "more");
  Code inner(code.program());
  const PrivateValues kept(inner, gpu_.kernel, count);
  const auto each = [&](const std::function<void(Code&, const Operand& k, const Operand&)>& body) {
    inner.loop(
        const_i64(0), const_i64(count),
        [&](Code& at, const Operand& k) {
          body(at, k, at.add_i64(next, at.mul_i64(k, const_i64(kGroupThreads))));
        },
        1, LoopHint::kUnroll);
  };
  each([&](Code& at, const Operand& k, const Operand& number) {
    kept.store(at, k,
               gpu_.kernel.fn.apply(at, gpu_.kernel.node.pull, point_at(at, number).indices));
  });
  each([&](Code& at, const Operand& k, const Operand& number) {
    then(at, number, point_at(at, number), kept.load(at, k));
  });
  inner.add(Assign{next, inner.add_i64(next, const_i64(count * kGroupThreads))});
  inner.add(Assign{more, are_there(inner)});
  code.add(While{more, inner.finish()});
}

void RaggedPoints::each(Code& code, Name thread, const Then& then,
                        const std::function<void(Code&, const Operand& number)>& absent) {
  if (needs_segments_) note_segments(code);
  const Name position = code.var(Prim::kI64, const_i64(0), "position");
  Code tried(code.program());
  const Name next = tried.var(Prim::kI64, thread, "next");
  const Operand end = as_wide(tried, tile_.points());
  const KernelWriter& kernel = gpu_.kernel;
  const int64_t most = kernel.node.guarded ? 1 : PrivateValues::most_points(kernel, kAtOnce);
  for (int64_t count = most; count > 1; count /= 4) several(tried, next, end, count, then);
  const Operand first = tried.let(Prim::kI64, core::Value{next}, "first");
  const auto last_ones = [&](Code& at, const Operand& number) {
    if (!kernel.facts.straight) at.add(Assign{position, tile_.point(at, number)});
    if (kernel.node.guarded && absent) absent(at, number);
    one(at, number, then);
  };
  tried.loop(first, end, last_ones, kGroupThreads);
  code.add(Attempt{position, tried.finish()});
}

}  // namespace skald::imp
