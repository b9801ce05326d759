// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/sizes/solve/size_scope.h"

#include <algorithm>

namespace skald::futhark {

namespace {

// Replaces unusable sizes in a type by fresh ones.  A size that the type shows as a whole is
// replaced wherever it occurs, also inside larger sizes; what is bound inside a function's result
// is bound there.
class Replacer {
 public:
  using Killer = std::function<uint32_t(const Exp&)>;
  using Fresh = std::function<VName(const Exp&, uint32_t)>;
  Replacer(TypeFactory& f, const Killer& killer, const Fresh& fresh)
      : f_(f), killer_(killer), fresh_(fresh) {}

  const Type* ret(const Type* t, std::vector<VName>& made) {
    std::vector<const Exp*> shown;
    for_each_size(t, [&](const Exp* e, SizePos pos, const IdSet&) {
      if (pos == SizePos::kImmediate) shown.push_back(strip_size(e));
    });
    std::ranges::stable_sort(shown, {}, [](const Exp* e) { return size_weight(*e); });
    const size_t depth = known_.size();
    for (const Exp* e : shown) known_.emplace_back(e, size(e, made));
    const Type* result = type(t, made);
    known_.resize(depth);
    return result;
  }

 private:
  const Exp* size(const Exp* e, std::vector<VName>& made) {
    e = strip_size(e);
    const Exp* r = e;
    if (!known_.empty()) {
      bool changed = false;
      auto on_exp = [&](const Exp& x) -> const Exp* {
        const Exp* y = strip_size(&x);
        for (size_t i = known_.size(); i-- > 0;)
          if (known_[i].first != known_[i].second && equal_sizes(known_[i].first, y)) {
            changed = true;
            return known_[i].second;
          }
        return nullptr;
      };
      if (const Exp* whole = on_exp(*e)) {
        r = whole;
      } else if (!std::holds_alternative<EVar>(e->node) &&
                 !std::holds_alternative<ELiteral>(e->node)) {
        changed = false;
        Exp copy = replace_in_size(*e, on_exp);
        if (changed) r = f_.keep(std::move(copy));
      }
    }
    if (const uint32_t cause = killer_(*r)) {
      made.push_back(fresh_(*r, cause));
      return f_.size_var(made.back());
    }
    return r;
  }

  const Type* type(const Type* t, std::vector<VName>& made) {
    switch (t->kind) {
      case Type::kPrim:
      case Type::kMeta: return t;
      case Type::kArray: {
        const Exp* s = t->size.exp ? size(t->size.exp, made) : nullptr;
        return f_.array({s}, type(t->elem, made), t->unique);
      }
      case Type::kRecord: {
        Type copy = *t;
        for (auto& [name, field] : copy.fields) field = type(field, made);
        return f_.make(std::move(copy));
      }
      case Type::kSum: {
        Type copy = *t;
        for (auto& [name, payload] : copy.constrs)
          for (auto& p : payload) p = type(p, made);
        return f_.make(std::move(copy));
      }
      case Type::kNamed: {
        Type copy = *t;
        for (TypeArg& a : copy.args) {
          if (a.type)
            a.type = type(a.type, made);
          else if (a.size.exp)
            a.size.exp = size(a.size.exp, made);
        }
        return f_.make(std::move(copy));
      }
      case Type::kArrow: {
        Type copy = *t;
        copy.from = type(t->from, made);
        std::vector<VName> inner;
        copy.to = ret(t->to, inner);
        copy.exts.insert(copy.exts.end(), inner.begin(), inner.end());
        return f_.make(std::move(copy));
      }
    }
    return t;
  }

  TypeFactory& f_;
  const Killer& killer_;
  const Fresh& fresh_;
  std::vector<std::pair<const Exp*, const Exp*>> known_;
};

}  // namespace

const Type* SizeScope::free_killed(const Type* t, Span span, const Killer& killer,
                                   std::vector<VName>& ext) {
  auto fresh = [&](const Exp& e, uint32_t cause) {
    (void)e;
    auto at = ctx_.bound_at.find(cause);
    SizeVar* v = table_.find(cause);
    const std::string name = v ? v->name.base : "";
    return table_.unknown(
        span, "d",
        "is an unknown size arising from " + quote(name) + " going out of scope at " +
            ctx_.where(span) +
            (at == ctx_.bound_at.end() ? "."
                                       : ".\nOriginally bound at " + ctx_.where(at->second) + "."),
        name.empty() ? "known only inside"
                     : "known only where " + quote(name) + " is, on which it depends");
  };
  return Replacer(f_, killer, fresh).ret(t, ext);
}

const Type* SizeScope::unscope(const Type* t, Span span, const IdSet& gone,
                               std::vector<VName>& ext) {
  if (gone.empty()) return t;
  const IdSet vars = free_sizes(t);
  if (std::ranges::none_of(vars, [&](uint32_t v) { return gone.contains(v); })) return t;
  return free_killed(
      t, span,
      [&](const Exp& e) -> uint32_t {
        IdSet in;
        free_in_size(e, in);
        for (uint32_t v : in)
          if (gone.contains(v)) return v;
        return 0;
      },
      ext);
}

const Type* SizeScope::unscope_unknown(const Type* t) {
  auto is_unknown = [&](uint32_t v) {
    SizeVar* s = table_.find(v);
    return s && s->kind == SizeVar::kUnknown;
  };
  if (std::ranges::none_of(free_sizes(t), is_unknown)) return t;
  const Witnesses w = size_witnesses(t);
  std::vector<VName> ext;
  return free_killed(
      t, {},
      [&](const Exp& e) -> uint32_t {
        if (std::holds_alternative<EVar>(e.node)) return 0;
        IdSet in;
        free_in_size(e, in);
        for (uint32_t v : in)
          if (is_unknown(v) && !w.witnessed.contains(v)) return v;
        return 0;
      },
      ext);
}

void find_produced(const Type* type, IdSet& produced, IdSet& needed) {
  for_each_size(type, [&](const Exp* e, SizePos pos, const IdSet& bound) {
    IdSet in;
    free_in_size(*e, in);
    for (uint32_t v : in) {
      if (bound.contains(v)) continue;
      if (pos == SizePos::kImmediate) produced.insert(v);
      if (pos == SizePos::kParam) needed.insert(v);
    }
  });
}

}  // namespace skald::futhark
