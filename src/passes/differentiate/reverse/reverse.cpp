// SPDX-License-Identifier: Apache-2.0
#include "passes/differentiate/reverse/reverse.h"

#include <algorithm>

#include "core/edit/plain.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/differentiate/base/partials.h"
#include "passes/differentiate/reverse/keep_alive.h"

namespace skald::passes::ad {

void Reverse::derive(Stmt stmt, Emit& out) {
  Vjp e = std::move(*as<Vjp>(stmt.exp));
  for (size_t k = 0; k < e.args.size(); ++k)
    out.bind(e.fn.params[k].name, e.fn.params[k].type, e.args[k]);
  const std::vector<Operand> results = e.fn.body.result;
  run(e.fn.body, [&](Emit&) { return Seeds(e.cotangents.begin(), e.cotangents.end()); }, out);
  const size_t n = results.size();
  for (size_t k = 0; k < n; ++k) out.bind(stmt.pat[k].name, stmt.pat[k].type, results[k]);
  for (size_t k = 0; k < e.args.size(); ++k) {
    const Param& p = stmt.pat[n + k];
    out.bind(p.name, p.type, seed(e.fn.params[k].name, out));
  }
}

void Reverse::run(Body& body, const SeedsOf& seeds, Emit& out, Own own) {
  std::vector<Step> steps;
  for (Stmt& stmt : body.stmts) steps.push_back(forward(std::move(stmt), out));
  body.stmts.clear();
  const Seeds given = seeds(out);
  for (size_t k = 0; k < given.size(); ++k)
    if (given[k]) add(body.result[k], *given[k], out, own);
  for (size_t k = steps.size(); k-- > 0;) backward(std::move(steps[k]), out);
}

Step Reverse::forward(Stmt stmt, Emit& out) {
  out.set_loc(stmt.loc);
  Step step;
  // The rule looks up where the values would go.
  if (as<UpdateAcc>(stmt.exp) != nullptr) {
    step.stmt = std::move(stmt);
    return step;
  }
  const auto kept = stmt.pat.empty() ? products_.end() : products_.find(stmt.pat[0].name);
  if (kept != products_.end()) {
    const KeptProduct& product = *kept->second;
    out.bind(stmt.pat[0].name, stmt.pat[0].type, out.row(product.tape, product.round));
    step.stmt = std::move(stmt);
    return step;
  }
  if (const auto there = stmt.pat.empty() ? kept_.end() : kept_.find(stmt.pat[0].name);
      there != kept_.end()) {
    out.bind(stmt.pat[0].name, stmt.pat[0].type, there->second);
    step.stmt = std::move(stmt);
    return step;
  }
  Stmt primal = copy_with_fresh_names(stmt, session_.prog.names, step.copied);
  primal.pat = stmt.pat;
  session_.learn(primal);
  if (auto* e = as<WithVjp>(primal.exp)) {
    keep_alive_inside(session_, e->fn.body);
    Body body = open_lambda(out, std::move(e->fn), e->args);
    for (Stmt& s : body.stmts) out.append(std::move(s));
    for (size_t k = 0; k < stmt.pat.size(); ++k)
      out.bind(stmt.pat[k].name, stmt.pat[k].type, body.result[k]);
    step.stmt = std::move(stmt);
    return step;
  }
  strip_accumulators(session_, primal);
  auto* loop = as<Loop>(primal.exp);
  const bool counted = loop != nullptr && activity_.any(stmt.pat);
  if (counted && loop->form == Loop::kFor) {
    const Prim type = loop->var.type.elem;
    const Operand bound = out.convert(type, Prim::kI64, loop->bound);
    step.rounds = out.bin(BinOpKind::kMax, Prim::kI64, bound, const_i64(0));
  } else if (counted) {
    // One more parameter counts the rounds.
    const Type number = scalar_type(Prim::kI64);
    const Name count = out.fresh("count"), rounds = out.fresh("rounds");
    Emit more(session_, stmt.loc);
    for (Stmt& s : loop->body.stmts) more.append(std::move(s));
    session_.types.insert_or_assign(count, number);
    std::vector<Operand> results = loop->body.result;
    results.push_back(more.bin(BinOpKind::kAdd, Prim::kI64, count, const_i64(1)));
    loop->body = more.b().finish(std::move(results));
    loop->params.push_back({.param = {.name = count, .type = number}, .init = const_i64(0)});
    primal.pat.push_back({.name = rounds, .type = number});
    step.rounds = rounds;
  }
  if (const auto* e = as<If>(stmt.exp); e != nullptr && activity_.any(stmt.pat))
    keep_costly(session_, *e, primal, step, out);
  keep_alive(primal, out);
  step.at = out.b().stmts().size();
  if (!primal.pat.empty()) out.append(std::move(primal));
  step.stmt = std::move(stmt);
  return step;
}

void Reverse::backward(Step step, Emit& out) {
  Stmt& stmt = step.stmt;
  const bool wanted = std::ranges::any_of(stmt.pat, [&](const Param& p) {
    return adjoints_.contains(p.name) || acc_sources_.contains(p.name);
  });
  if (!wanted) return;
  out.set_loc(stmt.loc);
  Exp& exp = stmt.exp;
  if (const auto kept = products_.find(stmt.pat[0].name);
      kept != products_.end() && kept->second->is_summed_later) {
    // What comes from the round gets its cotangent here; ȳ is stored for the rest.
    KeptProduct& product = *kept->second;
    const Operand bar = *find(product.value);
    product.bars = out.let1(session_.type_of(product.bars),
                            Update{product.bars, {at_index(product.round)}, bar}, "bars");
    product.is_stored = true;
    left_out_.assign(product.outer.begin(), product.outer.end());
    map(stmt, *as<Soac>(exp), out);
    return left_out_.clear();
  }
  if (auto* e = as<If>(exp)) return branch(step, *e, out);
  if (auto* e = as<Loop>(exp)) return loop(step, *e, out);
  if (auto* e = as<Soac>(exp)) {
    if (e->is_map()) return map(stmt, *e, out);
    return e->scans.empty() ? reduce(stmt, *e, out) : scan(stmt, *e, out);
  }
  if (auto* e = as<Hist>(exp)) return hist(stmt, *e, out);
  if (auto* e = as<Scatter>(exp)) return scatter(stmt, *e, out);
  if (auto* e = as<Partition>(exp)) return partition(stmt, *e, out);
  if (auto* e = as<FlatMap>(exp)) return flatmap(stmt, *e, out);
  if (auto* e = as<WithAcc>(exp)) return with_acc(stmt, *e, out);
  if (auto* e = as<UpdateAcc>(exp)) return update_acc(stmt, *e, out);
  if (auto* e = as<WithVjp>(exp)) return custom(stmt, *e, out);
  if (scalar(stmt, out) || array(stmt, out)) return;
  if (const auto* e = as<Call>(exp)) return call(stmt, *e, out);
  session_.report(stmt.loc, "a derivative of this operation");
}

// y = f(a, b):  ā += ∂f/∂a ȳ,  b̄ += ∂f/∂b ȳ.
bool Reverse::scalar(const Stmt& stmt, Emit& out) {
  const Param& y = stmt.pat[0];
  if (const auto* e = as<Convert>(stmt.exp)) {
    add(e->arg, out.convert(e->to, e->from, *find(y.name)), out);
    return true;
  }
  if (const auto* e = as<Bitcast>(stmt.exp)) {
    const Type type = scalar_type(e->from);
    add(e->arg, out.let1(type, Bitcast{e->to, e->from, *find(y.name)}, "bar"), out);
    return true;
  }
  if (const auto* e = as<Select>(stmt.exp)) {
    const Operand bar = *find(y.name), none = Const{y.type.elem, 0};
    if (active(e->then)) add(e->then, out.select(e->cond, bar, none), out);
    if (active(e->otherwise)) add(e->otherwise, out.select(e->cond, none, bar), out);
    return true;
  }
  const std::vector<Operand> operands = data_operands(stmt.exp);
  if (operands.empty()) return false;
  const auto slopes = partials(out, stmt.exp, y.name);
  if (!slopes) {
    session_.report(stmt.loc, "a derivative of this function");
    return true;
  }
  const Operand bar = *find(y.name);
  for (size_t k = 0; k < operands.size(); ++k)
    if (active(operands[k]) && (*slopes)[k].kind != Partial::kZero)
      add(operands[k], scaled(out, (*slopes)[k], bar, y.type.elem), out);
  return true;
}

std::vector<Operand> Reverse::pull_back(const Lambda& fn, const std::vector<Operand>& args,
                                        const Seeds& seeds, Emit& out) {
  Lambda copy = fresh_lambda(session_, fn);
  const std::vector<Param> params = copy.params;
  // Components without derivatives stay without.
  const bool known = activity_.any(fn.params);
  for (size_t k = 0; k < params.size(); ++k)
    if (!known || active(fn.params[k].name)) activity_.mark(params[k].name);
  // Arguments are bound by statements without a rule, so contributions stop at the parameters.
  Body body = open_lambda(out, std::move(copy), args);
  activity_.spread(body);
  run(body, [&](Emit&) { return seeds; }, out);
  std::vector<Operand> bars;
  bars.reserve(params.size());
  for (const Param& p : params) bars.push_back(seed(p.name, out));
  return bars;
}

// x̄ += rule(y, ȳ)
void Reverse::custom(Stmt& stmt, WithVjp& e, Emit& out) {
  std::vector<Operand> args;
  for (const Param& p : stmt.pat) args.emplace_back(p.name);
  for (const Param& p : stmt.pat) args.push_back(seed(p.name, out));
  keep_alive_inside(session_, e.rule.body);
  Body body = open_lambda(out, std::move(e.rule), args);
  for (Stmt& s : body.stmts) out.append(std::move(s));
  for (size_t k = 0; k < e.args.size(); ++k) add(e.args[k], body.result[k], out);
}

}  // namespace skald::passes::ad
