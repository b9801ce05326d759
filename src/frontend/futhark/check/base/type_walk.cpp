// SPDX-License-Identifier: Apache-2.0
// Questions about types: which sizes and names they have, and where.
#include "frontend/futhark/check/base/size_exp.h"
#include "frontend/futhark/check/base/type_ops.h"

namespace skald::futhark {

namespace {

void visit_sizes(const Type* t, SizePos pos, IdSet& bound,
                 const std::function<void(const Exp*, SizePos, const IdSet&)>& f) {
  if (!t || !t->has(Type::kSizes)) return;
  switch (t->kind) {
    case Type::kPrim:
    case Type::kMeta: return;
    case Type::kArray:
      if (t->size.exp) f(t->size.exp, pos, bound);
      return visit_sizes(t->elem, pos, bound, f);
    case Type::kRecord:
      for (const auto& [name, field] : t->fields) visit_sizes(field, pos, bound, f);
      return;
    case Type::kSum:
      for (const auto& [name, payload] : t->constrs)
        for (const Type* p : payload) visit_sizes(p, pos, bound, f);
      return;
    case Type::kNamed:
      for (const TypeArg& a : t->args) {
        // What an abstract type does with a type argument is not known; accumulators hold it.
        if (a.type)
          visit_sizes(a.type, t->name.base == "acc" ? pos : SizePos::kParam, bound, f);
        else if (a.size.exp)
          f(a.size.exp, pos, bound);
      }
      return;
    case Type::kArrow: {
      std::vector<uint32_t> added;
      auto add = [&](uint32_t id) {
        if (id != 0 && bound.insert(id).second) added.push_back(id);
      };
      add(t->param.id);
      visit_sizes(t->from, SizePos::kParam, bound, f);
      for (const VName& e : t->exts) add(e.id);
      visit_sizes(t->to, SizePos::kReturn, bound, f);
      for (uint32_t id : added) bound.erase(id);
      return;
    }
  }
}

}  // namespace

void for_each_size(const Type* t,
                   const std::function<void(const Exp*, SizePos, const IdSet& bound)>& f) {
  IdSet bound;
  visit_sizes(t, SizePos::kImmediate, bound, f);
}

void free_sizes(const Type* t, IdSet& out) {
  for_each_size(t, [&](const Exp* e, SizePos, const IdSet& bound) {
    IdSet vars;
    free_in_size(*e, vars);
    for (uint32_t v : vars)
      if (!bound.contains(v)) out.insert(v);
  });
}

IdSet free_sizes(const Type* t) {
  IdSet out;
  free_sizes(t, out);
  return out;
}

Witnesses size_witnesses(const Type* t) {
  std::unordered_map<uint32_t, bool> explicit_only;
  auto note = [&](uint32_t id, bool must) {
    auto [it, is_new] = explicit_only.emplace(id, must);
    if (!is_new) it->second = it->second && must;
  };
  for_each_size(t, [&](const Exp* e, SizePos pos, const IdSet& bound) {
    const uint32_t var = size_var_id(e);
    if (var && (bound.contains(var) || pos == SizePos::kImmediate)) return note(var, false);
    IdSet vars;
    free_in_size(*e, vars);
    for (uint32_t v : vars) note(v, true);
  });
  Witnesses w;
  for (auto [id, must] : explicit_only) (must ? w.unwitnessed : w.witnessed).insert(id);
  return w;
}

void for_each_named(const Type* t, const std::function<void(const Type*)>& f) {
  if (!t || !t->has(Type::kNames)) return;
  switch (t->kind) {
    case Type::kPrim:
    case Type::kMeta: return;
    case Type::kArray: return for_each_named(t->elem, f);
    case Type::kRecord:
      for (const auto& [name, field] : t->fields) for_each_named(field, f);
      return;
    case Type::kSum:
      for (const auto& [name, payload] : t->constrs)
        for (const Type* p : payload) for_each_named(p, f);
      return;
    case Type::kNamed:
      f(t);
      for (const TypeArg& a : t->args)
        if (a.type) for_each_named(a.type, f);
      return;
    case Type::kArrow: for_each_named(t->from, f); return for_each_named(t->to, f);
  }
}

bool is_function_free(const Type* t) {
  return !t || !t->has(Type::kArrows);
}

bool is_consuming(const Type* t) {
  if (!t || !t->has(Type::kUniques)) return false;
  switch (t->kind) {
    case Type::kArray:
    case Type::kNamed:
    case Type::kMeta: return t->unique;
    case Type::kRecord:
      return std::ranges::any_of(t->fields, [](auto& x) { return is_consuming(x.second); });
    case Type::kSum:
      return std::ranges::any_of(t->constrs, [](auto& c) {
        return std::ranges::any_of(c.second, [](const Type* p) { return is_consuming(p); });
      });
    default: return false;
  }
}

bool same_unsized(const Type* a, const Type* b) {
  if (a == b) return true;
  if (!a || !b || a->kind != b->kind) return false;
  switch (a->kind) {
    case Type::kPrim: return a->prim == b->prim;
    case Type::kMeta: return a->meta == b->meta;
    case Type::kArray: return same_unsized(a->elem, b->elem);
    case Type::kRecord:
      return std::ranges::equal(a->fields, b->fields, [](auto& x, auto& y) {
        return x.first == y.first && same_unsized(x.second, y.second);
      });
    case Type::kSum:
      return std::ranges::equal(a->constrs, b->constrs, [](auto& x, auto& y) {
        return x.first == y.first && std::ranges::equal(x.second, y.second, same_unsized);
      });
    case Type::kNamed:
      return a->name.id == b->name.id &&
             std::ranges::equal(a->args, b->args, [](const TypeArg& x, const TypeArg& y) {
               return (x.type == nullptr) == (y.type == nullptr) && same_unsized(x.type, y.type);
             });
    case Type::kArrow: return same_unsized(a->from, b->from) && same_unsized(a->to, b->to);
  }
  return false;
}

int array_rank(const Type* t) {
  int rank = 0;
  for (; t && t->kind == Type::kArray; t = t->elem) ++rank;
  return rank;
}

}  // namespace skald::futhark
