// SPDX-License-Identifier: Apache-2.0
// Costly points of a grid of two or more dimensions that have work in common with those beside
// them, as the half steps of a scheme for flows: a thread has some neighbouring points of the last
// two dimensions, and computes what they share once (shared_thunk.h).  Threads in the middle of the
// grid do not ask where its borders are (middle.h); those at a border take one point after the
// other.
#include <algorithm>

#include "core/ir/visit.h"
#include "imp/lower/gpu/launch.h"
#include "imp/lower/gpu/nest/middle.h"
#include "imp/lower/gpu/nest/nest.h"
#include "imp/lower/gpu/shared_thunk.h"

namespace skald::imp {

using core::Sink;

namespace {

// Points of a thread.
struct PointTile {
  int64_t rows, columns;
  int64_t points() const { return rows * columns; }
};
constexpr PointTile kPointTiles[] = {{2, 1}, {1, 2}, {4, 1}, {2, 2}};
// A thread with several points has fewer beside it on its processor: that must be worth it.
constexpr double kWorthSharing = 0.8;
// Larger code does not fit the registers, nor the device's cache of instructions.
constexpr size_t kMostToShare = 512, kMostAtBorder = 1024;
constexpr int64_t kSharedColumns = 64, kSharedRows = kGroupThreads / kSharedColumns;
// Fewer groups do not keep a device busy.
constexpr int64_t kLeastSharedGroups = 512;
// So many on each processor: with all the registers that they could use, two, each thread would
// wait for its own quotients.
constexpr int64_t kSharedAtOnce = 3;

class SharedPoints {
 public:
  explicit SharedPoints(GpuKernel& gpu)
      : gpu_(gpu),
        fn_(gpu.kernel.fn),
        dims_(gpu.kernel.facts.dims),
        last_(dims_.size() - 1),
        other_(last_ - 1),
        middle_(fn_, gpu.kernel.node.pull, dims_) {}

  WhyNot why_too_much() const;

  // False: points have too little in common.
  bool choose();
  void write(Code& code, const Otherwise& otherwise);

 private:
  const core::Lambda& pull() const {
    return middle_.is_simpler() ? middle_.pull() : gpu_.kernel.node.pull;
  }
  std::vector<std::vector<Operand>> values(Code& code, SharedThunk& thunk, const PointTile& tile,
                                           const std::vector<Operand>& first) const;
  double cost_of(const PointTile& tile) const;
  void body(Code& code, Name group, Name thread);
  void all_at_once(Code& code, const std::vector<Operand>& first);
  void one_by_one(Code& code, const std::vector<Operand>& first);

  GpuKernel& gpu_;
  FunctionLowering& fn_;
  const std::vector<Operand>& dims_;
  const size_t last_, other_;
  const Middle middle_;
  PointTile tile_ = {1, 1};
  std::vector<Operand> tiles_;
};

WhyNot SharedPoints::why_too_much() const {
  const bool too_much = core::statement_count(pull().body) > kMostToShare ||
                        core::statement_count(gpu_.kernel.node.pull.body) > kMostAtBorder;
  return too_much ? WhyNot("points are too much code") : std::nullopt;
}

std::vector<std::vector<Operand>> SharedPoints::values(Code& code, SharedThunk& thunk,
                                                       const PointTile& tile,
                                                       const std::vector<Operand>& first) const {
  std::vector<std::vector<Operand>> values;
  for (int64_t row = 0; row < tile.rows; ++row) {
    for (int64_t column = 0; column < tile.columns; ++column) {
      std::vector<SharedIndex> at;
      for (const Operand& index : first) at.push_back({index});
      at[other_].away = row;
      at[last_].away = column;
      values.push_back(thunk.values(code, at));
    }
  }
  return values;
}

// Of a point, if a thread has so many.
double SharedPoints::cost_of(const PointTile& tile) const {
  Code elsewhere(fn_.prog);
  std::vector<Operand> first;
  for (size_t d = 0; d < dims_.size(); ++d) first.emplace_back(elsewhere.fresh("i"));
  SharedThunk thunk(fn_, pull());
  values(elsewhere, thunk, tile, first);
  return static_cast<double>(thunk.cost()) / static_cast<double>(tile.points());
}

bool SharedPoints::choose() {
  double least = kWorthSharing * cost_of({1, 1});
  bool found = false;
  for (const PointTile& tile : kPointTiles) {
    const double cost = cost_of(tile);
    if (cost > least) continue;
    least = cost;
    tile_ = tile;
    found = true;
  }
  return found;
}

void SharedPoints::all_at_once(Code& code, const std::vector<Operand>& first) {
  SharedThunk thunk(fn_, pull());
  const std::vector<std::vector<Operand>> made = values(code, thunk, tile_, first);
  // What is stored now might keep loads after it waiting.
  for (int64_t point = 0; point < tile_.points(); ++point) {
    std::vector<Operand> at = first;
    at[other_] = code.add_i64(at[other_], const_i64(point / tile_.columns));
    at[last_] = code.add_i64(at[last_], const_i64(point % tile_.columns));
    gpu_.direct(code, {at, at, const_i64(0)}, made[static_cast<size_t>(point)]);
  }
}

void SharedPoints::one_by_one(Code& code, const std::vector<Operand>& first) {
  code.short_loop(const_i64(0), const_i64(tile_.points()), [&](Code& at, const Operand& number) {
    const Operand row = at.binop(BinOpKind::kQuot, number, const_i64(tile_.columns), "row");
    const Operand column = at.sub_i64(number, at.mul_i64(row, const_i64(tile_.columns)));
    std::vector<Operand> indices = first;
    indices[other_] = at.add_i64(indices[other_], row);
    indices[last_] = at.add_i64(indices[last_], column);
    const Operand in_rows = at.less_i64(indices[other_], dims_[other_]);
    const Operand inside = at.both(in_rows, at.less_i64(indices[last_], dims_[last_]), "inside");
    at.branch(inside,
              [&](Code& here) { gpu_.write_point(here, {indices, indices, const_i64(0)}); });
  });
}

void SharedPoints::body(Code& code, Name group, Name thread) {
  std::vector<Operand> first = unflatten(code, group, tiles_);
  const Operand column =
      code.binop(BinOpKind::kAnd, thread, const_i64(kSharedColumns - 1), "column");
  const Operand row = code.binop(BinOpKind::kQuot, thread, const_i64(kSharedColumns), "row");
  const auto place = [&](size_t dim, int64_t of_group, int64_t of_thread, const Operand& number) {
    const Operand begin = code.mul_i64(first[dim], const_i64(of_group * of_thread));
    first[dim] = code.add_i64(begin, code.mul_i64(number, const_i64(of_thread)));
    return code.less_i64(code.add_i64(begin, const_i64(of_group * of_thread - 1)), dims_[dim]);
  };
  const Operand wide = place(last_, kSharedColumns, tile_.columns, column);
  const Operand high = place(other_, kSharedRows, tile_.rows, row);
  std::vector<Operand> last = first;
  last[last_] = code.add_i64(last[last_], const_i64(tile_.columns - 1));
  last[other_] = code.add_i64(last[other_], const_i64(tile_.rows - 1));
  const Operand whole = code.both(wide, high, "whole");
  code.branch(
      code.both(whole, middle_.holds(code, first, last), "whole"),
      [&](Code& at) { all_at_once(at, first); }, [&](Code& at) { one_by_one(at, first); });
}

void SharedPoints::write(Code& code, const Otherwise& otherwise) {
  tiles_ = dims_;
  tiles_[last_] = pieces(code, dims_[last_], const_i64(kSharedColumns * tile_.columns));
  tiles_[other_] = pieces(code, dims_[other_], const_i64(kSharedRows * tile_.rows));
  Operand groups = const_i64(1);
  for (const Operand& count : tiles_) groups = code.mul_i64(groups, count);
  const Operand wide = code.less_i64(const_i64(kSharedColumns - 1), dims_[last_]);
  const Operand many = code.less_i64(const_i64(kLeastSharedGroups - 1), groups);
  code.branch(
      code.both(wide, many, "shared"),
      [&](Code& at) {
        Code inner(at.program());
        const Name group = at.fresh("group"), thread = at.fresh("thread");
        {
          const InKernel inside(fn_);
          body(inner, group, thread);
        }
        Launch launch{group,        thread,        groups, const_i64(kGroupThreads),
                      const_i64(0), inner.finish()};
        launch.at_once = kSharedAtOnce;
        add_launch(at, std::move(launch));
      },
      otherwise);
}

// Reciprocals take the place of roots that are used once (imp/passes/contract.cpp), which is not
// the same for a point alone and beside others.
bool has_short_roots(const core::Body& body) {
  return std::ranges::any_of(body.stmts, [](const core::Stmt& stmt) {
    const auto* root = core::as<core::UnOp>(stmt.exp);
    return root != nullptr && root->op == UnOpKind::kSqrt && root->type == Prim::kF32;
  });
}

}  // namespace

WhyNot why_no_shared_points(GpuKernel& gpu) {
  const KernelFacts& facts = gpu.kernel.facts;
  if (gpu.is_seg() || facts.dims.size() < 2) return "there is one dimension";
  if (facts.elementwise) return "all arrays lie as the points do";
  if (!facts.scalar_code || facts.node.guarded)
    return "points are more than scalar code that cannot fail";
  if (!std::ranges::all_of(facts.sinks, [](const SinkInfo& info) {
        return info.sink->kind == Sink::kOut || info.sink->kind == Sink::kScatter;
      }))
    return "sinks other than arrays and scatters";
  if (has_short_roots(facts.node.pull.body)) return "points have square roots of f32";
  SharedPoints points(gpu);
  if (const WhyNot why = points.why_too_much()) return why;
  if (!points.choose()) return "neighbours have little in common";
  return std::nullopt;
}

void write_shared_points(GpuKernel& gpu, Code& code, const Otherwise& otherwise) {
  SharedPoints points(gpu);
  points.choose();
  points.write(code, otherwise);
}

}  // namespace skald::imp
