// SPDX-License-Identifier: Apache-2.0
// Rows that a filter keeps.
//
//   before   let {m, ys} = partition(n, 1, {xs}, \{x} -> p in {class, x})
//            let {s} = soac(m, {ys}, \{y} -> f in {v}, reduce {0} +)
//
//   after    let {s} = soac(n, {xs}, \{x} -> p
//              let {keep} = eq(class, 0)
//              f[x/y]
//              let {w} = select(keep, v, 0)
//              in {w}, reduce {0} +)
//
// The neutral element stands for a dropped row, and -1 for the place it would be written to or its
// class in a second partition.  Code that reads arrays, checks something or takes long runs inside
// `if keep then … else …`, never for a dropped row.
#include <algorithm>

#include "core/ir/visit.h"
#include "passes/fusion/compose/composer.h"
#include "passes/fusion/graph/shape.h"
#include "passes/kernels/sinks.h"
#include "support/bug.h"

namespace skald::passes::fusion {

using namespace core;

// By value that the code gives: what a dropped row gives instead, if that matters.
Composer::Others Composer::values_of_dropped(const std::vector<const Sink*>& sinks, size_t count) {
  Others others(count);
  size_t at = 0;
  for (const Sink* sink : sinks) {
    if (sink->kind == Sink::kReduce || sink->kind == Sink::kScan)
      std::ranges::copy(sink->op[0].neutral, others.begin() + static_cast<ptrdiff_t>(at));
    if (sink->kind == Sink::kPartition) others[at] = const_i64(-1);
    for (size_t k = 0; k < indices_of(*sink); ++k) others[at + k] = const_i64(-1);
    at += static_cast<size_t>(sink->count);
  }
  return others;
}

// True if the row is a member of the class with this size.  Computed once.
Operand Composer::keeps(Name size) {
  const auto known = guards_.find(size);
  if (known != guards_.end()) return known->second;
  for (const Fed& fed : sinks_) {
    if (fed.sink.kind != Sink::kPartition) continue;
    for (int c = 0; c < fed.sink.classes; ++c)
      if (fed.pat[static_cast<size_t>(c)].name == size) {
        const Operand cls = fed.values[0];
        const Name keep = let(scalar_type(Prim::kBool),
                              CmpOp{CmpOpKind::kEq, Prim::kI64, cls, const_i64(c)}, "keep");
        return guards_[size] = keep;
      }
  }
  SKALD_BUG("a guard without its partition");
}

Operand Composer::select(const Operand& cond, const Operand& then, const Operand& otherwise,
                         const Type& type) {
  if (then == otherwise) return then;
  if (type.is_scalar()) return let(type, Select{cond, then, otherwise}, "kept");
  return let(type, If{cond, Body({}, {then}), Body({}, {otherwise})}, "kept");
}

// The code joins, under the guard if there is one; what comes back are its results.
std::vector<Operand> Composer::run(Lambda& fn, std::optional<Name> guard, const Others& others) {
  if (!guard) {
    for (Stmt& stmt : fn.body.stmts) append(std::move(stmt));
    return std::move(fn.body.result);
  }
  const Operand keep = keeps(*guard);
  std::vector<Operand> values;
  if (is_speculatable(fn.body)) {
    for (Stmt& stmt : fn.body.stmts) append(std::move(stmt));
    for (size_t k = 0; k < fn.results.size(); ++k) {
      const Operand& value = fn.body.result[k];
      values.push_back(others[k] ? select(keep, value, *others[k], fn.results[k].type) : value);
    }
    return values;
  }
  Body dropped;
  Stmt stmt{{}, Value{keep}, {}, {}, loc_};
  for (size_t k = 0; k < fn.results.size(); ++k) {
    const Type& type = fn.results[k].type;
    const Name name = prog_.names.fresh("kept");
    stmt.pat.push_back({name, type});
    values.emplace_back(name);
    const Const zero{type.elem, 0};
    if (others[k]) {
      dropped.result.push_back(*others[k]);
    } else if (type.is_scalar()) {
      dropped.result.emplace_back(zero);
    } else {
      const Name blank = prog_.names.fresh("blank");
      Stmt make{{}, Replicate{type.shape, zero}, {}, {}, loc_};
      make.pat.push_back({blank, type});
      dropped.stmts.push_back(std::move(make));
      dropped.result.emplace_back(blank);
    }
  }
  stmt.exp = If{keep, std::move(fn.body), std::move(dropped)};
  append(std::move(stmt));
  return values;
}

// The size of a partition whose arrays are gone is the number of rows it keeps.
Composer::Fed Composer::count_members(const Param& size) {
  const Type i64 = scalar_type(Prim::kI64);
  Fed fed;
  fed.sink.kind = Sink::kReduce;
  fed.values = {let(i64, Convert{Prim::kBool, Prim::kI64, keeps(size.name)}, "one")};
  fed.types = {i64};
  fed.pat = {size};
  Operator add;
  const Name a = prog_.names.fresh("a"), b = prog_.names.fresh("b"), sum = prog_.names.fresh("sum");
  add.fn.params = {{a, i64}, {b, i64}};
  add.fn.results = {{{}, i64}};
  Stmt stmt{{}, BinOp{BinOpKind::kAdd, Prim::kI64, a, b}, {}, {}, loc_};
  stmt.pat = {{sum, i64}};
  add.fn.body.stmts.push_back(std::move(stmt));
  add.fn.body.result = {sum};
  add.neutral = {const_i64(0)};
  add.commutative = true;
  fed.sink.op.push_back(std::move(add));
  return fed;
}

// Arrays that nobody wants leave the partition, arrays over the rows that it keeps join it.  False
// if none is left; then `counts` gets what counts its rows.
bool Composer::close_partition(Fed& fed, const Wanted& wanted, std::vector<Fed>& counts) {
  const auto classes = static_cast<size_t>(fed.sink.classes);
  const size_t per_class = fed.values.size() - 1;
  Fed kept;
  kept.values = {fed.values[0]};
  kept.types = {fed.types[0]};
  std::vector<std::vector<Param>> arrays(classes);
  for (size_t v = 0; v < per_class; ++v) {
    bool any = false;
    for (size_t c = 0; c < classes; ++c)
      any = any || wanted(fed.pat[classes + c * per_class + v].name);
    if (!any) continue;
    kept.values.push_back(fed.values[1 + v]);
    kept.types.push_back(fed.types[1 + v]);
    for (size_t c = 0; c < classes; ++c) arrays[c].push_back(fed.pat[classes + c * per_class + v]);
  }
  for (const Out& out : outs_) {
    if (!out.guard || !wanted(out.param.name)) continue;
    const bool mine =
        std::ranges::any_of(fed.pat, [&](const Param& p) { return p.name == *out.guard; });
    if (!mine) continue;
    kept.values.push_back(out.value);
    kept.types.push_back(out.type);
    arrays[0].push_back(out.param);
  }
  if (kept.values.size() == 1) {
    for (size_t c = 0; c < classes; ++c)
      if (wanted(fed.pat[c].name)) counts.push_back(count_members(fed.pat[c]));
    return false;
  }
  kept.pat.assign(fed.pat.begin(), fed.pat.begin() + static_cast<ptrdiff_t>(classes));
  for (const std::vector<Param>& list : arrays)
    kept.pat.insert(kept.pat.end(), list.begin(), list.end());
  kept.sink = std::move(fed.sink);
  kept.sink.count = static_cast<int>(kept.values.size());
  fed = std::move(kept);
  return true;
}

void Composer::close_partitions(const Wanted& wanted) {
  // Counting asks the partitions for their guards, so they stay until all is done.
  std::vector<Fed> counts;
  std::vector<bool> stays;
  for (size_t k = 0; k < sinks_.size(); ++k)
    stays.push_back(sinks_[k].sink.kind != Sink::kPartition ||
                    close_partition(sinks_[k], wanted, counts));
  size_t k = 0;
  std::erase_if(sinks_, [&](const Fed&) { return !stays[k++]; });
  for (Fed& fed : counts) sinks_.push_back(std::move(fed));
  std::erase_if(outs_, [&](const Out& out) {
    return out.guard || (out.param.type.kind != Type::kAcc && !wanted(out.param.name));
  });
}

}  // namespace skald::passes::fusion
