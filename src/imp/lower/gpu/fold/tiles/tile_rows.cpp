// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/ir/sinks.h"
#include "imp/lower/gpu/fold/tiles/tile_kernel.h"

namespace skald::imp {

using core::Sink;

namespace {

// Whose loads are under way before the first one is needed; more take too many registers.
constexpr int64_t kPointsAtOnce = 12;

}  // namespace

void Tiles::load_points(Code& code, TileWalk& walk, int64_t from, int64_t to,
                        const PrivateValues& kept) {
  walk.each(code, true, from, to,
            [&](Code& at, const Operand& k, const GpuPoint& point, const Operand&) {
              kernel_.point(
                  at, point.indices,
                  [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
                    kept.store(here, here.sub_i64(k, const_i64(from)), values);
                  });
            });
}

void Tiles::stage_points(Code& code, int64_t from, int64_t to, const PrivateValues& kept) {
  walk_.each_offset(
      code, from, to,
      [&](Code& at, const Operand& k, const Operand& offset) {
        staged_.store(at, offset, kept.load(at, at.sub_i64(k, const_i64(from))));
      },
      [&](Code& at, const Operand&, const Operand& offset) { staged_.set_absent(at, offset); });
}

void Tiles::compute(Code& code) {
  const int64_t row = staged_.row();
  if (const int64_t most = PrivateValues::most_points(kernel_, kPointsAtOnce); most > 1) {
    walk_.start(code);
    for (int64_t from = 0; from < row; from += most) {
      const int64_t to = std::min(from + most, row);
      const PrivateValues kept(code, kernel_, to - from);
      load_points(code, walk_, from, to, kept);
      stage_points(code, from, to, kept);
    }
    return;
  }
  const Name position = code.var(Prim::kI64, const_i64(0), "position");
  Code tried(code.program());
  walk_.start(tried);
  walk_.each(
      tried, false, 0, row,
      [&](Code& at, const Operand&, const GpuPoint& point, const Operand& offset) {
        at.add(Assign{position, at.add_i64(walk_.first(), offset)});
        staged_.set_absent(at, offset);
        kernel_.point(
            at, point.indices,
            [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
              staged_.store(here, offset, values);
            });
      },
      [&](Code& at, const Operand&, const Operand& offset) { staged_.set_absent(at, offset); });
  code.add(Attempt{position, tried.finish()});
}

void Tiles::restart_segment(Code& code, const TileState& state, Name left, const Operand& length,
                            const Operand& offset) {
  if (gpu_.is_seg())
    return code.branch(walk_.lengths().begins(code, offset),
                       [&](Code& at) { states_.restart(at, state); });
  if (!segmented_) return;
  const Operand none = core::const_int(Prim::kI32, 0), one = core::const_int(Prim::kI32, 1);
  const Operand ended =
      code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI32, left, none}, "ended");
  code.branch(ended, [&](Code& at) {
    states_.restart(at, state);
    at.add(Assign{left, length});
  });
  code.add(Assign{
      left, code.let(Prim::kI32, core::BinOp{BinOpKind::kSub, Prim::kI32, left, one}, "left")});
}

void Tiles::walk_row(Code& code, const TileState& state, const AfterPoint& then) {
  Name left = {};
  Operand length = const_i64(0);
  if (segmented_ && !gpu_.is_seg()) {
    left = code.var(Prim::kI32, walk_.left_of_segment(code), "left");
    length = TileWalk::narrow_length(code, gpu_.length);
  }
  walk_.each_of_row(code, unrolled_, [&](Code& at, const Operand&, const Operand& offset) {
    restart_segment(at, state, left, length, offset);
    staged_.if_present(at, offset, [&](Code& here) {
      states_.add_point(here, state, staged_.load(here, offset));
      if (then) then(here, offset);
    });
  });
}

// What was scanned takes the place of what went in.  Reductions of segments are scans, of which the
// last point counts.
void Tiles::replace(Code& code, const TileState& state, const Operand& offset) {
  for (size_t k = 0; k < monoids_.all().size(); ++k) {
    const Monoid& monoid = monoids_.all()[k];
    if (!monoid.is_scan && (monoid.op == nullptr || !gpu_.is_seg())) continue;
    for (size_t v = 0; v < monoid.types.size(); ++v)
      staged_.store_value(code, monoid.info->values + v, offset, state.accs[k][v]);
  }
}

TileMembers::Values Tiles::staged_members() {
  return [&](Code& code, const Operand& k) {
    const Operand offset = walk_.offset(code, k);
    std::vector<Operand> values(kernel_.node.pull.results.size(), core::const_bool(true));
    for (const SinkInfo& info : kernel_.facts.sinks)
      if (info.sink->kind == Sink::kPartition)
        for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v)
          values[info.values + v] = staged_.load_value(code, info.values + v, offset);
    return values;
  };
}

}  // namespace skald::imp
