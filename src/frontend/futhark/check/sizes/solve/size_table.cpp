// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/sizes/solve/size_table.h"

#include <algorithm>

namespace skald::futhark {

SizeVar* SizeTable::find(uint32_t id) {
  auto it = vars_.find(id);
  return it == vars_.end() ? nullptr : &it->second;
}

VName SizeTable::add(const std::string& base, SizeVar v) {
  const VName name = f_.fresh(base);
  v.name = name;
  v.level = level;
  vars_[name.id] = std::move(v);
  return name;
}

VName SizeTable::flexible(Span span, const std::string& base, const std::string& usage) {
  SizeVar v;
  v.span = span;
  v.usage = usage;
  return add(base, std::move(v));
}

VName SizeTable::unknown(Span span, const std::string& base, const std::string& note,
                         const std::string& plain) {
  SizeVar v;
  v.kind = SizeVar::kUnknown;
  v.span = span;
  v.note = note;
  v.plain = plain;
  return add(base, std::move(v));
}

void SizeTable::bind_param(const VName& name, Span span, bool of_type) {
  SizeVar v;
  const SizeVar* old = find(name.id);
  v.of_type = of_type || (old && old->of_type);
  v.kind = SizeVar::kParam;
  v.name = name;
  v.span = span;
  v.level = level;
  vars_[name.id] = std::move(v);
}

const Exp* SizeTable::resolve(uint32_t id) {
  SizeVar* v = find(id);
  if (!v) return nullptr;
  if (v->kind == SizeVar::kCopy) {
    SizeVar* c = find(v->canon);
    if (!c || c->kind != SizeVar::kFlex || !c->solution) return nullptr;
    return resolve(v->canon);
  }
  if (v->kind != SizeVar::kFlex || !v->solution) return nullptr;
  const Exp* n = norm(v->solution);
  if (SizeVar* again = find(id)) again->solution = n;
  return n;
}

const Exp* SizeTable::norm(const Exp* e) {
  return subst_size(f_, e, [this](uint32_t id) { return resolve(id); });
}

const Type* SizeTable::norm(const Type* t) {
  TypeMapper m;
  m.on_size = [this](const Exp* e) { return norm(e); };
  return map_type(f_, t, m);
}

std::optional<int> SizeTable::nonrigid(uint32_t id) {
  SizeVar* v = id ? find(id) : nullptr;
  if (!v) return std::nullopt;
  if (v->kind == SizeVar::kCopy) {
    SizeVar* c = find(v->canon);
    if (c && c->is_rigid()) return std::nullopt;
    return v->level;
  }
  if (v->is_rigid()) return std::nullopt;
  return v->level;
}

const Exp* SizeTable::wrong_size() {
  if (!wrong_.id) {
    SizeVar v;
    v.kind = SizeVar::kWrong;
    wrong_ = add("d", std::move(v));
  }
  return f_.size_var(wrong_);
}

const Type* SizeTable::with_wrong_sizes(const Type* t) {
  TypeMapper m;
  m.on_size = [this](const Exp*) { return wrong_size(); };
  return map_type(f_, t, m);
}

void SizeTable::spoil(const Exp* e) {
  IdSet vars;
  free_in_size(*norm(e), vars);
  for (uint32_t id : vars) {
    if (!nonrigid(id)) continue;
    SizeVar* v = find(id);
    if (v->kind == SizeVar::kCopy) v = find(v->canon);
    if (!v) continue;
    v->kind = SizeVar::kFlex;
    v->solution = wrong_size();
  }
}

void SizeTable::spoil(const Type* t) {
  for_each_size(t, [this](const Exp* e, SizePos, const IdSet&) { spoil(e); });
}

bool SizeTable::is_spoilt(const Exp* e) {
  if (!wrong_.id) return false;
  IdSet vars;
  free_in_size(*norm(e), vars);
  return vars.contains(wrong_.id);
}

bool SizeTable::is_spoilt(const Type* t) {
  return wrong_.id && free_sizes(norm(t)).contains(wrong_.id);
}

uint32_t SizeTable::var_root(uint32_t id) {
  for (;;) {
    SizeVar* v = find(id);
    if (!v || v->kind != SizeVar::kFlex || !v->solution) return id;
    const uint32_t next = size_var_id(v->solution);
    if (!next) return id;
    id = next;
  }
}

bool SizeTable::same_var(uint32_t a, uint32_t b) {
  return var_root(a) == var_root(b);
}

PendingSizes SizeTable::pending_insts() {
  PendingSizes p;
  std::unordered_map<uint64_t, std::vector<uint32_t>> groups;
  for (auto& [id, v] : vars_) {
    if (v.kind == SizeVar::kExistential) p.ids.insert(id);
    if (v.kind != SizeVar::kCopy) continue;
    SizeVar* c = find(v.canon);
    if (!c || c->kind != SizeVar::kExistential) continue;
    p.ids.insert(id);
    if (c->key) groups[(uint64_t{v.occurrence} << 32) | c->key].push_back(id);
  }
  for (auto& [key, ids] : groups) {
    const uint32_t rep = *std::ranges::min_element(ids);
    for (uint32_t id : ids)
      if (id != rep) p.reps[id] = rep;
  }
  return p;
}

void SizeTable::collapse_insts(int min_level) {
  std::vector<uint32_t> copies;
  for (auto& [id, v] : vars_) {
    if (v.level < min_level || v.kind != SizeVar::kCopy) continue;
    SizeVar* c = find(v.canon);
    if (c && c->kind == SizeVar::kExistential) continue;
    copies.push_back(id);
  }
  for (uint32_t id : copies) {
    SizeVar& v = vars_[id];
    SizeVar* c = find(v.canon);
    if (!c) continue;
    v.kind = SizeVar::kFlex;
    v.solution = f_.size_var(c->name);
  }
  for (auto& [id, v] : vars_)
    if (v.level >= min_level && v.kind == SizeVar::kInst) v.kind = SizeVar::kFlex;
}

}  // namespace skald::futhark
