// SPDX-License-Identifier: Apache-2.0
// Rewriting types: what does not change is shared.
#include <optional>

#include "frontend/futhark/check/base/size_exp.h"
#include "frontend/futhark/check/base/type_ops.h"

namespace skald::futhark {

namespace {

// The record with every field rewritten; itself if none changes.
template <class F>
const Type* map_fields(TypeFactory& f, const Type* t, F&& rewrite) {
  for (size_t i = 0; i < t->fields.size(); ++i) {
    const Type* n = rewrite(t->fields[i].second);
    if (n == t->fields[i].second) continue;
    Type copy = *t;
    copy.fields[i].second = n;
    while (++i < copy.fields.size()) copy.fields[i].second = rewrite(copy.fields[i].second);
    return f.make(std::move(copy));
  }
  return t;
}

// The sum with every payload rewritten; itself if none changes.
template <class F>
const Type* map_payloads(TypeFactory& f, const Type* t, F&& rewrite) {
  std::optional<Type> copy;
  for (size_t c = 0; c < t->constrs.size(); ++c) {
    const auto& payload = t->constrs[c].second;
    for (size_t i = 0; i < payload.size(); ++i) {
      const Type* n = rewrite(payload[i]);
      if (n == payload[i]) continue;
      if (!copy) copy = *t;
      copy->constrs[c].second[i] = n;
    }
  }
  return copy ? f.make(std::move(*copy)) : t;
}

// The arguments of a named type rewritten in place; whether one changed.
template <class F, class G>
bool map_args(std::vector<TypeArg>& args, F&& on_type, G&& on_size) {
  bool changed = false;
  for (TypeArg& a : args) {
    if (a.type) {
      const Type* n = on_type(a.type);
      changed |= n != a.type;
      a.type = n;
    } else {
      const Exp* n = on_size(a.size.exp);
      changed |= n != a.size.exp;
      a.size.exp = n;
    }
  }
  return changed;
}

}  // namespace

const Type* map_type(TypeFactory& f, const Type* t, const TypeMapper& m) {
  if (!t) return t;
  const int wanted = (m.on_size ? Type::kSizes : 0) | (m.on_leaf ? Type::kMetas | Type::kNames : 0);
  if (!t->has(wanted)) return t;
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
    case Type::kRecord:
      return map_fields(f, t, [&](const Type* field) { return map_type(f, field, m); });
    case Type::kSum: return map_payloads(f, t, [&](const Type* p) { return map_type(f, p, m); });
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
        Type copy = *t;
        if (map_args(copy.args, [&](const Type* a) { return map_type(f, a, m); }, size))
          result = f.make(std::move(copy));
      }
      return m.on_leaf ? m.on_leaf(result) : result;
    }
  }
  return t;
}

const Type* erase_sizes(TypeFactory& f, const Type* t) {
  if (!t || !t->has(Type::kSizes | Type::kUniques | Type::kDependent)) return t;
  switch (t->kind) {
    case Type::kPrim:
    case Type::kMeta: return t;
    case Type::kArray: {
      const Type* elem = erase_sizes(f, t->elem);
      if (!t->size.exp && elem == t->elem && !t->unique) return t;
      return f.array({}, elem);
    }
    case Type::kRecord:
      return map_fields(f, t, [&](const Type* field) { return erase_sizes(f, field); });
    case Type::kSum: return map_payloads(f, t, [&](const Type* p) { return erase_sizes(f, p); });
    case Type::kArrow: {
      const Type* from = erase_sizes(f, t->from);
      const Type* to = erase_sizes(f, t->to);
      if (from == t->from && to == t->to && t->exts.empty()) return t;
      return f.arrow(from, to, t->param);
    }
    case Type::kNamed: {
      if (!t->unique && t->args.empty()) return t;
      Type copy = *t;
      copy.unique = false;
      const bool changed = map_args(
          copy.args, [&](const Type* a) { return erase_sizes(f, a); },
          [](const Exp*) -> const Exp* { return nullptr; });
      return changed || t->unique ? f.make(std::move(copy)) : t;
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
    if (!t || !t->has(Type::kSizes | Type::kNames)) return t;
    switch (t->kind) {
      case Type::kPrim:
      case Type::kMeta: return t;
      case Type::kArray: {
        const Exp* s = size(t->size.exp);
        const Type* elem = type(t->elem, exts);
        if (s == t->size.exp && elem == t->elem) return t;
        return f_.array({s}, elem, t->unique);
      }
      case Type::kRecord:
        return map_fields(f_, t, [&](const Type* field) { return type(field, exts); });
      case Type::kSum: return map_payloads(f_, t, [&](const Type* p) { return type(p, exts); });
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
    std::vector<TypeArg> args = t->args;
    ++in_argument_;
    const bool changed = map_args(
        args, [&](const Type* a) { return type(a, exts); }, [&](const Exp* e) { return size(e); });
    --in_argument_;
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

}  // namespace skald::futhark
