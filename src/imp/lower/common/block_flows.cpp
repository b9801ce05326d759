// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/common/block_flows.h"

#include <utility>

#include "core/ir/visit.h"

namespace skald::imp {

using core::as;
using core::Name;
using core::Operand;

namespace {

bool is_block(const core::Param& p) {
  return p.type.kind == core::Type::kMem;
}

}  // namespace

void BlockFlows::add(const core::Body& body) {
  around_.clear();
  places_.clear();
  visit(body, new_body(0, 0));
  for (const Operand& result : body.result) leaves(result);
  count_short_lived();
}

// Every name of a class must lie inside the bodies that its blocks are made in.  Names from outside
// live longer than all of this.
void BlockFlows::count_short_lived() {
  std::unordered_map<uint32_t, uint32_t> around_class;
  for (const auto& [name, place] : places_) {
    const auto [known, is_new] = around_class.emplace(find(name.id), place.body);
    if (!is_new) known->second = innermost_around(known->second, place.body);
  }
  for (const auto& [name, place] : places_) {
    const uint32_t all = around_class.at(find(name.id));
    if (place.allocates && innermost_around(place.body, all) != place.body)
      counted_.insert(find(name.id));
  }
}

uint32_t BlockFlows::new_body(uint32_t around, uint32_t depth) {
  around_.push_back({around, depth});
  return static_cast<uint32_t>(around_.size() - 1);
}

uint32_t BlockFlows::innermost_around(uint32_t a, uint32_t b) const {
  while (a != b) {
    if (around_[a].depth < around_[b].depth) std::swap(a, b);
    a = around_[a].body;
  }
  return a;
}

void BlockFlows::visit(const core::Body& body, uint32_t id) {
  const auto inside = [&](const core::Body& inner) {
    visit(inner, new_body(id, around_[id].depth + 1));
  };
  for (const core::Stmt& stmt : body.stmts) {
    for (const core::Param& p : stmt.pat)
      if (is_block(p)) bind(p.name, id, as<core::Alloc>(stmt.exp) != nullptr);
    if (const auto* loop = as<core::Loop>(stmt.exp)) {
      for (size_t k = 0; k < loop->params.size(); ++k) {
        const core::LoopParam& p = loop->params[k];
        if (!is_block(p.param)) continue;
        bind(p.param.name, id, false);
        flows(p.init, p.param.name);
        flows(loop->body.result[k], p.param.name);
        flows(p.param.name, stmt.pat[k].name);
      }
    } else if (const auto* branch = as<core::If>(stmt.exp)) {
      for (size_t k = 0; k < stmt.pat.size(); ++k) {
        if (!is_block(stmt.pat[k])) continue;
        flows(branch->then_body.result[k], stmt.pat[k].name);
        flows(branch->else_body.result[k], stmt.pat[k].name);
      }
    } else if (const auto* call = as<core::Call>(stmt.exp)) {
      // Functions take and give counted blocks.
      for (const Operand& arg : call->args) leaves(arg);
      for (const core::Param& p : stmt.pat)
        if (is_block(p)) leaves(p.name);
    }
    core::for_each_body(stmt.exp, inside);
  }
}

void BlockFlows::bind(Name name, uint32_t body, bool allocates) {
  places_[name] = {body, allocates};
  parent_.emplace(name.id, name.id);
}

void BlockFlows::flows(const Operand& from, Name to) {
  const Name* name = core::as_name(from);
  if (name == nullptr) return;
  parent_.emplace(name->id, name->id);
  const uint32_t a = find(name->id), b = find(to.id);
  if (a == b) return;
  parent_[b] = a;
  if (counted_.contains(b)) counted_.insert(a);
}

void BlockFlows::leaves(const Operand& o) {
  const Name* name = core::as_name(o);
  if (name == nullptr || !parent_.contains(name->id)) return;
  counted_.insert(find(name->id));
}

uint32_t BlockFlows::find(uint32_t name) const {
  uint32_t root = name;
  while (parent_.at(root) != root) root = parent_.at(root);
  while (parent_.at(name) != root) name = std::exchange(parent_.at(name), root);
  return root;
}

bool BlockFlows::is_counted(Name block) const {
  return parent_.contains(block.id) && counted_.contains(find(block.id));
}

}  // namespace skald::imp
