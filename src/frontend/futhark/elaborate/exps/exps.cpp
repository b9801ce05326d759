// SPDX-License-Identifier: Apache-2.0
// The walk over expressions: literals, records, let.  Names are in names.cpp; attributes, coercions
// and assertions in annotated.cpp.
#include "frontend/futhark/check/base/literal.h"
#include "frontend/futhark/elaborate/elab.h"
#include "frontend/futhark/elaborate/notes.h"

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

ValuePtr Elaborator::exp(const Exp& e, const Env& env) {
  struct Depth {
    int& d;
    explicit Depth(int& depth) : d(depth) { ++d; }
    ~Depth() { --d; }
  } depth(depth_);
  if (depth_ > kMaxExpDepth) {
    if (!reported_depth_) diagnostics_.limitation(e.span, "expressions nested this deeply");
    reported_depth_ = true;
    SKALD_BUG("expressions nested too deeply");
  }
  ValuePtr v;
  if (is_trivial(e)) {
    v = exp_node(e, env);
  } else {
    AtPlace at(*this, e.span);
    v = exp_node(e, env);
  }
  log_sizes(e, env, *v);
  return v;
}

ValuePtr Elaborator::exp_node(const Exp& e, const Env& env) {
  if (const auto* n = std::get_if<EVar>(&e.node)) return var(e, *n, env);
  if (const auto* n = std::get_if<ELiteral>(&e.node)) {
    RepPtr rep = resolve(e.type, env);
    SKALD_CHECK(rep->kind == Rep::kPrim, "a literal without a primitive type");
    return literal(n->lit, rep->prim);
  }
  if (const auto* n = std::get_if<EParens>(&e.node)) return exp(*n->inner, env);
  if (const auto* n = std::get_if<EBinary>(&e.node)) return binary_exp(e, *n, env);
  if (const auto* n = std::get_if<EApply>(&e.node)) return apply_exp(e, *n, env);
  if (const auto* n = std::get_if<ELet>(&e.node)) return let_exp(*n, env);
  if (const auto* n = std::get_if<ETuple>(&e.node)) {
    std::vector<ValuePtr> elems;
    for (const auto& elem : n->elems) elems.push_back(exp(*elem, env));
    return tuple_value(std::move(elems));
  }
  if (const auto* n = std::get_if<ERecord>(&e.node)) return record_exp(e, *n, env);
  if (const auto* n = std::get_if<EArray>(&e.node)) return array_literal(e, *n, env);
  if (const auto* n = std::get_if<EString>(&e.node)) return string_exp(*n);
  if (const auto* n = std::get_if<EIndex>(&e.node)) {
    ValuePtr array = exp(*n->array, env);
    Slice s = slice(n->dims, *array, indices_in(env), short_text(*n->array));
    return index_value(*array, s.dims, s.tokens);
  }
  if (const auto* n = std::get_if<EProject>(&e.node))
    return project(exp(*n->record, env), n->field.name);
  if (const auto* n = std::get_if<ELocalOpen>(&e.node)) {
    ValuePtr module = find_name(n->module, 0, env, nullptr);
    Exports out{new_frame(), env, std::make_shared<Module>(), ""};
    open_module(*force_module(module), out, true);
    return exp(*n->inner, now(out));
  }
  if (const auto* n = std::get_if<ENegate>(&e.node)) return negate(exp(*n->arg, env));
  if (const auto* n = std::get_if<ENot>(&e.node)) return complement(exp(*n->arg, env));
  if (const auto* n = std::get_if<EConstr>(&e.node)) return constr_exp(e, *n, env);
  if (const auto* n = std::get_if<EAscript>(&e.node)) return exp(*n->inner, env);
  if (const auto* n = std::get_if<ECoerce>(&e.node)) return coercion(e, *n, env);
  if (const auto* n = std::get_if<ERange>(&e.node)) return range_exp(*n, env);
  if (const auto* n = std::get_if<EIf>(&e.node)) {
    Operand cond = scalar_exp(*n->cond, env);
    return if_exp(
        cond, [&] { return exp(*n->then_branch, env); }, [&] { return exp(*n->else_branch, env); },
        e.type, env);
  }
  if (const auto* n = std::get_if<ELetFun>(&e.node)) {
    Closure c;
    c.code = Closure::kLetFun;
    c.let_fun = n;
    c.env = env;
    return exp(*n->body, bind_term(env, n->name.name, n->name.id, closure_value(std::move(c))));
  }
  if (const auto* n = std::get_if<ELetWith>(&e.node)) return let_with(*n, env);
  if (const auto* n = std::get_if<EUpdate>(&e.node)) return update_exp(*n, env);
  if (const auto* n = std::get_if<ELambda>(&e.node)) {
    Closure c;
    c.lambda = n;
    c.env = env;
    return closure_value(std::move(c));
  }
  if (const auto* n = std::get_if<ELoop>(&e.node)) return loop_exp(e, *n, env);
  if (const auto* n = std::get_if<EMatch>(&e.node)) {
    size_t log = size_log_.size();
    ValuePtr v = exp(*n->scrutinee, env);
    return match_cases(*n, 0, v, e, with_logged_sizes(env, log));
  }
  if (const auto* n = std::get_if<EAttr>(&e.node)) return attributed(e, *n, env);
  if (const auto* n = std::get_if<EAssert>(&e.node)) return assert_exp(*n, env);
  if (const auto* n = std::get_if<EOpSection>(&e.node))
    return op_value(n->op, n->id, n->inst, e.type, env, e.span);
  if (const auto* n = std::get_if<ELeftSection>(&e.node)) return left_section(e, *n, env);
  if (const auto* n = std::get_if<ERightSection>(&e.node)) return right_section(e, *n, env);
  if (const auto* n = std::get_if<EPathSection>(&e.node)) {
    Closure c;
    c.code = Closure::kPath;
    c.path = &n->path;
    c.env = env;
    return closure_value(std::move(c));
  }
  return hole_value(e.type, env, e.span);
}

ValuePtr Elaborator::record_exp(const Exp& e, const ERecord& n, const Env& env) {
  std::map<std::string, ValuePtr> values;
  for (const auto& field : n.fields) {
    if (field.value) {
      values[field.name.name] = exp(*field.value, env);
    } else {
      QualName name{{}, field.name.name, field.name.span};
      values[field.name.name] = find_name(name, field.name.id, env, nullptr);
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

ValuePtr Elaborator::string_exp(const EString& n) {
  core::ArrayLit lit{core::scalar_type(Prim::kU8), {}};
  for (unsigned char c : n.bytes) lit.elems.emplace_back(core::const_int(Prim::kU8, c));
  Operand size = core::const_i64(static_cast<int64_t>(n.bytes.size()));
  core::Type type = core::array_of(size, lit.row);
  return make_value(array_rep(size, prim_rep(Prim::kU8)), {emit1(type, std::move(lit), "string")});
}

ValuePtr Elaborator::update_exp(const EUpdate& n, const Env& env) {
  // Indices and the new value may read what the array is made of, and consumes.
  if (std::get_if<EVar>(&n.src->node) == nullptr) {
    const IndexOf indices = computed_indices(n.path, env);
    const ValuePtr value = exp(*n.value, env);
    const ValuePtr src = exp(*n.src, env);
    return update_path(src, n.path, 0, [&] { return value; }, indices, short_text(*n.src));
  }
  return update_path(
      exp(*n.src, env), n.path, 0, [&] { return exp(*n.value, env); }, indices_in(env),
      short_text(*n.src));
}

ValuePtr Elaborator::left_section(const Exp& e, const ELeftSection& n, const Env& env) {
  ValuePtr lhs = exp(*n.lhs, env);
  const bool arrow = e.type && e.type->kind == Type::kArrow;
  const Type* type = arrow ? operator_type(&e, n.lhs->type, e.type->from, e.type->to) : nullptr;
  ValuePtr op = op_value(n.op, n.id, n.inst, type, env, e.span);
  return apply(op, {lhs}, {e.span, nullptr, env});
}

ValuePtr Elaborator::right_section(const Exp& e, const ERightSection& n, const Env& env) {
  Closure c;
  c.code = Closure::kRight;
  ValuePtr rhs = exp(*n.rhs, env);
  const bool arrow = e.type && e.type->kind == Type::kArrow;
  const Type* type = arrow ? operator_type(&e, e.type->from, n.rhs->type, e.type->to) : nullptr;
  c.args = {op_value(n.op, n.id, n.inst, type, env, e.span), rhs};
  return closure_value(std::move(c));
}

Operand Elaborator::i64_exp(const Exp& e, const Env& env) {
  ValuePtr v = exp(e, env);
  SKALD_CHECK(v->kind == Value::kDyn && v->rep->kind == Rep::kPrim, "an integer was expected");
  // Literal sizes of entry points are read while no code is under construction.
  if (v->rep->prim == Prim::kI64) return scalar_of(*v);
  return b().convert(v->rep->prim, Prim::kI64, scalar_of(*v));
}

ValuePtr Elaborator::literal(const Literal& lit, Prim prim) {
  if (lit.kind == Literal::kBool)
    return scalar_value(Prim::kBool, core::const_bool(lit.text == "true"));
  if (is_float(prim)) {
    double d = prim == Prim::kF32 && lit.kind == Literal::kFloat &&
                       lit.text.find_first_of("xX") == std::string::npos
                   ? static_cast<double>(std::strtof(lit.text.c_str(), nullptr))
                   : literal_as_double(lit.text);
    return scalar_value(prim, core::const_float(prim, lit.negative ? -d : d));
  }
  __int128 value = int_literal_value(lit.text).value_or(0);
  auto wrapped = static_cast<int64_t>(static_cast<uint64_t>(value));
  if (lit.negative) wrapped = static_cast<int64_t>(0 - static_cast<uint64_t>(wrapped));
  return scalar_value(prim, core::const_int(prim, wrapped));
}

// Literals of literals become one flat literal, reshaped.
static bool collect_nested(const Exp& e, size_t level, std::vector<size_t>& shape,
                           std::vector<const Exp*>& elems) {
  const auto* array = std::get_if<EArray>(&e.node);
  if (!array || array->elems.empty()) return false;
  if (level == shape.size()) shape.push_back(array->elems.size());
  if (shape[level] != array->elems.size()) return false;
  bool nested = std::holds_alternative<EArray>(array->elems[0]->node);
  for (const auto& elem : array->elems) {
    if (nested != std::holds_alternative<EArray>(elem->node)) return false;
    if (!nested) {
      if (shape.size() != level + 1) return false;
      elems.push_back(elem.get());
    } else if (!collect_nested(*elem, level + 1, shape, elems)) {
      return false;
    }
  }
  return true;
}

ValuePtr Elaborator::array_literal(const Exp& e, const EArray& a, const Env& env) {
  std::vector<size_t> shape;
  std::vector<const Exp*> exps;
  if (!collect_nested(e, 0, shape, exps)) {
    shape = {a.elems.size()};
    exps.clear();
    for (const auto& elem : a.elems) exps.push_back(elem.get());
  }
  std::vector<ValuePtr> elems;
  for (const Exp* elem : exps) elems.push_back(exp(*elem, env));
  RepPtr elem_rep;
  if (!elems.empty()) {
    elem_rep = rep_of(*elems[0]);
  } else {
    RepPtr rep = resolve(e.type, env);
    SKALD_CHECK(rep->kind == Rep::kArray, "an array literal without an array type");
    elem_rep = force(rep->elem);
  }
  std::vector<core::Type> rows = leaf_types(*elem_rep);
  std::vector<core::ArrayLit> lits;
  for (auto& row : rows) lits.push_back({row, {}});
  for (const auto& elem : elems) {
    ValuePtr v = coerce(elem, elem_rep,
                        {std::string("shape of element differs from shape of first element")});
    std::vector<Operand> leaves = leaves_of(*v);
    for (size_t i = 0; i < lits.size(); ++i) lits[i].elems.push_back(leaves.at(i));
  }
  RepPtr rep = elem_rep;
  std::vector<Operand> dims;
  for (size_t i = shape.size(); i-- > 0;) {
    Operand dim = core::const_i64(static_cast<int64_t>(shape[i]));
    rep = array_rep(dim, rep);
    dims.insert(dims.begin(), dim);
  }
  Operand total = core::const_i64(static_cast<int64_t>(elems.size()));
  std::vector<Operand> leaves;
  for (size_t i = 0; i < lits.size(); ++i) {
    Operand flat = emit1(core::array_of(total, rows[i]), std::move(lits[i]), "array");
    if (dims.size() > 1) {
      core::Type type = core::array_of(dims, rows[i]);
      flat = emit1(type, core::Reshape{std::get<Name>(flat), type.shape}, "array");
    }
    leaves.push_back(flat);
  }
  return make_value(rep, std::move(leaves));
}

ValuePtr Elaborator::let_exp(const ELet& first, const Env& outer) {
  // A chain of lets is walked in a loop, not in recursion.
  Env env = outer;
  const ELet* l = &first;
  for (;;) {
    size_t log = size_log_.size();
    ValuePtr v = exp(*l->value, env);
    env = with_logged_sizes(env, log);
    env = bind_pattern(*l->pat, v, env);
    const auto* next = std::get_if<ELet>(&l->body->node);
    if (!next || !l->body->ext.empty()) return exp(*l->body, env);
    l = next;
  }
}

ValuePtr Elaborator::let_with(const ELetWith& l, const Env& env) {
  ValuePtr v;
  {
    AtPlace at(*this, l.dst.span);
    ValuePtr src =
        find_name({{}, l.src.name, l.src.span}, l.src_id ? l.src_id : l.src.id, env, nullptr);
    src = use(src, {}, nullptr, env, l.src.span);
    v = update_path(
        src, l.path, 0, [&] { return exp(*l.value, env); }, indices_in(env), l.src.name);
  }
  return exp(*l.body, bind_term(env, l.dst.name, l.dst.id, v));
}

}  // namespace skald::futhark::elab
