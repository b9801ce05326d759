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
// The neutral element stands for a dropped row.  Code that reads arrays, checks something or takes
// long runs inside `if keep then … else …`, never for a dropped row.
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/fusion/composer.h"
#include "passes/fusion/shape.h"
#include "support/bug.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

Const zero(Prim type) {
  return {type, 0};
}

}  // namespace

// Is a row kept?  Computed once, the first time somebody asks.
Operand Composer::guard_value(Guard guard) {
  const auto known = guards_.find(guard.size);
  if (known != guards_.end()) return known->second;
  for (const PartitionPart& part : partitions_)
    for (int c = 0; c < part.classes; ++c)
      if (part.pat[static_cast<size_t>(c)].name == guard.size) {
        const Name keep = let(scalar_type(Prim::kBool),
                              CmpOp{CmpOpKind::kEq, Prim::kI64, part.cls, const_i64(c)}, "keep");
        return guards_[guard.size] = keep;
      }
  SKALD_BUG("a guard without its partition");
}

Operand Composer::select(const Operand& cond, const Operand& then, const Operand& otherwise,
                         const Type& type, std::string_view base) {
  if (then == otherwise) return then;
  if (type.is_scalar()) return let(type, Select{cond, then, otherwise}, base);
  return let(type, If{cond, Body({}, {then}), Body({}, {otherwise})}, base);
}

void Composer::append_guarded(Lambda fn, std::optional<Guard> guard, const Others& other,
                              std::vector<Operand>& results) {
  const Operand keep = guard_value(*guard);
  const size_t count = fn.results.size();
  const auto wanted = [&](size_t k) { return other ? other(k) : std::nullopt; };
  if (is_speculatable(fn.body)) {
    for (Stmt& stmt : fn.body.stmts) pre_.push_back(std::move(stmt));
    for (size_t k = 0; k < count; ++k) {
      const Operand value = fn.body.result[k];
      const std::optional<Operand> instead = wanted(k);
      results.push_back(instead ? select(keep, value, *instead, fn.results[k].type, "kept")
                                : value);
    }
    return;
  }
  Body dropped;
  Stmt stmt{{}, core::Value{keep}, {}, {}, loc_};
  for (size_t k = 0; k < count; ++k) {
    const Type& type = fn.results[k].type;
    const Name name = prog_.names.fresh("kept");
    stmt.pat.push_back({name, type});
    results.emplace_back(name);
    if (const std::optional<Operand> instead = wanted(k)) {
      dropped.result.push_back(*instead);
    } else if (type.is_scalar()) {
      dropped.result.emplace_back(zero(type.elem));
    } else {
      const Name blank = prog_.names.fresh("blank");
      Stmt make{{}, Replicate{type.shape, zero(type.elem)}, {}, {}, loc_};
      make.pat.push_back({blank, type});
      dropped.stmts.push_back(std::move(make));
      dropped.result.emplace_back(blank);
    }
  }
  stmt.exp = If{keep, std::move(fn.body), std::move(dropped)};
  pre_.push_back(std::move(stmt));
}

}  // namespace skald::passes::fusion
