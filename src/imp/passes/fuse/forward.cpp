// SPDX-License-Identifier: Apache-2.0
// Values from stores to loads, and stores that nobody needs.
#include <algorithm>
#include <map>

#include "imp/ir/visit.h"
#include "imp/passes/fuse/accesses.h"
#include "imp/passes/fuse/fuse.h"

namespace skald::imp {

namespace {

// Is each element that the loop has stored to with this offset overwritten by the statements from
// `next` on before it may be read?
bool is_overwritten(const Facts& facts, Body& body, size_t next, const For& loop,
                    const LoopAccess& store) {
  for (; next < body.stmts.size(); ++next) {
    Stmt& stmt = body.stmts[next];
    if (count_uses(stmt, store.block) == 0) continue;
    auto* later = as<For>(stmt);
    if (later == nullptr || !same_range(loop, *later, facts)) return false;
    const LoopAccesses accesses(*later, facts);
    bool all = false;
    for (const LoopAccess& a : accesses.all()) {
      if (a.block != store.block) continue;
      if (!a.writes || a.type != store.type) return false;
      all |= a.always && a.offset == store.offset;
    }
    return accesses.is_plain() && all;
  }
  return false;
}

}  // namespace

Const zero_of(Prim type) {
  if (type == Prim::kBool) return core::const_bool(false);
  return is_float(type) ? core::const_float(type, 0) : core::const_int(type, 0);
}

void forward_stores(Program& prog, const Facts& facts, const std::unordered_set<Name>& blocks,
                    Body& body, size_t at, PassContext& ctx) {
  auto& loop = *as<For>(body.stmts[at]);
  const LoopAccesses accesses(loop, facts);
  if (!accesses.is_plain()) return;
  std::map<const LoopAccess*, Name> carried;
  std::vector<Stmt> declared, assigned;
  struct Replacement {
    Stmt* stmt;
    Operand value;
  };
  std::vector<Replacement> replacements;
  for (const LoopAccess& load : accesses.all()) {
    if (load.writes || !blocks.contains(load.block)) continue;
    const Source source = source_of(load, accesses.all());
    if (source.store == nullptr) continue;
    const bool carries = source.distance == 1 && load.not_first;
    if ((source.distance != 0 && !carries) || !ctx.may_rewrite("load of what was just stored"))
      continue;
    const Operand value = as<Store>(*source.store->stmt)->value;
    if (source.distance == 0) {
      replacements.push_back({load.stmt, value});
    } else {
      Name& name = carried[source.store];
      if (!name) {
        name = prog.names.fresh("last");
        declared.push_back(Stmt{Var{name, load.type, zero_of(load.type)}});
        assigned.push_back(Stmt{Assign{name, value}});
      }
      replacements.push_back({load.stmt, name});
    }
  }
  for (const Replacement& r : replacements) {
    const Load load = *as<Load>(*r.stmt);
    r.stmt->node = Let{load.name, load.type, core::Value{r.value}};
  }
  std::ranges::move(assigned, std::back_inserter(loop.body.stmts));
  body.stmts.insert(body.stmts.begin() + static_cast<ptrdiff_t>(at),
                    std::make_move_iterator(declared.begin()),
                    std::make_move_iterator(declared.end()));
}

void remove_overwritten(const Facts& facts, const std::unordered_set<Name>& blocks, Body& body,
                        size_t at, PassContext& ctx) {
  auto& loop = *as<For>(body.stmts[at]);
  const LoopAccesses accesses(loop, facts);
  if (!accesses.is_plain()) return;
  std::unordered_set<const Stmt*> dead;
  const std::vector<LoopAccess>& all = accesses.all();
  for (auto store = all.begin(); store != all.end(); ++store) {
    if (!store->writes || !store->always || !store->offset || !blocks.contains(store->block))
      continue;
    const auto is_read = [&](const LoopAccess& a) { return a.block == store->block && !a.writes; };
    if (std::ranges::none_of(all, is_read) && is_overwritten(facts, body, at + 1, loop, *store))
      dead.insert(store->stmt);
    for (auto next = store + 1; next != all.end(); ++next) {
      if (next->block != store->block) continue;
      // Another element does not matter.
      if (next->offset && next->offset != store->offset && next->type == store->type) continue;
      if (next->writes && next->always && next->offset && next->type == store->type)
        dead.insert(store->stmt);
      break;
    }
  }
  std::erase_if(loop.body.stmts, [&](const Stmt& stmt) {
    return dead.contains(&stmt) && ctx.may_rewrite("store that is overwritten");
  });
}

}  // namespace skald::imp
