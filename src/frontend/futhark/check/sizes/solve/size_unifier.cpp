// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/sizes/solve/size_unifier.h"

#include <algorithm>

namespace skald::futhark {

bool is_bound(const Unifying& u, const Exp* e) {
  if (u.bound.empty()) return false;
  IdSet vars;
  free_in_size(*e, vars);
  return std::ranges::any_of(u.bound, [&](uint32_t b) { return vars.contains(b); });
}

bool SizeUnifier::unify(const Type* expected, const Type* actual, const SizeWhy& why) {
  if (report_.halted()) return false;
  Unifying u{why, {}};
  if (sub(u, false, expected, actual)) return true;
  if (!table_.is_spoilt(expected) && !table_.is_spoilt(actual) && !messages_.told_before(u))
    messages_.report(u, expected, actual);
  for (uint32_t id : u.introduced) table_.erase(id);
  table_.spoil(expected);
  table_.spoil(actual);
  return false;
}

bool SizeUnifier::sub(Unifying& u, bool swapped, const Type* a, const Type* b) {
  auto differ = [&] {
    u.text = "Types\n" + indented(words_.show(a)) + "\nand\n" + indented(words_.show(b)) +
             "\ndo not match.";
    return false;
  };
  if (a == b && a->kind == Type::kPrim) return true;
  if (a->kind != b->kind) return differ();
  auto sizes = [&](const Exp* x, const Exp* y) {
    if (!x || !y) return true;
    x = table_.norm(x);
    y = table_.norm(y);
    if (swapped ? sub_sizes(u, y, x) : sub_sizes(u, x, y)) return true;
    // People know the whole sizes, not the terms in them that differ.
    if (u.expected && !u.irregular) {
      u.expected = swapped ? y : x;
      u.actual = swapped ? x : y;
    }
    return false;
  };
  switch (a->kind) {
    case Type::kPrim: return a->prim == b->prim || differ();
    case Type::kMeta: return true;
    case Type::kArray: return sizes(a->size.exp, b->size.exp) && sub(u, swapped, a->elem, b->elem);
    case Type::kRecord:
      if (a->fields.size() != b->fields.size()) return differ();
      for (size_t i = 0; i < a->fields.size(); ++i) {
        if (a->fields[i].first != b->fields[i].first) return differ();
        if (!sub(u, swapped, a->fields[i].second, b->fields[i].second)) return false;
      }
      return true;
    case Type::kSum:
      if (a->constrs.size() != b->constrs.size()) return differ();
      for (size_t i = 0; i < a->constrs.size(); ++i) {
        const auto& [na, pa] = a->constrs[i];
        const auto& [nb, pb] = b->constrs[i];
        if (na != nb || pa.size() != pb.size()) return differ();
        for (size_t k = 0; k < pa.size(); ++k)
          if (!sub(u, swapped, pa[k], pb[k])) return false;
      }
      return true;
    case Type::kNamed:
      if (a->name.id != b->name.id || a->args.size() != b->args.size()) return differ();
      for (size_t i = 0; i < a->args.size(); ++i) {
        if ((a->args[i].type == nullptr) != (b->args[i].type == nullptr)) return differ();
        if (a->args[i].type ? !sub(u, swapped, a->args[i].type, b->args[i].type)
                            : !sizes(a->args[i].size.exp, b->args[i].size.exp))
          return false;
      }
      return true;
    case Type::kArrow: return sub_arrow(u, swapped, a, b);
  }
  return true;
}

bool SizeUnifier::sub_arrow(Unifying& u, bool swapped, const Type* a, const Type* b) {
  const Type* first = swapped ? b : a;
  const Type* second = swapped ? a : b;
  if (!is_consuming(first->from) && is_consuming(second->from)) {
    u.code = "unify-consuming-param";
    u.text = "Parameters\n" + indented(words_.show(a->from)) + "\nand\n" +
             indented(words_.show(b->from)) +
             "\nare incompatible regarding consuming their arguments.";
    return false;
  }
  if (!is_consuming(second->to) && is_consuming(first->to)) {
    u.text = "Return types\n" + indented(words_.show(a->to)) + "\nand\n" +
             indented(words_.show(b->to)) + "\nhave incompatible uniqueness.";
    return false;
  }
  // The existential sizes of the results take part as sizes of their own for a while.
  std::unordered_map<uint32_t, SizeVar> before;
  auto introduce = [&](const std::vector<VName>& exts, bool flexible) {
    for (const VName& x : exts) {
      if (SizeVar* old = table_.find(x.id)) before[x.id] = *old;
      SizeVar v;
      v.kind = flexible ? SizeVar::kFlex : SizeVar::kUnknown;
      v.level = table_.level;
      v.name = x;
      v.note =
          "is an artificial size invented during unification of functions with anonymous sizes.";
      table_.put(std::move(v));
      u.introduced.push_back(x.id);
    }
  };
  introduce(a->exts, !swapped);
  introduce(b->exts, swapped);

  const std::string where = u.where;
  const size_t depth = u.bound.size();
  const Unifying::Part part = u.part;
  u.where = where + (where.empty() ? "" : "\n") + "When matching parameter types.";
  u.part = Unifying::kParameter;
  if (!sub(u, !swapped, a->from, b->from)) return false;
  u.where = where + (where.empty() ? "" : "\n") + "When matching return types.";
  u.part = Unifying::kReturned;
  for (const Type* t : {a, b}) {
    if (t->param.id) u.bound.push_back(t->param.id);
    for (const VName& x : t->exts) u.bound.push_back(x.id);
  }
  const size_t one_sided = u.one_sided.size();
  if ((a->param.id == 0) != (b->param.id == 0))
    u.one_sided.push_back(a->param.id ? a->param.id : b->param.id);
  const Type* to = b->to;
  if (a->param.id && b->param.id && a->param.id != b->param.id) {
    TypeSubst s;
    s.sizes[b->param.id] = f_.size_var(a->param);
    to = subst_type(f_, to, s);
  }
  if (!sub(u, swapped, a->to, to)) return false;
  u.where = where;
  u.part = part;
  u.bound.resize(depth);
  u.one_sided.resize(one_sided);

  // An existential that was found to be an instantiated size makes that existential.
  for (const Type* t : {a, b})
    for (const VName& x : t->exts) {
      SizeVar* v = table_.find(x.id);
      if (!v || v->kind != SizeVar::kFlex || !v->solution) continue;
      const uint32_t found = size_var_id(table_.norm(v->solution));
      SizeVar* w = found ? table_.find(found) : nullptr;
      if (w && w->kind == SizeVar::kCopy) w = table_.find(w->canon);
      if (!w || w->kind != SizeVar::kInst || w->lifted == Liftedness::kUnlifted) continue;
      w->kind = SizeVar::kExistential;
      w->key = x.id;
      auto old = before.find(x.id);
      w->computed = old != before.end() && old->second.kind == SizeVar::kUnknown;
      if (w->computed) w->span = old->second.span.known() ? old->second.span : u.why.span;
    }
  for (const Type* t : {a, b})
    for (const VName& x : t->exts) table_.erase(x.id);
  return true;
}

bool SizeUnifier::sub_sizes(Unifying& u, const Exp* a, const Exp* b) {
  if (table_.is_spoilt(a) || table_.is_spoilt(b)) {
    table_.spoil(a);
    table_.spoil(b);
    return true;
  }
  if (auto pairs = similar_sizes(a, b)) {
    for (auto [x, y] : *pairs)
      if (!sub_sizes(u, x, y)) return false;
    return true;
  }
  auto try_link = [&](const Exp* var, const Exp* other, bool& done) {
    const uint32_t id = size_var_id(var);
    auto level = table_.nonrigid(id);
    if (!level) return true;
    if (u.lenient) {
      // Only where the link is certain to be legal.
      IdSet vars;
      free_in_size(*other, vars);
      if (is_bound(u, other) || vars.contains(id)) return true;
      for (uint32_t v : vars)
        if (SizeVar* sv = table_.find(v))
          if (sv->level > *level || (sv->kind == SizeVar::kParam && sv->level >= *level))
            return true;
    } else if (is_bound(u, other) && std::ranges::find(u.bound, id) == u.bound.end()) {
      return true;
    }
    done = true;
    return link(u, id, other);
  };
  bool done = false;
  if (!try_link(a, b, done)) return false;
  if (done) return true;
  if (!try_link(b, a, done)) return false;
  if (done || u.lenient) return true;
  if (local_link(u, a, b) || local_link(u, b, a)) return true;
  if (absorb(u, a, b) || absorb(u, b, a)) return true;
  return messages_.explain(u, a, b);
}

bool SizeUnifier::link(Unifying& u, uint32_t id, const Exp* e) {
  e = subst_size(f_, e, [this](uint32_t v) -> const Exp* {
    SizeVar* s = table_.find(v);
    if (!s || s->kind != SizeVar::kCopy) return nullptr;
    SizeVar* c = table_.find(s->canon);
    return c ? f_.size_var(c->name) : nullptr;
  });
  SizeVar* v = table_.find(id);
  if (v->kind == SizeVar::kCopy) {
    id = v->canon;
    v = table_.find(id);
    if (!v) return true;
  }
  if (size_var_id(e) == id) return true;
  if (v->kind == SizeVar::kFlex && v->solution)
    return sub_sizes(u, table_.norm(v->solution), table_.norm(e));
  IdSet vars;
  free_in_size(*e, vars);
  const int level = v->level;
  for (uint32_t w : vars) {
    if (w == id) {
      // No size is that and that plus one.
      u.expected = u.actual = e;
      u.text = "Occurs check: cannot instantiate " + quote(words_.show(f_.size_var(v->name))) +
               " with " + quote(words_.show(e)) + ".";
      return false;
    }
    SizeVar* s = table_.find(w);
    if (!s || s->level < level) continue;
    if (s->kind == SizeVar::kParam) {
      explain_scope(u, *v, *s, e);
      return false;
    }
    s->level = level;
  }
  v = table_.find(id);
  // If it stays unknown, the message says how it came to be the other one.
  if (!v->usage.empty() && !u.why.use.empty() && table_.nonrigid(size_var_id(e)))
    v->usage += " (" + u.why.use + ")";
  v->kind = SizeVar::kFlex;
  v->solution = e;
  v->decided = u.why.span;
  SizeVar* other = table_.find(size_var_id(e));
  if (other && !other->is_rigid() && other->array.empty()) other->array = v->array;
  return true;
}

// A size that is chosen outside would depend on a name that is bound inside.
void SizeUnifier::explain_scope(Unifying& u, const SizeVar& size, const SizeVar& inside,
                                const Exp* e) {
  const std::string what =
      size.array.empty() ? "size " + quote(size.name.base) : "the size of " + quote(size.array);
  u.code = "scope-violation";
  if (!size.array.empty())
    u.plain = what + " would have to be " + quote(words_.show(e)) + ", but it is chosen before " +
              quote(inside.name.base) + " is known";
  u.text = "Cannot link " + what + " to " + quote(words_.show(e)) +
           " (scope violation).\nThis is because " + quote(inside.name.base) +
           " is not in scope when " + (size.array.empty() ? quote(size.name.base) : "it") +
           " is introduced.";
  if (size.usage.starts_with("anonymous size") && !size.array.empty())
    u.way_out = "give the size of `" + size.array +
                "` a name: `[k]` before the parameters, and in " + "its type instead of `[]`";
}

// A size of an instantiated type may be a name that the type itself binds.
bool SizeUnifier::local_link(Unifying& u, const Exp* var, const Exp* other) {
  const uint32_t id = size_var_id(var);
  SizeVar* v = id ? table_.find(id) : nullptr;
  if (!v || (v->kind != SizeVar::kInst && v->kind != SizeVar::kCopy)) return false;
  if (!is_bound(u, other) || std::ranges::find(u.bound, id) != u.bound.end()) return false;
  IdSet vars;
  free_in_size(*other, vars);
  for (uint32_t b : u.bound) {
    if (!vars.contains(b)) continue;
    SizeVar* s = table_.find(b);
    if (!s || s->kind != SizeVar::kParam || !s->of_type) return false;
    if (std::ranges::find(u.one_sided, b) != u.one_sided.end()) return false;
  }
  v->kind = SizeVar::kFlex;
  v->solution = other;
  return true;
}

bool SizeUnifier::absorb(Unifying& u, const Exp* var, const Exp* other) {
  const uint32_t id = size_var_id(var);
  SizeVar* v = id ? table_.find(id) : nullptr;
  if (!v || !is_bound(u, other) || std::ranges::find(u.bound, id) != u.bound.end()) return false;
  if (v->kind == SizeVar::kCopy) v = table_.find(v->canon);
  if (!v) return false;
  if (v->kind == SizeVar::kExistential) return true;
  if (v->kind != SizeVar::kInst || v->lifted == Liftedness::kUnlifted) return false;
  v->kind = SizeVar::kExistential;
  v->key = size_var_id(other);
  v->computed = false;
  IdSet vars;
  free_in_size(*other, vars);
  for (uint32_t w : vars)
    if (SizeVar* s = table_.find(w); s && s->kind == SizeVar::kUnknown) {
      v->computed = true;
      v->span = s->span.known() ? s->span : u.why.span;
      break;
    }
  return true;
}

namespace {

// The common shape of two types of the same structure; `on_sizes` picks each size.
const Type* match_sizes(TypeFactory& f, const Type* a, const Type* b,
                        const std::function<const Exp*(const Exp*, const Exp*)>& on_sizes) {
  if (!a || !b || a->kind != b->kind) return a;
  switch (a->kind) {
    case Type::kPrim:
    case Type::kMeta: return a;
    case Type::kArray: {
      const Exp* s = a->size.exp && b->size.exp ? on_sizes(a->size.exp, b->size.exp) : a->size.exp;
      return f.array({s}, match_sizes(f, a->elem, b->elem, on_sizes), a->unique);
    }
    case Type::kRecord: {
      if (a->fields.size() != b->fields.size()) return a;
      Type copy = *a;
      for (size_t i = 0; i < copy.fields.size(); ++i)
        copy.fields[i].second = match_sizes(f, a->fields[i].second, b->fields[i].second, on_sizes);
      return f.make(std::move(copy));
    }
    case Type::kSum: {
      if (a->constrs.size() != b->constrs.size()) return a;
      Type copy = *a;
      for (size_t i = 0; i < copy.constrs.size(); ++i)
        for (size_t k = 0; k < copy.constrs[i].second.size() && k < b->constrs[i].second.size();
             ++k)
          copy.constrs[i].second[k] =
              match_sizes(f, a->constrs[i].second[k], b->constrs[i].second[k], on_sizes);
      return f.make(std::move(copy));
    }
    case Type::kNamed: {
      if (a->args.size() != b->args.size()) return a;
      Type copy = *a;
      for (size_t i = 0; i < copy.args.size(); ++i) {
        if (copy.args[i].type)
          copy.args[i].type = match_sizes(f, a->args[i].type, b->args[i].type, on_sizes);
        else if (a->args[i].size.exp && b->args[i].size.exp)
          copy.args[i].size.exp = on_sizes(a->args[i].size.exp, b->args[i].size.exp);
      }
      return f.make(std::move(copy));
    }
    case Type::kArrow: return a;
  }
  return a;
}

}  // namespace

const Type* SizeUnifier::unify_branches(const Type* a, const Type* b, Span span,
                                        std::vector<VName>& ext) {
  if (report_.halted()) return a;
  SizeWhy why{span, "unification of branch results"};
  Unifying u{why, {}};
  u.lenient = true;
  if (!sub(u, false, a, b)) {
    report_.error(u.code.empty() ? "type-mismatch" : u.code, span,
                  "Branches differ in type.\nFormer: " + words_.show(a) +
                      "\nLatter: " + words_.show(b) + (u.text.empty() ? "" : "\n\n" + u.text));
    for (uint32_t id : u.introduced) table_.erase(id);
    return table_.with_wrong_sizes(a);
  }
  a = table_.norm(a);
  b = table_.norm(b);
  struct Seen {
    const Exp *a, *b;
    const Exp* result;
  };
  std::vector<Seen> seen;
  return match_sizes(f_, a, b, [&](const Exp* x, const Exp* y) -> const Exp* {
    if (equal_sizes(x, y)) return x;
    if (table_.is_spoilt(x) || table_.is_spoilt(y)) return table_.wrong_size();
    for (const Seen& s : seen)
      if (equal_sizes(s.a, x) && equal_sizes(s.b, y)) return s.result;
    const VName d =
        table_.unknown(span, "d",
                       "is unknown due to conditional expression at " + ctx_.where(span) +
                           ".\nOne branch returns array of type: " + pretty(*a) +
                           "\nThe other an array of type:       " + pretty(*b),
                       "that of whichever branch is taken");
    ext.push_back(d);
    seen.push_back({x, y, f_.size_var(d)});
    return seen.back().result;
  });
}

}  // namespace skald::futhark
