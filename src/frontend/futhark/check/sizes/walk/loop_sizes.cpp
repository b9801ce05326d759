// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/sizes/walk/loop_sizes.h"

#include <algorithm>

#include "frontend/futhark/check/base/walk.h"
#include "frontend/futhark/check/sizes/walk/exp_sizes.h"

namespace skald::futhark {

struct LoopSizes::Loop {
  const Type* param = nullptr;                           // type of the pattern, fresh sizes inside
  std::vector<std::pair<uint32_t, const Exp*>> initial;  // fresh size → initial size
  std::unordered_map<uint32_t, int> levels;
  IdSet known_before;
  std::vector<uint32_t> variant;
};

// How a body makes a size of the loop's parameter.
struct LoopSizes::Produced {
  enum How : uint8_t { kFresh, kInitial, kCopies };
  How how = kFresh;
  uint32_t copied = 0;  // kCopies: the size it is a copy of
};

// Replaces sizes that are one of `ids` by fresh ones; equal ones alike unless `distinct`.
const Type* LoopSizes::refresh(const Type* t, const std::vector<uint32_t>& ids, bool distinct,
                               const std::function<VName()>& make, std::vector<VName>* made) {
  std::vector<std::pair<uint32_t, VName>> seen;
  TypeMapper m;
  m.on_size = [&](const Exp* e) -> const Exp* {
    const uint32_t id = size_var_id(e);
    if (!id || std::ranges::none_of(ids, [&](uint32_t x) { return table_.same_var(id, x); }))
      return e;
    if (!distinct)
      for (auto& [old, name] : seen)
        if (table_.same_var(old, id)) return f_.size_var(name);
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
LoopSizes::ProducedSizes LoopSizes::sizes_of_body(const Loop& loop, const Type* body) {
  ProducedSizes how;
  const auto is_fresh = [&](uint32_t v) {
    return std::ranges::any_of(loop.initial, [&](const auto& entry) { return entry.first == v; });
  };
  auto same_size = [&](const Exp* a, const Exp* b) {
    const uint32_t x = size_var_id(a), y = size_var_id(b);
    return x && y ? table_.same_var(x, y) : equal_sizes(table_.norm(a), table_.norm(b));
  };
  zip_sizes(loop.param, body, [&](const Exp* p, const Exp* d) {
    if (equal_sizes(p, d)) return;
    IdSet in;
    free_in_size(*p, in);
    for (uint32_t v : in) {
      const Exp* init = initial_size(loop, v);
      if (!init) continue;
      const uint32_t u = size_var_id(d);
      const Exp* other = u ? initial_size(loop, u) : nullptr;
      if (same_size(init, d))
        how[v] = {Produced::kInitial, 0};
      else if (is_fresh(v) && other && same_size(other, init))
        how[v] = {Produced::kCopies, u};
      else if (!loop.known_before.contains(v))
        how[v] = {Produced::kFresh, 0};
    }
  });
  return how;
}

const Exp* LoopSizes::initial_size(const Loop& loop, uint32_t id) {
  for (const auto& [of, init] : loop.initial)
    if (table_.same_var(id, of)) return init;
  return nullptr;
}

// Sizes that change from round to round: those made anew, and copies of such.
IdSet LoopSizes::variant_sizes(const ProducedSizes& how) {
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
void LoopSizes::settle_loop(ELoop& e, Loop& loop, const ProducedSizes& how, const IdSet& variant) {
  TypeSubst back;
  for (auto& [v, h] : how) {
    if (variant.contains(v) || h.how == Produced::kFresh) continue;
    if (const Exp* init = initial_size(loop, v)) {
      back.sizes[v] = table_.norm(init);
      SizeVar nv;
      nv.level = table_.level;
      if (SizeVar* old = table_.find(v)) nv = *old;
      nv.kind = SizeVar::kFlex;
      nv.solution = init;
      nv.name.id = v;
      table_.put(std::move(nv));
    }
  }
  for_each_pat(*e.pat,
               [&](Pat& q) { q.type = table_.norm(subst_type(f_, table_.norm(q.type), back)); });
  e.size_params.clear();
  loop.variant.assign(variant.begin(), variant.end());
  std::ranges::sort(loop.variant);
  for (uint32_t v : loop.variant) {
    e.size_params.push_back(table_.find(v) ? table_.find(v)->name : VName{"d", v});
    // Known by name from here on.
    SizeVar* s = table_.find(v);
    if (s) {
      s->kind = SizeVar::kParam;
      s->solution = nullptr;
    }
  }
}

// A size that the body makes would be that of a parameter.
void LoopSizes::report_hidden_size(const ELoop& e, const Loop& loop, const Type* param,
                                   const SizeVar& made) {
  // Where the parameter met that size.
  Span met;
  for (auto& [id, init] : loop.initial)
    for (const SizeVar* v = table_.find(id); v && !met.known() && v->solution;
         v = table_.find(size_var_id(v->solution)))
      if (size_var_id(table_.norm(v->solution)) == made.name.id) met = v->decided;
  const Ident* name = nullptr;
  const Type* type = nullptr;
  for_each_bound(*e.pat, [&](const Ident& n, const Pat& at) {
    const bool field = std::holds_alternative<PRecord>(at.node);
    const Type* t = table_.norm(field ? find_field(*at.type, n.name) : at.type);
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
    while (std::ranges::any_of(table_.all(), is_taken)) size += "'";
    named.sizes[made.name.id] = f_.size_var(f_.fresh(size));
    hint = "if both are always equally long, name the size, as in `let [" + size + "] (ys: [" +
           size + "]t) = …`, and promise it: `" + name->name + " :> " +
           words_.show(f_.with_unique(subst_type(f_, type, named), false)) + "`";
  }
  report_.error(
      "loop-existential", met.known() ? met : e.pat->span,
      "the size of " + what + " would be " +
          (made.plain.empty() ? "known only" : made.plain + ",") +
          " inside of the loop\nInferred type for loop parameter is\n" +
          indented(words_.show(param)) + "\nbut " +
          (words_.is_invented(f_.size_var(made.name)) ? "its size" : quote(made.name.base)) +
          " is an existential size created inside the loop body at " + ctx_.where(made.span),
      {{made.span, "this is made anew in every round"},
       {name ? name->span : e.pat->span, "this had a size before the loop began"}},
      std::move(hint));
}

// A size chosen before the loop would have to be one that changes in it.
void LoopSizes::report_escape(const ELoop& e, uint32_t changing, int level, Span span) {
  const SizeVar* outer = nullptr;
  for (const auto& [id, v] : table_.all()) {
    if (v.kind != SizeVar::kFlex || !v.solution || !v.decided.known() || v.level >= level) continue;
    IdSet in;
    free_in_size(*table_.norm(v.solution), in);
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

bool LoopSizes::loop_body(ELoop& e, Loop& loop, Span span) {
  const Type* body = table_.norm(exps_.exp(*e.body));
  const Type* param = table_.norm(e.pat->type);
  if (report_.halted() || table_.is_spoilt(body) || table_.is_spoilt(param)) return false;

  // A size made inside the body cannot be that of the parameter.
  for (uint32_t v : free_sizes(param)) {
    SizeVar* s = table_.find(v);
    if (!s || s->kind != SizeVar::kUnknown || loop.known_before.contains(v)) continue;
    report_hidden_size(e, loop, param, *s);
    return false;
  }
  std::vector<uint32_t> fresh;
  for (auto& [id, init] : loop.initial) fresh.push_back(id);
  const Exp& last = result_exp(*e.body);
  const Type* loose = f_.with_unique(
      refresh(
          param, fresh, true, [&] { return table_.flexible(span, "loop", ""); }, nullptr),
      false);
  if (!unifier_.unify(loose, body,
                      {last.span,
                       "matching loop body to loop pattern",
                       [&] {
                         return "Loop body does not have expected type.\nExpected: " +
                                words_.show(loose) + "\nActual:   " + words_.show(body);
                       },
                       {},
                       &last,
                       SizeWhy::kLoop}))
    return false;
  body = table_.norm(body);
  loop.param = table_.norm(loop.param);

  const ProducedSizes how = sizes_of_body(loop, body);
  const IdSet variant = variant_sizes(how);
  std::vector<uint32_t> in_order(variant.begin(), variant.end());
  std::ranges::sort(in_order);
  for (uint32_t v : in_order) {
    SizeVar* s = table_.find(v);
    auto level = loop.levels.find(v);
    if (s && level != loop.levels.end() && s->level < level->second) {
      report_escape(e, v, level->second, span);
      return false;
    }
  }
  settle_loop(e, loop, how, variant);
  const Type* again =
      f_.with_unique(refresh(
                         e.pat->type, loop.variant, false,
                         [&] { return table_.flexible(e.body->span, "loop", ""); }, nullptr),
                     false);
  return unifier_.unify(again, table_.norm(body),
                        {last.span,
                         "matching loop body to pattern",
                         [&] {
                           return "Loop body does not have expected type.\nExpected: " +
                                  words_.show(again) + "\nActual:   " + words_.show(body);
                         },
                         {},
                         &last,
                         SizeWhy::kLoop});
}

const Type* LoopSizes::loop(ELoop& e, Span span, std::vector<VName>& ext) {
  Exp* init = e.init.get();
  if (!init) init = d_.loop_init[&e].get();
  const Type* start = table_.norm(exps_.exp(*init));
  if (report_.halted()) return f_.unit();
  Loop loop;
  for (const auto& [id, v] : table_.all()) loop.known_before.insert(id);
  TypeMapper m;
  m.on_size = [&](const Exp* s) -> const Exp* {
    if (table_.is_spoilt(s)) return s;
    const VName v = table_.flexible(span, "loop_d", "loop parameter type inference");
    loop.initial.emplace_back(v.id, s);
    loop.levels[v.id] = table_.level;
    return f_.size_var(v);
  };
  loop.param = map_type(f_, start, m);
  std::vector<Ident> none;
  switch (e.form) {
    case ELoop::kFor: {
      const Type* bound = exps_.exp(*e.bound);
      table_.bind_param({e.var.name, e.var.id}, e.var.span);
      d_.locals[e.var.id]->sized = bound;
      patterns_.let_pattern(*e.pat, loop.param, none, init->span);
      break;
    }
    case ELoop::kForIn: {
      const Type* array = table_.norm(exps_.exp(*e.bound));
      patterns_.let_pattern(*e.elem, array->kind == Type::kArray ? array->elem : f_.unit(), none,
                            e.bound->span);
      patterns_.let_pattern(*e.pat, loop.param, none, init->span);
      break;
    }
    case ELoop::kWhile: patterns_.let_pattern(*e.pat, loop.param, none, init->span); break;
  }
  ++table_.level;
  if (e.form == ELoop::kWhile) exps_.exp(*e.bound);
  const bool ok = loop_body(e, loop, span);
  --table_.level;
  if (!ok) return f_.with_unique(table_.with_wrong_sizes(e.pat->type), false);

  const Type* want =
      f_.with_unique(refresh(
                         table_.norm(e.pat->type), loop.variant, false,
                         [&] { return table_.flexible(init->span, "loop", ""); }, nullptr),
                     false);
  // Where the body asked for them.
  std::vector<source::Label> labels;
  for (const auto& [id, initial] : loop.initial)
    if (const SizeVar* v = table_.find(id); v && v->decided.known())
      labels.push_back({v->decided, "the body needs that size here"});
  unifier_.unify(want, table_.norm(start),
                 {init->span, "matching initial loop values to pattern",
                  [&] {
                    return "Initial loop values do not have expected type.\nExpected: " +
                           words_.show(want) + "\nActual:   " + words_.show(start);
                  },
                  std::move(labels), init, SizeWhy::kInitial});
  return f_.with_unique(refresh(
                            table_.norm(e.pat->type), loop.variant, false,
                            [&] {
                              return table_.unknown(
                                  span, "loop",
                                  "is unknown size of value returned at " + ctx_.where(span) + ".",
                                  "known only when the loop has run");
                            },
                            &ext),
                        false);
}

}  // namespace skald::futhark
