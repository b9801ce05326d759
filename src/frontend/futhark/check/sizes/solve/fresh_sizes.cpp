// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/sizes/solve/fresh_sizes.h"

namespace skald::futhark {

const Type* FreshSizes::everywhere(const Type* t, const std::function<Size()>& make, Span span) {
  if (!t->has(Type::kDependent)) return t;
  switch (t->kind) {
    case Type::kPrim:
    case Type::kMeta: return t;
    case Type::kArray: {
      const Size s = make();
      return f_.array(s, everywhere(t->elem, make, span), t->unique);
    }
    case Type::kRecord: {
      if (t->fields.empty()) return t;
      Type copy = *t;
      for (auto& [name, field] : copy.fields) field = everywhere(field, make, span);
      return f_.make(std::move(copy));
    }
    case Type::kSum: {
      Type copy = *t;
      for (auto& [name, payload] : copy.constrs)
        for (auto& p : payload) p = everywhere(p, make, span);
      return f_.make(std::move(copy));
    }
    case Type::kArrow: {
      Type copy = *t;
      // Keeps its name, so that all occurrences of the type agree on it.
      if (copy.param.id) table_.bind_param(copy.param, span, true);
      copy.from = everywhere(t->from, make, span);
      copy.to = everywhere(t->to, make, span);
      return f_.make(std::move(copy));
    }
    case Type::kNamed: {
      if (t->args.empty()) return t;
      Type copy = *t;
      for (TypeArg& a : copy.args) {
        if (a.type)
          a.type = everywhere(a.type, make, span);
        else
          a.size = make();
      }
      return f_.make(std::move(copy));
    }
  }
  return t;
}

const Type* FreshSizes::replace_metas_in(const Type* t, Span span, bool absorbable,
                                         std::unordered_map<uint32_t, const Type*>& seen) {
  if (!t->has(Type::kDependent | Type::kMetas)) return t;
  auto make = [&] {
    SizeVar v;
    v.kind = SizeVar::kInst;
    v.lifted = absorbable ? Liftedness::kLifted : Liftedness::kUnlifted;
    v.span = span;
    return Size{f_.size_var(table_.add("d", std::move(v)))};
  };
  switch (t->kind) {
    case Type::kMeta: {
      auto it = seen.find(t->meta);
      if (it != seen.end()) return it->second;
      const Type* r = everywhere(uni_.zonk(t), make, span);
      seen[t->meta] = r;
      return r;
    }
    case Type::kRecord: {
      if (t->fields.empty()) return t;
      Type copy = *t;
      for (auto& [name, field] : copy.fields)
        field = replace_metas_in(field, span, absorbable, seen);
      return f_.make(std::move(copy));
    }
    case Type::kArrow: {
      Type copy = *t;
      // Keeps its name, so that all occurrences of the type agree on it.
      if (copy.param.id) table_.bind_param(copy.param, span, true);
      copy.from = replace_metas_in(t->from, span, absorbable, seen);
      copy.to = replace_metas_in(t->to, span, absorbable, seen);
      return f_.make(std::move(copy));
    }
    default: return everywhere(uni_.zonk(t), make, span);
  }
}

const Type* FreshSizes::replace_metas(const Type* t, Span span, bool absorbable) {
  std::unordered_map<uint32_t, const Type*> seen;
  return replace_metas_in(t, span, absorbable, seen);
}

const Type* FreshSizes::instantiate(const std::vector<TParam>& params, const Type* scheme,
                                    std::vector<TypeInst>& inst, const std::string& name,
                                    Span span) {
  if (params.empty()) return scheme;
  TypeSubst sizes;
  struct Param {
    const Type* unsized = nullptr;
    Liftedness lifted = Liftedness::kUnlifted;
    const Type* first = nullptr;
  };
  std::unordered_map<uint32_t, Param> types;
  // The unsized step left a type for each type parameter; size parameters that were inferred for a
  // local function later have no entry yet.
  std::vector<TypeInst> out;
  for (const TParam& p : params) {
    TypeInst i{p.name.id};
    if (p.is_size) {
      SizeVar v;
      v.kind = SizeVar::kInst;
      v.lifted = Liftedness::kLifted;
      v.span = span;
      v.usage = "instantiated size parameter of " + quote(name);
      i.size = f_.size_var(table_.add(p.name.base, std::move(v)));
      sizes.sizes[p.name.id] = i.size;
    } else {
      for (const TypeInst& old : inst)
        if (old.param_id == p.name.id && old.type)
          types[p.name.id] = {uni_.zonk(old.type), p.lifted, nullptr};
    }
    out.push_back(i);
  }
  scheme = subst_type(f_, scheme, sizes);
  TypeMapper m;
  m.on_leaf = [&](const Type* leaf) -> const Type* {
    if (leaf->kind != Type::kNamed) return leaf;
    auto it = types.find(leaf->name.id);
    if (it == types.end()) return leaf;
    Param& p = it->second;
    const Type* t = nullptr;
    if (!p.first) {
      t = p.first = everywhere(
          p.unsized,
          [&] {
            SizeVar v;
            v.kind = SizeVar::kInst;
            v.lifted = p.lifted;
            v.span = span;
            return Size{f_.size_var(table_.add("d", std::move(v)))};
          },
          span);
    } else {
      const uint32_t occurrence = table_.next_occurrence();
      TypeMapper copy;
      copy.on_size = [&](const Exp* e) -> const Exp* {
        const uint32_t id = size_var_id(e);
        if (!table_.find(id)) return e;
        SizeVar v;
        v.kind = SizeVar::kCopy;
        v.canon = id;
        v.occurrence = occurrence;
        v.span = span;
        return f_.size_var(table_.add("d", std::move(v)));
      };
      t = map_type(f_, p.first, copy);
    }
    return leaf->unique ? f_.with_unique(t, true) : t;
  };
  const Type* result = map_type(f_, scheme, m);
  for (TypeInst& i : out)
    if (auto it = types.find(i.param_id); it != types.end())
      i.type = it->second.first ? it->second.first : it->second.unsized;
  inst = std::move(out);
  return result;
}

const Type* FreshSizes::of_name(const void* node, const QualName& name, std::vector<TypeInst>& inst,
                                const Type* unsized, Span span) {
  auto it = d_.refs.find(node);
  if (it == d_.refs.end()) return f_.unit();
  ValEntry* entry = it->second;
  switch (entry->kind) {
    case ValEntry::kEquality:
    case ValEntry::kOverloaded: return replace_metas(unsized, span, false);
    case ValEntry::kSelf:
      if (!entry->sized) return replace_metas(unsized, span, false);
      // Recursion is monomorphic in types, so only sizes are instantiated.
      return instantiate(entry->sized_params, entry->sized, inst, qual_text(name), span);
    case ValEntry::kLocal:
      if (!entry->sized) return replace_metas(entry->type, span, false);
      return instantiate(entry->sized_params, entry->sized, inst, qual_text(name), span);
    case ValEntry::kGlobal:
      return instantiate(entry->params, entry->type, inst, qual_text(name), span);
  }
  return f_.unit();
}

}  // namespace skald::futhark
