// SPDX-License-Identifier: Apache-2.0
// Which expression is elaborated where; records, let, sections.
#include "frontend/futhark/elaborate/exps/exps.h"

#include <map>

#include "frontend/futhark/elaborate/arrays/ranges.h"
#include "frontend/futhark/elaborate/arrays/slices.h"
#include "frontend/futhark/elaborate/arrays/updates.h"
#include "frontend/futhark/elaborate/bodies/branches.h"
#include "frontend/futhark/elaborate/code/notes.h"
#include "frontend/futhark/elaborate/types/patterns.h"
#include "frontend/futhark/elaborate/types/placeholders.h"
#include "frontend/futhark/elaborate/values/literals.h"
#include "frontend/futhark/elaborate/values/reps.h"

namespace skald::futhark::elab {

namespace {

constexpr int kMaxExpDepth = 130'000;

bool is_trivial(const Exp& e) {
  return std::holds_alternative<ELiteral>(e.node) || std::holds_alternative<EVar>(e.node) ||
         std::holds_alternative<EParens>(e.node) || std::holds_alternative<ETuple>(e.node) ||
         std::holds_alternative<ERecord>(e.node) || std::holds_alternative<ELambda>(e.node) ||
         std::holds_alternative<ELet>(e.node) || std::holds_alternative<ELetFun>(e.node) ||
         std::holds_alternative<ELetWith>(e.node) || std::holds_alternative<EAscript>(e.node);
}

}  // namespace

ValuePtr Exps::exp(const Exp& e, const Env& env) {
  struct Depth {
    int& d;
    explicit Depth(int& depth) : d(depth) { ++d; }
    ~Depth() { --d; }
  } depth(depth_);
  if (depth_ > kMaxExpDepth) {
    if (!reported_depth_) code_.diagnostics().limitation(e.span, "expressions nested this deeply");
    reported_depth_ = true;
    SKALD_BUG("expressions nested too deeply");
  }
  ValuePtr v;
  if (is_trivial(e)) {
    v = node(e, env);
  } else {
    const Code::AtPlace at(code_, e.span);
    v = node(e, env);
  }
  types_.log_sizes(e, env, *v);
  return v;
}

ValuePtr Exps::node(const Exp& e, const Env& env) {
  if (const auto* n = std::get_if<EVar>(&e.node)) return names_.var(e, *n, env);
  if (const auto* n = std::get_if<ELiteral>(&e.node)) {
    RepPtr rep = types_.resolve(e.type, env);
    SKALD_CHECK(rep->kind == Rep::kPrim, "a literal without a primitive type");
    return literal(n->lit, rep->prim);
  }
  if (const auto* n = std::get_if<EParens>(&e.node)) return exp(*n->inner, env);
  if (const auto* n = std::get_if<EBinary>(&e.node)) return binary(e, *n, env);
  if (const auto* n = std::get_if<EApply>(&e.node)) return apply(e, *n, env);
  if (const auto* n = std::get_if<ELet>(&e.node)) return let(*n, env);
  if (const auto* n = std::get_if<ETuple>(&e.node)) {
    std::vector<ValuePtr> elems;
    for (const auto& elem : n->elems) elems.push_back(exp(*elem, env));
    return tuple_value(std::move(elems));
  }
  if (const auto* n = std::get_if<ERecord>(&e.node)) return record(e, *n, env);
  if (const auto* n = std::get_if<EArray>(&e.node)) return array_literal(e, *n, env);
  if (const auto* n = std::get_if<EString>(&e.node)) return string_literal(*n);
  if (const auto* n = std::get_if<EIndex>(&e.node)) {
    ValuePtr array = exp(*n->array, env);
    Slice s = slice(code_, n->dims, *array, indices_in(types_, env), short_text(*n->array));
    return index_value(code_, *array, s.dims, s.tokens);
  }
  if (const auto* n = std::get_if<EProject>(&e.node))
    return project(exp(*n->record, env), n->field.name);
  if (const auto* n = std::get_if<ELocalOpen>(&e.node)) {
    const ValuePtr module = names_.find(n->module, 0, env);
    return exp(*n->inner, modules_.open_in(modules_.force(module), env));
  }
  if (const auto* n = std::get_if<ENegate>(&e.node)) return operators_.negate(exp(*n->arg, env));
  if (const auto* n = std::get_if<ENot>(&e.node)) return operators_.complement(exp(*n->arg, env));
  if (const auto* n = std::get_if<EConstr>(&e.node)) return constructor(e, *n, env);
  if (const auto* n = std::get_if<EAscript>(&e.node)) return exp(*n->inner, env);
  if (const auto* n = std::get_if<ECoerce>(&e.node)) return coercion(e, *n, env);
  if (const auto* n = std::get_if<ERange>(&e.node)) return range(*n, env);
  if (const auto* n = std::get_if<EIf>(&e.node)) {
    Operand cond = scalar(*n->cond, env);
    return if_value(
        code_, types_, cond, [&] { return exp(*n->then_branch, env); },
        [&] { return exp(*n->else_branch, env); }, e.type, env);
  }
  if (const auto* n = std::get_if<ELetFun>(&e.node)) {
    Closure c;
    c.code = Closure::kLetFun;
    c.let_fun = n;
    c.env = env;
    return exp(*n->body, bind_term(env, n->name.name, n->name.id, closure_value(std::move(c))));
  }
  if (const auto* n = std::get_if<ELetWith>(&e.node)) return let_with(*n, env);
  if (const auto* n = std::get_if<EUpdate>(&e.node)) return update(*n, env);
  if (const auto* n = std::get_if<ELambda>(&e.node)) {
    Closure c;
    c.lambda = n;
    c.env = env;
    return closure_value(std::move(c));
  }
  if (const auto* n = std::get_if<ELoop>(&e.node)) return loops_.loop(e, *n, env);
  if (const auto* n = std::get_if<EMatch>(&e.node)) {
    size_t log = ids_.size_count();
    ValuePtr v = exp(*n->scrutinee, env);
    return match_cases(*n, 0, v, e, ids_.with_sizes(env, log));
  }
  if (const auto* n = std::get_if<EAttr>(&e.node)) return attributed(*n, env);
  if (const auto* n = std::get_if<EAssert>(&e.node)) return assertion(*n, env);
  if (const auto* n = std::get_if<EOpSection>(&e.node))
    return names_.operator_value(n->op, n->id, n->inst, {e.span, e.type, env});
  if (const auto* n = std::get_if<ELeftSection>(&e.node)) return left_section(e, *n, env);
  if (const auto* n = std::get_if<ERightSection>(&e.node)) return right_section(e, *n, env);
  if (const auto* n = std::get_if<EPathSection>(&e.node)) {
    Closure c;
    c.code = Closure::kPath;
    c.path = &n->path;
    c.env = env;
    return closure_value(std::move(c));
  }
  return hole_value(code_, types_, e.type, env, e.span);
}

ValuePtr Exps::record(const Exp& e, const ERecord& n, const Env& env) {
  std::map<std::string, ValuePtr> values;
  for (const auto& field : n.fields) {
    if (field.value) {
      values[field.name.name] = exp(*field.value, env);
    } else {
      QualName name{{}, field.name.name, field.name.span};
      values[field.name.name] = names_.find(name, field.name.id, env);
    }
  }
  // In the order of the type: numeric fields by number, the others by name.
  std::vector<std::pair<std::string, ValuePtr>> fields;
  if (e.type && e.type->kind == Type::kRecord) {
    for (const auto& f : e.type->fields)
      if (auto it = values.find(f.first); it != values.end()) fields.push_back(*it);
  } else {
    fields.assign(values.begin(), values.end());
  }
  return record_value(std::move(fields));
}

ValuePtr Exps::update(const EUpdate& n, const Env& env) {
  // Indices and the new value may read what the array is made of, and consumes.
  if (std::get_if<EVar>(&n.src->node) == nullptr) {
    const IndexOf indices = computed_indices(types_, n.path, env);
    ValuePtr value = exp(*n.value, env);
    const ValuePtr src = exp(*n.src, env);
    return update_path(code_, src, n.path, 0, [&] { return value; }, indices, short_text(*n.src));
  }
  return update_path(
      code_, exp(*n.src, env), n.path, 0, [&] { return exp(*n.value, env); },
      indices_in(types_, env), short_text(*n.src));
}

ValuePtr Exps::left_section(const Exp& e, const ELeftSection& n, const Env& env) {
  ValuePtr lhs = exp(*n.lhs, env);
  const bool arrow = e.type && e.type->kind == Type::kArrow;
  const Type* type =
      arrow ? names_.operator_type(&e, n.lhs->type, e.type->from, e.type->to) : nullptr;
  ValuePtr op = names_.operator_value(n.op, n.id, n.inst, {e.span, type, env});
  return evaluator_.apply(op, {lhs}, {e.span, nullptr, env});
}

ValuePtr Exps::right_section(const Exp& e, const ERightSection& n, const Env& env) {
  Closure c;
  c.code = Closure::kRight;
  ValuePtr rhs = exp(*n.rhs, env);
  const bool arrow = e.type && e.type->kind == Type::kArrow;
  const Type* type =
      arrow ? names_.operator_type(&e, e.type->from, n.rhs->type, e.type->to) : nullptr;
  c.args = {names_.operator_value(n.op, n.id, n.inst, {e.span, type, env}), rhs};
  return closure_value(std::move(c));
}

ValuePtr Exps::let(const ELet& first, const Env& outer) {
  // A chain of lets is walked in a loop, not in recursion.
  Env env = outer;
  const ELet* l = &first;
  for (;;) {
    size_t log = ids_.size_count();
    ValuePtr v = exp(*l->value, env);
    env = ids_.with_sizes(env, log);
    env = bind_pattern(types_, *l->pat, v, env);
    const auto* next = std::get_if<ELet>(&l->body->node);
    if (!next || !l->body->ext.empty()) return exp(*l->body, env);
    l = next;
  }
}

ValuePtr Exps::let_with(const ELetWith& l, const Env& env) {
  ValuePtr v;
  {
    const Code::AtPlace at(code_, l.dst.span);
    ValuePtr src = names_.find({{}, l.src.name, l.src.span}, l.src_id ? l.src_id : l.src.id, env);
    src = names_.use(src, {}, {l.src.span, nullptr, env});
    v = update_path(
        code_, src, l.path, 0, [&] { return exp(*l.value, env); }, indices_in(types_, env),
        l.src.name);
  }
  return exp(*l.body, bind_term(env, l.dst.name, l.dst.id, v));
}

ValuePtr Exps::binary(const Exp& e, const EBinary& bin, const Env& env) {
  bool builtin = names_.is_builtin(bin.op, bin.id, env) && !bin.backquoted;
  if (builtin && (bin.op.name == "&&" || bin.op.name == "||"))
    return short_circuit(code_, scalar(*bin.lhs, env), bin.op.name == "&&",
                         [&] { return exp(*bin.rhs, env); });
  if (builtin) {
    ValuePtr lhs = exp(*bin.lhs, env), rhs = exp(*bin.rhs, env);
    return operators_.binary(bin.op.name, lhs, rhs, bin.rhs.get());
  }
  // Unlike for applications, sizes flow from left to right.
  ValuePtr lhs = exp(*bin.lhs, env), rhs = exp(*bin.rhs, env);
  const Type* type = names_.operator_type(&e, bin.lhs->type, bin.rhs->type, e.type);
  ValuePtr op = names_.operator_value(bin.op, bin.id, bin.inst, {e.span, type, env});
  return evaluator_.apply(op, {lhs, rhs}, {e.span, e.type, env});
}

ValuePtr Exps::apply(const Exp& e, const EApply& a, const Env& env) {
  // Right to left: a size in an argument's type may come from an argument after it.
  std::vector<ValuePtr> args(a.args.size());
  for (size_t i = a.args.size(); i-- > 0;) args[i] = exp(*a.args[i], env);
  ValuePtr fn = exp(*a.fn, env);
  return evaluator_.apply(fn, std::move(args), {e.span, e.type, env});
}

ValuePtr Exps::range(const ERange& r, const Env& env) {
  const ValuePtr start = exp(*r.start, env);
  std::optional<Operand> second;
  if (r.step) second = scalar(*r.step, env);
  return range_value(code_, {r, start->rep->prim, scalar_of(*start), second, scalar(*r.end, env)});
}

ValuePtr Exps::match_cases(const EMatch& m, size_t i, const ValuePtr& v, const Exp& e,
                           const Env& env) {
  const EMatch::Case& c = m.cases[i];
  auto body = [&] { return exp(*c.body, bind_pattern(types_, *c.pat, v, env)); };
  if (i + 1 == m.cases.size()) return body();
  Operand matches = test_pattern(code_, *c.pat, v);
  if (const auto* constant = core::as_const(matches))
    return constant->bits ? body() : match_cases(m, i + 1, v, e, env);
  return if_value(
      code_, types_, matches, body, [&] { return match_cases(m, i + 1, v, e, env); }, e.type, env);
}

}  // namespace skald::futhark::elab
