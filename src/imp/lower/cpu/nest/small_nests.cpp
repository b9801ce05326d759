// SPDX-License-Identifier: Apache-2.0
// Nests like matrix products that are small: products of many matrices of 8 × 8.
//
// Panels (tile.cpp) would be filled for a few rounds only, and half empty.  All that such a nest
// reads is in the first cache anyway, so it is read where it is: four rows at a time, with
// neighbouring columns in the lanes.
//
//   for each four rows:  simd for j:  acc0 … acc3 = …
//                          for k:  column = b[k, j];  acc0 = f(acc0, a[i, k], column);  …
//
// What is contiguous along k in the columns is transposed before, once for all rows.  Each
// accumulator takes its values in the order of k, as with panels, so results are the same.
#include <algorithm>

#include "core/ir/visit.h"
#include "imp/lower/cpu/nest/nest.h"

namespace skald::imp {

namespace {

// Larger ones are better off with panels: values of columns, if columns fill whole panels and if
// they do not, and columns.
constexpr int64_t kMostFull = 600, kMostValues = 1600, kMostColumns = 64;
// The rows of a task, and those that are computed side by side.
constexpr int64_t kTaskRows = 32, kRowsAtOnce = 4;
// Accumulators of all rows for one column.
constexpr size_t kMostOfColumn = 2;
// What is computed from the loads of one side only is computed again and again here.
constexpr int kMostOfOneSide = 4;
constexpr int64_t kSmallTaskPoints = 1 << 16;

// Operations other than on indices; many if there is an expensive one.
int operations(const TilePlan::Stmts& stmts) {
  int count = 0;
  for (const core::Stmt* stmt : stmts) {
    if (!stmt->pat[0].type.is_scalar() || stmt->pat[0].type.elem == Prim::kI64) continue;
    if (core::as<core::Index>(stmt->exp) != nullptr) continue;
    const auto* binop = core::as<core::BinOp>(stmt->exp);
    const bool cheap = binop == nullptr
                           ? core::as<core::UnOp>(stmt->exp) == nullptr
                           : binop->op == BinOpKind::kAdd || binop->op == BinOpKind::kSub ||
                                 binop->op == BinOpKind::kMul;
    count += cheap ? 1 : kMostOfOneSide + 1;
  }
  return count;
}

}  // namespace

bool SmallNest::is_possible(Code& code) {
  if (nest_.plan.accs.size() > kMostOfColumn || operations(nest_.plan.row_stmts) > kMostOfOneSide ||
      operations(nest_.plan.column_stmts) > kMostOfOneSide)
    return false;
  const auto outside = [&](Name array) -> const ArrayPlace& { return nest_.fn.place(array); };
  if (count_accesses(nest_.plan.column_stmts, nest_.plan.j, outside).scattered == 0) return true;
  // Of a loop inside the thunk the steps along k are not known.
  if (nest_.plan.accs[0].result) return false;
  const std::vector<core::Stmt>& thunk = nest_.kernel.node.pull.body.stmts;
  for (const Access& access : nest_.kernel.accesses(code)) {
    const core::Stmt* stmt = &thunk[access.stmt];
    if (std::find(nest_.plan.column_stmts.begin(), nest_.plan.column_stmts.end(), stmt) ==
        nest_.plan.column_stmts.end())
      continue;
    const std::optional<Operand>& along = access.steps[nest_.outer + 1];
    if (is_step(along, 0) || is_step(along, 1)) continue;
    if (!along || !is_step(access.steps.back(), 1)) return false;
    turned_.push_back({access.stmt, *along, {}});
  }
  return !turned_.empty();
}

Operand SmallNest::is_small(Code& code, int64_t panel) {
  const Operand values = code.mul_i64(nest_.m, nest_.q);
  const Operand over = code.binop(BinOpKind::kAnd, nest_.m, const_i64(panel - 1), "over");
  const Operand uneven = code.less_i64(const_i64(0), over);
  const Operand cut = code.both(uneven, code.less_i64(values, const_i64(kMostValues + 1)), "cut");
  const Operand narrow = code.less_i64(nest_.m, const_i64(kMostColumns + 1));
  const Operand few = code.less_i64(values, const_i64(kMostFull + 1));
  return code.both(narrow, code.either(few, cut, "few"), "small");
}

void SmallNest::write(Code& code) {
  Operand tasks = chunk_count(code, nest_.n, const_i64(kTaskRows));
  for (size_t d = 0; d < nest_.outer; ++d) tasks = code.mul_i64(tasks, nest_.outer_size(d));
  const Operand rows = code.min_i64(nest_.n, const_i64(kTaskRows));
  const Operand points =
      code.max_i64(const_i64(1), code.mul_i64(code.mul_i64(rows, nest_.m), nest_.q));
  const Operand grain = code.max_i64(
      const_i64(1), code.binop(BinOpKind::kQuot, const_i64(kSmallTaskPoints), points, "grain"));
  code.parallel_for(tasks, grain, [&](Code& at, const Operand& number) { task(at, number); });
}

void SmallNest::task(Code& code, const Operand& number) {
  Operand rest = number;
  const Operand blocks = chunk_count(code, nest_.n, const_i64(kTaskRows));
  const Operand first =
      code.mul_i64(nest_.outer == 0 ? rest : nest_.split(code, rest, blocks), const_i64(kTaskRows));
  nest_.outer_indices.assign(nest_.outer, const_i64(0));
  for (size_t d = nest_.outer; d-- > 0;)
    nest_.outer_indices[d] = d == 0 ? rest : nest_.split(code, rest, nest_.outer_size(d));
  const std::vector<core::Stmt>& thunk = nest_.kernel.node.pull.body.stmts;
  for (Turned& turned : turned_) {
    const Prim type = thunk[turned.read].pat[0].type.elem;
    turned.buffer = code.alloc(
        Space::kScratch, code.mul_i64(code.mul_i64(nest_.m, nest_.q), const_i64(prim_size(type))),
        "columns");
    std::vector<Operand> start = nest_.point(first);
    start.insert(start.end(), {const_i64(0), const_i64(0)});
    const auto [from, place] = nest_.kernel.read_place(code, turned.read, start);
    code.add(TransposeBlock{type, turned.buffer, const_i64(0), nest_.m, from, place,
                            nest_.fn.value(turned.step), nest_.m, nest_.q});
  }
  const Operand end = code.min_i64(nest_.n, code.add_i64(first, const_i64(kTaskRows)));
  const Operand left =
      code.binop(BinOpKind::kAnd, code.sub_i64(end, first), const_i64(kRowsAtOnce - 1), "left");
  const Operand whole = code.sub_i64(end, left);
  code.loop(
      first, whole, [&](Code& at, const Operand& i) { rows(at, i, kRowsAtOnce); }, kRowsAtOnce);
  code.loop(whole, end, [&](Code& at, const Operand& i) { rows(at, i, 1); });
}

// All columns of the rows first … first+count-1.
void SmallNest::rows(Code& code, const Operand& first, int64_t count) {
  const std::vector<core::Stmt>& thunk = nest_.kernel.node.pull.body.stmts;
  const size_t accs = nest_.plan.accs.size();
  code.loop(
      const_i64(0), nest_.m,
      [&](Code& lane, const Operand& j) {
        std::vector<Operand> i;
        std::vector<Name> state;  // [row][accumulator]
        for (int64_t r = 0; r < count; ++r) {
          i.push_back(lane.add_i64(first, const_i64(r)));
          core::Substitution subst = nest_.indices(lane, i.back(), j, const_i64(0));
          nest_.eval(lane, nest_.plan.before, subst);
          for (const TilePlan::Accumulator& acc : nest_.plan.accs)
            state.push_back(lane.var(acc.type, nest_.look_up(acc.init, subst), "acc"));
        }
        lane.loop(const_i64(0), nest_.q, [&](Code& at, const Operand& k) {
          NestWriter::Loaded loaded;
          for (const Turned& turned : turned_)
            loaded.emplace(&thunk[turned.read],
                           at.load(thunk[turned.read].pat[0].type.elem, turned.buffer,
                                   at.add_i64(at.mul_i64(k, nest_.m), j), "turned"));
          core::Substitution columns = nest_.indices(at, first, j, k);
          nest_.eval(at, nest_.plan.column_stmts, columns, loaded);
          std::vector<Operand> next;
          for (size_t r = 0; r < i.size(); ++r) {
            core::Substitution rows = nest_.indices(at, i[r], j, k);
            nest_.eval(at, nest_.plan.row_stmts, rows);
            core::Substitution subst = nest_.indices(at, i[r], j, k);
            for (const TilePlan::Packed& value : nest_.plan.column_values)
              subst[value.name] = nest_.look_up(value.name, columns);
            for (const TilePlan::Packed& value : nest_.plan.row_values)
              subst[value.name] = nest_.look_up(value.name, rows);
            for (size_t v = 0; v < accs; ++v) subst[nest_.plan.accs[v].param] = state[r * accs + v];
            nest_.eval(at, nest_.plan.point_stmts, subst);
            for (size_t v = 0; v < accs; ++v) {
              const Operand value = nest_.next_value(at, v, subst);
              // It may be the value of another accumulator.
              next.push_back(
                  accs == 1 ? value : at.let(nest_.plan.accs[v].type, core::Value{value}, "next"));
            }
          }
          for (size_t v = 0; v < state.size(); ++v) at.add(Assign{state[v], next[v]});
        });
        for (size_t r = 0; r < i.size(); ++r) {
          std::vector<Operand> values;
          for (size_t v = 0; v < accs; ++v) values.emplace_back(state[r * accs + v]);
          nest_.store(lane, i[r], j, values);
        }
      },
      1, LoopHint::kSimd);
}

}  // namespace skald::imp
