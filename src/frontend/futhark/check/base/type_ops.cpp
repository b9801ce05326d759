// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/base/type_ops.h"

#include <algorithm>

#include "frontend/futhark/check/base/size_exp.h"

namespace skald::futhark {

TypeFactory::TypeFactory(TypeArena& arena) : lasting_(arena), arena_(&arena) {
  for (Prim p : kAllPrims) {
    Type t;
    t.prim = p;
    prims_.push_back(arena_->make(std::move(t)));
  }
  Type u;
  u.kind = Type::kRecord;
  unit_ = arena_->make(std::move(u));
}

const Type* TypeFactory::array(Size size, const Type* elem, bool unique) {
  Type& t = arena_->start();
  t.kind = Type::kArray;
  t.unique = unique;
  t.size = size;
  t.elem = elem;
  return arena_->finish(t);
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
  Type& t = arena_->start();
  t.kind = Type::kArrow;
  t.from = from;
  t.to = to;
  t.param = std::move(param);
  t.exts = std::move(exts);
  return arena_->finish(t);
}

const Type* TypeFactory::named(VName name, Liftedness lifted, std::vector<TypeArg> args) {
  Type& t = arena_->start();
  t.kind = Type::kNamed;
  t.name = std::move(name);
  t.lifted = lifted;
  t.args = std::move(args);
  return arena_->finish(t);
}

const Type* TypeFactory::meta(uint32_t id) {
  Type& t = arena_->start();
  t.kind = Type::kMeta;
  t.meta = id;
  return arena_->finish(t);
}

const Type* TypeFactory::with_unique(const Type* t, bool unique) {
  if (!t || (!unique && !t->has(Type::kUniques))) return t;
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
  const Exp*& slot = arena_->size_var(name.id);
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

}  // namespace skald::futhark
