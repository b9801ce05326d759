// SPDX-License-Identifier: Apache-2.0
// Statements that leave a block take along what they need.
#include "frontend/futhark/elaborate/code/blocks.h"

#include <set>
#include <unordered_map>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"

namespace skald::futhark::elab {

std::unordered_set<Name> bound_names(const Block& block) {
  std::unordered_set<Name> names;
  for (const auto& p : block.params) names.insert(p.name);
  for (const auto& stmt : block.stmts)
    for (const auto& p : stmt.pat) names.insert(p.name);
  return names;
}

static bool is_movable(const core::Exp& exp) {
  using namespace core;
  return !(as<Update>(exp) || as<FlatUpdate>(exp) || as<Scatter>(exp) || as<Hist>(exp) ||
           as<WithAcc>(exp) || as<UpdateAcc>(exp));
}

bool hoist(Code& code, Block& block, std::unordered_set<Name>& inner, Name name) {
  std::unordered_map<Name, size_t> bound_at;
  for (size_t i = 0; i < block.stmts.size(); ++i)
    for (const auto& p : block.stmts[i].pat) bound_at[p.name] = i;
  std::set<size_t> moved;
  std::vector<Name> work = {name};
  while (!work.empty()) {
    Name n = work.back();
    work.pop_back();
    if (!inner.contains(n)) continue;
    auto it = bound_at.find(n);
    if (it == bound_at.end()) return false;
    if (!moved.insert(it->second).second) continue;
    const core::Stmt& stmt = block.stmts[it->second];
    if (!is_movable(stmt.exp)) return false;
    for (Name used : core::free_names(stmt)) work.push_back(used);
    for (Name token : stmt.tokens) work.push_back(token);
  }
  std::vector<core::Stmt> rest;
  for (size_t i = 0; i < block.stmts.size(); ++i) {
    if (moved.contains(i)) {
      for (const auto& p : block.stmts[i].pat) inner.erase(p.name);
      code.b().append(std::move(block.stmts[i]));
    } else {
      rest.push_back(std::move(block.stmts[i]));
    }
  }
  block.stmts = std::move(rest);
  return true;
}

void prune(Block& block) {
  std::unordered_set<Name> used;
  for (const Operand& leaf : leaves_of(*block.value))
    if (const Name* n = core::as_name(leaf)) used.insert(*n);
  for (const auto& stmt : block.stmts) {
    if (core::as<core::Convert>(stmt.exp)) continue;
    for (Name n : core::free_names(stmt)) used.insert(n);
  }
  for (size_t i = block.stmts.size(); i-- > 0;) {
    const core::Stmt& stmt = block.stmts[i];
    const auto* convert = core::as<core::Convert>(stmt.exp);
    if (!convert) continue;
    if (!used.contains(stmt.pat[0].name)) {
      block.stmts.erase(block.stmts.begin() + static_cast<std::ptrdiff_t>(i));
    } else if (const Name* n = core::as_name(convert->arg)) {
      used.insert(*n);
    }
  }
}

}  // namespace skald::futhark::elab
