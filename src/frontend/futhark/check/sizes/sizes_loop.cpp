// SPDX-License-Identifier: Apache-2.0
// Sizes of loops.
//
// A loop is like a function applied to its own results.  Every size of the initial value is
// replaced by a fresh variable and the body checked; comparing the parameter with the body's result
// tells which of these sizes stay what they were initially and which may change.  The latter become
// sizes of the loop (ELoop::size_params) and are unknown in its result.
#include <algorithm>

#include "frontend/futhark/check/base/walk.h"
#include "frontend/futhark/check/sizes/sizes.h"

namespace skald::futhark {

struct Sizes::LoopSizes {
  const Type* param = nullptr;                           // type of the pattern, fresh sizes inside
  std::vector<std::pair<uint32_t, const Exp*>> initial;  // fresh size → initial size
  std::unordered_map<uint32_t, int> levels;
  IdSet known_before;
  std::vector<uint32_t> variant;
};

// How a body makes a size of the loop's parameter.
struct Sizes::Produced {
  enum How : uint8_t { kFresh, kInitial, kCopies };
  How how = kFresh;
  uint32_t copied = 0;  // kCopies: the size it is a copy of
};

uint32_t Sizes::var_root(uint32_t id) {
  for (;;) {
    SizeVar* v = find(id);
    if (!v || v->kind != SizeVar::kFlex || !v->solution) return id;
    const uint32_t next = size_var_id(v->solution);
    if (!next) return id;
    id = next;
  }
}

bool Sizes::same_var(uint32_t a, uint32_t b) {
  return var_root(a) == var_root(b);
}

// Replaces sizes that are one of `ids` by fresh ones; equal ones alike unless `distinct`.
const Type* Sizes::refresh(const Type* t, const std::vector<uint32_t>& ids, bool distinct,
                           const std::function<VName()>& make, std::vector<VName>* made) {
  std::vector<std::pair<uint32_t, VName>> seen;
  TypeMapper m;
  m.on_size = [&](const Exp* e) -> const Exp* {
    const uint32_t id = size_var_id(e);
    if (!id || std::ranges::none_of(ids, [&](uint32_t x) { return same_var(id, x); })) return e;
    if (!distinct)
      for (auto& [old, name] : seen)
        if (same_var(old, id)) return f_.size_var(name);
    const VName v = make();
    seen.emplace_back(id, v);
    if (made) made->push_back(v);
    return f_.size_var(v);
  };
  return map_type(f_, t, m);
}

namespace {

void zip_sizes(const Type* a, const Type* b, const std::function<void(const Exp*, const Exp*)>& f) {
  if (!a || !b || a->kind != b->kind) return;
  switch (a->kind) {
    case Type::kArray:
      if (a->size.exp && b->size.exp) f(a->size.exp, b->size.exp);
      return zip_sizes(a->elem, b->elem, f);
    case Type::kRecord:
      for (size_t i = 0; i < a->fields.size() && i < b->fields.size(); ++i)
        zip_sizes(a->fields[i].second, b->fields[i].second, f);
      return;
    case Type::kSum:
      for (size_t i = 0; i < a->constrs.size() && i < b->constrs.size(); ++i)
        for (size_t k = 0; k < a->constrs[i].second.size() && k < b->constrs[i].second.size(); ++k)
          zip_sizes(a->constrs[i].second[k], b->constrs[i].second[k], f);
      return;
    case Type::kNamed:
      for (size_t i = 0; i < a->args.size() && i < b->args.size(); ++i) {
        zip_sizes(a->args[i].type, b->args[i].type, f);
        if (a->args[i].size.exp && b->args[i].size.exp) f(a->args[i].size.exp, b->args[i].size.exp);
      }
      return;
    default: return;
  }
}

}  // namespace

// How the body produces each size.
Sizes::ProducedSizes Sizes::sizes_of_body(const LoopSizes& ls, const Type* body) {
  ProducedSizes how;
  const auto is_fresh = [&](uint32_t v) {
    return std::ranges::any_of(ls.initial, [&](const auto& entry) { return entry.first == v; });
  };
  auto same_size = [&](const Exp* a, const Exp* b) {
    const uint32_t x = size_var_id(a), y = size_var_id(b);
    return x && y ? same_var(x, y) : equal_sizes(norm(a), norm(b));
  };
  zip_sizes(ls.param, body, [&](const Exp* p, const Exp* d) {
    if (equal_sizes(p, d)) return;
    IdSet in;
    free_in_size(*p, in);
    for (uint32_t v : in) {
      const Exp* init = initial_size(ls, v);
      if (!init) continue;
      const uint32_t u = size_var_id(d);
      const Exp* other = u ? initial_size(ls, u) : nullptr;
      if (same_size(init, d))
        how[v] = {Produced::kInitial, 0};
      else if (is_fresh(v) && other && same_size(other, init))
        how[v] = {Produced::kCopies, u};
      else if (!ls.known_before.contains(v))
        how[v] = {Produced::kFresh, 0};
    }
  });
  return how;
}

const Exp* Sizes::initial_size(const LoopSizes& ls, uint32_t id) {
  for (const auto& [of, init] : ls.initial)
    if (same_var(id, of)) return init;
  return nullptr;
}

// Sizes that change from round to round: those made anew, and copies of such.
IdSet Sizes::variant_sizes(const ProducedSizes& how) {
  IdSet variant;
  for (auto& [v, h] : how)
    if (h.how == Produced::kFresh) variant.insert(v);
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& [v, h] : how)
      if (h.how == Produced::kCopies && variant.contains(h.copied) && variant.insert(v).second)
        changed = true;
  }
  return variant;
}

// Sizes that stay what they were at the start are known; those that change become parameters.
void Sizes::settle_loop(ELoop& e, LoopSizes& ls, const ProducedSizes& how, const IdSet& variant) {
  TypeSubst back;
  for (auto& [v, h] : how) {
    if (variant.contains(v) || h.how == Produced::kFresh) continue;
    if (const Exp* init = initial_size(ls, v)) {
      back.sizes[v] = norm(init);
      SizeVar nv;
      nv.level = level_;
      if (SizeVar* old = find(v)) nv = *old;
      nv.kind = SizeVar::kFlex;
      nv.solution = init;
      vars_[v] = std::move(nv);
    }
  }
  for_each_pat(*e.pat, [&](Pat& q) { q.type = norm(subst_type(f_, norm(q.type), back)); });
  e.size_params.clear();
  ls.variant.assign(variant.begin(), variant.end());
  std::ranges::sort(ls.variant);
  for (uint32_t v : ls.variant) {
    e.size_params.push_back(find(v) ? find(v)->name : VName{"d", v});
    // Known by name from here on.
    SizeVar* s = find(v);
    if (s) {
      s->kind = SizeVar::kParam;
      s->solution = nullptr;
    }
  }
}

// A size that the body makes would be that of a parameter.
void Sizes::report_hidden_size(const ELoop& e, const LoopSizes& ls, const Type* param,
                               const SizeVar& made) {
  // Where the parameter met that size.
  Span met;
  for (auto& [id, init] : ls.initial)
    for (const SizeVar* v = find(id); v && !met.known() && v->solution;
         v = find(size_var_id(v->solution)))
      if (size_var_id(norm(v->solution)) == made.name.id) met = v->decided;
  const Ident* name = nullptr;
  const Type* type = nullptr;
  for_each_bound(*e.pat, [&](const Ident& n, const Pat& at) {
    const bool field = std::holds_alternative<PRecord>(at.node);
    const Type* t = norm(field ? find_field(*at.type, n.name) : at.type);
    if (name || !t || !free_sizes(t).contains(made.name.id)) return;
    name = &n;
    type = t;
  });
  const std::string what = name ? "loop parameter " + quote(name->name) : "a loop parameter";
  std::string hint;
  if (name) {
    TypeSubst named;
    // A name that nobody uses.
    std::string size = "k";
    auto is_taken = [&](const auto& entry) { return entry.second.name.base == size; };
    while (std::ranges::any_of(vars_, is_taken)) size += "'";
    named.sizes[made.name.id] = f_.size_var(f_.fresh(size));
    hint = "if both are always equally long, name the size, as in `let [" + size + "] (ys: [" +
           size + "]t) = …`, and promise it: `" + name->name + " :> " +
           show(f_.with_unique(subst_type(f_, type, named), false)) + "`";
  }
  report_.error(
      "loop-existential", met.known() ? met : e.pat->span,
      "the size of " + what + " would be " +
          (made.plain.empty() ? "known only" : made.plain + ",") +
          " inside of the loop\nInferred type for loop parameter is\n" + indented(show(param)) +
          "\nbut " + (is_invented(f_.size_var(made.name)) ? "its size" : quote(made.name.base)) +
          " is an existential size created inside the loop body at " + ctx_.where(made.span),
      {{made.span, "this is made anew in every round"},
       {name ? name->span : e.pat->span, "this had a size before the loop began"}},
      std::move(hint));
}

// A size chosen before the loop would have to be one that changes in it.
void Sizes::report_escape(const ELoop& e, uint32_t changing, int level, Span span) {
  const SizeVar* outer = nullptr;
  for (auto& [id, v] : vars_) {
    if (v.kind != SizeVar::kFlex || !v.solution || !v.decided.known() || v.level >= level) continue;
    IdSet in;
    free_in_size(*norm(v.solution), in);
    if (in.contains(changing) && (!outer || id < outer->name.id)) outer = &v;
  }
  const std::string text =
      outer ? quote(std::string(ctx_.sources.text(outer->decided))) : std::string("something");
  std::vector<source::Label> labels{{e.pat->span, "the size of this changes from round to round"}};
  if (outer) labels.push_back({outer->span, "its size is the same in all rounds"});
  report_.error(
      "loop-variant-escape", outer ? outer->decided : span,
      "the size of " + text +
          " would have to change with the loop, but it is made outside\nLoop-variant size "
          "has escaped into type that occurs outside of loop.\nThis is likely because the "
          "loop body uses a variable whose type\ndepends on the loop parameter",
      std::move(labels));
}

bool Sizes::loop_body(ELoop& e, LoopSizes& ls, Span span) {
  const Type* body = norm(exp(*e.body));
  const Type* param = norm(e.pat->type);
  if (report_.halted() || is_spoilt(body) || is_spoilt(param)) return false;

  // A size made inside the body cannot be that of the parameter.
  for (uint32_t v : free_sizes(param)) {
    SizeVar* s = find(v);
    if (!s || s->kind != SizeVar::kUnknown || ls.known_before.contains(v)) continue;
    report_hidden_size(e, ls, param, *s);
    return false;
  }
  std::vector<uint32_t> fresh;
  for (auto& [id, init] : ls.initial) fresh.push_back(id);
  const Exp& last = result_exp(*e.body);
  const Type* loose = f_.with_unique(
      refresh(param, fresh, true, [&] { return flexible(span, "loop", ""); }, nullptr), false);
  if (!unify(loose, body,
             {last.span,
              "matching loop body to loop pattern",
              [&] {
                return "Loop body does not have expected type.\nExpected: " + show(loose) +
                       "\nActual:   " + show(body);
              },
              {},
              &last,
              SizeWhy::kLoop}))
    return false;
  body = norm(body);
  ls.param = norm(ls.param);

  const ProducedSizes how = sizes_of_body(ls, body);
  const IdSet variant = variant_sizes(how);
  std::vector<uint32_t> in_order(variant.begin(), variant.end());
  std::ranges::sort(in_order);
  for (uint32_t v : in_order) {
    SizeVar* s = find(v);
    auto level = ls.levels.find(v);
    if (s && level != ls.levels.end() && s->level < level->second) {
      report_escape(e, v, level->second, span);
      return false;
    }
  }
  settle_loop(e, ls, how, variant);
  const Type* again =
      f_.with_unique(refresh(
                         e.pat->type, ls.variant, false,
                         [&] { return flexible(e.body->span, "loop", ""); }, nullptr),
                     false);
  return unify(again, norm(body),
               {last.span,
                "matching loop body to pattern",
                [&] {
                  return "Loop body does not have expected type.\nExpected: " + show(again) +
                         "\nActual:   " + show(body);
                },
                {},
                &last,
                SizeWhy::kLoop});
}

const Type* Sizes::loop(ELoop& e, Span span, std::vector<VName>& ext) {
  Exp* init = e.init.get();
  if (!init) init = d_.loop_init[&e].get();
  const Type* start = norm(exp(*init));
  if (report_.halted()) return f_.unit();
  LoopSizes ls;
  for (auto& [id, v] : vars_) ls.known_before.insert(id);
  TypeMapper m;
  m.on_size = [&](const Exp* s) -> const Exp* {
    if (is_spoilt(s)) return s;
    const VName v = flexible(span, "loop_d", "loop parameter type inference");
    ls.initial.emplace_back(v.id, s);
    ls.levels[v.id] = level_;
    return f_.size_var(v);
  };
  ls.param = map_type(f_, start, m);
  std::vector<Ident> none;
  switch (e.form) {
    case ELoop::kFor: {
      const Type* bound = exp(*e.bound);
      bind_param({e.var.name, e.var.id}, e.var.span);
      d_.locals[e.var.id]->sized = bound;
      let_pattern(*e.pat, ls.param, none);
      break;
    }
    case ELoop::kForIn: {
      const Type* array = norm(exp(*e.bound));
      let_pattern(*e.elem, array->kind == Type::kArray ? array->elem : f_.unit(), none);
      let_pattern(*e.pat, ls.param, none);
      break;
    }
    case ELoop::kWhile: let_pattern(*e.pat, ls.param, none); break;
  }
  // In messages the size of a parameter goes by that.
  for_each_bound(*e.pat, [this](const Ident& n, const Pat& at) {
    if (at.type->kind != Type::kArray || std::holds_alternative<PRecord>(at.node)) return;
    if (SizeVar* v = find(size_var_id(at.type->size.exp)); v && v->name.base == "loop_d")
      v->shown = "length " + n.name;
  });
  ++level_;
  if (e.form == ELoop::kWhile) exp(*e.bound);
  const bool ok = loop_body(e, ls, span);
  --level_;
  if (!ok) return f_.with_unique(with_wrong_sizes(e.pat->type), false);

  const Type* want = f_.with_unique(refresh(
                                        norm(e.pat->type), ls.variant, false,
                                        [&] { return flexible(init->span, "loop", ""); }, nullptr),
                                    false);
  unify(want, norm(start),
        {init->span,
         "matching initial loop values to pattern",
         [&] {
           return "Initial loop values do not have expected type.\nExpected: " + show(want) +
                  "\nActual:   " + show(start);
         },
         {},
         init});
  return f_.with_unique(refresh(
                            norm(e.pat->type), ls.variant, false,
                            [&] {
                              return unknown(
                                  span, "loop",
                                  "is unknown size of value returned at " + ctx_.where(span) + ".",
                                  "known only when the loop has run");
                            },
                            &ext),
                        false);
}

}  // namespace skald::futhark
