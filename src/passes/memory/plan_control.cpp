// SPDX-License-Identifier: Apache-2.0
// Places of what crosses branches, loops and calls.
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/memory/copies.h"
#include "passes/memory/plan.h"

namespace skald::passes {

using namespace core;

void Planner::branch(Builder& out, Stmt stmt) {
  If node = std::move(*as<If>(stmt.exp));
  // Asked before the bodies change.
  std::vector<Name> common;
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    const Name origin = origins_->of(stmt.pat[k].name);
    common.push_back(origin == stmt.pat[k].name ? Name{} : origin);
  }
  // Both sides may build a result where it goes.
  std::vector<std::optional<MemLoc>> fixed(stmt.pat.size());
  ResultTargets targets(stmt.pat.size());
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    if (!stmt.pat[k].type.is_array() || common[k]) continue;
    fixed[k] = target_place(out, stmt.pat[k].name);
    targets[k] = Target{};
    if (!fixed[k]) {
      targets[k]->kind = Target::kWhole;
      continue;
    }
    targets[k]->place = *fixed[k];
    targets[k]->copied_by = stmt.pat[k].name;
  }
  const auto needs_block = [&](size_t k) {
    return stmt.pat[k].type.is_array() && !common[k] && !fixed[k];
  };
  for (Body* side : {&node.then_body, &node.else_body}) {
    plan_body(
        *side,
        [&](Builder& end, std::vector<Operand> results) {
          for (size_t k = 0; k < results.size(); ++k)
            if (fixed[k] && !built_.contains(stmt.pat[k].name))
              results[k] = at_place(end, *as_name(results[k]), *fixed[k]);
          return with_blocks(end, results, needs_block);
        },
        targets);
    for (const Param& p : stmt.pat) built_.erase(p.name);
  }
  std::vector<bool> wanted;
  for (size_t k = 0; k < stmt.pat.size(); ++k) wanted.push_back(needs_block(k));
  stmt.pat = pattern_with_blocks(
      std::move(stmt.pat), [&](size_t k) { return wanted[k]; },
      [&](size_t k) { return fixed[k] ? *fixed[k] : place(common[k]); });
  stmt.exp = std::move(node);
  out.append(std::move(stmt));
}

void Planner::loop(Builder& out, Stmt stmt) {
  Loop node = std::move(*as<Loop>(stmt.exp));
  std::vector<LoopParam> params;
  std::vector<bool> wanted;
  std::vector<MemLoc> known;
  for (LoopParam& p : node.params) {
    if (!p.param.type.is_array()) {
      wanted.push_back(false);
      known.push_back({});
      params.push_back(std::move(p));
      continue;
    }
    types_[p.param.name] = p.param.type;
    const Name init = *as_name(p.init);
    const bool stays = origins_->stays_in_place(p.param.name);
    wanted.push_back(!stays);
    if (stays) {
      known.push_back(place(init));
      put(p.param, place(init));
    } else {
      const Name whole = whole_block(out, init);
      const Name block = prog_.names.fresh(fmt::format("{}_mem", prog_.names.base(p.param.name)));
      params.push_back({{block, mem_type(p.param.type.space)}, place(whole).block});
      p.init = whole;
      put(p.param, {block});
      known.push_back({});
    }
    params.push_back(std::move(p));
  }
  node.params = std::move(params);
  for (const LoopParam& p : node.params) bound_.insert(p.param.name);
  if (node.form == Loop::kFor) bound_.insert(node.var.name);
  plan_body(
      node.body,
      [&](Builder& end, const std::vector<Operand>& results) {
        return with_blocks(end, results, [&](size_t k) { return wanted[k]; });
      },
      fill_blocks(wanted));
  stmt.pat = pattern_with_blocks(
      std::move(stmt.pat), [&](size_t k) { return wanted[k]; }, [&](size_t k) { return known[k]; });
  stmt.exp = std::move(node);
  out.append(std::move(stmt));
}

void Planner::call(Builder& out, Stmt stmt) {
  Call* node = as<Call>(stmt.exp);
  const auto is_array = [&](const Operand& o) {
    return as_name(o) != nullptr && types_.contains(*as_name(o));
  };
  const std::vector<Operand> args = node->args;
  node->args = with_blocks(out, args, [&](size_t k) { return is_array(args[k]); });
  stmt.pat = pattern_with_blocks(
      std::move(stmt.pat), [](size_t) { return true; }, [](size_t) { return MemLoc{}; });
  out.append(std::move(stmt));
}

}  // namespace skald::passes
