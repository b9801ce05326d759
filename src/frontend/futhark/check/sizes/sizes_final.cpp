// SPDX-License-Identifier: Apache-2.0
// The solved sizes into the annotations of the AST.
#include <algorithm>

#include "frontend/futhark/check/base/walk.h"
#include "frontend/futhark/check/sizes/sizes.h"

namespace skald::futhark {

const Exp* Sizes::finish_size(const Exp* e) {
  e = strip_size(norm(e));
  if (std::holds_alternative<ELiteral>(e->node)) return e;
  if (auto* v = std::get_if<EVar>(&e->node); v && v->fields.empty() && v->name.quals.empty())
    return f_.size_var({v->name.name, v->id});
  auto it = finished_sizes_.find(e);
  if (it != finished_sizes_.end()) return it->second;
  const Exp* r = f_.keep(copy_size(
      *e, [this](uint32_t id) { return resolve(id); },
      [this](const Type* t) { return t->kind == Type::kPrim ? t : norm(t); }));
  finished_sizes_[e] = r;
  return r;
}

// Instantiated sizes that turned out existential are bound where the type can bind them; what is
// left at the top stands for a size computed elsewhere.
const Type* Sizes::finish_type(const Type* t, std::vector<VName>* ext) {
  if (!t || t->kind == Type::kPrim) return t;
  if (t->kind == Type::kMeta) t = uni_.zonk(t);
  TypeMapper m;
  m.on_size = [this](const Exp* e) { return finish_size(e); };
  t = map_type(f_, t, m);
  if (final_pending_.ids.empty()) return t;
  const IdSet vars = free_sizes(t);
  if (std::ranges::none_of(vars, [&](uint32_t v) { return final_pending_.ids.contains(v); }))
    return t;
  TypeSubst s;
  for (uint32_t v : vars)
    if (auto it = final_pending_.reps.find(v); it != final_pending_.reps.end())
      if (SizeVar* rep = find(it->second)) s.sizes[v] = f_.size_var(rep->name);
  const Type* before = subst_type(f_, t, s);
  std::vector<VName> made;
  const Type* bound = free_killed(
      before, {},
      [&](const Exp& e) -> uint32_t {
        IdSet in;
        free_in_size(e, in);
        for (uint32_t v : in)
          if (final_pending_.ids.contains(v)) return v;
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
    SizeVar* x = find(v);
    if (x && x->kind == SizeVar::kCopy) x = find(x->canon);
    if (!x || x->kind != SizeVar::kExistential || !x->computed) continue;
    computed.sizes[v] = f_.size_var(unknown(
        x->span, "d", "is unknown size returned by function at " + ctx_.where(x->span) + ".",
        "known only when this has run"));
  }
  return subst_type(f_, t, computed);
}

void Sizes::finish_inst(std::vector<TypeInst>& inst) {
  for (TypeInst& i : inst) {
    if (i.type) i.type = finish_type(i.type);
    if (i.size) i.size = finish_size(i.size);
  }
}

void Sizes::finish_pat(Pat& p) {
  for_each_pat(p, [&](Pat& q) { q.type = finish_type(q.type); });
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
void Sizes::check_size_arguments(const EVar& v, Span span) {
  auto it = d_.refs.find(&v);
  if (it == d_.refs.end() || final_pending_.ids.empty()) return;
  const Type* scheme = it->second->sized ? it->second->sized : it->second->type;
  for (const TypeInst& i : v.inst) {
    if (!i.size || !scheme || !final_pending_.ids.contains(size_var_id(i.size))) continue;
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

void Sizes::finish_exp(Exp& e) {
  e.type = finish_type(e.type);
  if (auto* x = std::get_if<EVar>(&e.node)) {
    finish_inst(x->inst);
    check_size_arguments(*x, e.span);
  }
  if (auto* x = std::get_if<EBinary>(&e.node)) finish_inst(x->inst);
  if (auto* x = std::get_if<EOpSection>(&e.node)) finish_inst(x->inst);
  if (auto* x = std::get_if<ELeftSection>(&e.node)) finish_inst(x->inst);
  if (auto* x = std::get_if<ERightSection>(&e.node)) finish_inst(x->inst);
  if (auto* x = std::get_if<ELet>(&e.node)) finish_pat(*x->pat);
  if (auto* x = std::get_if<EMatch>(&e.node))
    for (auto& c : x->cases) finish_pat(*c.pat);
  if (auto* x = std::get_if<ELambda>(&e.node)) {
    for (auto& p : x->params) finish_pat(*p);
    std::vector<VName> ext;
    x->result_type = finish_type(x->result_type, &ext);
  }
  if (auto* x = std::get_if<ELetFun>(&e.node)) {
    for (auto& p : x->params) finish_pat(*p);
    x->type = finish_type(x->type);
    x->result_type = finish_type(x->result_type);
  }
  if (auto* x = std::get_if<ELoop>(&e.node)) {
    finish_pat(*x->pat);
    if (x->elem) finish_pat(*x->elem);
  }
  for_each_child(e, [&](Exp& child) { finish_exp(child); });
}

void Sizes::finish(const FunParts& parts, Definition& def) {
  final_pending_ = pending_insts();
  if (parts.body) finish_exp(*parts.body);
  for (auto& [te, r] : d_.type_exps)
    for (Exp* size : r.sizes) finish_exp(*size);
  for (auto& p : *parts.params) finish_pat(*p);
  def.type = finish_type(def.type);
  def.result = finish_type(def.result);
  if (parts.body && !report_.failed()) causality(*parts.body);
}

}  // namespace skald::futhark
