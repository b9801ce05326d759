// SPDX-License-Identifier: Apache-2.0
// Rounds: the values of the first, of the next, of the last.
#include "frontend/futhark/elaborate/exps/loops.h"

#include <functional>
#include <map>

#include "core/edit/strip_mine.h"
#include "frontend/futhark/elaborate/arrays/slices.h"
#include "frontend/futhark/elaborate/code/coerce.h"
#include "frontend/futhark/elaborate/types/patterns.h"
#include "frontend/futhark/elaborate/values/reps.h"

namespace skald::futhark::elab {

ValuePtr Loops::pattern_value(const Pat& pat, const Env& env) {
  if (const auto* p = std::get_if<PVar>(&pat.node)) {
    // The initial value is the outer variable of the same name.
    ValuePtr v = lookup_term(env, p->name.name);
    SKALD_CHECK(v, "the name {} is not bound", p->name.name);
    return names_.use(v, {}, {pat.span, nullptr, env});
  }
  if (const auto* p = std::get_if<PParens>(&pat.node)) return pattern_value(*p->inner, env);
  if (const auto* p = std::get_if<PAscript>(&pat.node)) return pattern_value(*p->inner, env);
  if (const auto* p = std::get_if<PAttr>(&pat.node)) return pattern_value(*p->inner, env);
  if (const auto* p = std::get_if<PTuple>(&pat.node)) {
    std::vector<ValuePtr> elems;
    for (const auto& elem : p->elems) elems.push_back(pattern_value(*elem, env));
    return tuple_value(std::move(elems));
  }
  if (const auto* p = std::get_if<PRecord>(&pat.node)) {
    std::map<std::string, ValuePtr> fields;
    for (const auto& field : p->fields)
      fields[field.name.name] =
          field.pat ? pattern_value(*field.pat, env)
                    : names_.use(lookup_term(env, field.name.name), {}, {pat.span, nullptr, env});
    return record_value({fields.begin(), fields.end()});
  }
  SKALD_BUG("a loop pattern without initial value");
}

namespace {

// Marks the sizes that change: calls f(dim, type's size) along the type; sizes inside type
// parameters do not change.
RepPtr walk_variant(const RepPtr& rep, const Type* type,
                    const std::function<Dim(const Dim&, const Size&)>& f) {
  if (!type) return rep;
  // What a size-lifted type parameter stands for may change its sizes.
  if (type->kind == Type::kNamed && type->lifted != Liftedness::kUnlifted)
    return map_dims(rep, [&](const Dim& dim) { return f(dim, Size{}); });
  if (rep->kind == Rep::kArray && type->kind == Type::kArray) {
    Dim dim = f(rep->dim, type->size);
    return array_rep(std::move(dim), walk_variant(rep->elem, type->elem, f));
  }
  if (rep->kind == Rep::kRecord && type->kind == Type::kRecord) {
    auto fields = rep->fields;
    for (auto& field : fields)
      for (const auto& t : type->fields)
        if (t.first == field.first) field.second = walk_variant(field.second, t.second, f);
    return record_rep(std::move(fields));
  }
  if (rep->kind == Rep::kSum && type->kind == Type::kSum) {
    Rep out = *rep;
    for (size_t i = 0; i < out.constrs.size() && i < type->constrs.size(); ++i)
      for (size_t j = 0; j < out.constrs[i].second.size() && j < type->constrs[i].second.size();
           ++j)
        out.constrs[i].second[j] =
            walk_variant(out.constrs[i].second[j], type->constrs[i].second[j], f);
    return std::make_shared<const Rep>(std::move(out));
  }
  return rep;
}

}  // namespace

// A loop on its way to core.
struct Loops::Parts {
  const ELoop& source;
  Env env;                        // around the loop
  ValuePtr init, bound;           // `bound`: of a counted loop
  RepPtr rep;                     // of the parameter; sizes that change have names
  std::vector<Name> size_params;  // these names
  std::vector<Operand> size_inits;
  std::vector<core::Param> params;  // the sizes, then the leaves
  core::Loop loop;
  int levels = 0;  // of loops in loops, if more than one

  bool is_while() const { return source.form == ELoop::kWhile; }
  // The parameter's shape with other operands for the sizes that change.
  template <class Sizes>
  RepPtr with_sizes(const Sizes& sizes) const {
    return map_dims(rep, [&](const Dim& dim) {
      Dim d = dim;
      for (size_t i = 0; i < size_params.size(); ++i)
        if (const Name* n = core::as_name(*d.op); n && *n == size_params[i]) d.op = sizes[i];
      return d;
    });
  }
};

ValuePtr Loops::loop(const Exp& e, const ELoop& l, const Env& outer) {
  Parts parts{l, outer, {}, {}, {}, {}, {}, {}, {}};
  parts.levels = std::exchange(code_.mode().strip_mine, 0);
  size_t log = ids_.size_count();
  parts.init = l.init ? evaluator_.exp(*l.init, outer) : pattern_value(*l.pat, outer);
  parts.env = ids_.with_sizes(outer, log);
  if (!parts.is_while()) parts.bound = evaluator_.exp(*l.bound, parts.env);
  parts.env = ids_.with_sizes(parts.env, log);
  bool counted = false;
  if (!parts.is_while()) {
    const ValuePtr& bound = parts.bound;
    const Operand count = l.form == ELoop::kFor ? scalar_of(*bound) : *bound->rep->dim.op;
    counted = core::as_const(count) != nullptr;
  }
  if (!counted && code_.mode().hints.unroll)
    code_.diagnostics().warning("unroll", e.span,
                                "#[unroll] on a loop whose number of iterations is not a constant");
  find_sizes(parts);
  // Initial values of one size parameter may differ in their operands.
  const RepPtr init_target = parts.with_sizes(parts.size_inits);
  parts.init = coerce(code_, parts.init, init_target, {});
  make_rounds(parts);
  start(parts, *init_target);
  return results(parts);
}

// Sizes that change become parameters; equal names become one.
void Loops::find_sizes(Parts& parts) {
  const ELoop& l = parts.source;
  RepPtr init_rep = rep_of(*parts.init);
  SKALD_CHECK(is_first_order(*init_rep), "a loop parameter of function type");
  std::unordered_set<uint32_t> variant;
  for (const VName& name : l.size_params) variant.insert(name.id);
  for (const Ident& name : l.sizes) variant.insert(name.id);
  std::map<uint32_t, Name> by_id;
  parts.rep = walk_variant(init_rep, l.pat->type, [&](const Dim& dim, const Size& size) {
    uint32_t id = 0;
    if (size.exp) {
      const auto* v = std::get_if<EVar>(&size.exp->node);
      if (!v || !variant.contains(v->id)) {
        if (!v || ids_.term(parts.env, v->id)) return dim;
      }
      id = v->id;
    }
    Name& name = by_id[id];
    if (!name || id == 0) {
      name = code_.fresh("n");
      parts.size_params.push_back(name);
      parts.size_inits.push_back(dim.op.value_or(core::const_i64(0)));
    }
    Dim out;
    out.op = name;
    return out;
  });
}

// The parameters, the counter and the body.
void Loops::make_rounds(Parts& parts) {
  const ELoop& l = parts.source;
  core::Loop& loop = parts.loop;
  for (Name size : parts.size_params) parts.params.push_back({size, core::scalar_type(Prim::kI64)});
  std::vector<Operand> leaves;
  std::string base = pattern_base(*l.pat);
  for (auto& type : leaf_types(*parts.rep)) {
    Name name = code_.fresh(base);
    leaves.emplace_back(name);
    parts.params.push_back({name, type});
  }
  ValuePtr param_value = make_value(parts.rep, leaves);
  loop.form = parts.is_while() ? core::Loop::kWhile : core::Loop::kFor;
  std::vector<core::Param> scope_params = parts.params;
  ValuePtr counter;
  if (l.form == ELoop::kFor) {
    Prim prim = parts.bound->rep->prim;
    loop.var = {code_.fresh(l.var.name.empty() ? "i" : l.var.name), core::scalar_type(prim)};
    loop.bound = scalar_of(*parts.bound);
    counter = scalar_value(prim, loop.var.name);
  } else if (l.form == ELoop::kForIn) {
    loop.var = {code_.fresh("i"), core::scalar_type(Prim::kI64)};
    loop.bound = *parts.bound->rep->dim.op;
  }
  if (loop.var.name) scope_params.push_back(loop.var);

  // Marks from the body: is a parameter consumed?
  Block body = code_.block(scope_params, [&] {
    Env inner = bind_pattern(types_, *l.pat, param_value, parts.env);
    if (l.form == ELoop::kFor) {
      inner = bind_term(inner, l.var.name, l.var.id, counter);
    } else if (l.form == ELoop::kForIn) {
      inner = bind_pattern(types_, *l.elem, index_at(code_, *parts.bound, loop.var.name), inner);
    }
    return evaluator_.exp(*l.body, inner);
  });
  next_round(parts, std::move(body));
}

// The sizes of the next round, then its values.
void Loops::next_round(Parts& parts, Block body) {
  const ELoop& l = parts.source;
  const std::vector<Name>& size_params = parts.size_params;
  RepPtr result_rep = rep_of(*body.value);
  std::vector<Operand> next_sizes(size_params.size(), core::const_i64(0));
  std::vector<bool> have(size_params.size(), false);
  RepPtr target = zip_dims(parts.rep, result_rep, [&](const Dim& dim, const Dim* got) {
    Dim out = dim;
    const Name* n = core::as_name(*dim.op);
    for (size_t i = 0; n && i < size_params.size(); ++i) {
      if (!(*n == size_params[i])) continue;
      if (!have[i] && got && got->op) {
        next_sizes[i] = *got->op;
        have[i] = true;
      }
      out.op = next_sizes[i];
    }
    return out;
  });
  Operand next_cond = core::const_bool(true);
  code_.extend(body, [&] {
    ValuePtr v = coerce(code_, body.value, target,
                        {std::string("shape of loop result does not match shapes in loop parameter "
                                     "(shape of result does not match shape of initial value)")});
    if (parts.is_while())
      next_cond = scalar_of(*evaluator_.exp(*l.bound, bind_pattern(types_, *l.pat, v, parts.env)));
    return v;
  });
  std::vector<Operand> results;
  if (parts.is_while()) results.push_back(next_cond);
  results.insert(results.end(), next_sizes.begin(), next_sizes.end());
  append_leaves(*body.value, results);
  parts.loop.body = core::Body(std::move(body.stmts), std::move(results));
}

// The values of the first round.
void Loops::start(Parts& parts, const Rep& init_rep) {
  const ELoop& l = parts.source;
  if (parts.is_while()) {
    Operand cond =
        scalar_of(*evaluator_.exp(*l.bound, bind_pattern(types_, *l.pat, parts.init, parts.env)));
    Name name = code_.fresh("while");
    parts.loop.cond = name;
    parts.loop.params.push_back({{name, core::scalar_type(Prim::kBool)}, cond});
  }
  std::vector<Operand> inits = parts.size_inits;
  std::vector<core::Type> init_types(inits.size(), core::scalar_type(Prim::kI64));
  append_leaves(*parts.init, inits);
  for (auto& type : leaf_types(init_rep)) init_types.push_back(type);
  for (size_t i = 0; i < parts.params.size(); ++i) {
    core::Param& param = parts.params[i];
    if (param.type.is_array() && code_.sharing().is_consumed(param.name)) {
      param.unique = true;
      inits[i] = code_.consume(inits[i], init_types[i]);
      // Two parameters never start from one array if either is written to.
      for (size_t j = 0; j < i; ++j)
        if (inits[j] == inits[i])
          inits[i] = code_.emit1(init_types[i], core::Copy{std::get<Name>(inits[i])}, "copy");
    }
    parts.loop.params.push_back({param, inits[i]});
  }
}

// The pattern: like the parameters, with fresh names for the sizes.
ValuePtr Loops::results(Parts& parts) {
  core::Loop& loop = parts.loop;
  std::vector<core::Param> pat;
  if (parts.is_while()) pat.push_back({code_.fresh("while"), core::scalar_type(Prim::kBool)});
  std::vector<Name> out_sizes;
  for (size_t i = 0; i < parts.size_params.size(); ++i) {
    out_sizes.push_back(code_.fresh("n"));
    pat.push_back({out_sizes.back(), core::scalar_type(Prim::kI64)});
  }
  RepPtr out_rep = parts.with_sizes(out_sizes);
  std::vector<Operand> out_leaves;
  std::string base = pattern_base(*parts.source.pat);
  for (auto& type : leaf_types(*out_rep)) {
    Name name = code_.fresh(base);
    if (type.is_array()) {
      const core::LoopParam& param = loop.params[pat.size()];
      if (!param.param.unique) code_.sharing().add_alias(name, param.init);
      const Operand& next = loop.body.result[pat.size()];
      if (!(next == Operand(param.param.name))) code_.sharing().add_alias(name, next);
    }
    out_leaves.emplace_back(name);
    pat.push_back({name, type});
  }
  if (pat.empty()) {
    // A loop over () is run for its checks.
    Name dummy = code_.fresh("unit");
    loop.params.push_back({{dummy, core::scalar_type(Prim::kBool)}, core::const_bool(true)});
    loop.body.result.emplace_back(core::const_bool(true));
    pat.push_back({code_.fresh("unit"), core::scalar_type(Prim::kBool)});
  }
  if (parts.levels > 1 && core::is_regular(loop)) {
    const std::vector<Operand> counts = core::equal_counts(code_.b(), loop, parts.levels);
    loop = core::strip_mined(code_.b(), std::move(loop), counts);
  }
  code_.emit_pat(std::move(pat), std::move(loop));
  return make_value(out_rep, out_leaves);
}

}  // namespace skald::futhark::elab
