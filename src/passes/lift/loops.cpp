// SPDX-License-Identifier: Apache-2.0
// Loops around parallel code, for a batch: a loop runs on the host as long as some instance goes
// on; its body is under a branch that holds back those that are done.
#include "core/ir/visit.h"
#include "passes/lift/instance_kernel.h"
#include "passes/lift/lift.h"

namespace skald::passes {

using namespace core;

// True if some instance goes on.
Name Lifter::any_instance(Batch& batch, const Operand& value) {
  const Type i64 = scalar_type(Prim::kI64), boolean = scalar_type(Prim::kBool);
  Kernel kernel;
  kernel.domain.dims = {batch.width};
  const Name s = prog_.names.fresh("s");
  kernel.pull.params = {{s, i64}};
  kernel.pull.results = {{{}, boolean}};
  Builder body(prog_);
  Point at{batch, body, s};
  const Operand here = bring(at, value);
  kernel.pull.body = body.finish({here});
  Sink sink{Sink::kReduce, 1};
  sink.op.push_back(combining(BinOpKind::kOr, Prim::kBool, const_bool(false)));
  kernel.sinks.push_back(std::move(sink));
  return out_->let1(boolean, std::move(kernel), "any");
}

// The most rounds that an instance wants.
Operand Lifter::most_rounds(Batch& b, const Loop& loop) {
  const Prim prim = loop.var.type.elem;
  InstanceKernel kernel(prog_, b.width, {});
  Point at{b, kernel.body, kernel.s};
  const Operand here = bring(at, loop.bound);
  kernel.combine(Sink::kReduce, combining(BinOpKind::kMax, prim, const_int(prim, 0)), here);
  return kernel.finish(*out_, "longest")[0];
}

// if it goes on then body else what it has
const Body& Lifter::guarded_round(const Stmt& stmt, const Loop& loop,
                                  const std::vector<Param>& params) {
  Builder code(prog_);
  code.set_loc(stmt.loc);
  Operand goes_on = loop.cond;
  if (loop.form == Loop::kFor) {
    const Prim prim = loop.var.type.elem;
    goes_on = code.cmpop(CmpOpKind::kLt, prim, loop.var.name, loop.bound, "goes_on");
    types_.insert_or_assign(std::get<Name>(goes_on), scalar_type(Prim::kBool));
  }
  Substitution subst;
  for (const Param& p : params) subst.emplace(p.name, prog_.names.fresh_like(p.name));
  std::vector<Param> pat;
  std::vector<Operand> kept, results;
  for (const Param& p : params) {
    Type type = p.type;
    substitute(type, subst);
    const Name name = std::get<Name>(subst.at(p.name));
    pat.push_back({name, type});
    note(pat.back());
    if (type.kind == Type::kAcc) roots_.insert_or_assign(name, root_of(p.name));
    kept.emplace_back(p.name);
    results.emplace_back(name);
  }
  // The body is looked at, not moved: its names stay unique because lifting copies.
  If branch{goes_on, copy_with_fresh_names(loop.body, prog_.names), Body({}, std::move(kept))};
  note(branch.then_body);
  for (const Name name : analysis::consumed_names(branch.then_body, prog_)) consumed_.insert(name);
  Stmt choice;
  choice.pat = std::move(pat);
  choice.exp = std::move(branch);
  choice.loc = stmt.loc;
  code.append(std::move(choice));
  // Statements that lifting refers to must stay where they are.
  synthetic_.push_back({{}, If{const_bool(true), code.finish(std::move(results)), {}}});
  return as<If>(synthetic_.back().exp)->then_body;
}

void Lifter::lift_loop(Batch& b, const Stmt& stmt, const Loop& loop) {
  // Initial values come first, so that a bound which is the same for all stays so.
  std::vector<Operand> needed;
  for (const LoopParam& p : loop.params) needed.push_back(p.init);
  if (loop.form == Loop::kFor) needed.push_back(loop.bound);
  if (!check_before(b, stmt, needed)) return refuse("a loop behind a check");
  std::vector<Param> params;
  std::vector<Operand> inits;
  std::vector<Type> types;
  for (const LoopParam& p : loop.params) {
    if (p.param.type.kind != Type::kArray && p.param.type.kind != Type::kAcc)
      return refuse("a loop carries a token");
    params.push_back({p.param.name, p.param.type});
    inits.push_back(p.init);
    types.push_back(p.param.type);
  }
  const auto host_bound =
      loop.form == Loop::kFor ? host_operand(b, loop.bound) : std::optional<Operand>();
  // The initial state.
  Batch child;
  child.width = b.width;
  child.parent = &b;
  child.depth = b.depth;
  const std::vector<Form> forms = forms_of(child, params);
  const std::vector<Operand> start = state_values(b, inits, types, forms);
  const std::vector<Param> state = state_pattern(child, params, b.width);
  std::vector<Name> names;
  for (const Param& p : state) names.push_back(p.name);
  bind_state(child, params, names);

  Loop outer;
  for (size_t k = 0; k < state.size(); ++k) outer.params.push_back({state[k], start[k]});
  const Body* body = &loop.body;
  if (loop.form == Loop::kWhile) {
    outer.form = Loop::kWhile;
    outer.cond = prog_.names.fresh("some");
    outer.params.push_back(
        {{outer.cond, scalar_type(Prim::kBool)},
         any_instance(b, inits[static_cast<size_t>(
                             std::find_if(params.begin(), params.end(),
                                          [&](const Param& p) { return p.name == loop.cond; }) -
                             params.begin())])});
  } else {
    outer.form = Loop::kFor;
    outer.var = {prog_.names.fresh_like(loop.var.name), loop.var.type};
    Lifted counter;
    counter.host = outer.var.name;
    child.values.insert_or_assign(loop.var.name, counter);
    types_.insert_or_assign(outer.var.name, loop.var.type);
    outer.bound = host_bound ? *host_bound : most_rounds(b, loop);
  }
  if (!host_bound) body = &guarded_round(stmt, loop, params);
  Builder code(prog_);
  code.set_loc(stmt.loc);
  Builder* const before = out_;
  out_ = &code;
  lift_body(child, *body);
  if (refused_) {
    out_ = before;
    return;
  }
  std::vector<Operand> next = state_values(child, body->result, types, forms);
  if (loop.form == Loop::kWhile) {
    const auto at =
        static_cast<size_t>(std::find_if(params.begin(), params.end(),
                                         [&](const Param& p) { return p.name == loop.cond; }) -
                            params.begin());
    next.emplace_back(any_instance(child, body->result[at]));
  }
  out_ = before;
  outer.body = code.finish(std::move(next));
  std::vector<Param> pattern = state_pattern(child, params, b.width);
  std::vector<Name> bound;
  for (const Param& p : pattern) bound.push_back(p.name);
  if (loop.form == Loop::kWhile)
    pattern.push_back({prog_.names.fresh("some"), scalar_type(Prim::kBool)});
  out_->let_pat(std::move(pattern), std::move(outer));
  bind_state(b, stmt.pat, bound);
}

}  // namespace skald::passes
