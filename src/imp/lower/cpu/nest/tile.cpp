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

namespace skald::imp {

namespace {

// Narrower accumulators have no more lanes than those of four bytes.
constexpr int kLeastWidth = 4;
// How many k are packed at a time: a panel of columns takes a quarter of a first-level cache.
constexpr int64_t kTileDepth = 256;
// The rows of a block, and the bytes of accumulators in each of them.  Large blocks pack less
// often, but there must be enough of them for all threads.
struct BlockShape {
  int64_t least_result, rows, row_bytes;
};
constexpr BlockShape kBlockShapes[] = {{0, 32, 512}, {1 << 17, 64, 1024}, {1 << 20, 128, 1024}};
// Below this, packing costs more than it gives.
constexpr int64_t kLeastRows = 4, kLeastColumns = 8, kLeastDepth = 8;
// Fewer tasks than this share the work badly, which matters if there is this much of it.
constexpr int64_t kFewTasks = 8, kMuchWork = 1 << 20;
// Points (i, j, k) worth a task.
constexpr int64_t kTaskPoints = 1 << 16;
// Into so many parts long sums are cut at most.
constexpr int64_t kMostSumParts = 32;

class TiledNest {
 public:
  TiledNest(KernelWriter& kernel, const TilePlan& plan) : nest_(kernel, plan) {
    int widest = 1;
    for (const TilePlan::Accumulator& acc : plan.accs)
      widest = std::max(widest, prim_size(acc.type));
    const LowerOptions& options = kernel.fn.options;
    const auto accs = static_cast<int64_t>(plan.accs.size());
    width_ = std::max(widest, kLeastWidth);
    lanes_ = options.tile_row_bytes / width_;
    rows_ = std::max<int64_t>(1, options.tile_bytes / (lanes_ * widest * accs));
    in_parts_ = !plan.accs[0].result;
  }

  int64_t rows() const { return rows_; }

  void write(Code& code, const Otherwise& otherwise) {
    const Operand good = prepare(code);
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
    const Operand good = prepare(code);
    SmallNest small(nest_);
    if (!small.is_possible(code)) return otherwise(code);
    code.branch(
        code.both(good, small.is_small(code, lanes_), "and"), [&](Code& at) { small.write(at); },
        otherwise);
  }

 private:
  using Values = std::vector<TilePlan::Packed>;

  // Sizes; is it a nest for this way?
  Operand prepare(Code& code) {
    nest_.count_rows(code);
    nest_.q = nest_.fn.value(nest_.plan.bound);
    if (nest_.plan.k_type != Prim::kI64)
      nest_.q =
          code.let(Prim::kI64, core::Convert{nest_.plan.k_type, Prim::kI64, nest_.q}, "depth");
    const Operand result = code.mul_i64(nest_.n, nest_.m);
    for (const BlockShape& shape : kBlockShapes) {
      const Operand rows = const_i64(shape.rows), columns = const_i64(shape.row_bytes / width_);
      if (shape.least_result == 0) {
        block_rows_ = rows;
        block_columns_ = columns;
        continue;
      }
      const Operand large = code.less_i64(const_i64(shape.least_result - 1), result);
      block_rows_ = code.let(Prim::kI64, core::Select{large, rows, block_rows_}, "block_rows");
      block_columns_ =
          code.let(Prim::kI64, core::Select{large, columns, block_columns_}, "block_columns");
    }
    row_blocks_ = chunk_count(code, nest_.n, block_rows_);
    column_blocks_ = chunk_count(code, nest_.m, block_columns_);
    tasks_ = code.mul_i64(row_blocks_, column_blocks_);
    for (size_t d = 0; d < nest_.outer; ++d)
      tasks_ = code.mul_i64(tasks_, nest_.kernel.facts.dims[d]);
    const auto at_least = [&](const Operand& size, int64_t least) {
      return code.less_i64(const_i64(least - 1), size);
    };
    const Operand columns = at_least(nest_.m, kLeastColumns);
    const Operand rows = at_least(nest_.n, kLeastRows);
    const Operand area = code.both(rows, columns, "and");
    const Operand depth = at_least(nest_.q, kLeastDepth);
    const Operand deep = code.both(depth, area, "and");
    return code.both(deep, enough_tasks(code, result), "and");
  }

  Operand enough_tasks(Code& code, const Operand& result) {
    const Operand many = code.less_i64(const_i64(kFewTasks - 1), tasks_);
    const Operand little = code.less_i64(code.mul_i64(result, nest_.q), const_i64(kMuchWork));
    const Operand enough = code.either(many, little, "or");
    if (!in_parts_) return enough;
    const Operand most = code.max_i64(
        const_i64(1),
        code.min_i64(const_i64(kMostSumParts),
                     code.binop(BinOpKind::kQuot, nest_.q, const_i64(kTileDepth), "pieces")));
    parts_ = code.let(Prim::kI64, core::Select{enough, const_i64(1), most}, "parts");
    // The same number of whole pieces of k in each part, as far as there are as many.
    const Operand depth = chunk_count(code, nest_.q, parts_);
    const Operand pieces =
        code.binop(BinOpKind::kQuot, code.add_i64(depth, const_i64(kTileDepth - 1)),
                   const_i64(kTileDepth), "pieces");
    part_depth_ = code.mul_i64(pieces, const_i64(kTileDepth));
    tasks_ = code.mul_i64(tasks_, parts_);
    return code.either(enough, code.less_i64(const_i64(kFewTasks - 1), tasks_), "or");
  }

  void tiles(Code& code) {
    if (in_parts_) {
      const Operand room = code.mul_i64(parts_, result_count(code));
      for (const SinkInfo& info : nest_.kernel.facts.sinks)
        partials_.push_back(nest_.kernel.partials(code, info.sink->op[0], room));
    }
    const Operand points =
        code.mul_i64(code.mul_i64(block_rows_, block_columns_), in_parts_ ? part_depth_ : nest_.q);
    const Operand grain = code.max_i64(
        const_i64(1), code.binop(BinOpKind::kQuot, const_i64(kTaskPoints), points, "grain"));
    code.parallel_for(tasks_, grain,
                      [&](Code& inner, const Operand& number) { task(inner, number); });
    if (!in_parts_) return;
    code.branch(code.less_i64(const_i64(1), parts_), [&](Code& at) { combine_parts(at); });
    for (const auto& list : partials_)
      for (const Name name : list) code.add(Free{name});
  }

  // All results of the kernel.
  Operand result_count(Code& code) {
    Operand count = code.mul_i64(nest_.n, nest_.m);
    for (size_t d = 0; d < nest_.outer; ++d)
      count = code.mul_i64(count, nest_.kernel.facts.dims[d]);
    return count;
  }

  // Where the result at (row, j) of the first part lies in the partials.
  Operand partial_place(Code& code, const Operand& row, const Operand& j) {
    Operand place = nest_.outer == 0 ? const_i64(0) : nest_.outer_indices[0];
    for (size_t d = 1; d < nest_.outer; ++d)
      place = code.add_i64(code.mul_i64(place, nest_.kernel.facts.dims[d]), nest_.outer_indices[d]);
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
        nest_.outer_indices[d] = d == 0 ? rest : nest_.split(at, rest, nest_.kernel.facts.dims[d]);
      const Operand i = nest_.enter_row(at, row);
      const Operand base = at.mul_i64(number, nest_.m);
      at.loop(
          const_i64(0), nest_.m,
          [&](Code& columns, const Operand& j) {
            const auto accs = nest_.kernel.start_all(columns, core::Sink::kReduce);
            columns.loop(const_i64(0), parts_, [&](Code& one, const Operand& part) {
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
    const Operand part = in_parts_ ? nest_.split(code, rest, parts_) : const_i64(0);
    first_k_ = in_parts_ ? code.mul_i64(part, part_depth_) : const_i64(0);
    end_k_ = in_parts_ ? code.min_i64(nest_.q, code.add_i64(first_k_, part_depth_)) : nest_.q;
    if (in_parts_) part_place_ = code.mul_i64(part, result_count(code));
    first_column_ = code.mul_i64(nest_.split(code, rest, column_blocks_), block_columns_);
    first_row_ =
        code.mul_i64(nest_.outer == 0 ? rest : nest_.split(code, rest, row_blocks_), block_rows_);
    nest_.outer_indices.assign(nest_.outer, const_i64(0));
    for (size_t d = nest_.outer; d-- > 0;)
      nest_.outer_indices[d] = d == 0 ? rest : nest_.split(code, rest, nest_.kernel.facts.dims[d]);
    row_count_ = code.min_i64(block_rows_, code.sub_i64(nest_.n, first_row_));
    column_count_ = code.min_i64(block_columns_, code.sub_i64(nest_.m, first_column_));
    const auto panels = [&](const Operand& count, int64_t size) {
      return code.binop(BinOpKind::kQuot, code.add_i64(count, const_i64(size - 1)), const_i64(size),
                        "panels");
    };
    row_panels_ = panels(row_count_, rows_);
    column_panels_ = panels(column_count_, lanes_);
  }

  std::vector<Name> panels(Code& code, const Values& values, const Operand& count, int64_t width) {
    std::vector<Name> blocks;
    for (const TilePlan::Packed& value : values)
      blocks.push_back(code.alloc(
          Space::kScratch,
          code.mul_i64(count, const_i64(kTileDepth * width * prim_size(value.type))), "panels"));
    return blocks;
  }

  // No numbers that happen to be there may make columns slow that nobody wants.
  void clear(Code& code, const Values& values, const std::vector<Name>& blocks,
             const Operand& count, int64_t width) {
    for (size_t v = 0; v < values.size(); ++v)
      code.add(Fill{values[v].type, blocks[v], const_i64(0),
                    code.mul_i64(count, const_i64(kTileDepth * width)),
                    Operand(core::Const{values[v].type, 0})});
  }

  void task(Code& code, const Operand& number) {
    find_block(code, number);
    row_blocks_memory_ = panels(code, nest_.plan.row_values, row_panels_, rows_);
    column_blocks_memory_ = panels(code, nest_.plan.column_values, column_panels_, lanes_);
    code.branch(code.less_i64(column_count_, code.mul_i64(column_panels_, const_i64(lanes_))),
                [&](Code& cut) {
                  clear(cut, nest_.plan.column_values, column_blocks_memory_, column_panels_,
                        lanes_);
                });
    const Operand points =
        code.mul_i64(code.mul_i64(row_panels_, column_panels_), const_i64(rows_ * lanes_));
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
          pack(at, nest_.plan.row_values, nest_.plan.row_stmts, row_blocks_memory_, true, first,
               depth);
          pack(at, nest_.plan.column_values, nest_.plan.column_stmts, column_blocks_memory_, false,
               first, depth);
          at.loop(const_i64(0), column_panels_, [&](Code& c, const Operand& column) {
            c.loop(const_i64(0), row_panels_,
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
    code.branch(code.less_i64(const_i64(1), parts_), part, whole);
  }

  // All points of the block, and their places in state_.
  void each_point(
      Code& code,
      const std::function<void(Code&, const Operand&, const Operand&, const Operand&)>& visit) {
    code.loop(const_i64(0), row_count_, [&](Code& rows, const Operand& row) {
      const Operand i = rows.add_i64(first_row_, row);
      const Operand panel = rows.binop(BinOpKind::kQuot, row, const_i64(rows_), "panel");
      const Operand r = rows.sub_i64(row, rows.mul_i64(panel, const_i64(rows_)));
      rows.loop(const_i64(0), column_panels_, [&](Code& columns, const Operand& column) {
        const Operand base = columns.add_i64(tile_place(columns, panel, column),
                                             columns.mul_i64(r, const_i64(lanes_)));
        const Operand first = columns.mul_i64(column, const_i64(lanes_));
        const Operand count =
            columns.min_i64(const_i64(lanes_), columns.sub_i64(column_count_, first));
        const Operand from = columns.add_i64(first_column_, first);
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
    return code.mul_i64(code.add_i64(code.mul_i64(column, row_panels_), row),
                        const_i64(rows_ * lanes_));
  }

  // Fills panels[panel][k][lane] for k = first … first+depth-1.
  void pack(Code& code, const Values& values, const TilePlan::Stmts& stmts,
            const std::vector<Name>& blocks, bool rows, const Operand& first,
            const Operand& depth) {
    const int64_t width = rows ? rows_ : lanes_;
    const Operand count = rows ? row_count_ : column_count_;
    const Operand start = rows ? first_row_ : first_column_;
    const auto outside = [&](Name array) -> const ArrayPlace& { return nest_.fn.place(array); };
    const bool along = count_accesses(stmts, nest_.plan.k, outside).scattered == 0;
    nest_.enter_row(code, const_i64(0));
    code.loop(
        const_i64(0), rows ? row_panels_ : column_panels_, [&](Code& panels, const Operand& panel) {
          const Operand base = panels.mul_i64(panel, const_i64(kTileDepth * width));
          const Operand line = panels.mul_i64(panel, const_i64(width));
          const Operand last = panels.sub_i64(count, const_i64(1));
          const auto one = [&](Code& at, const Operand& index, const Operand& lane,
                               const Operand& k) {
            core::Substitution subst = nest_.indices(at, index, index, at.add_i64(first, k));
            nest_.eval(at, stmts, subst);
            const Operand place =
                at.add_i64(base, at.add_i64(at.mul_i64(k, const_i64(width)), lane));
            for (size_t v = 0; v < values.size(); ++v)
              at.add(Store{values[v].type, blocks[v], place, nest_.look_up(values[v].name, subst)});
          };
          const auto line_at = [&](Code& at, const Operand& lane) {
            const Operand in_block = at.min_i64(at.add_i64(line, lane), last);
            const Operand index = at.add_i64(start, in_block);
            return rows ? nest_.enter_row(at, index) : index;
          };
          if (along) {
            panels.short_loop(
                const_i64(0), const_i64(width), [&](Code& lanes, const Operand& lane) {
                  const Operand index = line_at(lanes, lane);
                  lanes.loop(const_i64(0), depth,
                             [&](Code& at, const Operand& k) { one(at, index, lane, k); });
                });
            return;
          }
          if (rows) {
            // The places of each row in all dimensions, before the loop.
            std::vector<std::vector<Operand>> outer;
            std::vector<Operand> places;
            for (int64_t r = 0; r < width; ++r) {
              places.push_back(line_at(panels, const_i64(r)));
              outer.push_back(nest_.outer_indices);
            }
            panels.loop(const_i64(0), depth, [&](Code& at, const Operand& k) {
              for (size_t r = 0; r < places.size(); ++r) {
                nest_.outer_indices = outer[r];
                one(at, places[r], const_i64(static_cast<int64_t>(r)), k);
              }
            });
            return;
          }
          // What is beyond the last column stays as it was at first.
          const auto by_rows = [&](const Operand& lane_count) {
            return [&, lane_count](Code& here) {
              here.loop(const_i64(0), depth, [&](Code& ks, const Operand& k) {
                ks.loop(
                    const_i64(0), lane_count,
                    [&](Code& at, const Operand& lane) {
                      one(at, at.add_i64(start, at.add_i64(line, lane)), lane, k);
                    },
                    1, LoopHint::kSimd);
              });
            };
          };
          const Operand left = panels.sub_i64(count, line);
          panels.branch(panels.less_i64(left, const_i64(width)), by_rows(left),
                        by_rows(const_i64(width)));
        });
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
    const Operand row_base = code.mul_i64(row, const_i64(kTileDepth * rows_));
    const Operand column_base = code.mul_i64(column, const_i64(kTileDepth * lanes_));
    code.loop(const_i64(0), depth, [&](Code& ks, const Operand& k) {
      const Operand row_place = ks.add_i64(row_base, ks.mul_i64(k, const_i64(rows_)));
      const Operand column_place = ks.add_i64(column_base, ks.mul_i64(k, const_i64(lanes_)));
      std::vector<std::vector<Operand>> of_rows(acc.size());
      for (size_t r = 0; r < acc.size(); ++r)
        for (size_t v = 0; v < nest_.plan.row_values.size(); ++v)
          of_rows[r].push_back(ks.load(nest_.plan.row_values[v].type, row_blocks_memory_[v],
                                       ks.add_i64(row_place, const_i64(static_cast<int64_t>(r))),
                                       "row"));
      const core::Substitution at_k =
          nest_.indices(ks, const_i64(0), const_i64(0), ks.add_i64(first, k));
      ks.loop(
          const_i64(0), const_i64(lanes_),
          [&](Code& at, const Operand& lane) {
            std::vector<Operand> of_column;
            for (size_t v = 0; v < nest_.plan.column_values.size(); ++v)
              of_column.push_back(at.load(nest_.plan.column_values[v].type,
                                          column_blocks_memory_[v], at.add_i64(column_place, lane),
                                          "column"));
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
  int64_t rows_, lanes_, width_;
  // May sums be cut, and into how many parts of how many rounds are they?
  bool in_parts_ = false;
  Operand parts_ = const_i64(1), part_depth_ = const_i64(0), tasks_ = const_i64(0);
  std::vector<std::vector<Name>> partials_;  // of sinks: [part][result]
  Operand block_rows_ = const_i64(0), block_columns_ = const_i64(0);
  Operand row_blocks_ = const_i64(0), column_blocks_ = const_i64(0);
  // Of the block of this task.
  Operand first_row_ = const_i64(0), first_column_ = const_i64(0);
  Operand row_count_ = const_i64(0), column_count_ = const_i64(0);
  Operand row_panels_ = const_i64(0), column_panels_ = const_i64(0);
  Operand first_k_ = const_i64(0), end_k_ = const_i64(0), part_place_ = const_i64(0);
  std::vector<Name> row_blocks_memory_, column_blocks_memory_, state_;
};

}  // namespace

WhyNot why_no_tiles(KernelWriter& kernel) {
  if (plan_tiles(kernel.node) || plan_tiles_of_all_rows(kernel.node)) return std::nullopt;
  return "it is no nest like a matrix product";
}

void write_tiles(KernelWriter& kernel, Code& code, const Otherwise& otherwise) {
  const std::optional<TilePlan> plan = plan_tiles(kernel.node);
  const std::optional<TilePlan> all_rows = plan_tiles_of_all_rows(kernel.node);
  if (!plan) return TiledNest(kernel, *all_rows).write(code, otherwise);
  TiledNest nest(kernel, *plan);
  const Operand row_count = NestWriter(kernel, *plan).n;
  const core::Const* few = core::as_const(row_count);
  if (!all_rows || few == nullptr || core::int_value(*few) >= nest.rows())
    return nest.write(code, otherwise);
  nest.write_small(code, [&](Code& here) { TiledNest(kernel, *all_rows).write(here, otherwise); });
}

}  // namespace skald::imp
