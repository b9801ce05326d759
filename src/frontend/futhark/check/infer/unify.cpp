// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/infer/unify.h"

#include <algorithm>
#include <set>

#include "frontend/futhark/check/hints/member_hints.h"

namespace skald::futhark {

const Type* Unifier::add(Meta m) {
  m.level = level;
  metas_.push_back(std::move(m));
  return f_.meta(static_cast<uint32_t>(metas_.size() - 1));
}

const Type* Unifier::fresh(Span span, Liftedness lifted, const char* base) {
  Meta m;
  m.lifted = lifted;
  m.span = span;
  m.base = base;
  return add(std::move(m));
}

const Type* Unifier::wrong(Span span) {
  if (wrong_) return wrong_;
  Meta m;
  m.span = span;
  m.wrong = true;
  return wrong_ = add(std::move(m));
}

bool Unifier::is_wrong(const Type* t) const {
  return t->kind == Type::kMeta && metas_[t->meta].wrong;
}

const Type* Unifier::fresh_prim(Span span, PrimSet prims) {
  if ((prims & (prims - 1)) == 0)
    for (Prim p : kAllPrims)
      if (prims == prim_bit(p)) return f_.prim(p);
  Meta m;
  m.kind = Meta::kPrims;
  m.prims = prims;
  m.span = span;
  return add(std::move(m));
}

const Type* Unifier::fresh_record(Span span, const std::string& field, const Type* type) {
  Meta m;
  m.kind = Meta::kRecord;
  m.fields[field] = type;
  m.span = span;
  return add(std::move(m));
}

const Type* Unifier::fresh_sum(Span span, const std::string& constr,
                               std::vector<const Type*> payload) {
  Meta m;
  m.kind = Meta::kSum;
  m.constrs[constr] = std::move(payload);
  m.span = span;
  return add(std::move(m));
}

bool Unifier::seen_before(const Type* t) {
  return t->kind == Type::kMeta && std::exchange(metas_[t->meta].walk, walk_) == walk_;
}

const Type* Unifier::shallow(const Type* t) const {
  while (t->kind == Type::kMeta && metas_[t->meta].kind == Meta::kLinked) t = metas_[t->meta].link;
  return t;
}

const Type* Unifier::zonk(const Type* t) {
  if (!t || !t->has(Type::kMetas)) return t;
  TypeMapper m;
  m.on_leaf = [this](const Type* leaf) {
    if (leaf->kind != Type::kMeta) return leaf;
    const Type* s = shallow(leaf);
    if (s->kind == Type::kMeta || f_.arena().too_large()) return s;
    const Type* z = zonk(s);
    metas_[leaf->meta].link = z;
    return z;
  };
  return map_type(f_, t, m);
}

bool Unifier::check_occurs(uint32_t id, const Type* t) {
  ++walk_;
  return walk_occurs(id, t);
}

bool Unifier::walk_occurs(uint32_t id, const Type* t) {
  if (!t->has(Type::kMetas | Type::kNames) || seen_before(t)) return true;
  t = shallow(t);
  const Meta& m = metas_[id];
  switch (t->kind) {
    case Type::kPrim: return true;
    case Type::kMeta: {
      if (t->meta == id) {
        code_ = "occurs-check";
        return fail("Occurs check: cannot instantiate " + show(f_.meta(id)) +
                    " with a type that contains it");
      }
      Meta& other = metas_[t->meta];
      other.level = std::min(other.level, m.level);
      for (const auto& [name, field] : other.fields)
        if (!walk_occurs(id, field)) return false;
      for (const auto& [name, payload] : other.constrs)
        for (const Type* p : payload)
          if (!walk_occurs(id, p)) return false;
      return true;
    }
    case Type::kArray: return walk_occurs(id, t->elem);
    case Type::kRecord:
      return std::ranges::all_of(t->fields,
                                 [&](const auto& x) { return walk_occurs(id, x.second); });
    case Type::kSum:
      return std::ranges::all_of(t->constrs, [&](const auto& c) {
        return std::ranges::all_of(c.second, [&](const Type* p) { return walk_occurs(id, p); });
      });
    case Type::kArrow: return walk_occurs(id, t->from) && walk_occurs(id, t->to);
    case Type::kNamed: {
      auto it = param_levels_.find(t->name.id);
      if (it != param_levels_.end() && it->second > m.level) {
        code_ = "scope-violation";
        whole_ = true;
        const std::string type = indented(show(t));
        return fail("Cannot unify type\n" + type + "\nwith " + quote(show(f_.meta(id))) +
                    " (scope violation).\nThis is because " + quote(t->name.base) +
                    " is rigidly bound in a deeper scope");
      }
      return std::ranges::all_of(
          t->args, [&](const TypeArg& a) { return !a.type || walk_occurs(id, a.type); });
    }
  }
  return true;
}

// What must be unlifted makes the variables inside unlifted.
void Unifier::limit_lifted(Liftedness l, const Type* t) {
  if (!t->has(Type::kMetas) || seen_before(t)) return;
  t = shallow(t);
  if (t->kind == Type::kMeta) {
    Meta& m = metas_[t->meta];
    m.lifted = std::min(m.lifted, l);
  }
  if (t->kind == Type::kRecord)
    for (const auto& [name, field] : t->fields) limit_lifted(l, field);
  if (t->kind == Type::kSum)
    for (const auto& [name, payload] : t->constrs)
      for (const Type* p : payload) limit_lifted(l, p);
}

bool Unifier::bind(uint32_t id, const Type* t) {
  if (!check_occurs(id, t)) return false;
  const Meta m = metas_[id];
  switch (m.kind) {
    case Meta::kFree:
      ++walk_;
      if (m.lifted != Liftedness::kLifted) limit_lifted(m.lifted, t);
      break;
    case Meta::kPrims:
      if (t->kind != Type::kPrim || !(m.prims & prim_bit(t->prim))) {
        fraction_ = m.prims == kFloatPrims && t->kind == Type::kPrim &&
                    (prim_bit(t->prim) & kIntPrims) != 0;
        if (m.span.known() && !(m.span == at_))
          blamed_.push_back({m.span, "this must be " + prims_words(m.prims)});
        return fail("Cannot instantiate type that must be one of\n" +
                    indented(prims_text(m.prims)) + "\nwith\n" + indented(show(t)));
      }
      break;
    case Meta::kRecord: {
      std::string names;
      for (const auto& [name, field] : m.fields) names += (names.empty() ? "" : ", ") + name;
      if (t->kind != Type::kRecord) {
        whole_ = true;
        hint_ = no_record_hint(m.fields.begin()->first, *t);
        return fail("A value of type " + show(t) + " has no field " +
                    quote(m.fields.begin()->first) +
                    ", because it is no record\nCannot unify record type with fields\n" +
                    indented(names) + "\nwith type\n" + indented(show(t)));
      }
      for (const auto& [name, field] : m.fields) {
        const Type* have = find_field(*t, name);
        if (!have) {
          whole_ = true;
          hint_ = field_hint(name, *t);
          return fail(missing_field_text(name, *t) + "\nCannot unify record type with field " +
                      quote(name) + "\nwith record type without such a field\n" +
                      indented(show(t)));
        }
        if (!go(field, have)) return false;
      }
      break;
    }
    case Meta::kSum: {
      if (t->kind != Type::kSum) {
        whole_ = true;
        return fail("Cannot unify type with constructors\n" + indented(constrs_text(m)) +
                    "\nwith type\n" + indented(show(t)));
      }
      std::string missing;
      for (const auto& [name, payload] : m.constrs)
        if (!find_constr(*t, name)) missing += (missing.empty() ? "#" : ", #") + name;
      if (!missing.empty()) {
        for (const auto& [name, payload] : m.constrs)
          if (hint_.empty() && !find_constr(*t, name)) hint_ = constr_hint(name, *t);
        return fail("Cannot match type with constructors\n" + indented(constrs_text(m)) +
                    "\nwith type\n" + indented(show(t)) + "\nUnshared constructors: " + missing +
                    ".");
      }
      for (const auto& [name, payload] : m.constrs) {
        const auto& have = *find_constr(*t, name);
        if (have.size() != payload.size()) {
          whole_ = true;
          return fail("Cannot unify type with constructor #" + name + "\n" +
                      indented(constrs_text(m)) + "\nwith type of constructor\n" +
                      indented(show(t)) + "\nbecause they differ in arity");
        }
        for (size_t i = 0; i < have.size(); ++i)
          if (!go(payload[i], have[i])) return false;
      }
      break;
    }
    case Meta::kLinked: break;
  }
  metas_[id].kind = Meta::kLinked;
  metas_[id].link = t;
  metas_[id].decided = at_;
  return true;
}

bool Unifier::go_metas(uint32_t a, uint32_t b, const Type* ta, const Type* tb) {
  if (a == b) return true;
  if (metas_[a].kind == Meta::kFree) {
    if (!check_occurs(a, tb)) return false;
    Meta& mb = metas_[b];
    mb.lifted = std::min(mb.lifted, metas_[a].lifted);
    metas_[a].kind = Meta::kLinked;
    metas_[a].link = tb;
    metas_[a].decided = at_;
    return true;
  }
  if (metas_[b].kind == Meta::kFree) return go_metas(b, a, tb, ta);
  if (!check_occurs(a, tb) || !check_occurs(b, ta)) return false;
  // Copies: unifying members below may add variables and move the table.
  const Meta ma = metas_[a], mb = metas_[b];
  if (ma.kind != mb.kind) {
    whole_ = ma.kind != Meta::kPrims && mb.kind != Meta::kPrims;
    auto what = [&](const Meta& m) {
      if (m.kind == Meta::kPrims)
        return "type that must be one of\n" + indented(prims_text(m.prims));
      if (m.kind == Meta::kSum) return "type with constructors\n" + indented(constrs_text(m));
      std::string names;
      for (const auto& [name, field] : m.fields) names += (names.empty() ? "" : ", ") + name;
      return "type that must be a record with fields\n" + indented(names);
    };
    if (ma.kind == Meta::kPrims || mb.kind == Meta::kPrims) {
      const Meta& other = ma.kind == Meta::kPrims ? mb : ma;
      const PrimSet prims = ma.kind == Meta::kPrims ? ma.prims : mb.prims;
      return fail(std::string(other.kind == Meta::kSum ? "A sum type" : "A record type") +
                  " cannot be one of\n" + indented(prims_text(prims)) + "\nCannot unify " +
                  what(ma.kind == Meta::kPrims ? ma : mb) + "\nwith " + what(other));
    }
    return fail("Cannot unify " + what(ma) + "\nwith " + what(mb));
  }
  const PrimSet both = ma.prims & mb.prims;
  if (ma.kind == Meta::kPrims && !both)
    return fail("Cannot unify type that must be one of\n" + indented(prims_text(ma.prims)) +
                "\nwith type that must be one of\n" + indented(prims_text(mb.prims)));
  metas_[a].kind = Meta::kLinked;
  metas_[a].link = tb;
  metas_[b].lifted = std::min(ma.lifted, mb.lifted);
  if (ma.kind == Meta::kPrims) {
    metas_[b].prims = both;
    if ((both & (both - 1)) == 0)
      for (Prim p : kAllPrims)
        if (both == prim_bit(p)) {
          metas_[b].kind = Meta::kLinked;
          metas_[b].link = f_.prim(p);
        }
    return true;
  }
  metas_[b].fields.insert(ma.fields.begin(), ma.fields.end());
  for (const auto& [name, field] : ma.fields)
    if (auto it = mb.fields.find(name); it != mb.fields.end() && !go(field, it->second))
      return false;
  metas_[b].constrs.insert(ma.constrs.begin(), ma.constrs.end());
  for (const auto& [name, payload] : ma.constrs) {
    auto it = mb.constrs.find(name);
    if (it == mb.constrs.end()) continue;
    if (it->second.size() != payload.size()) {
      whole_ = true;
      return fail("Cannot unify type with constructor\n" + indented(constrs_text(ma)) +
                  "\nwith type of constructor\n" + indented(constrs_text(mb)) +
                  "\nbecause they differ in arity");
    }
    for (size_t i = 0; i < payload.size(); ++i)
      if (!go(payload[i], it->second[i])) return false;
  }
  return true;
}

void Unifier::blame(const Type* t) {
  Span where = {};
  while (t->kind == Type::kMeta && metas_[t->meta].kind == Meta::kLinked) {
    where = metas_[t->meta].decided;
    t = metas_[t->meta].link;
  }
  if (t->kind == Type::kMeta || !where.known() || where == at_) return;
  for (const source::Label& l : blamed_)
    if (l.span == where) return;
  blamed_.push_back({where, "this makes it " + show(t)});
}

bool Unifier::go(const Type* a, const Type* b) {
  if (go_shallow(shallow(a), shallow(b))) return true;
  // The innermost types that differ are to blame.
  if (!clash_a_) {
    clash_a_ = a;
    clash_b_ = b;
  }
  if (blamed_.empty()) {
    blame(a);
    blame(b);
  }
  return false;
}

bool Unifier::go_shallow(const Type* a, const Type* b) {
  if (a == b || is_wrong(a) || is_wrong(b)) return true;
  if (a->kind == Type::kMeta && b->kind == Type::kMeta) return go_metas(a->meta, b->meta, a, b);
  if (a->kind == Type::kMeta) return bind(a->meta, b);
  if (b->kind == Type::kMeta) return bind(b->meta, a);
  if (a->kind != b->kind) return fail("");
  switch (a->kind) {
    case Type::kPrim: return a->prim == b->prim || fail("");
    case Type::kArray: return go(a->elem, b->elem);
    case Type::kArrow: return go(a->from, b->from) && go(a->to, b->to);
    case Type::kRecord: {
      if (is_tuple(*a) && is_tuple(*b) && a->fields.size() != b->fields.size())
        return fail("Tuples have " + std::to_string(a->fields.size()) + " and " +
                    std::to_string(b->fields.size()) + " elements respectively.");
      std::set<std::string> unshared;
      auto missing = [&](const Type* x, const Type* y) {
        for (const auto& [name, field] : x->fields)
          if (!find_field(*y, name)) unshared.insert(name);
      };
      missing(a, b);
      missing(b, a);
      if (!unshared.empty())
        return fail(fmt::format("unshared fields: {}.", fmt::join(unshared, ", ")));
      for (size_t i = 0; i < a->fields.size(); ++i) {
        if (go(a->fields[i].second, b->fields[i].second)) continue;
        if (note_.empty() && !whole_)
          note_ = "They differ in field " + quote(a->fields[i].first) + ".";
        return false;
      }
      return true;
    }
    case Type::kSum: {
      std::set<std::string> unshared;
      auto missing = [&](const Type* x, const Type* y) {
        for (const auto& [name, payload] : x->constrs)
          if (!find_constr(*y, name)) unshared.insert("#" + name);
      };
      missing(a, b);
      missing(b, a);
      if (!unshared.empty())
        return fail(fmt::format("Unshared constructors: {}.", fmt::join(unshared, ", ")));
      for (size_t i = 0; i < a->constrs.size(); ++i) {
        const auto &pa = a->constrs[i].second, &pb = b->constrs[i].second;
        if (pa.size() != pb.size()) {
          whole_ = true;
          const std::string first = indented(show(a));
          return fail("Cannot unify type with constructor\n" + first +
                      "\nwith type of constructor\n" + indented(show(b)) +
                      "\nbecause they differ in arity");
        }
        for (size_t k = 0; k < pa.size(); ++k)
          if (!go(pa[k], pb[k])) return false;
      }
      return true;
    }
    case Type::kNamed:
      if (a->name.id != b->name.id || a->args.size() != b->args.size()) return fail("");
      for (size_t i = 0; i < a->args.size(); ++i)
        if (a->args[i].type && b->args[i].type && !go(a->args[i].type, b->args[i].type))
          return false;
      return true;
    case Type::kMeta: break;
  }
  return true;
}

bool Unifier::unify(const Type* a, const Type* b, const Reason& why) {
  if (report_.halted()) return false;
  note_.clear();
  hint_.clear();
  clash_a_ = clash_b_ = nullptr;
  fraction_ = false;
  code_.clear();
  blamed_.clear();
  shown_.clear();
  whole_ = false;
  at_ = why.span;
  if (go(a, b)) return true;
  report(a, b, why);
  return false;
}

void require(Unifier& uni, const Exp& e, PrimSet prims, const char* why) {
  const Type* want = uni.fresh_prim(e.span, prims);
  uni.unify(want, e.type, {e.span, {}, {{e.span, why}}, &e, Reason::kSecond});
}

}  // namespace skald::futhark
