// SPDX-License-Identifier: Apache-2.0
#include "imp/analysis/block_classes.h"

#include <algorithm>
#include <unordered_set>

namespace skald::imp {

BlockClasses::BlockClasses(const Function& fn, const SameBlocks& same) : same_(same) {
  for (const Decl& d : fn.params)
    if (d.type.is_block()) parent_.emplace(d.name.id, d.name.id);
  collect(fn.body);
}

BlockClasses::BlockClasses(const Body& parallel_body, std::span<const Name> outer_blocks,
                           const SameBlocks& same)
    : same_(same) {
  for (const Name block : outer_blocks) parent_.emplace(block.id, block.id);
  for (const auto& [a, b] : same.at(parallel_body))
    if (parent_.contains(a.id) && parent_.contains(b.id)) unite(a, b);
  collect(parallel_body);
}

std::vector<uint32_t> BlockClasses::representatives() {
  std::vector<uint32_t> all;
  for (const auto& entry : parent_) all.push_back(find(entry.first));
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

uint32_t BlockClasses::find(uint32_t id) {
  uint32_t root = id;
  while (parent_.at(root) != root) root = parent_.at(root);
  while (parent_.at(id) != root) id = std::exchange(parent_.at(id), root);
  return root;
}

void BlockClasses::unite(Name a, Name b) {
  parent_.emplace(a.id, a.id);
  parent_.emplace(b.id, b.id);
  const uint32_t x = find(a.id), y = find(b.id);
  parent_[std::max(x, y)] = std::min(x, y);
}

void BlockClasses::collect(const Body& body) {
  for (const Stmt& stmt : body.stmts) {
    for_each_binder(stmt, [&](Name name, Type type, BinderScope) {
      if (type.is_block()) parent_.emplace(name.id, name.id);
    });
    for_each_same_block(stmt, [&](Name a, Name b) {
      if (parent_.contains(b.id)) unite(a, b);
    });
    for_each_body(stmt, [&](const Body& inner) { collect(inner); });
  }
}

bool BlockClasses::may_overlap(Name a, Name b) {
  if (a == b) return true;
  if (!parent_.contains(a.id) || !parent_.contains(b.id)) return true;
  return find(a.id) == find(b.id);
}

namespace {

void names_in(const Body& body, std::vector<Name>& used, std::unordered_set<Name>& bound) {
  for (const Stmt& stmt : body.stmts) {
    for_each_use(stmt, [&](const Operand& operand) {
      if (const Name* name = core::as_name(operand)) used.push_back(*name);
    });
    for_each_binder(stmt, [&](Name name, const Type&, BinderScope) { bound.insert(name); });
    for_each_body(stmt, [&](const Body& inner) { names_in(inner, used, bound); });
  }
}

}  // namespace

std::vector<Name> outer_blocks_of(const Body& body, const std::unordered_map<Name, Type>& types) {
  std::vector<Name> used;
  std::unordered_set<Name> bound;
  names_in(body, used, bound);
  std::vector<Name> blocks;
  for (const Name name : used)
    if (const auto type = types.find(name);
        type != types.end() && type->second.is_block() && bound.insert(name).second)
      blocks.push_back(name);
  return blocks;
}

}  // namespace skald::imp
