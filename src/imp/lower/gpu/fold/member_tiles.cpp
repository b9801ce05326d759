// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/member_tiles.h"

#include <algorithm>

#include "core/ir/sinks.h"
#include "imp/lower/gpu/fold/look_back.h"
#include "imp/lower/gpu/fold/tile_members.h"
#include "imp/lower/gpu/fold/tile_walk.h"
#include "imp/lower/gpu/launch.h"

namespace skald::imp {

using core::Sink;

namespace {

// Of the registers of a thread, for the values of its points; and points that are worth it.
constexpr int64_t kKeptBytes = 64, kMostPoints = 16, kFewestPoints = 4;
constexpr size_t kMostKeptStatements = 48;

int64_t points_of_thread(const KernelWriter& kernel) {
  return std::min(kMostPoints, kKeptBytes / std::max<int64_t>(TileMembers::bytes_of(kernel), 4));
}

class MemberTiles {
 public:
  explicit MemberTiles(GpuKernel& gpu)
      : gpu_(gpu),
        kernel_(gpu.kernel),
        monoids_(gpu),
        states_(monoids_, false),
        row_(points_of_thread(kernel_)),
        walk_(gpu, row_, false),
        members_(gpu, monoids_, row_) {}

  void write(Code& code);

 private:
  Launch launch(Code& code, LookBack& look_back, const Operand& tiles);
  void make_room(Code& code);
  void compute(Code& code);
  std::vector<Operand> values(Code& code, const Operand& k);

  // A value that partitions take, in registers.
  struct Kept {
    size_t value;
    Prim type;
    int64_t classes;  // if it is a class
    Name block;
  };
  GpuKernel& gpu_;
  KernelWriter& kernel_;
  Monoids monoids_;
  TileStates states_;
  const int64_t row_;
  TileWalk walk_;
  TileMembers members_;
  std::vector<Kept> kept_;
};

void MemberTiles::make_room(Code& code) {
  members_.make_room(code);
  for (const SinkInfo& info : kernel_.facts.sinks) {
    if (info.sink->kind != Sink::kPartition) continue;
    for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v) {
      const size_t value = info.values + v;
      const Prim type = v == 0 ? Prim::kI32 : kernel_.node.pull.results[value].type.elem;
      kept_.push_back({value, type, v == 0 ? info.sink->classes : 0,
                       code.alloc(Space::kPrivate, const_i64(row_ * prim_size(type)), "kept")});
    }
  }
}

void MemberTiles::compute(Code& code) {
  walk_.start(code);
  walk_.each(
      code, true, 0, row_,
      [&](Code& at, const Operand& k, const GpuPoint& point, const Operand&) {
        kernel_.point(
            at, point.indices,
            [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
              for (const Kept& kept : kept_) {
                Operand value = values[kept.value];
                if (kept.classes > 0) {
                  // A class that does not exist is the one after the last.
                  const Operand none = const_i64(kept.classes);
                  const Operand known = here.both(here.less_i64(const_i64(-1), value),
                                                  here.less_i64(value, none), "known");
                  const Operand member =
                      here.let(Prim::kI64, core::Select{known, value, none}, "class");
                  value =
                      here.let(Prim::kI32, core::Convert{Prim::kI64, Prim::kI32, member}, "class");
                }
                here.add(Store{kept.type, kept.block, k, value});
              }
              gpu_.direct(here, point, values);
            });
      },
      [&](Code& at, const Operand& k, const Operand&) {
        for (const Kept& kept : kept_)
          if (kept.classes > 0)
            at.add(Store{kept.type, kept.block, k, core::const_int(Prim::kI32, kept.classes)});
      });
}

std::vector<Operand> MemberTiles::values(Code& code, const Operand& k) {
  std::vector<Operand> values(kernel_.node.pull.results.size(), core::const_bool(true));
  for (const Kept& kept : kept_) {
    const Operand value = code.load(kept.type, kept.block, k, "kept");
    values[kept.value] =
        kept.classes == 0
            ? value
            : code.let(Prim::kI64, core::Convert{Prim::kI32, Prim::kI64, value}, "class");
  }
  return values;
}

Launch MemberTiles::launch(Code& code, LookBack& look_back, const Operand& tiles) {
  const InKernel inside(kernel_.fn);
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  Code inner(code.program());
  make_room(inner);
  const Operand tile = look_back.take_tile(inner, thread);
  const Operand points = const_i64(walk_.points());
  const Operand begin = inner.mul_i64(tile, points);
  walk_.begin(inner, thread, begin, inner.min_i64(points, inner.sub_i64(gpu_.total, begin)),
              nullptr);
  compute(inner);
  const TileMembers::Values values = [&](Code& at, const Operand& k) {
    return MemberTiles::values(at, k);
  };
  members_.count(inner, thread, values);
  const TileState all = states_.start(inner);
  for (size_t k = 0; k < all.accs.size(); ++k)
    inner.add(Assign{all.accs[k][0], members_.total(inner, k)});
  members_.pack(inner, thread, values);
  const TileState before = look_back.before(inner, thread, tile, all);
  members_.store(inner, thread, before);
  const Operand is_last = equals_i64(inner, tile, inner.sub_i64(tiles, const_i64(1)));
  const Operand is_first = equals_i64(inner, thread, const_i64(0));
  inner.branch(inner.both(is_first, is_last, "gives"), [&](Code& at) {
    states_.append(at, before, all);
    for (size_t k = 0; k < all.accs.size(); ++k)
      monoids_.store_total(at, monoids_.all()[k], const_i64(0), before.accs[k]);
  });
  return {group,        thread,         tiles,        const_i64(kGroupThreads),
          const_i64(0), inner.finish(), const_i64(0), states_.bytes() <= 3 * 8 ? kGroupsAtOnce : 0};
}

void MemberTiles::write(Code& code) {
  gpu_.count_points(code);
  // One at least: somebody must say that there are no members.
  const Operand tiles =
      code.max_i64(pieces(code, gpu_.total, const_i64(walk_.points())), const_i64(1));
  monoids_.make_totals(code);
  LookBack look_back(code, states_, tiles);
  add_launch(code, launch(code, look_back, tiles));
  look_back.free(code);
  monoids_.read_totals(code, false);
  monoids_.free_totals(code);
}

}  // namespace

bool fits_member_tiles(GpuKernel& gpu) {
  const KernelFacts& facts = gpu.kernel.facts;
  if (!facts.straight || !facts.node.post.empty() || facts.dims.size() != 1 || gpu.is_seg())
    return false;
  if (facts.node.pull.body.stmts.size() > kMostKeptStatements) return false;
  const bool only = std::ranges::all_of(facts.sinks, [](const SinkInfo& info) {
    const Sink::Kind kind = info.sink->kind;
    return kind == Sink::kPartition || kind == Sink::kOut || kind == Sink::kScatter;
  });
  return only && facts.has(Sink::kPartition) &&
         TileMembers::classes_of(gpu.kernel) <= kMostClasses &&
         points_of_thread(gpu.kernel) >= kFewestPoints;
}

void write_member_tiles(GpuKernel& gpu, Code& code) {
  MemberTiles(gpu).write(code);
}

}  // namespace skald::imp
