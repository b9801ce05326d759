// SPDX-License-Identifier: Apache-2.0
// Cheap points of a grid of two or more dimensions.  A group has a rectangle of them, so that it
// divides by the lengths of rows once, and that what neighbours read is near.
//
// Loads whose neighbours lie in another dimension than the last one (those of transposed arrays) go
// through the memory of the group: it reads them along the array, and uses them along the rows.
#include <algorithm>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "imp/lower/gpu/launch.h"
#include "imp/lower/gpu/nest/nest.h"

namespace skald::imp {

using core::Sink;

namespace {

// Columns and rows of a rectangle; a thread has some neighbouring rows of a column.
struct Rectangle {
  int64_t columns, rows, threads;
  int64_t rows_at_once() const { return threads / columns; }
  int64_t rows_of_thread() const { return rows / rows_at_once(); }
};
// Few threads for turned ones, so that each has many loads under way.
constexpr Rectangle kPlain = {64, 16, kGroupThreads}, kTurned = {32, 32, kGroupThreads / 2};
// Elements of a row in the memory of the group: columns lie in different banks.
constexpr int64_t kTurnedRow = kTurned.columns + 1;
constexpr int64_t kTurnedBytes = 31 << 10;
// Larger thunks gain nothing.
constexpr size_t kFewOfPoint = 96;
// Smaller grids leave too many threads without a point.
constexpr int64_t kLeastOfRow = 48, kLeastTurned = 16;

class GridPoints {
 public:
  explicit GridPoints(GpuKernel& gpu)
      : gpu_(gpu),
        kernel_(gpu.kernel),
        last_(gpu.kernel.facts.dims.size() - 1),
        other_(last_ - 1) {}

  // Finds the loads that are turned, and the dimension that their neighbours lie in.
  void find_turned();
  bool is_turned() const { return !turned_.empty(); }
  int64_t bytes() const;
  void write(Code& code, const Otherwise& otherwise);

 private:
  struct Turned {
    size_t stmt;
    Prim type;
    Name block = {};
  };

  const Rectangle& shape() const { return is_turned() ? kTurned : kPlain; }
  void launch(Code& code);
  void body(Code& code, Name group, Name thread);
  void bring(Code& code, bool whole);
  void use(Code& code, bool whole);
  // All points of this thread: `column` in the fast dimension and its rows in the other one.
  void each(Code& code, size_t fast, size_t slow, bool whole,
            const std::function<void(Code&, const std::vector<Operand>& indices,
                                     const Operand& row)>& visit);
  void point(Code& code, const std::vector<Operand>& indices, const Operand& row);

  GpuKernel& gpu_;
  KernelWriter& kernel_;
  const size_t last_;
  size_t other_;
  std::vector<Turned> turned_;
  std::vector<Operand> tiles_;
  std::vector<Operand> first_;
  Operand column_ = const_i64(0), first_row_ = const_i64(0);
};

void GridPoints::find_turned() {
  if (!kernel_.facts.straight) return;
  Code elsewhere(kernel_.fn.prog);
  for (const Access& access : kernel_.accesses(elsewhere)) {
    if (is_step(access.steps[last_], 0) || is_step(access.steps[last_], 1)) continue;
    for (size_t k = 0; k < last_; ++k) {
      if (!is_step(access.steps[k], 1)) continue;
      // All of them in one dimension.
      if (is_turned() && k != other_) break;
      other_ = k;
      turned_.push_back({access.stmt, kernel_.node.pull.body.stmts[access.stmt].pat[0].type.elem});
      break;
    }
  }
}

int64_t GridPoints::bytes() const {
  int64_t sum = 0;
  for (const Turned& load : turned_) sum += kTurned.rows * kTurnedRow * prim_size(load.type);
  return sum;
}

void GridPoints::each(Code& code, size_t fast, size_t slow, bool whole,
                      const std::function<void(Code&, const std::vector<Operand>& indices,
                                               const Operand& row)>& visit) {
  const std::vector<Operand>& dims = kernel_.facts.dims;
  code.loop(
      const_i64(0), const_i64(shape().rows_of_thread()),
      [&](Code& at, const Operand& number) {
        // Neighbouring rows for loads that are near; for turned ones all threads have one row each.
        const Operand row =
            is_turned()
                ? at.add_i64(at.mul_i64(number, const_i64(shape().rows_at_once())), first_row_)
                : at.add_i64(number, first_row_);
        std::vector<Operand> indices = first_;
        indices[fast] = at.add_i64(first_[fast], column_);
        indices[slow] = at.add_i64(first_[slow], row);
        if (whole) return visit(at, indices, row);
        const Operand in_row = at.less_i64(indices[fast], dims[fast]);
        const Operand inside = at.both(in_row, at.less_i64(indices[slow], dims[slow]), "inside");
        at.branch(inside, [&](Code& here) { visit(here, indices, row); });
      },
      1, LoopHint::kUnroll);
}

void GridPoints::bring(Code& code, bool whole) {
  each(code, other_, last_, whole,
       [&](Code& at, const std::vector<Operand>& indices, const Operand& row) {
         const Operand to = at.add_i64(at.mul_i64(row, const_i64(kTurnedRow)), column_);
         for (const Turned& load : turned_) {
           const auto [block, place] = kernel_.read_place(at, load.stmt, indices);
           at.add(Store{load.type, load.block, to, at.load(load.type, block, place, "turned")});
         }
       });
}

void GridPoints::point(Code& code, const std::vector<Operand>& indices, const Operand& row) {
  if (!is_turned()) return gpu_.write_point(code, {indices, indices, const_i64(0)});
  const Operand from = code.add_i64(code.mul_i64(column_, const_i64(kTurnedRow)), row);
  const auto turned = [&](size_t stmt) -> std::optional<Operand> {
    const auto load = std::ranges::find(turned_, stmt, &Turned::stmt);
    if (load == turned_.end()) return std::nullopt;
    return code.load(load->type, load->block, from, "turned");
  };
  const std::vector<Operand> values = kernel_.values_with(code, indices, turned);
  gpu_.direct(code, {indices, indices, const_i64(0)}, values);
}

void GridPoints::use(Code& code, bool whole) {
  each(code, last_, other_, whole,
       [&](Code& at, const std::vector<Operand>& indices, const Operand& row) {
         point(at, indices, row);
       });
}

void GridPoints::body(Code& code, Name group, Name thread) {
  for (Turned& load : turned_)
    load.block = code.alloc(Space::kShared,
                            const_i64(kTurned.rows * kTurnedRow * prim_size(load.type)), "square");
  first_ = unflatten(code, group, tiles_);
  first_[last_] = code.mul_i64(first_[last_], const_i64(shape().columns));
  first_[other_] = code.mul_i64(first_[other_], const_i64(shape().rows));
  column_ = code.binop(BinOpKind::kAnd, thread, const_i64(shape().columns - 1), "column");
  const Operand slow = code.binop(BinOpKind::kQuot, thread, const_i64(shape().columns), "row");
  first_row_ = is_turned() ? slow : code.mul_i64(slow, const_i64(shape().rows_of_thread()));
  const std::vector<Operand>& dims = kernel_.facts.dims;
  const auto fits = [&](size_t k, int64_t size) {
    return code.less_i64(code.add_i64(first_[k], const_i64(size - 1)), dims[k]);
  };
  const Operand whole =
      code.both(fits(last_, shape().columns), fits(other_, shape().rows), "whole");
  const auto both_ways = [&](const std::function<void(Code&, bool)>& part) {
    code.branch(whole, [&](Code& at) { part(at, true); }, [&](Code& at) { part(at, false); });
  };
  if (is_turned()) {
    both_ways([&](Code& at, bool all) { bring(at, all); });
    code.add(Barrier{});
  }
  both_ways([&](Code& at, bool all) { use(at, all); });
}

void GridPoints::launch(Code& code) {
  tiles_ = kernel_.facts.dims;
  tiles_[last_] = pieces(code, tiles_[last_], const_i64(shape().columns));
  tiles_[other_] = pieces(code, tiles_[other_], const_i64(shape().rows));
  Operand groups = const_i64(1);
  for (const Operand& count : tiles_) groups = code.mul_i64(groups, count);
  Code inner(code.program());
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  {
    const InKernel inside(kernel_.fn);
    body(inner, group, thread);
  }
  add_launch(code,
             {group, thread, groups, const_i64(shape().threads), const_i64(0), inner.finish()});
}

void GridPoints::write(Code& code, const Otherwise& otherwise) {
  const std::vector<Operand>& dims = kernel_.facts.dims;
  const int64_t rows = is_turned() ? kLeastTurned : shape().rows / 4;
  const Operand wide =
      code.less_i64(const_i64((is_turned() ? kLeastTurned : kLeastOfRow) - 1), dims[last_]);
  const Operand high = code.less_i64(const_i64(rows - 1), dims[other_]);
  code.branch(code.both(wide, high, "in_tiles"), [&](Code& at) { launch(at); }, otherwise);
}

}  // namespace

WhyNot why_no_grid_points(GpuKernel& gpu) {
  const KernelFacts& facts = gpu.kernel.facts;
  if (gpu.is_seg() || facts.dims.size() < 2) return "there is one dimension";
  if (facts.elementwise) return "all arrays lie as the points do";
  if (!facts.scalar_code) return "points are more than scalar code that cannot fail";
  if (facts.node.pull.body.stmts.size() > kFewOfPoint) return "points cost enough";
  if (!std::ranges::all_of(facts.sinks, [](const SinkInfo& info) {
        return info.sink->kind == Sink::kOut || info.sink->kind == Sink::kScatter;
      }))
    return "sinks other than arrays and scatters";
  GridPoints grid(gpu);
  grid.find_turned();
  if (grid.bytes() > kTurnedBytes) return "points read too many transposed arrays";
  return std::nullopt;
}

void write_grid_points(GpuKernel& gpu, Code& code, const Otherwise& otherwise) {
  GridPoints grid(gpu);
  grid.find_turned();
  grid.write(code, otherwise);
}

}  // namespace skald::imp
