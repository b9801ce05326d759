// SPDX-License-Identifier: Apache-2.0
// Environments: binding and lookup, by id (local names and sizes in types) and by name.
#include "frontend/futhark/elaborate/values/values.h"

namespace skald::futhark::elab {

// Long chains are taken apart in a loop: the default destructor would recurse once per binding.
EnvNode::~EnvNode() {
  Env next = std::move(parent);
  while (next && next.use_count() == 1) {
    Env after = std::move(const_cast<EnvNode&>(*next).parent);
    next = std::move(after);
  }
}

Env bind_term(const Env& env, std::string_view name, uint32_t id, ValuePtr value) {
  auto node = std::make_shared<EnvNode>();
  node->parent = env;
  node->name = name;
  node->id = id;
  node->value = std::move(value);
  return node;
}

Env bind_type(const Env& env, std::string_view name, uint32_t id, TypeBinding type) {
  auto node = std::make_shared<EnvNode>();
  node->kind = EnvNode::kType;
  node->parent = env;
  node->name = name;
  node->id = id;
  node->type = std::move(type);
  return node;
}

Env enter_frame(const Env& parent, std::shared_ptr<Frame> frame, uint32_t seq) {
  auto node = std::make_shared<EnvNode>();
  node->kind = EnvNode::kFrame;
  node->parent = parent;
  node->frame = std::move(frame);
  node->seq = seq;
  return node;
}

template <class T>
static const T* find_version(const Frame::Versions<T>& table, std::string_view name, uint32_t seq) {
  auto it = table.find(std::string(name));
  if (it == table.end()) return nullptr;
  for (auto v = it->second.rbegin(); v != it->second.rend(); ++v)
    if (v->first <= seq) return &v->second;
  return nullptr;
}

ValuePtr lookup_term_id(const Env& env, uint32_t id) {
  if (id == 0) return nullptr;
  for (const EnvNode* n = env.get(); n; n = n->parent.get()) {
    if (n->kind == EnvNode::kTerm && n->id == id) return n->value;
    if (n->kind == EnvNode::kFrame) {
      auto it = n->frame->term_ids.find(id);
      if (it != n->frame->term_ids.end()) return it->second;
    }
  }
  return nullptr;
}

ValuePtr lookup_term(const Env& env, std::string_view name) {
  for (const EnvNode* n = env.get(); n; n = n->parent.get()) {
    if (n->kind == EnvNode::kTerm && n->name == name && !name.empty()) return n->value;
    if (n->kind == EnvNode::kFrame)
      if (const auto* v = find_version(n->frame->terms, name, n->seq)) return *v;
  }
  return nullptr;
}

const TypeBinding* lookup_type_id(const Env& env, uint32_t id) {
  if (id == 0) return nullptr;
  for (const EnvNode* n = env.get(); n; n = n->parent.get()) {
    if (n->kind == EnvNode::kType && n->id == id) return &n->type;
    if (n->kind == EnvNode::kFrame) {
      auto it = n->frame->type_ids.find(id);
      if (it != n->frame->type_ids.end()) return &it->second;
    }
  }
  return nullptr;
}

const TypeBinding* lookup_type(const Env& env, std::string_view name) {
  for (const EnvNode* n = env.get(); n; n = n->parent.get()) {
    if (n->kind == EnvNode::kType && n->name == name && !name.empty()) return &n->type;
    if (n->kind == EnvNode::kFrame)
      if (const auto* v = find_version(n->frame->types, name, n->seq)) return v;
  }
  return nullptr;
}

const std::pair<const ModTypeExp*, Env>* lookup_mod_type(const Env& env, std::string_view name) {
  for (const EnvNode* n = env.get(); n; n = n->parent.get())
    if (n->kind == EnvNode::kFrame)
      if (const auto* v = find_version(n->frame->mod_types, name, n->seq)) return v;
  return nullptr;
}

}  // namespace skald::futhark::elab
