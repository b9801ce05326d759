// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/base/env.h"

#include <algorithm>

namespace skald::futhark {

void Env::add(Item item) {
  const auto at = static_cast<uint32_t>(items.size());
  if (item.term) terms_[item.name].push_back(at);
  if (item.type) types_[item.name].push_back(at);
  if (item.mod_type) mod_types_[item.name].push_back(at);
  items.push_back(std::move(item));
}

void Env::add_all(const Env& other) {
  for (const Item& item : other.items) add(item);
  incomplete |= other.incomplete;
}

const Env::Item* Env::find(const std::vector<Item>& items, const Index& index,
                           const std::string& name, size_t limit) {
  auto it = index.find(name);
  if (it == index.end()) return nullptr;
  for (size_t i = it->second.size(); i-- > 0;)
    if (it->second[i] < limit) return &items[it->second[i]];
  return nullptr;
}

Term Env::find_term(const std::string& name, size_t limit) const {
  const Item* item = find(items, terms_, name, limit);
  return item ? item->term : Term{};
}
TypeEntry* Env::find_type(const std::string& name, size_t limit) const {
  const Item* item = find(items, types_, name, limit);
  return item ? item->type : nullptr;
}
ModTypeEntry* Env::find_mod_type(const std::string& name, size_t limit) const {
  const Item* item = find(items, mod_types_, name, limit);
  return item ? item->mod_type : nullptr;
}

void Names::bind(const std::string& name, Term term) {
  terms_[name].push_back(term);
  undo_.emplace_back(false, name);
}
void Names::bind_type(const std::string& name, TypeEntry* type) {
  types_[name].push_back(type);
  undo_.emplace_back(true, name);
}
void Names::open(const Env& env) {
  for (const Env::Item& item : env.items) {
    if (item.term) bind(item.name, item.term);
    if (item.type) bind_type(item.name, item.type);
  }
}
void Names::pop_to(size_t depth) {
  while (undo_.size() > depth) {
    auto& [is_type, name] = undo_.back();
    if (is_type)
      types_[name].pop_back();
    else
      terms_[name].pop_back();
    undo_.pop_back();
  }
}

Term Names::term(const std::string& name) const {
  if (auto it = terms_.find(name); it != terms_.end() && !it->second.empty())
    return it->second.back();
  for (const Scope* s = scope_.get(); s; s = s->parent.get())
    if (Term t = s->env->find_term(name, s->limit)) return t;
  return {};
}
TypeEntry* Names::type(const std::string& name) const {
  if (auto it = types_.find(name); it != types_.end() && !it->second.empty())
    return it->second.back();
  for (const Scope* s = scope_.get(); s; s = s->parent.get())
    if (TypeEntry* t = s->env->find_type(name, s->limit)) return t;
  return nullptr;
}
ModTypeEntry* Names::mod_type(const std::string& name) const {
  for (const Scope* s = scope_.get(); s; s = s->parent.get())
    if (ModTypeEntry* t = s->env->find_mod_type(name, s->limit)) return t;
  return nullptr;
}

void Names::for_each(const std::function<void(const Env::Item&)>& visit) const {
  for (const auto& [name, terms] : terms_)
    if (!terms.empty()) visit({name, terms.back()});
  for (const auto& [name, types] : types_)
    if (!types.empty()) visit({name, {}, types.back()});
  for (const Scope* s = scope_.get(); s; s = s->parent.get())
    for (size_t i = std::min(s->limit, s->env->items.size()); i-- > 0;) visit(s->env->items[i]);
}

const Env* Names::qualified(const std::vector<std::string>& quals) const {
  const Env* env = nullptr;
  for (const std::string& q : quals) {
    const Term t = env ? env->find_term(q) : term(q);
    if (!t.mod || !t.mod->mod || !t.mod->mod->env) return nullptr;
    env = t.mod->mod->env;
  }
  return env;
}
bool Names::excused(const QualName& name) const {
  const Env* env = nullptr;
  for (const std::string& q : name.quals) {
    const Term t = env ? env->find_term(q) : term(q);
    if (!t.mod || !t.mod->mod || !t.mod->mod->env) break;
    env = t.mod->mod->env;
  }
  if (env) return env->incomplete;
  for (const Scope* s = scope_.get(); s; s = s->parent.get())
    if (s->env->incomplete) return true;
  return false;
}
Term Names::term(const QualName& name) const {
  if (name.quals.empty()) return term(name.name);
  const Env* env = qualified(name.quals);
  return env ? env->find_term(name.name) : Term{};
}
TypeEntry* Names::type(const QualName& name) const {
  if (name.quals.empty()) return type(name.name);
  const Env* env = qualified(name.quals);
  return env ? env->find_type(name.name) : nullptr;
}
ModTypeEntry* Names::mod_type(const QualName& name) const {
  if (name.quals.empty()) return mod_type(name.name);
  const Env* env = qualified(name.quals);
  return env ? env->find_mod_type(name.name) : nullptr;
}

}  // namespace skald::futhark
