// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/base/env.h"

#include <algorithm>

namespace skald::futhark {

void Env::add_all(const Env& other) {
  for (const Item& item : other.items) add(item);
  incomplete |= other.incomplete;
}

template <class Wanted>
const Env::Item* Env::find(const Key& name, size_t limit, Wanted wanted) const {
  const auto name_at = [this](uint32_t place) -> const std::string& { return items[place].name; };
  for (size_t i = index_.size(); i < items.size(); ++i) index_.push(items[i].name, name_at);
  for (uint32_t place = index_.find(name, name_at); place != LatestByName::kNone;
       place = index_.before(place))
    if (place < limit && wanted(items[place])) return &items[place];
  return nullptr;
}

Term Env::find_term(const Key& name, size_t limit) const {
  const Item* item = find(name, limit, [](const Item& i) { return static_cast<bool>(i.term); });
  return item ? item->term : Term{};
}
TypeEntry* Env::find_type(const Key& name, size_t limit) const {
  const Item* item = find(name, limit, [](const Item& i) { return i.type != nullptr; });
  return item ? item->type : nullptr;
}
ModTypeEntry* Env::find_mod_type(const Key& name, size_t limit) const {
  const Item* item = find(name, limit, [](const Item& i) { return i.mod_type != nullptr; });
  return item ? item->mod_type : nullptr;
}

void Names::open(const Env& env) {
  for (const Env::Item& item : env.items) {
    if (item.term) bind(item.name, item.term);
    if (item.type) bind_type(item.name, item.type);
  }
}
Term Names::term(const std::string& name) const {
  const Key key(name);
  if (const Term local = terms_.find(key)) return local;
  for (const Scope* s = scope_.get(); s; s = s->parent.get())
    if (Term t = s->env->find_term(key, s->limit)) return t;
  return {};
}
TypeEntry* Names::type(const std::string& name) const {
  const Key key(name);
  if (TypeEntry* local = types_.find(key)) return local;
  for (const Scope* s = scope_.get(); s; s = s->parent.get())
    if (TypeEntry* t = s->env->find_type(key, s->limit)) return t;
  return nullptr;
}
ModTypeEntry* Names::mod_type(const std::string& name) const {
  const Key key(name);
  for (const Scope* s = scope_.get(); s; s = s->parent.get())
    if (ModTypeEntry* t = s->env->find_mod_type(key, s->limit)) return t;
  return nullptr;
}

void Names::for_each(const std::function<void(const Env::Item&)>& visit) const {
  terms_.for_each([&](const std::string& name, Term term) { visit({name, term}); });
  types_.for_each([&](const std::string& name, TypeEntry* type) { visit({name, {}, type}); });
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
