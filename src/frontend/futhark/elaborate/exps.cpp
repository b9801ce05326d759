// SPDX-License-Identifier: Apache-2.0
// The walk over expressions: names, literals, records, let, coercions, attributes.
#include "core/visit.h"
#include "frontend/futhark/check/literal.h"
#include "frontend/futhark/elaborate/attributes.h"
#include "frontend/futhark/elaborate/elab.h"
#include "frontend/futhark/pretty.h"

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
  if (const auto* n = std::get_if<ERecord>(&e.node)) {
    std::map<std::string, ValuePtr> values;
    for (const auto& field : n->fields) {
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
  if (const auto* n = std::get_if<EArray>(&e.node)) return array_literal(e, *n, env);
  if (const auto* n = std::get_if<EString>(&e.node)) {
    core::ArrayLit lit{core::scalar_type(Prim::kU8), {}};
    for (unsigned char c : n->bytes) lit.elems.emplace_back(core::const_int(Prim::kU8, c));
    Operand size = core::const_i64(static_cast<int64_t>(n->bytes.size()));
    core::Type type = core::array_of(size, lit.row);
    return make_value(array_rep(size, prim_rep(Prim::kU8)),
                      {emit1(type, std::move(lit), "string")});
  }
  if (const auto* n = std::get_if<EIndex>(&e.node)) {
    ValuePtr array = exp(*n->array, env);
    Slice s = slice(n->dims, *array, env);
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
  if (const auto* n = std::get_if<ENegate>(&e.node)) {
    return negate(exp(*n->arg, env));
  }
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
  if (const auto* n = std::get_if<EUpdate>(&e.node)) {
    ValuePtr src = exp(*n->src, env);
    return update_path(src, n->path, 0, [&] { return exp(*n->value, env); }, env);
  }
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
  if (const auto* n = std::get_if<ELeftSection>(&e.node)) {
    ValuePtr lhs = exp(*n->lhs, env);
    const bool arrow = e.type && e.type->kind == Type::kArrow;
    const Type* type = arrow ? operator_type(&e, n->lhs->type, e.type->from, e.type->to) : nullptr;
    ValuePtr op = op_value(n->op, n->id, n->inst, type, env, e.span);
    return apply(op, {lhs}, {e.span, nullptr, env});
  }
  if (const auto* n = std::get_if<ERightSection>(&e.node)) {
    Closure c;
    c.code = Closure::kRight;
    ValuePtr rhs = exp(*n->rhs, env);
    const bool arrow = e.type && e.type->kind == Type::kArrow;
    const Type* type = arrow ? operator_type(&e, e.type->from, n->rhs->type, e.type->to) : nullptr;
    c.args = {op_value(n->op, n->id, n->inst, type, env, e.span), rhs};
    return closure_value(std::move(c));
  }
  if (const auto* n = std::get_if<EPathSection>(&e.node)) {
    Closure c;
    c.code = Closure::kPath;
    c.path = &n->path;
    c.env = env;
    return closure_value(std::move(c));
  }
  return hole_value(e.type, env, e.span);
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

ValuePtr Elaborator::project(const ValuePtr& v, const std::string& field) {
  const ValuePtr* found = v->kind == Value::kRecord ? find_field(*v, field) : nullptr;
  SKALD_CHECK(found, "no field {}", field);
  return *found;
}

ValuePtr Elaborator::find_name(const QualName& name, uint32_t id, const Env& env,
                               size_t* projected) {
  if (name.quals.empty()) {
    if (ValuePtr v = lookup_size(env, id)) return v;
    if (ValuePtr v = lookup_term(env, name.name)) return v;
    SKALD_BUG("the name {} is not bound", name.name);
  }
  if (name.quals[0] == "intrinsics" && !lookup_term(env, "intrinsics")) {
    Closure c;
    size_t arity = 0;
    c.code = is_intrinsic(name.name, &arity) ? Closure::kIntrinsic : Closure::kBuiltin;
    c.name = name.name;
    return closure_value(std::move(c));
  }
  ValuePtr v = lookup_term(env, name.quals[0]);
  if (!v || (v->kind != Value::kModule && v->kind != Value::kLazy)) {
    // The head is a value, which has the id; the rest are fields.
    if (ValuePtr by_id = lookup_size(env, id); by_id && by_id->kind == Value::kRecord) v = by_id;
  }
  if (!v) {
    if (ValuePtr by_id = lookup_size(env, id)) return by_id;
    SKALD_BUG("the name {} is not bound", name.quals[0]);
  }
  for (size_t i = 1; i <= name.quals.size(); ++i) {
    const std::string& part = i < name.quals.size() ? name.quals[i] : name.name;
    if (v->kind == Value::kLazy && v->lazy->module) v = force_module(v);
    if (v->kind == Value::kModule) {
      auto it = v->module->terms.find(part);
      SKALD_CHECK(it != v->module->terms.end(), "no member {}", part);
      v = it->second;
    } else {
      if (v->kind == Value::kLazy) v = constant(*v->lazy, env, {}, nullptr, name.span);
      v = project(v, part);
      if (projected) ++*projected;
    }
  }
  return v;
}

ValuePtr Elaborator::use(ValuePtr v, const std::vector<TypeInst>& inst, const Type* type,
                         const Env& env, Span span) {
  if (v->kind == Value::kSize) {
    std::optional<Operand> size = try_size(v->size.exp, v->size.env);
    SKALD_CHECK(size, "a size is not known");
    return scalar_value(Prim::kI64, *size);
  }
  if (v->kind == Value::kLazy && v->lazy->constant)
    return constant(*v->lazy, env, inst, type, span);
  if (v->kind != Value::kClosure || v->closure->inst || !v->closure->args.empty()) return v;
  const Closure& c = *v->closure;
  bool polymorphic = (c.code == Closure::kDef && !c.def->type_param_ids.empty()) ||
                     (c.code == Closure::kLetFun && !c.let_fun->type_param_ids.empty()) ||
                     c.code == Closure::kIntrinsic;
  if (!polymorphic) return v;
  Closure used = c;
  used.inst = &inst;
  used.use_type = type;
  used.use_env = env;
  return closure_value(std::move(used));
}

ValuePtr Elaborator::var(const Exp& e, const EVar& v, const Env& env) {
  size_t projected = 0;
  ValuePtr found = find_name(v.name, v.id, env, &projected);
  bool has_fields = projected > 0 || !v.fields.empty();
  found = use(found, v.inst, has_fields ? nullptr : e.type, env, e.span);
  if (projected == 0)
    for (const auto& field : v.fields) found = project(found, field.name);
  return found;
}

ValuePtr Elaborator::op_value(const QualName& op, uint32_t id, const std::vector<TypeInst>& inst,
                              const Type* type, const Env& env, Span span) {
  if (is_builtin(op, id, env)) {
    Closure c;
    c.code = Closure::kBuiltin;
    c.name = op.name;
    return closure_value(std::move(c));
  }
  return use(find_name(op, id, env, nullptr), inst, type, env, span);
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
    v = update_path(src, l.path, 0, [&] { return exp(*l.value, env); }, env);
  }
  return exp(*l.body, bind_term(env, l.dst.name, l.dst.id, v));
}

ValuePtr Elaborator::attributed(const Exp& e, const EAttr& a, const Env& env) {
  (void)e;
  const std::string& name = a.attr.name;
  if (name == "unsafe") {
    bool old = unsafe_;
    unsafe_ = unsafe_ || !options_.safe;
    ValuePtr v = exp(*a.inner, env);
    unsafe_ = old;
    return v;
  }
  if (name == "param") {
    // Only an i64 can be chosen; the attribute says nothing about other values.
    ValuePtr v = exp(*a.inner, env);
    RepPtr rep = rep_of(*v);
    if (a.attr.args.size() != 1 || a.attr.args[0].name.empty() || !is_first_order(*rep)) return v;
    std::vector<core::Type> types = leaf_types(*rep);
    if (types.size() != 1 || !types[0].is_scalar() || types[0].elem != core::Prim::kI64) return v;
    core::Tunable node{a.attr.args[0].name, "user", leaves_of(*v)[0]};
    return make_value(rep, {emit1(types[0], std::move(node), name)});
  }
  if (name == "opaque" || name == "trace" || name == "break") {
    ValuePtr v = exp(*a.inner, env);
    RepPtr rep = rep_of(*v);
    if (!is_first_order(*rep)) return v;
    std::vector<Operand> leaves = leaves_of(*v);
    std::vector<core::Type> types = leaf_types(*rep);
    std::vector<std::string> old = attrs_;
    attrs_ = name == "opaque" ? std::vector<std::string>{} : std::vector{attr_text(a.attr)};
    for (size_t i = 0; i < leaves.size(); ++i)
      leaves[i] = emit1(types[i], core::Opaque{leaves[i]}, name);
    attrs_ = std::move(old);
    return make_value(rep, std::move(leaves));
  }
  if (name == "warn" && a.attr.args.size() == 1 && a.attr.args[0].name == "safety_checks") {
    Span old = std::exchange(warn_checks_at_, a.inner->span);
    ValuePtr v = exp(*a.inner, env);
    warn_checks_at_ = old;
    return v;
  }
  if (name == "blank" || name == "scratch" || name == "warn") return exp(*a.inner, env);
  attrs_.push_back(attr_text(a.attr));
  ValuePtr v = exp(*a.inner, env);
  attrs_.pop_back();
  return v;
}

std::vector<MessagePart> Elaborator::type_message(const Type& type, const Rep& rep) {
  std::vector<MessagePart> parts;
  auto add = [&](std::vector<MessagePart> more) {
    parts.insert(parts.end(), more.begin(), more.end());
  };
  if (type.kind == Type::kArray && rep.kind == Rep::kArray && rep.dim.op) {
    parts = {std::string("["), *rep.dim.op, std::string("]")};
    add(type_message(*type.elem, *rep.elem));
  } else if (is_tuple(type) && rep.kind == Rep::kRecord) {
    parts.emplace_back(std::string("("));
    for (size_t i = 0; i < type.fields.size(); ++i) {
      if (i) parts.emplace_back(std::string(", "));
      add(type_message(*type.fields[i].second, *rep.fields[i].second));
    }
    parts.emplace_back(std::string(")"));
  } else {
    parts.emplace_back(pretty(type));
  }
  return parts;
}

ValuePtr Elaborator::coercion(const Exp& e, const ECoerce& c, const Env& env) {
  ValuePtr v = exp(*c.inner, env);
  if (!e.type) return v;
  RepPtr have = rep_of(*v);
  if (!is_first_order(*have)) return v;
  RepPtr want = zip_dims(have, resolve(e.type, env), [this](const Dim& dim, const Dim* target) {
    Dim out = dim;
    if (target)
      if (auto op = try_dim(*target)) out.op = op;
    return out;
  });
  std::vector<core::Type> from = leaf_types(*have), to = leaf_types(*want);
  std::vector<Operand> leaves = leaves_of(*v);
  std::vector<MessagePart> text = type_message(*e.type, *want);
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (from[i] == to[i]) continue;
    Operand ok = core::const_bool(true);
    std::vector<MessagePart> message = {std::string("Value of (desugared) shape [")};
    for (size_t d = 0; d < from[i].shape.size(); ++d) {
      if (d) message.emplace_back(std::string("]["));
      message.emplace_back(from[i].shape[d]);
      if (!(from[i].shape[d] == to[i].shape[d]))
        ok = b().logical_and(
            ok, b().cmpop(CmpOpKind::kEq, Prim::kI64, from[i].shape[d], to[i].shape[d]));
    }
    message.emplace_back(std::string("] cannot match shape of type \""));
    message.insert(message.end(), text.begin(), text.end());
    message.emplace_back(std::string("\"."));
    Tokens tokens = check(ok, std::move(message));
    leaves[i] =
        emit1(to[i], core::Reshape{std::get<Name>(leaves[i]), to[i].shape}, "coerced", tokens);
  }
  return make_value(want, std::move(leaves));
}

ValuePtr Elaborator::hole_value(const Type* type, const Env& env, Span span) {
  if (type && type->kind == Type::kArrow) {
    Closure c;
    c.code = Closure::kHole;
    c.use_type = type;
    c.use_env = env;
    return closure_value(std::move(c));
  }
  RepPtr rep = resolve(type, env);
  if (!is_first_order(*rep)) return limitation(span, "a hole of this type", nullptr, env);
  rep = force(rep);
  Name token = b().check(core::const_bool(false),
                         {"Reached hole of type: " + (type ? pretty(*type) : std::string())});
  std::vector<Operand> leaves;
  for (auto& type : leaf_types(*rep)) {
    core::Exp scratch = type.is_scalar() ? core::Exp(core::Opaque{core::Const{type.elem, 0}})
                                         : core::Exp(core::Scratch{type.elem, type.shape});
    leaves.push_back(emit1(type, std::move(scratch), "hole", {token}));
  }
  return make_value(rep, std::move(leaves));
}

ValuePtr Elaborator::assert_exp(const EAssert& a, const Env& env) {
  Operand cond = scalar_exp(*a.cond, env);
  Tokens tokens = check(cond, {"Assertion is false: " + pretty(*a.cond)});
  if (tokens.empty()) return exp(*a.inner, env);
  Block inner = open_block([&] { return exp(*a.inner, env); });
  std::unordered_set<Name> bound = bound_names(inner);
  for (auto& stmt : inner.stmts)
    if (!core::as<core::Assert>(stmt.exp)) stmt.tokens.push_back(tokens[0]);
  splice(std::move(inner.stmts));
  RepPtr rep = rep_of(*inner.value);
  if (!is_first_order(*rep)) return inner.value;
  // What was there before gets a new name, whose statement waits for the check.
  std::vector<Operand> leaves = leaves_of(*inner.value);
  std::vector<core::Type> types = leaf_types(*rep);
  for (size_t i = 0; i < leaves.size(); ++i) {
    const Name* name = core::as_name(leaves[i]);
    if (!name || !bound.count(*name))
      leaves[i] = emit1(types[i], core::Value{leaves[i]}, "asserted", tokens);
  }
  return make_value(rep, std::move(leaves));
}

}  // namespace skald::futhark::elab
