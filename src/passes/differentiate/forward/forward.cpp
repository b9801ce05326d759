// SPDX-License-Identifier: Apache-2.0
#include "passes/differentiate/forward/forward.h"

#include "core/edit/plain.h"
#include "core/ir/visit.h"
#include "passes/differentiate/base/partials.h"

namespace skald::passes::ad {

void Forward::derive(Stmt stmt, Emit& out) {
  Jvp e = std::move(*as<Jvp>(stmt.exp));
  for (size_t k = 0; k < e.args.size(); ++k) {
    const Param& p = e.fn.params[k];
    out.bind(p.name, p.type, e.args[k]);
    if (active(p.name)) tangents_.insert_or_assign(p.name, out.coerce(e.tangents[k], p.type));
  }
  body(e.fn.body, out);
  const size_t n = e.fn.body.result.size();
  for (size_t k = 0; k < n; ++k) {
    const Operand& result = e.fn.body.result[k];
    const Operand derivative = tangent(result, out);
    out.bind(stmt.pat[k].name, stmt.pat[k].type, result);
    out.bind(stmt.pat[n + k].name, stmt.pat[n + k].type, derivative);
  }
}

void Forward::body(Body& body, Emit& out) {
  for (Stmt& s : body.stmts) stmt(std::move(s), out);
  body.stmts.clear();
}

Operand Forward::tangent(const Operand& operand, Emit& out) {
  if (const Name* name = as_name(operand)) {
    const auto found = tangents_.find(*name);
    if (found != tangents_.end()) return found->second;
  }
  return out.zero(session_.type_of(operand));
}

Param Forward::tangent_param(const Param& param) {
  Param p = param;
  p.name = session_.prog.names.fresh(fmt::format("{}_tan", session_.prog.names.base(param.name)));
  tangents_.insert_or_assign(param.name, p.name);
  session_.types.insert_or_assign(p.name, p.type);
  return p;
}

std::vector<Param> Forward::with_tangents(const std::vector<Param>& pat) {
  std::vector<Param> both = pat;
  for (size_t k = 0; k < pat.size(); ++k)
    if (!retype(both[k]) && active(pat[k].name)) both.push_back(tangent_param(pat[k]));
  return both;
}

void Forward::set(const Stmt& stmt, Exp exp, Emit& out) {
  const Param& p = stmt.pat[0];
  tangents_.insert_or_assign(p.name, out.let1(p.type, std::move(exp), "tan", stmt.tokens));
}

void Forward::stmt(Stmt stmt, Emit& out) {
  out.set_loc(stmt.loc);
  if (!activity_.any(stmt.pat)) return out.append(std::move(stmt));
  const Exp& exp = stmt.exp;
  if (as<If>(exp)) return branch(std::move(stmt), out);
  if (as<Loop>(exp)) return loop(std::move(stmt), out);
  if (const auto* e = as<Soac>(exp))
    return e->is_map() ? map(std::move(stmt), out) : fold(std::move(stmt), out);
  if (as<Hist>(exp)) return hist(std::move(stmt), out);
  if (as<Scatter>(exp)) return scatter(std::move(stmt), out);
  if (as<Partition>(exp)) return partition(std::move(stmt), out);
  if (as<FlatMap>(exp)) return flatmap(std::move(stmt), out);
  if (as<WithAcc>(exp)) return with_acc(std::move(stmt), out);
  if (as<UpdateAcc>(exp)) return update_acc(std::move(stmt), out);
  if (scalar(stmt, out) || array(stmt, out)) return;
  if (as<Call>(exp)) return call(std::move(stmt), out);
  session_.report(stmt.loc, "a derivative of this operation");
  out.append(std::move(stmt));
}

// y = f(a, b):  y' = ∂f/∂a a' + ∂f/∂b b'.
bool Forward::scalar(const Stmt& stmt, Emit& out) {
  const Exp& exp = stmt.exp;
  const Param& y = stmt.pat[0];
  if (const auto* e = as<Convert>(exp)) {
    out.append({stmt.pat, plain_copy(exp), stmt.tokens, stmt.hints, stmt.loc});
    set(stmt, Convert{e->from, e->to, tangent(e->arg, out)}, out);
    return true;
  }
  if (const auto* e = as<Bitcast>(exp)) {
    out.append({stmt.pat, plain_copy(exp), stmt.tokens, stmt.hints, stmt.loc});
    set(stmt, Bitcast{e->from, e->to, tangent(e->arg, out)}, out);
    return true;
  }
  if (const auto* e = as<Select>(exp)) {
    const Operand a = tangent(e->then, out), b = tangent(e->otherwise, out);
    out.append({stmt.pat, plain_copy(exp), stmt.tokens, stmt.hints, stmt.loc});
    set(stmt, Select{e->cond, a, b}, out);
    return true;
  }
  const std::vector<Operand> operands = data_operands(exp);
  if (operands.empty()) return false;
  out.append({stmt.pat, plain_copy(exp), stmt.tokens, stmt.hints, stmt.loc});
  const auto slopes = partials(out, exp, y.name);
  if (!slopes) {
    session_.report(stmt.loc, "a derivative of this function");
    return true;
  }
  std::optional<Operand> sum;
  for (size_t k = 0; k < operands.size(); ++k) {
    if (!active(operands[k]) || (*slopes)[k].kind == Partial::kZero) continue;
    const Operand term = scaled(out, (*slopes)[k], tangent(operands[k], out), y.type.elem);
    sum = sum ? out.add(*sum, term, y.type) : term;
  }
  tangents_.insert_or_assign(y.name, sum ? *sum : out.zero(y.type));
  return true;
}

// Operations that only move elements do the same to tangents.
bool Forward::array(Stmt& stmt, Emit& out) {
  const auto name_of = [&](Name array) { return std::get<Name>(tangent(array, out)); };
  Exp exp = plain_copy(stmt.exp);
  if (auto* e = as<Value>(exp)) {
    e->arg = tangent(e->arg, out);
  } else if (auto* e = as<Opaque>(exp)) {
    e->arg = tangent(e->arg, out);
  } else if (auto* e = as<Index>(exp)) {
    e->array = name_of(e->array);
  } else if (auto* e = as<Update>(exp)) {
    e->array = name_of(e->array);
    e->value = tangent(e->value, out);
  } else if (auto* e = as<FlatIndex>(exp)) {
    e->array = name_of(e->array);
  } else if (auto* e = as<FlatUpdate>(exp)) {
    e->array = name_of(e->array);
    e->value = name_of(e->value);
  } else if (auto* e = as<Concat>(exp)) {
    for (Name& part : e->arrays) part = name_of(part);
  } else if (auto* e = as<ArrayLit>(exp)) {
    for (Operand& elem : e->elems) elem = tangent(elem, out);
  } else if (auto* e = as<Iota>(exp)) {
    e->start = tangent(e->start, out);
    e->step = tangent(e->step, out);
  } else if (auto* e = as<Replicate>(exp)) {
    e->value = tangent(e->value, out);
  } else if (auto* e = as<Reshape>(exp)) {
    e->array = name_of(e->array);
  } else if (auto* e = as<Rearrange>(exp)) {
    e->array = name_of(e->array);
  } else if (auto* e = as<Copy>(exp)) {
    e->array = name_of(e->array);
  } else {
    return false;
  }
  const Param y = stmt.pat[0];
  const std::vector<Name> tokens = stmt.tokens;
  Stmt again{.pat = {y}, .exp = Value{y.name}, .tokens = tokens, .loc = stmt.loc};
  out.append(std::move(stmt));
  set(again, std::move(exp), out);
  return true;
}

}  // namespace skald::passes::ad
