// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analysis/parallelism.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/flatten/apart/apart.h"

namespace skald::passes::apart {

using namespace core;

namespace {

// So many writes belong to one kernel.
constexpr size_t kMostTogether = 8;

void collect_bound(const Body& body, NameSet& bound) {
  for (const Stmt& stmt : body.stmts) {
    for (const Param& p : stmt.pat) bound.insert(p.name);
    for_each_param(stmt.exp, [&](const Param& p) { bound.insert(p.name); });
    for_each_body(stmt.exp, [&](const Body& inner) { collect_bound(inner, bound); });
  }
}

}  // namespace

bool gives_acc(const Stmt& stmt) {
  return std::ranges::any_of(stmt.pat, [](const Param& p) { return holds_accumulator(p.type); });
}

std::optional<std::vector<Writes>> Apart::map(Stmt& stmt, std::optional<Stmt>& values,
                                              Roots& roots) {
  const Soac& soac = *as<Soac>(stmt.exp);
  for (const Param& p : soac.fn.params) inside_.insert(p.name);
  collect_bound(soac.fn.body, inside_);
  consumed_ = analysis::consumed_names(soac.fn.body, prog_);
  std::vector<Writes> all;
  if (!nested(stmt, roots, values, all)) return std::nullopt;
  return all;
}

bool Apart::is_outside(const Operand& operand) const {
  const Name* name = as_name(operand);
  return name == nullptr || !inside_.contains(*name);
}
bool Apart::is_outside(const Type& type) const {
  return std::ranges::all_of(type.shape, [&](const Operand& dim) { return is_outside(dim); });
}

// What does not depend on iterations, and is not updated by them, may come before all.
bool Apart::is_same_everywhere(const Stmt& stmt) const {
  return analysis::is_total(stmt) &&
         std::ranges::none_of(free_names(stmt), [&](Name n) { return inside_.contains(n); }) &&
         std::ranges::none_of(stmt.pat, [&](const Param& p) { return consumed_.contains(p.name); });
}

// Takes the writes out of a body.  `roots`: by what an accumulator is called, what it is called
// where the body begins.
bool Apart::take(Body& body, Roots& roots, std::vector<Writes>& all) {
  Builder kept(prog_);
  Writes together;
  const auto flush = [&] {
    if (!together.stmts.empty()) all.push_back(std::exchange(together, {}));
  };
  for (Stmt& stmt : body.stmts) {
    if (!gives_acc(stmt)) {
      const bool same = is_same_everywhere(stmt);
      if (same)
        for (const Param& p : stmt.pat) inside_.erase(p.name);
      (same ? before_ : kept).append(std::move(stmt));
      continue;
    }
    if (const auto* value = as<Value>(stmt.exp)) {
      roots.emplace(stmt.pat[0].name, roots.at(std::get<Name>(value->arg)));
    } else if (as<UpdateAcc>(stmt.exp) != nullptr) {
      if (together.stmts.size() >= kMostTogether) flush();
      update(kept, std::move(stmt), roots, together);
    } else {
      flush();
      std::optional<Stmt> values;
      const bool done = as<Soac>(stmt.exp) != nullptr   ? nested(stmt, roots, values, all)
                        : as<Loop>(stmt.exp) != nullptr ? loop(kept, stmt, roots, values, all)
                        : as<If>(stmt.exp) != nullptr   ? branch(kept, stmt, roots, all)
                                                        : false;
      if (!done) return false;
      if (values) kept.append(std::move(*values));
    }
  }
  flush();
  std::vector<Operand> results = std::move(body.result);
  body = kept.finish(std::move(results));
  return true;
}

void Apart::update(Builder& kept, Stmt stmt, Roots& roots, Writes& together) {
  UpdateAcc& node = *as<UpdateAcc>(stmt.exp);
  const Name root = roots.at(node.acc);
  roots.emplace(stmt.pat[0].name, root);
  if (!stmt.tokens.empty()) {
    kept.set_loc(stmt.loc);
    node.indices[0] = kept.let1(scalar_type(Prim::kI64), Value{node.indices[0]}, "checked",
                                std::exchange(stmt.tokens, {}));
    inside_.insert(std::get<Name>(node.indices[0]));
  }
  const auto known = std::ranges::find(together.accs, root);
  const auto at = static_cast<size_t>(known - together.accs.begin());
  if (known == together.accs.end()) {
    together.accs.push_back(root);
    together.types.push_back(stmt.pat[0].type);
    together.last.push_back(root);
  }
  node.acc = together.last[at];
  together.last[at] = stmt.pat[0].name;
  together.stmts.push_back(std::move(stmt));
}

}  // namespace skald::passes::apart
