// SPDX-License-Identifier: Apache-2.0
// The table of sizes, and how types from the unsized step get sizes.
#include "frontend/futhark/check/sizes/sizes.h"

namespace skald::futhark {

SizeVar* Sizes::find(uint32_t id) {
  auto it = vars_.find(id);
  return it == vars_.end() ? nullptr : &it->second;
}

VName Sizes::add(const std::string& base, SizeVar v) {
  const VName name = f_.fresh(base);
  v.name = name;
  v.level = level_;
  vars_[name.id] = std::move(v);
  return name;
}

VName Sizes::flexible(Span span, const std::string& base, const std::string& usage) {
  SizeVar v;
  v.span = span;
  v.usage = usage;
  return add(base, std::move(v));
}

VName Sizes::unknown(Span span, const std::string& base, const std::string& note,
                     const std::string& plain) {
  SizeVar v;
  v.kind = SizeVar::kUnknown;
  v.span = span;
  v.note = note;
  v.plain = plain;
  return add(base, std::move(v));
}

void Sizes::bind_param(const VName& name, Span span, bool of_type) {
  SizeVar v;
  const SizeVar* old = find(name.id);
  v.of_type = of_type || (old && old->of_type);
  v.kind = SizeVar::kParam;
  v.name = name;
  v.span = span;
  v.level = level_;
  vars_[name.id] = std::move(v);
}

const Exp* Sizes::resolve(uint32_t id) {
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

const Exp* Sizes::norm(const Exp* e) {
  return subst_size(f_, e, [this](uint32_t id) { return resolve(id); });
}

const Type* Sizes::norm(const Type* t) {
  TypeMapper m;
  m.on_size = [this](const Exp* e) { return norm(e); };
  return map_type(f_, t, m);
}

bool Sizes::is_rigid(const SizeVar& v) const {
  return v.kind == SizeVar::kParam || v.kind == SizeVar::kUnknown ||
         v.kind == SizeVar::kExistential || v.kind == SizeVar::kWrong;
}

const Exp* Sizes::wrong_size() {
  if (!wrong_.id) {
    SizeVar v;
    v.kind = SizeVar::kWrong;
    wrong_ = add("d", std::move(v));
  }
  return f_.size_var(wrong_);
}

const Type* Sizes::with_wrong_sizes(const Type* t) {
  TypeMapper m;
  m.on_size = [this](const Exp*) { return wrong_size(); };
  return map_type(f_, t, m);
}

void Sizes::spoil(const Exp* e) {
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

void Sizes::spoil(const Type* t) {
  for_each_size(t, [this](const Exp* e, SizePos, const IdSet&) { spoil(e); });
}

bool Sizes::is_spoilt(const Exp* e) {
  if (!wrong_.id) return false;
  IdSet vars;
  free_in_size(*norm(e), vars);
  return vars.contains(wrong_.id);
}

bool Sizes::is_spoilt(const Type* t) {
  return wrong_.id && free_sizes(norm(t)).contains(wrong_.id);
}

std::optional<int> Sizes::nonrigid(uint32_t id) {
  SizeVar* v = id ? find(id) : nullptr;
  if (!v) return std::nullopt;
  if (v->kind == SizeVar::kCopy) {
    SizeVar* c = find(v->canon);
    if (c && is_rigid(*c)) return std::nullopt;
    return v->level;
  }
  if (is_rigid(*v)) return std::nullopt;
  return v->level;
}

std::string Sizes::show(const Exp* e) {
  return pretty(*strip_size(as_shown(norm(e))));
}

const Exp* Sizes::as_shown(const Exp* e) {
  return subst_size(f_, e, [this](uint32_t id) -> const Exp* {
    const SizeVar* v = find(id);
    return v && !v->shown.empty() ? f_.size_var({v->shown, id}) : nullptr;
  });
}

std::string Sizes::notes_for(const Exp* e) {
  SizeVar* v = find(size_var_id(e));
  if (!v || v->kind != SizeVar::kUnknown || v->note.empty()) return "";
  return "\n\nNote: " + (is_invented(e) ? "the size" : quote(v->name.base)) + " " + v->note;
}

const Type* Sizes::fresh_sizes(const Type* t, const std::function<Size()>& make, Span span) {
  if (!t->has(Type::kDependent)) return t;
  switch (t->kind) {
    case Type::kPrim:
    case Type::kMeta: return t;
    case Type::kArray: {
      const Size s = make();
      return f_.array(s, fresh_sizes(t->elem, make, span), t->unique);
    }
    case Type::kRecord: {
      if (t->fields.empty()) return t;
      Type copy = *t;
      for (auto& [name, field] : copy.fields) field = fresh_sizes(field, make, span);
      return f_.make(std::move(copy));
    }
    case Type::kSum: {
      Type copy = *t;
      for (auto& [name, payload] : copy.constrs)
        for (auto& p : payload) p = fresh_sizes(p, make, span);
      return f_.make(std::move(copy));
    }
    case Type::kArrow: {
      Type copy = *t;
      // Keeps its name, so that all occurrences of the type agree on it.
      if (copy.param.id) bind_param(copy.param, span, true);
      copy.from = fresh_sizes(t->from, make, span);
      copy.to = fresh_sizes(t->to, make, span);
      return f_.make(std::move(copy));
    }
    case Type::kNamed: {
      if (t->args.empty()) return t;
      Type copy = *t;
      for (TypeArg& a : copy.args) {
        if (a.type)
          a.type = fresh_sizes(a.type, make, span);
        else
          a.size = make();
      }
      return f_.make(std::move(copy));
    }
  }
  return t;
}

const Type* Sizes::replace_metas_in(const Type* t, Span span, bool absorbable,
                                    std::unordered_map<uint32_t, const Type*>& seen) {
  if (!t->has(Type::kDependent | Type::kMetas)) return t;
  auto make = [&] {
    SizeVar v;
    v.kind = SizeVar::kInst;
    v.lifted = absorbable ? Liftedness::kLifted : Liftedness::kUnlifted;
    v.span = span;
    return Size{f_.size_var(add("d", std::move(v)))};
  };
  switch (t->kind) {
    case Type::kMeta: {
      auto it = seen.find(t->meta);
      if (it != seen.end()) return it->second;
      const Type* r = fresh_sizes(uni_.zonk(t), make, span);
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
      if (copy.param.id) bind_param(copy.param, span, true);
      copy.from = replace_metas_in(t->from, span, absorbable, seen);
      copy.to = replace_metas_in(t->to, span, absorbable, seen);
      return f_.make(std::move(copy));
    }
    default: return fresh_sizes(uni_.zonk(t), make, span);
  }
}

const Type* Sizes::replace_metas(const Type* t, Span span, bool absorbable) {
  std::unordered_map<uint32_t, const Type*> seen;
  return replace_metas_in(t, span, absorbable, seen);
}

const Type* Sizes::instantiate(const std::vector<TParam>& params, const Type* scheme,
                               std::vector<TypeInst>& inst, const std::string& name, Span span) {
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
      i.size = f_.size_var(add(p.name.base, std::move(v)));
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
      t = p.first = fresh_sizes(
          p.unsized,
          [&] {
            SizeVar v;
            v.kind = SizeVar::kInst;
            v.lifted = p.lifted;
            v.span = span;
            return Size{f_.size_var(add("d", std::move(v)))};
          },
          span);
    } else {
      const uint32_t occurrence = ++occurrences_;
      TypeMapper copy;
      copy.on_size = [&](const Exp* e) -> const Exp* {
        const uint32_t id = size_var_id(e);
        if (!find(id)) return e;
        SizeVar v;
        v.kind = SizeVar::kCopy;
        v.canon = id;
        v.occurrence = occurrence;
        v.span = span;
        return f_.size_var(add("d", std::move(v)));
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

}  // namespace skald::futhark
