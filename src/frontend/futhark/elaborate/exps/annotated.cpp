// SPDX-License-Identifier: Apache-2.0
// Expressions with something to check or to obey: attributes, coercions, assertions.
#include "core/ir/visit.h"
#include "frontend/futhark/elaborate/code/attributes.h"
#include "frontend/futhark/elaborate/code/blocks.h"
#include "frontend/futhark/elaborate/code/notes.h"
#include "frontend/futhark/elaborate/exps/exps.h"
#include "frontend/futhark/elaborate/values/reps.h"
#include "frontend/futhark/pretty/pretty.h"

namespace skald::futhark::elab {

// Nothing is known of the value; it may be traced.
ValuePtr Exps::opaque(const EAttr& a, const Env& env) {
  ValuePtr v = exp(*a.inner, env);
  RepPtr rep = rep_of(*v);
  if (!is_first_order(*rep)) return v;
  std::vector<Operand> leaves = leaves_of(*v);
  std::vector<core::Type> types = leaf_types(*rep);
  const core::Hints old = std::exchange(code_.mode().hints, {});
  if (a.attr.name == "trace") code_.mode().hints.trace = trace_of(a.attr);
  for (size_t i = 0; i < leaves.size(); ++i)
    leaves[i] = code_.emit1(types[i], core::Opaque{leaves[i]}, a.attr.name);
  code_.mode().hints = old;
  return make_value(rep, leaves);
}

ValuePtr Exps::attributed(const EAttr& a, const Env& env) {
  const std::string& name = a.attr.name;
  if (name == "unsafe") {
    bool old = code_.mode().unsafe;
    code_.mode().unsafe = code_.mode().unsafe || unsafe_ == Unsafe::kObeyed;
    ValuePtr v = exp(*a.inner, env);
    code_.mode().unsafe = old;
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
    return make_value(rep, {code_.emit1(types[0], std::move(node), name)});
  }
  if (name == "stripmine") {
    const int old = std::exchange(code_.mode().strip_mine, levels_of(a.attr));
    ValuePtr v = exp(*a.inner, env);
    code_.mode().strip_mine = old;
    return v;
  }
  if (name == "opaque" || name == "trace" || name == "break") return opaque(a, env);
  if (name == "warn" && a.attr.args.size() == 1 && a.attr.args[0].name == "safety_checks") {
    Span old = std::exchange(code_.mode().warn_checks_at, a.inner->span);
    ValuePtr v = exp(*a.inner, env);
    code_.mode().warn_checks_at = old;
    return v;
  }
  if (name == "blank" || name == "scratch" || name == "warn") return exp(*a.inner, env);
  const core::Hints old = code_.mode().hints;
  add_attribute(code_.mode().hints, a.attr);
  ValuePtr v = exp(*a.inner, env);
  code_.mode().hints = old;
  return v;
}

static std::vector<MessagePart> type_message(const Type& type, const Rep& rep) {
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

ValuePtr Exps::coercion(const Exp& e, const ECoerce& c, const Env& env) {
  ValuePtr v = exp(*c.inner, env);
  if (!e.type) return v;
  RepPtr have = rep_of(*v);
  if (!is_first_order(*have)) return v;
  RepPtr want =
      zip_dims(have, types_.resolve(e.type, env), [this](const Dim& dim, const Dim* target) {
        Dim out = dim;
        if (target)
          if (auto op = types_.try_dim(*target)) out.op = op;
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
        ok = code_.b().logical_and(
            ok, code_.b().cmpop(CmpOpKind::kEq, Prim::kI64, from[i].shape[d], to[i].shape[d]));
    }
    CheckNotes notes;
    notes.shape(short_text(*c.inner), shape);
    notes.say("`" + pretty(*c.type) + "` is asked for");
    message.insert(message.end(), shape.begin(), shape.end());
    message.emplace_back(std::string("] cannot match shape of type \""));
    message.insert(message.end(), text.begin(), text.end());
    message.emplace_back(std::string("\"."));
    notes.add_to(message);
    Tokens tokens = code_.check(ok, std::move(message));
    leaves[i] = code_.emit1(to[i], core::Reshape{std::get<Name>(leaves[i]), to[i].shape}, "coerced",
                            tokens);
  }
  return make_value(want, leaves);
}

ValuePtr Exps::assertion(const EAssert& a, const Env& env) {
  Operand cond = scalar(*a.cond, env);
  std::vector<MessagePart> message = {"Assertion is false: " + pretty(*a.cond)};
  CheckNotes notes;
  for (const Exp* e : variables_in(*a.cond)) {
    const EVar& var = std::get<EVar>(e->node);
    const ValuePtr v = names_.find(var.name, var.id, env);
    if (v->kind == Value::kDyn && v->rep->kind == Rep::kPrim) notes.value(*e, scalar_of(*v));
  }
  notes.add_to(message);
  Tokens tokens = code_.check(cond, std::move(message));
  if (tokens.empty()) return exp(*a.inner, env);
  Block inner = code_.open_block([&] { return exp(*a.inner, env); });
  std::unordered_set<Name> bound = bound_names(inner);
  for (auto& stmt : inner.stmts)
    if (!core::as<core::Assert>(stmt.exp)) stmt.tokens.push_back(tokens[0]);
  code_.splice(std::move(inner.stmts));
  RepPtr rep = rep_of(*inner.value);
  if (!is_first_order(*rep)) return inner.value;
  // What was there before gets a new name, whose statement waits for the check.
  std::vector<Operand> leaves = leaves_of(*inner.value);
  std::vector<core::Type> types = leaf_types(*rep);
  for (size_t i = 0; i < leaves.size(); ++i) {
    const Name* name = core::as_name(leaves[i]);
    if (!name || !bound.contains(*name))
      leaves[i] = code_.emit1(types[i], core::Value{leaves[i]}, "asserted", tokens);
  }
  return make_value(rep, leaves);
}

}  // namespace skald::futhark::elab
