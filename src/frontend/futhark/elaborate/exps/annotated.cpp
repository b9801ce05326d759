// SPDX-License-Identifier: Apache-2.0
// Expressions with something to check or to obey: attributes, coercions, holes, assertions.
#include "core/ir/visit.h"
#include "frontend/futhark/elaborate/attributes.h"
#include "frontend/futhark/elaborate/elab.h"
#include "frontend/futhark/elaborate/notes.h"
#include "frontend/futhark/pretty/pretty.h"

namespace skald::futhark::elab {

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
    const core::Hints old = std::exchange(hints_, {});
    if (name == "trace") hints_.trace = trace_of(a.attr);
    for (size_t i = 0; i < leaves.size(); ++i)
      leaves[i] = emit1(types[i], core::Opaque{leaves[i]}, name);
    hints_ = old;
    return make_value(rep, std::move(leaves));
  }
  if (name == "warn" && a.attr.args.size() == 1 && a.attr.args[0].name == "safety_checks") {
    Span old = std::exchange(warn_checks_at_, a.inner->span);
    ValuePtr v = exp(*a.inner, env);
    warn_checks_at_ = old;
    return v;
  }
  if (name == "blank" || name == "scratch" || name == "warn") return exp(*a.inner, env);
  const core::Hints old = hints_;
  add_attribute(hints_, a.attr);
  ValuePtr v = exp(*a.inner, env);
  hints_ = old;
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
    std::vector<MessagePart> message = {std::string("Value of (desugared) shape [")}, shape;
    for (size_t d = 0; d < from[i].shape.size(); ++d) {
      if (d) shape.emplace_back(std::string("]["));
      shape.emplace_back(from[i].shape[d]);
      if (!(from[i].shape[d] == to[i].shape[d]))
        ok = b().logical_and(
            ok, b().cmpop(CmpOpKind::kEq, Prim::kI64, from[i].shape[d], to[i].shape[d]));
    }
    CheckNotes notes;
    notes.shape(short_text(*c.inner), shape);
    notes.say("`" + pretty(*c.type) + "` is asked for");
    message.insert(message.end(), shape.begin(), shape.end());
    message.emplace_back(std::string("] cannot match shape of type \""));
    message.insert(message.end(), text.begin(), text.end());
    message.emplace_back(std::string("\"."));
    notes.add_to(message);
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
  std::vector<MessagePart> message = {"Assertion is false: " + pretty(*a.cond)};
  CheckNotes notes;
  for (const Exp* e : variables_in(*a.cond)) {
    const EVar& var = std::get<EVar>(e->node);
    const ValuePtr v = find_name(var.name, var.id, env, nullptr);
    if (v->kind == Value::kDyn && v->rep->kind == Rep::kPrim) notes.value(*e, scalar_of(*v));
  }
  notes.add_to(message);
  Tokens tokens = check(cond, std::move(message));
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
