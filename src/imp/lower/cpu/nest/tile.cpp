// SPDX-License-Identifier: Apache-2.0
// Matrix-product-like nests in tiles.
//
// The points (i, j) are cut into blocks, one for each task.  A task takes k in pieces.  For each
// piece it packs the values that depend on (i, k) and on (j, k) into panels, so that the innermost
// code reads memory in order, and then goes through the block in tiles: a few rows i and a few
// vectors of columns j, whose accumulators stay in registers for the whole piece.
//
//   for each piece of k
//     pack: rows[panel][k][r], columns[panel][k][lane]
//     for each panel of columns (stays in the first cache), each panel of rows
//       for k:  simd for lane:  for each r:  acc[r][lane] = f(acc[r][lane], rows…, columns…)
//
// Every accumulator takes its values in the order of k, as a plain loop would.  At the edges of the
// index space panels repeat the last row or have any column; what is computed from that is not
// stored.
//
// Where results are few and sums long, a task has only some of the rounds of k; what tasks leave
// is combined in the order of k afterwards.
//
// If rows are few and known, but there are more dimensions, all these may be rows together.
#include <algorithm>

#include "core/ir/visit.h"
#include "imp/lower/cpu/nest/nest.h"
#include "imp/lower/cpu/nest/panels.h"
#include "imp/lower/cpu/nest/tile_blocks.h"

namespace skald::imp {

namespace {

// Narrower accumulators have no more lanes than those of four bytes.
constexpr int kLeastWidth = 4;
// Points (i, j, k) worth a task.
constexpr int64_t kTaskPoints = 1 << 16;
class TiledNest {
 public:
  TiledNest(KernelWriter& kernel, const TilePlan& plan)
      : nest_(kernel, plan),
        width_(std::max(widest(plan), kLeastWidth)),
        lanes_(kernel.fn.options.tile_row_bytes / width_),
        most_rows_(std::max<int64_t>(
            1, kernel.fn.options.tile_bytes /
                   (lanes_ * widest(plan) * static_cast<int64_t>(plan.accs.size())))),
        rows_(even(nest_, most_rows_)),
        in_parts_(!plan.accs[0].result),
        blocks_(nest_, rows_, lanes_, width_, in_parts_),
        row_panels_(nest_, Panels::Side::kRows, rows_),
        column_panels_(nest_, Panels::Side::kColumns, lanes_) {}
  TiledNest(const TiledNest&) = delete;
  TiledNest& operator=(const TiledNest&) = delete;

  int64_t most_rows() const { return most_rows_; }

  void write(Code& code, const Otherwise& otherwise) {
    const Operand good = blocks_.prepare(code);
    code.branch(
        good,
        [&](Code& here) {
          SmallNest small(nest_);
          if (nest_.plan.rows_together || !small.is_possible(here)) return tiles(here);
          here.branch(
              small.is_small(here, lanes_), [&](Code& at) { small.write(at); },
              [&](Code& at) { tiles(at); });
        },
        otherwise);
  }

  // Nests that are better not cut into tiles at all.
  void write_small(Code& code, const Otherwise& otherwise) {
    const Operand good = blocks_.prepare(code);
    SmallNest small(nest_);
    if (!small.is_possible(code)) return otherwise(code);
    code.branch(
        code.both(good, small.is_small(code, lanes_), "and"), [&](Code& at) { small.write(at); },
        otherwise);
  }

 private:
  // No more than so many rows in a tile, and as many in each where their number is known.
  static int64_t even(const NestWriter& nest, int64_t most) {
    int64_t rows = 1;
    const auto multiply = [&](const Operand& size) {
      const Const* known = core::as_const(size);
      rows = known == nullptr || rows == 0 ? 0 : rows * core::int_value(*known);
    };
    multiply(nest.kernel.facts.dims[nest.plan.row]);
    for (size_t d = nest.outer; d < nest.outer_dims.size(); ++d) multiply(nest.outer_size(d));
    if (rows <= 0) return most;
    const int64_t tiles = (rows + most - 1) / most;
    return (rows + tiles - 1) / tiles;
  }
  static int widest(const TilePlan& plan) {
    int bytes = 1;
    for (const TilePlan::Accumulator& acc : plan.accs) bytes = std::max(bytes, prim_size(acc.type));
    return bytes;
  }

  void tiles(Code& code) {
    blocks_.fit(code);
    row_panels_.find_turned(code);
    column_panels_.find_turned(code);
    if (in_parts_) {
      const Operand room = code.mul_i64(blocks_.parts, result_count(code));
      for (const SinkInfo& info : nest_.kernel.facts.sinks)
        partials_.push_back(nest_.kernel.partials(code, info.sink->op[0], room));
    }
    const Operand points = code.mul_i64(code.mul_i64(blocks_.block_rows, blocks_.block_columns),
                                        in_parts_ ? blocks_.part_depth : nest_.q);
    const Operand grain = code.max_i64(
        const_i64(1), code.binop(BinOpKind::kQuot, const_i64(kTaskPoints), points, "grain"));
    code.parallel_for(blocks_.tasks, grain,
                      [&](Code& inner, const Operand& number) { task(inner, number); });
    if (!in_parts_) return;
    code.branch(code.less_i64(const_i64(1), blocks_.parts), [&](Code& at) { combine_parts(at); });
    for (const auto& list : partials_)
      for (const Name name : list) code.add(Free{name});
  }

  // All results of the kernel.
  Operand result_count(Code& code) {
    Operand count = code.mul_i64(nest_.n, nest_.m);
    for (size_t d = 0; d < nest_.outer; ++d) count = code.mul_i64(count, nest_.outer_size(d));
    return count;
  }

  // Where the result at (row, j) of the first part lies in the partials.
  Operand partial_place(Code& code, const Operand& row, const Operand& j) {
    Operand place = nest_.outer == 0 ? const_i64(0) : nest_.outer_indices[0];
    for (size_t d = 1; d < nest_.outer; ++d)
      place = code.add_i64(code.mul_i64(place, nest_.outer_size(d)), nest_.outer_indices[d]);
    place = code.add_i64(code.mul_i64(place, nest_.n), row);
    return code.add_i64(code.mul_i64(place, nest_.m), j);
  }

  // Results from what the parts have left, in the order of k.
  void combine_parts(Code& code) {
    const Operand all = result_count(code);
    const Operand rows = code.binop(BinOpKind::kQuot, all, nest_.m, "rows");
    code.parallel_for(rows, const_i64(1), [&](Code& at, const Operand& number) {
      Operand rest = number;
      nest_.outer_indices.assign(nest_.outer, const_i64(0));
      const Operand row = nest_.outer == 0 ? rest : nest_.split(at, rest, nest_.n);
      for (size_t d = nest_.outer; d-- > 0;)
        nest_.outer_indices[d] = d == 0 ? rest : nest_.split(at, rest, nest_.outer_size(d));
      const Operand i = nest_.enter_row(at, row);
      const Operand base = at.mul_i64(number, nest_.m);
      at.loop(
          const_i64(0), nest_.m,
          [&](Code& columns, const Operand& j) {
            const auto accs = nest_.kernel.start_all(columns, core::Sink::kReduce);
            columns.loop(const_i64(0), blocks_.parts, [&](Code& one, const Operand& part) {
              const Operand in_part = one.add_i64(base, j);
              const Operand place = one.add_i64(one.mul_i64(part, all), in_part);
              std::vector<Operand> values;
              for (size_t s = 0, v = 0; s < partials_.size(); ++s)
                for (const Name block : partials_[s])
                  values.push_back(one.load(nest_.plan.accs[v++].type, block, place, "partial"));
              nest_.kernel.combine_all(one, accs, values);
            });
            std::vector<Operand> totals;
            for (const auto& list : accs)
              for (const auto& acc : list) totals.emplace_back(acc);
            nest_.store(columns, i, j, totals);
          },
          1, LoopHint::kSimd);
    });
  }

  void find_block(Code& code, const Operand& number) {
    Operand rest = number;
    const Operand part = in_parts_ ? nest_.split(code, rest, blocks_.parts) : const_i64(0);
    first_k_ = in_parts_ ? code.mul_i64(part, blocks_.part_depth) : const_i64(0);
    end_k_ =
        in_parts_ ? code.min_i64(nest_.q, code.add_i64(first_k_, blocks_.part_depth)) : nest_.q;
    if (in_parts_) part_place_ = code.mul_i64(part, result_count(code));
    const Operand first_column =
        code.mul_i64(nest_.split(code, rest, blocks_.column_blocks), blocks_.block_columns);
    const Operand first_row = code.mul_i64(
        nest_.outer == 0 ? rest : nest_.split(code, rest, blocks_.row_blocks), blocks_.block_rows);
    nest_.outer_indices.assign(nest_.outer, const_i64(0));
    for (size_t d = nest_.outer; d-- > 0;)
      nest_.outer_indices[d] = d == 0 ? rest : nest_.split(code, rest, nest_.outer_size(d));
    row_panels_.enter(code, first_row,
                      code.min_i64(blocks_.block_rows, code.sub_i64(nest_.n, first_row)));
    column_panels_.enter(code, first_column,
                         code.min_i64(blocks_.block_columns, code.sub_i64(nest_.m, first_column)));
  }

  void task(Code& code, const Operand& number) {
    find_block(code, number);
    const Operand points = code.mul_i64(code.mul_i64(row_panels_.number(), column_panels_.number()),
                                        const_i64(rows_ * lanes_));
    state_.clear();
    for (const TilePlan::Accumulator& acc : nest_.plan.accs) {
      state_.push_back(code.alloc(Space::kScratch,
                                  code.mul_i64(points, const_i64(prim_size(acc.type))), "state"));
    }
    start(code, points);
    code.loop(
        first_k_, end_k_,
        [&](Code& at, const Operand& first) {
          const Operand depth = at.min_i64(const_i64(kTileDepth), at.sub_i64(end_k_, first));
          row_panels_.pack(at, first, depth);
          column_panels_.pack(at, first, depth);
          at.loop(const_i64(0), column_panels_.number(), [&](Code& c, const Operand& column) {
            c.loop(const_i64(0), row_panels_.number(),
                   [&](Code& r, const Operand& row) { tile(r, row, column, first, depth); });
          });
        },
        kTileDepth);
    finish(code);
  }

  // The accumulators before the loop.
  void start(Code& code, const Operand& points) {
    bool same = true;
    for (const TilePlan::Accumulator& acc : nest_.plan.accs) {
      const Name* name = core::as_name(acc.init);
      for (const core::Stmt* stmt : nest_.plan.before)
        same = same && (name == nullptr || !(stmt->pat[0].name == *name));
      for (const core::Param& p : nest_.kernel.node.pull.params)
        same = same && (name == nullptr || !(p.name == *name));
    }
    if (same) {
      for (size_t v = 0; v < state_.size(); ++v)
        code.add(Fill{nest_.plan.accs[v].type, state_[v], const_i64(0), points,
                      nest_.fn.value(nest_.plan.accs[v].init)});
      return;
    }
    each_point(code, [&](Code& at, const Operand& i, const Operand& j, const Operand& place) {
      core::Substitution subst = nest_.indices(at, nest_.enter_row(at, i), j, const_i64(0));
      nest_.eval(at, nest_.plan.before, subst);
      for (size_t v = 0; v < state_.size(); ++v)
        at.add(Store{nest_.plan.accs[v].type, state_[v], place,
                     nest_.look_up(nest_.plan.accs[v].init, subst)});
    });
  }

  void finish(Code& code) {
    const auto whole = [&](Code& here) {
      each_point(here, [&](Code& at, const Operand& i, const Operand& j, const Operand& place) {
        std::vector<Operand> values;
        for (size_t v = 0; v < state_.size(); ++v)
          values.push_back(at.load(nest_.plan.accs[v].type, state_[v], place, "acc"));
        nest_.store(at, nest_.enter_row(at, i), j, values);
      });
    };
    if (!in_parts_) return whole(code);
    const auto part = [&](Code& here) {
      each_point(here, [&](Code& at, const Operand& i, const Operand& j, const Operand& place) {
        const Operand to = at.add_i64(part_place_, partial_place(at, i, j));
        for (size_t s = 0, v = 0; s < partials_.size(); ++s)
          for (const Name block : partials_[s]) {
            const Prim type = nest_.plan.accs[v].type;
            at.add(Store{type, block, to, at.load(type, state_[v++], place, "acc")});
          }
      });
    };
    code.branch(code.less_i64(const_i64(1), blocks_.parts), part, whole);
  }

  // All points of the block, and their places in state_.
  void each_point(
      Code& code,
      const std::function<void(Code&, const Operand&, const Operand&, const Operand&)>& visit) {
    code.loop(const_i64(0), row_panels_.count(), [&](Code& rows, const Operand& row) {
      const Operand i = rows.add_i64(row_panels_.first(), row);
      const Operand panel = rows.binop(BinOpKind::kQuot, row, const_i64(rows_), "panel");
      const Operand r = rows.sub_i64(row, rows.mul_i64(panel, const_i64(rows_)));
      rows.loop(const_i64(0), column_panels_.number(), [&](Code& columns, const Operand& column) {
        const Operand base = columns.add_i64(tile_place(columns, panel, column),
                                             columns.mul_i64(r, const_i64(lanes_)));
        const Operand first = columns.mul_i64(column, const_i64(lanes_));
        const Operand count =
            columns.min_i64(const_i64(lanes_), columns.sub_i64(column_panels_.count(), first));
        const Operand from = columns.add_i64(column_panels_.first(), first);
        columns.loop(
            const_i64(0), count,
            [&](Code& at, const Operand& lane) {
              const Operand column = at.add_i64(from, lane);
              visit(at, i, column, at.add_i64(base, lane));
            },
            1, LoopHint::kSimd);
      });
    });
  }

  Operand tile_place(Code& code, const Operand& row, const Operand& column) {
    return code.mul_i64(code.add_i64(code.mul_i64(column, row_panels_.number()), row),
                        const_i64(rows_ * lanes_));
  }

  // One tile through one piece of k.
  void tile(Code& code, const Operand& row, const Operand& column, const Operand& first,
            const Operand& depth) {
    const Operand place = tile_place(code, row, column);
    std::vector<std::vector<Name>> acc(static_cast<size_t>(rows_));
    for (int64_t r = 0; r < rows_; ++r)
      for (size_t v = 0; v < state_.size(); ++v)
        acc[static_cast<size_t>(r)].push_back(code.alloc(
            Space::kScratch, const_i64(lanes_ * prim_size(nest_.plan.accs[v].type)), "tile"));
    const auto move = [&](bool in) {
      code.loop(
          const_i64(0), const_i64(lanes_),
          [&](Code& at, const Operand& lane) {
            for (size_t r = 0; r < acc.size(); ++r) {
              const Operand in_state =
                  at.add_i64(at.add_i64(place, const_i64(static_cast<int64_t>(r) * lanes_)), lane);
              for (size_t v = 0; v < state_.size(); ++v) {
                const Prim type = nest_.plan.accs[v].type;
                const Name from = in ? state_[v] : acc[r][v], to = in ? acc[r][v] : state_[v];
                const Operand x = at.load(type, from, in ? in_state : lane, "x");
                at.add(Store{type, to, in ? lane : in_state, x});
              }
            }
          },
          1, LoopHint::kSimd);
    };
    move(true);
    nest_.enter_row(code, const_i64(0));
    const Operand row_base = row_panels_.place(code, row);
    const Operand column_base = column_panels_.place(code, column);
    code.loop(const_i64(0), depth, [&](Code& ks, const Operand& k) {
      const Operand row_place = ks.add_i64(row_base, ks.mul_i64(k, const_i64(rows_)));
      const Operand column_place = ks.add_i64(column_base, ks.mul_i64(k, const_i64(lanes_)));
      std::vector<std::vector<Operand>> of_rows(acc.size());
      for (size_t r = 0; r < acc.size(); ++r)
        for (size_t v = 0; v < nest_.plan.row_values.size(); ++v)
          of_rows[r].push_back(
              row_panels_.load(ks, v, ks.add_i64(row_place, const_i64(static_cast<int64_t>(r)))));
      const core::Substitution at_k =
          nest_.indices(ks, const_i64(0), const_i64(0), ks.add_i64(first, k));
      ks.loop(
          const_i64(0), const_i64(lanes_),
          [&](Code& at, const Operand& lane) {
            std::vector<Operand> of_column;
            for (size_t v = 0; v < nest_.plan.column_values.size(); ++v)
              of_column.push_back(column_panels_.load(at, v, at.add_i64(column_place, lane)));
            for (size_t r = 0; r < acc.size(); ++r) {
              core::Substitution subst = at_k;
              for (size_t v = 0; v < of_column.size(); ++v)
                subst[nest_.plan.column_values[v].name] = of_column[v];
              for (size_t v = 0; v < of_rows[r].size(); ++v)
                subst[nest_.plan.row_values[v].name] = of_rows[r][v];
              for (size_t v = 0; v < state_.size(); ++v)
                subst[nest_.plan.accs[v].param] =
                    at.load(nest_.plan.accs[v].type, acc[r][v], lane, "acc");
              nest_.eval(at, nest_.plan.point_stmts, subst);
              for (size_t v = 0; v < state_.size(); ++v) {
                at.add(Store{nest_.plan.accs[v].type, acc[r][v], lane,
                             nest_.next_value(at, v, subst)});
              }
            }
          },
          1, LoopHint::kSimd);
    });
    move(false);
  }

  NestWriter nest_;
  const int64_t width_, lanes_, most_rows_, rows_;
  const bool in_parts_;  // may sums be cut?
  TileBlocks blocks_;
  std::vector<std::vector<Name>> partials_;  // of sinks: [part][result]
  // Of the block of this task.
  Panels row_panels_, column_panels_;
  Operand first_k_ = const_i64(0), end_k_ = const_i64(0), part_place_ = const_i64(0);
  std::vector<Name> state_;
};

}  // namespace

WhyNot why_no_tiles(KernelWriter& kernel) {
  if (plan_tiles(kernel.node) || plan_tiles_of_all_rows(kernel.node) ||
      plan_tiles_of_outer_rows(kernel.node))
    return std::nullopt;
  return "it is no nest like a matrix product";
}

void write_tiles(KernelWriter& kernel, Code& code, const Otherwise& otherwise) {
  const std::optional<TilePlan> plan = plan_tiles(kernel.node);
  const std::optional<TilePlan> all_rows = plan_tiles_of_all_rows(kernel.node);
  if (!plan) {
    const std::optional<TilePlan> other =
        all_rows ? std::nullopt : plan_tiles_of_outer_rows(kernel.node);
    return TiledNest(kernel, all_rows ? *all_rows : *other).write(code, otherwise);
  }
  TiledNest nest(kernel, *plan);
  const Operand row_count = NestWriter(kernel, *plan).n;
  const core::Const* few = core::as_const(row_count);
  if (!all_rows || few == nullptr || core::int_value(*few) >= nest.most_rows())
    return nest.write(code, otherwise);
  nest.write_small(code, [&](Code& here) { TiledNest(kernel, *all_rows).write(here, otherwise); });
}

}  // namespace skald::imp
