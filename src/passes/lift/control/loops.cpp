// SPDX-License-Identifier: Apache-2.0
// Loops around parallel code, for a batch: a loop runs on the host as long as some instance goes
// on; its body is under a branch that holds back those that are done.
#include <algorithm>

#include "core/ir/visit.h"
#include "passes/lift/batch/instance_kernel.h"
#include "passes/lift/batch/kernels.h"
#include "passes/lift/batch/state.h"
#include "passes/lift/control/control.h"

namespace skald::passes::lift {

using namespace core;

static size_t position(const std::vector<Param>& params, Name name) {
  const auto at = std::ranges::find(params, name, &Param::name);
  return static_cast<size_t>(at - params.begin());
}

// True if some instance goes on.
static Name any_instance(Lifting& lifting, Batch& batch, const Operand& value) {
  const Type i64 = scalar_type(Prim::kI64), boolean = scalar_type(Prim::kBool);
  Kernel kernel;
  kernel.domain.dims = {batch.width};
  const Name s = lifting.prog.names.fresh("s");
  kernel.pull.params = {{s, i64}};
  kernel.pull.results = {{{}, boolean}};
  Builder body(lifting.prog);
  Point at{lifting, batch, body, s};
  const Operand here = at.bring(value);
  kernel.pull.body = body.finish({here});
  Sink sink{Sink::kReduce, 1};
  sink.op.push_back(combining(lifting.prog, BinOpKind::kOr, Prim::kBool, const_bool(false)));
  kernel.sinks.push_back(std::move(sink));
  return lifting.out->let1(boolean, std::move(kernel), "any");
}

// The most rounds that an instance wants.
static Operand most_rounds(Lifting& lifting, Batch& b, const Loop& loop) {
  const Prim prim = loop.var.type.elem;
  InstanceKernel kernel(lifting.prog, b.width, {});
  Point at{lifting, b, kernel.body, kernel.s};
  const Operand here = at.bring(loop.bound);
  kernel.combine(Sink::kReduce, combining(lifting.prog, BinOpKind::kMax, prim, const_int(prim, 0)),
                 here);
  return kernel.finish(*lifting.out, "longest")[0];
}

// if it goes on then body else what it has
static const Body& guarded_round(Lifting& lifting, const Stmt& stmt, const Loop& loop,
                                 const std::vector<Param>& params) {
  Builder code(lifting.prog);
  code.set_loc(stmt.loc);
  Operand goes_on = loop.cond;
  if (loop.form == Loop::kFor) {
    const Prim prim = loop.var.type.elem;
    goes_on = code.cmpop(CmpOpKind::kLt, prim, loop.var.name, loop.bound, "goes_on");
    lifting.facts.note_type(std::get<Name>(goes_on), scalar_type(Prim::kBool));
  }
  Substitution subst;
  for (const Param& p : params) subst.emplace(p.name, lifting.prog.names.fresh_like(p.name));
  std::vector<Param> pat;
  std::vector<Operand> kept, results;
  for (const Param& p : params) {
    Type type = p.type;
    substitute(type, subst);
    const Name name = std::get<Name>(subst.at(p.name));
    pat.push_back({name, type});
    lifting.facts.note(pat.back());
    if (type.kind == Type::kAcc)
      lifting.facts.accs().set_root(name, lifting.facts.accs().root_of(p.name));
    kept.emplace_back(p.name);
    results.emplace_back(name);
  }
  // The body is looked at, not moved: its names stay unique because lifting copies.
  If branch{goes_on, copy_with_fresh_names(loop.body, lifting.prog.names),
            Body({}, std::move(kept))};
  lifting.facts.note(branch.then_body);
  for (const Name name : analysis::consumed_names(branch.then_body, lifting.prog))
    lifting.consumed.insert(name);
  Stmt choice;
  choice.pat = std::move(pat);
  choice.exp = std::move(branch);
  choice.loc = stmt.loc;
  code.append(std::move(choice));
  return lifting.keep(code.finish(std::move(results)));
}

void lift_loop(Lifting& lifting, Batch& b, const Stmt& stmt, const Loop& loop) {
  // Initial values come first, so that a bound which is the same for all stays so.
  std::vector<Operand> needed;
  for (const LoopParam& p : loop.params) needed.push_back(p.init);
  if (loop.form == Loop::kFor) needed.push_back(loop.bound);
  if (!check_before(lifting, b, stmt, needed)) return lifting.refuse("a loop behind a check");
  std::vector<Param> params;
  std::vector<Operand> inits;
  std::vector<Type> types;
  for (const LoopParam& p : loop.params) {
    if (p.param.type.kind != Type::kArray && p.param.type.kind != Type::kAcc)
      return lifting.refuse("a loop carries a token");
    params.push_back({p.param.name, p.param.type});
    inits.push_back(p.init);
    types.push_back(p.param.type);
  }
  const auto host_bound =
      loop.form == Loop::kFor ? b.host_operand(loop.bound) : std::optional<Operand>();
  // The initial state.
  Batch child = same_instances(b);
  const std::vector<Form> forms = forms_of(child, params);
  const std::vector<Operand> start = state_values(lifting, b, inits, types, forms);
  const std::vector<Param> state = state_pattern(lifting, child, params, b.width);
  const std::vector<Name> names = names_of(state);
  bind_state(lifting, child, params, names);

  Loop outer;
  for (size_t k = 0; k < state.size(); ++k) outer.params.push_back({state[k], start[k]});
  const Body* body = &loop.body;
  if (loop.form == Loop::kWhile) {
    outer.form = Loop::kWhile;
    outer.cond = lifting.prog.names.fresh("some");
    const Name some = any_instance(lifting, b, inits[position(params, loop.cond)]);
    outer.params.push_back({{outer.cond, scalar_type(Prim::kBool)}, some});
  } else {
    outer.form = Loop::kFor;
    outer.var = {lifting.prog.names.fresh_like(loop.var.name), loop.var.type};
    Lifted counter;
    counter.host = outer.var.name;
    child.bind(loop.var.name, counter);
    lifting.facts.note_type(outer.var.name, loop.var.type);
    outer.bound = host_bound ? *host_bound : most_rounds(lifting, b, loop);
  }
  if (!host_bound) body = &guarded_round(lifting, stmt, loop, params);
  Builder code(lifting.prog);
  code.set_loc(stmt.loc);
  std::vector<Operand> next;
  {
    const WritesTo here(lifting, code);
    lifting.lift_body(child, *body);
    if (lifting.refused) return;
    next = state_values(lifting, child, body->result, types, forms);
    if (loop.form == Loop::kWhile)
      next.emplace_back(any_instance(lifting, child, body->result[position(params, loop.cond)]));
  }
  outer.body = code.finish(std::move(next));
  std::vector<Param> pattern = state_pattern(lifting, child, params, b.width);
  const std::vector<Name> bound = names_of(pattern);
  if (loop.form == Loop::kWhile)
    pattern.push_back({lifting.prog.names.fresh("some"), scalar_type(Prim::kBool)});
  lifting.out->let_pat(std::move(pattern), std::move(outer));
  bind_state(lifting, b, stmt.pat, bound);
}

}  // namespace skald::passes::lift
