// SPDX-License-Identifier: Apache-2.0
#include "analysis/blocks.h"

#include <algorithm>
#include <utility>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"

namespace skald::analysis {

using namespace core;

namespace {

bool is_mem(const Param& p) {
  return p.type.kind == Type::kMem;
}

}  // namespace

Name BlockClasses::of(Name block) const {
  Name root = block;
  for (auto at = parent_.find(root); at != parent_.end(); at = parent_.find(root))
    root = at->second;
  while (!(block == root)) block = std::exchange(parent_.at(block), root);
  return root;
}

void BlockClasses::unite(Name a, Name b) {
  const Name x = of(a), y = of(b);
  if (x == y) return;
  parent_[std::max(x, y)] = std::min(x, y);
}

void BlockClasses::add(const Body& body) {
  for (const Stmt& stmt : body.stmts) add(stmt);
}

void BlockClasses::add(const Stmt& stmt) {
  const auto join = [&](Name to, const Operand& from) {
    if (const Name* name = as_name(from)) unite(to, *name);
  };
  if (const If* branch = as<If>(stmt.exp)) {
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      if (!is_mem(stmt.pat[k])) continue;
      join(stmt.pat[k].name, branch->then_body.result[k]);
      join(stmt.pat[k].name, branch->else_body.result[k]);
    }
  } else if (const Loop* loop = as<Loop>(stmt.exp)) {
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      if (!is_mem(stmt.pat[k])) continue;
      join(stmt.pat[k].name, loop->params[k].param.name);
      join(stmt.pat[k].name, loop->params[k].init);
      join(stmt.pat[k].name, loop->body.result[k]);
    }
  } else if (const Call* call = as<Call>(stmt.exp)) {
    // A result may be any of the arguments, or share a block with another result.
    Name first = {};
    for (const Param& p : stmt.pat) {
      if (!is_mem(p)) continue;
      if (first) unite(first, p.name);
      first = p.name;
      for (const Operand& arg : call->args)
        if (const Name* name = as_name(arg); name && block_of_.is_block(*name)) join(p.name, arg);
    }
  }
  for_each_body(stmt.exp, [&](const Body& inner) { add(inner); });
}

BlockOf::BlockOf(const Function& fn) {
  for (const Param& p : fn.params) add(p);
  add(fn.body);
}

void BlockOf::add(const Param& param) {
  if (is_mem(param)) blocks_.insert(param.name);
  for (const MemLoc& loc : param.mem) block_of_[param.name] = loc.block;
}

void BlockOf::add(const Body& body) {
  for (const Stmt& stmt : body.stmts) {
    for (const Param& p : stmt.pat) add(p);
    for_each_param(stmt.exp, [&](const Param& p) { add(p); });
    for_each_body(stmt.exp, [&](const Body& inner) { add(inner); });
  }
}

Name BlockOf::operator()(Name name) const {
  const auto found = block_of_.find(name);
  if (found != block_of_.end()) return found->second;
  return blocks_.contains(name) ? name : Name{};
}

std::vector<Name> blocks_used(const Stmt& stmt, const BlockOf& block_of) {
  std::vector<Name> used;
  for (const Name name : free_names(stmt))
    if (const Name block = block_of(name)) used.push_back(block);
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used;
}

}  // namespace skald::analysis
