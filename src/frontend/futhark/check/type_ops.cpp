// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/type_ops.h"

#include <algorithm>

#include "frontend/futhark/check/size_exp.h"

namespace skald::futhark {

TypeFactory::TypeFactory(TypeArena& arena) : arena_(arena) {
  for (Prim p : kAllPrims) {
    Type t;
    t.prim = p;
    prims_.push_back(arena_.make(std::move(t)));
  }
  Type u;
  u.kind = Type::kRecord;
  unit_ = arena_.make(std::move(u));
}

const Type* TypeFactory::array(Size size, const Type* elem, bool unique) {
  Type t;
  t.kind = Type::kArray;
  t.unique = unique;
  t.size = size;
  t.elem = elem;
  return make(std::move(t));
}

const Type* TypeFactory::tuple(const std::vector<const Type*>& elems) {
  if (elems.empty()) return unit_;
  Type t;
  t.kind = Type::kRecord;
  for (size_t i = 0; i < elems.size(); ++i) t.fields.emplace_back(std::to_string(i), elems[i]);
  return make(std::move(t));
}

bool field_less(const std::string& a, const std::string& b) {
  auto numeric = [](const std::string& s) {
    return !s.empty() && s.find_first_not_of("0123456789") == std::string::npos;
  };
  const bool na = numeric(a), nb = numeric(b);
  if (na != nb) return na;
  if (na && a.size() != b.size()) return a.size() < b.size();
  return a < b;
}

const Type* TypeFactory::record(std::vector<std::pair<std::string, const Type*>> fields) {
  Type t;
  t.kind = Type::kRecord;
  std::ranges::stable_sort(
      fields, [](const auto& a, const auto& b) { return field_less(a.first, b.first); });
  t.fields = std::move(fields);
  return make(std::move(t));
}

const Type* TypeFactory::sum(std::vector<std::pair<std::string, std::vector<const Type*>>> cs) {
  Type t;
  t.kind = Type::kSum;
  std::ranges::stable_sort(cs, [](const auto& a, const auto& b) { return a.first < b.first; });
  t.constrs = std::move(cs);
  return make(std::move(t));
}

const Type* TypeFactory::arrow(const Type* from, const Type* to, VName param,
                               std::vector<VName> exts) {
  Type t;
  t.kind = Type::kArrow;
  t.from = from;
  t.to = to;
  t.param = std::move(param);
  t.exts = std::move(exts);
  return make(std::move(t));
}

const Type* TypeFactory::named(VName name, Liftedness lifted, std::vector<TypeArg> args) {
  Type t;
  t.kind = Type::kNamed;
  t.name = std::move(name);
  t.lifted = lifted;
  t.args = std::move(args);
  return make(std::move(t));
}

const Type* TypeFactory::meta(uint32_t id) {
  Type t;
  t.kind = Type::kMeta;
  t.meta = id;
  return make(std::move(t));
}

const Type* TypeFactory::with_unique(const Type* t, bool unique) {
  if (!t) return t;
  switch (t->kind) {
    case Type::kArray:
    case Type::kNamed:
    case Type::kMeta: {
      if (t->unique == unique) return t;
      Type copy = *t;
      copy.unique = unique;
      return make(std::move(copy));
    }
    case Type::kRecord: {
      Type copy = *t;
      bool changed = false;
      for (auto& [name, field] : copy.fields) {
        const Type* n = with_unique(field, unique);
        changed |= n != field;
        field = n;
      }
      return changed ? make(std::move(copy)) : t;
    }
    case Type::kSum: {
      Type copy = *t;
      bool changed = false;
      for (auto& [name, payload] : copy.constrs)
        for (auto& p : payload) {
          const Type* n = with_unique(p, unique);
          changed |= n != p;
          p = n;
        }
      return changed ? make(std::move(copy)) : t;
    }
    default: return t;
  }
}

const Exp* TypeFactory::size_var(const VName& name) {
  const Exp*& slot = size_vars_[name.id];
  if (!slot) {
    Exp e{EVar{QualName{{}, name.base, {}}, name.id}, {}};
    e.type = i64();
    slot = keep(std::move(e));
  }
  return slot;
}

const Exp* TypeFactory::size_const(int64_t value) {
  Exp e{ELiteral{{Literal::kInt, std::to_string(value), ""}}, {}};
  e.type = i64();
  return keep(std::move(e));
}

const Exp* TypeFactory::size_binary(const char* op, const Exp* lhs, const Exp* rhs) {
  auto copy = [](const Exp* e) { return std::make_unique<Exp>(copy_size(*e, {})); };
  Exp e{EBinary{copy(lhs), copy(rhs), QualName{{}, op, {}}}, {}};
  e.type = i64();
  return keep(std::move(e));
}

const Type* find_field(const Type& record, const std::string& name) {
  if (record.kind != Type::kRecord) return nullptr;
  for (const auto& [n, t] : record.fields)
    if (n == name) return t;
  return nullptr;
}

const std::vector<const Type*>* find_constr(const Type& sum, const std::string& name) {
  if (sum.kind != Type::kSum) return nullptr;
  for (const auto& [n, ts] : sum.constrs)
    if (n == name) return &ts;
  return nullptr;
}

const Type* map_type(TypeFactory& f, const Type* t, const TypeMapper& m) {
  if (!t) return t;
  auto size = [&](const Exp* e) { return e && m.on_size ? m.on_size(e) : e; };
  switch (t->kind) {
    case Type::kPrim: return t;
    case Type::kMeta: return m.on_leaf ? m.on_leaf(t) : t;
    case Type::kArray: {
      const Exp* s = size(t->size.exp);
      const Type* elem = map_type(f, t->elem, m);
      if (s == t->size.exp && elem == t->elem) return t;
      return f.array({s}, elem, t->unique);
    }
    case Type::kRecord: {
      const Type* result = t;
      Type copy;
      for (size_t i = 0; i < t->fields.size(); ++i) {
        const Type* n = map_type(f, t->fields[i].second, m);
        if (n == t->fields[i].second) continue;
        if (result == t) {
          copy = *t;
          result = nullptr;
        }
        copy.fields[i].second = n;
      }
      return result ? result : f.make(std::move(copy));
    }
    case Type::kSum: {
      bool changed = false;
      Type copy = *t;
      for (auto& [name, payload] : copy.constrs)
        for (auto& p : payload) {
          const Type* n = map_type(f, p, m);
          changed |= n != p;
          p = n;
        }
      return changed ? f.make(std::move(copy)) : t;
    }
    case Type::kArrow: {
      const Type* from = map_type(f, t->from, m);
      const Type* to = map_type(f, t->to, m);
      if (from == t->from && to == t->to) return t;
      Type copy = *t;
      copy.from = from;
      copy.to = to;
      return f.make(std::move(copy));
    }
    case Type::kNamed: {
      const Type* result = t;
      if (!t->args.empty()) {
        bool changed = false;
        Type copy = *t;
        for (TypeArg& a : copy.args) {
          if (a.type) {
            const Type* n = map_type(f, a.type, m);
            changed |= n != a.type;
            a.type = n;
          } else {
            const Exp* n = size(a.size.exp);
            changed |= n != a.size.exp;
            a.size.exp = n;
          }
        }
        if (changed) result = f.make(std::move(copy));
      }
      return m.on_leaf ? m.on_leaf(result) : result;
    }
  }
  return t;
}

const Type* erase_sizes(TypeFactory& f, const Type* t) {
  if (!t) return t;
  switch (t->kind) {
    case Type::kPrim:
    case Type::kMeta: return t;
    case Type::kArray: {
      const Type* elem = erase_sizes(f, t->elem);
      if (!t->size.exp && elem == t->elem && !t->unique) return t;
      return f.array({}, elem);
    }
    case Type::kRecord: {
      bool changed = false;
      Type copy = *t;
      for (auto& [name, field] : copy.fields) {
        const Type* n = erase_sizes(f, field);
        changed |= n != field;
        field = n;
      }
      return changed ? f.make(std::move(copy)) : t;
    }
    case Type::kSum: {
      bool changed = false;
      Type copy = *t;
      for (auto& [name, payload] : copy.constrs)
        for (auto& p : payload) {
          const Type* n = erase_sizes(f, p);
          changed |= n != p;
          p = n;
        }
      return changed ? f.make(std::move(copy)) : t;
    }
    case Type::kArrow: {
      const Type* from = erase_sizes(f, t->from);
      const Type* to = erase_sizes(f, t->to);
      if (from == t->from && to == t->to && t->exts.empty()) return t;
      return f.arrow(from, to, t->param);
    }
    case Type::kNamed: {
      bool changed = t->unique;
      Type copy = *t;
      copy.unique = false;
      for (TypeArg& a : copy.args) {
        if (a.type) {
          const Type* n = erase_sizes(f, a.type);
          changed |= n != a.type;
          a.type = n;
        } else if (a.size.exp) {
          changed = true;
          a.size.exp = nullptr;
        }
      }
      return changed ? f.make(std::move(copy)) : t;
    }
  }
  return t;
}

namespace {

class Substituter {
 public:
  Substituter(TypeFactory& f, const TypeSubst& s) : f_(f), s_(s) {
    on_var_ = [this](uint32_t id) -> const Exp* {
      auto it = s_.sizes.find(id);
      return it == s_.sizes.end() ? nullptr : it->second;
    };
  }

  const Exp* size(const Exp* e) { return e ? subst_size(f_, e, on_var_) : e; }

  const Type* type(const Type* t, std::vector<VName>& exts) {
    if (!t) return t;
    switch (t->kind) {
      case Type::kPrim:
      case Type::kMeta: return t;
      case Type::kArray: {
        const Exp* s = size(t->size.exp);
        const Type* elem = type(t->elem, exts);
        if (s == t->size.exp && elem == t->elem) return t;
        return f_.array({s}, elem, t->unique);
      }
      case Type::kRecord: {
        bool changed = false;
        Type copy = *t;
        for (auto& [name, field] : copy.fields) {
          const Type* n = type(field, exts);
          changed |= n != field;
          field = n;
        }
        return changed ? f_.make(std::move(copy)) : t;
      }
      case Type::kSum: {
        bool changed = false;
        Type copy = *t;
        for (auto& [name, payload] : copy.constrs)
          for (auto& p : payload) {
            const Type* n = type(p, exts);
            changed |= n != p;
            p = n;
          }
        return changed ? f_.make(std::move(copy)) : t;
      }
      case Type::kArrow: {
        const Type* from = type(t->from, exts);
        std::vector<VName> inner;
        const Type* to = type(t->to, inner);
        if (from == t->from && to == t->to && inner.empty()) return t;
        Type copy = *t;
        copy.from = from;
        copy.to = to;
        // A size of a function result that is itself a function belongs further out.
        if (t->to->kind == Type::kArrow)
          exts.insert(exts.end(), inner.begin(), inner.end());
        else
          copy.exts.insert(copy.exts.end(), inner.begin(), inner.end());
        return f_.make(std::move(copy));
      }
      case Type::kNamed: return named(t, exts);
    }
    return t;
  }

 private:
  const Type* named(const Type* t, std::vector<VName>& exts) {
    bool changed = false;
    std::vector<TypeArg> args = t->args;
    for (TypeArg& a : args) {
      if (a.type) {
        ++in_argument_;
        const Type* n = type(a.type, exts);
        --in_argument_;
        changed |= n != a.type;
        a.type = n;
      } else {
        const Exp* n = size(a.size.exp);
        changed |= n != a.size.exp;
        a.size.exp = n;
      }
    }
    auto it = s_.types.find(t->name.id);
    if (it != s_.types.end()) {
      const bool has_sizes = !it->second.exts.empty() && args.empty();
      // The argument of a type has the sizes that the same type brought into being before it, so
      // that `t -> box t` keeps the size of its argument.
      if (has_sizes && in_argument_ > 0)
        if (auto first = first_.find(t->name.id); first != first_.end()) return first->second;
      const Type* result = apply_type_def(f_, it->second, args, &exts);
      if (has_sizes) first_.emplace(t->name.id, result);
      return t->unique ? f_.with_unique(result, true) : result;
    }
    if (!changed) return t;
    Type copy = *t;
    copy.args = std::move(args);
    return f_.make(std::move(copy));
  }

  TypeFactory& f_;
  const TypeSubst& s_;
  OnSizeVar on_var_;
  int in_argument_ = 0;
  std::unordered_map<uint32_t, const Type*> first_;  // what types with sizes of their own became
};

}  // namespace

const Type* subst_type(TypeFactory& f, const Type* t, const TypeSubst& s,
                       std::vector<VName>* exts) {
  if (s.empty()) return t;
  std::vector<VName> local;
  return Substituter(f, s).type(t, exts ? *exts : local);
}

const Type* apply_type_def(TypeFactory& f, const TypeDef& def, const std::vector<TypeArg>& args,
                           std::vector<VName>* exts) {
  TypeSubst s;
  for (size_t i = 0; i < def.params.size() && i < args.size(); ++i) {
    if (args[i].type)
      s.types[def.params[i].name.id] = TypeDef{{}, args[i].type};
    else if (args[i].size.exp)
      s.sizes[def.params[i].name.id] = args[i].size.exp;
  }
  for (const VName& ext : def.exts) {
    const VName fresh = f.fresh(ext.base);
    s.sizes[ext.id] = f.size_var(fresh);
    if (exts) exts->push_back(fresh);
  }
  return subst_type(f, def.type, s, exts);
}

namespace {

void visit_sizes(const Type* t, SizePos pos, IdSet& bound,
                 const std::function<void(const Exp*, SizePos, const IdSet&)>& f) {
  if (!t) return;
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
  if (!t) return;
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
  if (!t) return true;
  switch (t->kind) {
    case Type::kPrim:
    case Type::kMeta: return true;
    case Type::kArray: return is_function_free(t->elem);
    case Type::kRecord:
      return std::ranges::all_of(t->fields, [](auto& x) { return is_function_free(x.second); });
    case Type::kSum:
      return std::ranges::all_of(t->constrs, [](auto& c) {
        return std::ranges::all_of(c.second, [](const Type* p) { return is_function_free(p); });
      });
    case Type::kNamed:
      return std::ranges::all_of(t->args,
                                 [](const TypeArg& a) { return is_function_free(a.type); });
    case Type::kArrow: return false;
  }
  return true;
}

bool is_consuming(const Type* t) {
  if (!t) return false;
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
