// SPDX-License-Identifier: Apache-2.0
#include "passes/differentiate/sums/sites.h"

#include <algorithm>

#include "core/ir/visit.h"

namespace skald::passes::ad {

namespace {

// A map, perhaps with reductions, that hands an accumulator to its rows.
struct Handed {
  size_t input = 0, result = 0;
};

std::optional<Handed> handed(const Stmt& stmt, Name acc) {
  const auto* e = as<Soac>(stmt.exp);
  if (e == nullptr || !e->scans.empty() || !e->post.empty()) return std::nullopt;
  const auto at = std::ranges::find(e->inputs, acc);
  if (at == e->inputs.end()) return std::nullopt;
  Handed found{.input = static_cast<size_t>(at - e->inputs.begin())};
  // Accumulators come back in the order they were given.
  size_t before = 0;
  for (size_t k = 0; k < found.input; ++k)
    before += e->fn.params[k].type.kind == Type::kAcc ? 1 : 0;
  for (size_t k = 0; k < e->fn.results.size(); ++k) {
    if (e->fn.results[k].type.kind != Type::kAcc) continue;
    if (before-- == 0) {
      found.result = k;
      return found;
    }
  }
  return std::nullopt;
}

bool uses(const Stmt& stmt, Name name) {
  bool found = false;
  for_each_operand(stmt.exp, [&](const Operand& o) { found = found || o == Operand(name); });
  for_each_body(stmt.exp, [&](const Body& body) {
    for (const Stmt& inner : body.stmts) found = found || uses(inner, name);
    found = found || std::ranges::find(body.result, Operand(name)) != body.result.end();
  });
  return found;
}

// What the accumulator is called at the end of the body; no name if it cannot
// be followed.
Name follow(Body& body, Name acc, std::vector<Stmt*>& path, std::vector<Site>& sites) {
  for (Stmt& stmt : body.stmts) {
    if (!uses(stmt, acc)) continue;
    if (const auto* e = as<UpdateAcc>(stmt.exp)) {
      if (e->values.size() != 1) return {};
      sites.push_back({path, e->indices, e->values[0]});
      acc = stmt.pat[0].name;
      continue;
    }
    const auto found = handed(stmt, acc);
    if (!found) return {};
    Soac& e = *as<Soac>(stmt.exp);
    path.push_back(&stmt);
    const Name last = follow(e.fn.body, e.fn.params[found->input].name, path, sites);
    path.pop_back();
    if (!last || e.fn.body.result[found->result] != Operand(last)) return {};
    acc = stmt.pat[found->result].name;
  }
  return acc;
}

template <class T>
void erase_nth(std::vector<T>& list, size_t at) {
  list.erase(list.begin() + static_cast<ptrdiff_t>(at));
}

void define(Body& body, const std::vector<Stmt*>& path, int level, Stmt* around,
            NameMap<Definition>& names) {
  for (Stmt& stmt : body.stmts) {
    for (size_t k = 0; k < stmt.pat.size(); ++k)
      names.insert_or_assign(stmt.pat[k].name, Definition{&stmt, around, k, level});
    for_each_param(stmt.exp, [&](const Param& p) { names.insert_or_assign(p.name, Definition{}); });
    int inner = Definition::kElsewhere;
    const auto next = static_cast<size_t>(level + 1);
    if (level != Definition::kElsewhere && next < path.size() && path[next] == &stmt)
      inner = level + 1;
    auto* map = as<Soac>(stmt.exp);
    for_each_body(stmt.exp, [&](Body& deeper) {
      // Operators of reductions run in no order.
      const bool of_map = map != nullptr && &deeper == &map->fn.body;
      define(deeper, path, inner, of_map ? &stmt : nullptr, names);
    });
  }
}

}  // namespace

std::optional<std::vector<Site>> find_sites(Body& body, Name acc) {
  std::vector<Site> sites;
  std::vector<Stmt*> path;
  const Name last = follow(body, acc, path, sites);
  if (!last || std::ranges::find(body.result, Operand(last)) == body.result.end())
    return std::nullopt;
  return sites;
}

NameMap<Definition> definitions(Lambda& fn, const std::vector<Stmt*>& path) {
  NameMap<Definition> names;
  for (const Param& p : fn.params) names.insert_or_assign(p.name, Definition{});
  define(fn.body, path, Definition::kOutside, nullptr, names);
  return names;
}

void drop_accumulator(Body& body, Name acc) {
  for (size_t s = 0; s < body.stmts.size();) {
    Stmt& stmt = body.stmts[s];
    if (!uses(stmt, acc)) {
      ++s;
      continue;
    }
    if (as<UpdateAcc>(stmt.exp) != nullptr) {
      acc = stmt.pat[0].name;
      erase_nth(body.stmts, s);
      continue;
    }
    const Handed found = *handed(stmt, acc);
    Soac& e = *as<Soac>(stmt.exp);
    drop_accumulator(e.fn.body, e.fn.params[found.input].name);
    erase_nth(e.inputs, found.input);
    erase_nth(e.fn.params, found.input);
    erase_nth(e.fn.results, found.result);
    erase_nth(e.fn.body.result, found.result);
    acc = stmt.pat[found.result].name;
    erase_nth(stmt.pat, found.result);
    if (stmt.pat.empty())
      erase_nth(body.stmts, s);
    else
      ++s;
  }
}

Param give_back(const std::vector<Stmt*>& path, const Store& store, Emit& out) {
  Session& session = out.session();
  Param given{.name = store.value, .type = session.type_of(store.value)};
  std::vector<Stmt*> maps(path.begin(), path.begin() + store.level + 1);
  maps.insert(maps.end(), store.off.begin(), store.off.end());
  for (size_t k = maps.size(); k-- > 0;) {
    Stmt& stmt = *maps[k];
    Soac& e = *as<Soac>(stmt.exp);
    e.fn.body.result.emplace_back(given.name);
    e.fn.results.push_back({.type = given.type});
    given.type = array_of(e.width, given.type);
    given.name = out.fresh("stored");
    stmt.pat.push_back(given);
  }
  session.types.insert_or_assign(given.name, given.type);
  return given;
}

}  // namespace skald::passes::ad
