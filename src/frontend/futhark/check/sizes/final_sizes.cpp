// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/sizes/final_sizes.h"

#include <algorithm>

#include "frontend/futhark/check/base/walk.h"

namespace skald::futhark {

const Exp* FinalSizes::size(const Exp* e) {
  e = strip_size(table_.norm(e));
  if (std::holds_alternative<ELiteral>(e->node)) return e;
  if (auto* v = std::get_if<EVar>(&e->node); v && v->fields.empty() && v->name.quals.empty())
    return f_.size_var({v->name.name, v->id});
  auto it = finished_.find(e);
  if (it != finished_.end()) return it->second;
  const Exp* r = f_.keep(copy_size(
      *e, [this](uint32_t id) { return table_.resolve(id); },
      [this](const Type* t) { return t->kind == Type::kPrim ? t : table_.norm(t); }));
  finished_[e] = r;
  return r;
}

// Instantiated sizes that turned out existential are bound where the type can bind them; what is
// left at the top stands for a size computed elsewhere.
const Type* FinalSizes::type(const Type* t, std::vector<VName>* ext) {
  if (!t || t->kind == Type::kPrim) return t;
  if (t->kind == Type::kMeta) t = uni_.zonk(t);
  TypeMapper m;
  m.on_size = [this](const Exp* e) { return size(e); };
  t = map_type(f_, t, m);
  if (pending_.ids.empty()) return t;
  const IdSet vars = free_sizes(t);
  if (std::ranges::none_of(vars, [&](uint32_t v) { return pending_.ids.contains(v); })) return t;
  TypeSubst s;
  for (uint32_t v : vars)
    if (auto it = pending_.reps.find(v); it != pending_.reps.end())
      if (SizeVar* rep = table_.find(it->second)) s.sizes[v] = f_.size_var(rep->name);
  const Type* before = subst_type(f_, t, s);
  std::vector<VName> made;
  const Type* bound = scope_.free_killed(
      before, {},
      [&](const Exp& e) -> uint32_t {
        IdSet in;
        free_in_size(e, in);
        for (uint32_t v : in)
          if (pending_.ids.contains(v)) return v;
        return 0;
      },
      made);
  if (made.empty()) return bound;
  if (ext) {
    ext->insert(ext->end(), made.begin(), made.end());
    return bound;
  }
  TypeSubst computed;
  for (uint32_t v : vars) {
    SizeVar* x = table_.find(v);
    if (x && x->kind == SizeVar::kCopy) x = table_.find(x->canon);
    if (!x || x->kind != SizeVar::kExistential || !x->computed) continue;
    computed.sizes[v] = f_.size_var(table_.unknown(
        x->span, "d", "is unknown size returned by function at " + ctx_.where(x->span) + ".",
        "known only when this has run"));
  }
  return subst_type(f_, t, computed);
}

void FinalSizes::instances(std::vector<TypeInst>& inst) {
  for (TypeInst& i : inst) {
    if (i.type) i.type = type(i.type);
    if (i.size) i.size = size(i.size);
  }
}

void FinalSizes::pattern(Pat& p) {
  for_each_pat(p, [&](Pat& q) { q.type = type(q.type); });
}

namespace {

// Whether a parameter of the function is, or holds, an array of this size.
bool is_witnessed(const Type* fn, uint32_t size) {
  bool found = false;
  for (; fn->kind == Type::kArrow && !found; fn = fn->to)
    for_each_size(fn->from, [&](const Exp* e, SizePos pos, const IdSet&) {
      found |= pos == SizePos::kImmediate && size_var_id(e) == size;
    });
  return found;
}

}  // namespace

// A size parameter stands for one size during a call.  If it turned out to be whatever a function
// argument returns every time, an array among the arguments must tell it.  Nobody can ask for the
// value of a size without a name.
void FinalSizes::check_size_arguments(const EVar& v, Span span) {
  auto it = d_.refs.find(&v);
  if (it == d_.refs.end() || pending_.ids.empty()) return;
  const Type* scheme = it->second->sized ? it->second->sized : it->second->type;
  for (const TypeInst& i : v.inst) {
    if (!i.size || !scheme || !pending_.ids.contains(size_var_id(i.size))) continue;
    const std::vector<TParam>& params =
        it->second->sized ? it->second->sized_params : it->second->params;
    const auto param =
        std::ranges::find_if(params, [&](const TParam& p) { return p.name.id == i.param_id; });
    if (param != params.end() && param->inferred) continue;
    if (is_witnessed(scheme, i.param_id)) continue;
    report_.error("ambiguous-size", span,
                  "Ambiguous size arising from instantiated size parameter of " +
                      quote(qual_text(v.name)) +
                      ".\nA function that is passed to it returns arrays of different sizes, or of "
                      "a size known only afterwards.",
                  {}, "a function argument of type `a -> ?[m].[m]b` may do so");
    return;
  }
}

void FinalSizes::exp(Exp& e) {
  e.type = type(e.type);
  if (auto* x = std::get_if<EVar>(&e.node)) {
    instances(x->inst);
    check_size_arguments(*x, e.span);
  }
  if (auto* x = std::get_if<EBinary>(&e.node)) instances(x->inst);
  if (auto* x = std::get_if<EOpSection>(&e.node)) instances(x->inst);
  if (auto* x = std::get_if<ELeftSection>(&e.node)) instances(x->inst);
  if (auto* x = std::get_if<ERightSection>(&e.node)) instances(x->inst);
  if (auto* x = std::get_if<ELet>(&e.node)) pattern(*x->pat);
  if (auto* x = std::get_if<EMatch>(&e.node))
    for (auto& c : x->cases) pattern(*c.pat);
  if (auto* x = std::get_if<ELambda>(&e.node)) {
    for (auto& p : x->params) pattern(*p);
    std::vector<VName> ext;
    x->result_type = type(x->result_type, &ext);
  }
  if (auto* x = std::get_if<ELetFun>(&e.node)) {
    for (auto& p : x->params) pattern(*p);
    x->type = type(x->type);
    x->result_type = type(x->result_type);
  }
  if (auto* x = std::get_if<ELoop>(&e.node)) {
    pattern(*x->pat);
    if (x->elem) pattern(*x->elem);
  }
  for_each_child(e, [&](Exp& child) { exp(child); });
}

void FinalSizes::finish(const FunParts& parts, SizedFunction& def) {
  if (parts.body) exp(*parts.body);
  for (auto& [te, r] : d_.type_exps)
    for (Exp* size : r.sizes) exp(*size);
  for (auto& p : *parts.params) pattern(*p);
  def.type = type(def.type);
  def.result = type(def.result);
}

}  // namespace skald::futhark
