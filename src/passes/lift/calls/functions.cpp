// SPDX-License-Identifier: Apache-2.0
// The code of lifted functions: for a whole batch, or by threads.
#include <algorithm>

#include "core/ir/visit.h"
#include "passes/lift/accumulators/accumulators.h"
#include "passes/lift/batch/state.h"
#include "passes/lift/calls/cut_over.h"
#include "passes/lift/calls/lifted_functions.h"
#include "passes/lift/calls/threads.h"

namespace skald::passes::lift {

using namespace core;

std::vector<Param> result_params(Lifting& lifting, const Function& fn) {
  std::vector<Param> params;
  Substitution subst;
  for (const Ret& ret : fn.results) {
    const Name name = lifting.prog.names.fresh("result");
    if (ret.name) subst.emplace(ret.name, name);
    params.push_back({name, ret.type});
  }
  for (Param& p : params) {
    substitute(p.type, subst);
    lifting.facts.note(p);
  }
  return params;
}

namespace {

// Larger functions are not lifted.
constexpr size_t kMaxStatements = 1000;

template <class T>
bool is_acc(const T& p) {
  return p.type.kind == Type::kAcc;
}

bool takes_acc(const Function& fn) {
  return std::ranges::any_of(fn.params, [](const Param& p) { return is_acc(p); });
}

// The accumulator that a function takes after so many others.
Name root_of_param(const Function& fn, size_t before) {
  for (const Param& p : fn.params)
    if (p.type.kind == Type::kAcc && before-- == 0) return p.name;
  return {};
}

}  // namespace

// Two versions, of which one is chosen when the program runs: for the whole batch, or a thread for
// each call.
static Body batch_or_threads(Lifting& lifting, Batch& b, const Function& fn, const Body& source,
                             const std::vector<Param>& results, const std::vector<Form>& forms,
                             const std::vector<Param>& pattern) {
  Builder code(lifting.prog);
  code.set_loc(lifting.loc);
  const WritesTo here(lifting, code);
  const Operand small = cut_over(lifting, b, fn);
  Batch by_threads = same_instances(b), by_batch = same_instances(b);
  Body threads = in_threads(lifting, by_threads, fn, result_params(lifting, fn), forms);
  Body batch = lifted_state(lifting, by_batch, source, types_of(results), forms);
  Substitution subst;
  std::vector<Param> chosen;
  for (const Param& p : pattern) {
    Type type = p.type;
    substitute(type, subst);
    chosen.push_back({lifting.prog.names.fresh_like(p.name), type});
    subst.emplace(p.name, chosen.back().name);
  }
  std::vector<Operand> values;
  for (const Param& p : chosen) values.emplace_back(p.name);
  if (!lifting.refused)
    code.let_pat(std::move(chosen), If{small, std::move(threads), std::move(batch)});
  return code.finish(std::move(values));
}

// On a device the last levels of a recursion cost less than asking before each level whether they
// have come, unless there are many of them.
bool LiftedFunctions::is_cut_over(const Function& fn) const {
  return !lifting_.ctx.device().own_space || !lifting_.facts.calls_run_together(fn.name);
}

// `source`: the body of the function, with writes that can run in parallel.
Function LiftedFunctions::lifted(const Function& fn, const Body& source) {
  AccRoots& roots = lifting_.facts.accs();
  Function lifted;
  lifted.name = lifted_name(fn.name);
  lifted.loc = fn.loc;
  Batch b;
  const Name width = lifting_.prog.names.fresh("width");
  b.width = width;
  lifted.params.push_back({width, scalar_type(Prim::kI64)});
  forms_of(b, fn.params);
  const std::vector<Param> params = state_pattern(lifting_, b, fn.params, b.width);
  for (const Param& p : params) {
    lifted.params.push_back(p);
    if (is_acc(p))
      lifting_.accs.emplace(root_of_param(fn, lifting_.accs.size()), HostAcc{p.name, p.type});
  }
  bind_state(lifting_, b, fn.params, names_of(params));
  const std::vector<Param> results = result_params(lifting_, fn);
  for (size_t k = 0; k < results.size(); ++k)
    if (is_acc(results[k])) roots.set_root(results[k].name, roots.root_of(source.result[k]));
  // One call after another would be as many launches as there are calls.
  if (lifting_.facts.is_tree_recursive(fn.name))
    for (const Param& p : fn.params)
      if (is_acc(p) && !roots.combines(p.name))
        lifting_.refuse("the writes of several calls of a function must stay in order");
  Batch frame = same_instances(b);
  const std::vector<Form> forms = forms_of(frame, results);
  const std::vector<Param> pattern = state_pattern(lifting_, frame, results, b.width);
  for (const Param& p : pattern)
    lifted.results.push_back({p.type.is_scalar() ? p.name : Name{}, p.type});
  if (lifting_.refused) return lifted;
  if (!lifting_.facts.is_parallel(fn.name)) {
    Batch instances = same_instances(b);
    lifted.body = in_threads(lifting_, instances, fn, result_params(lifting_, fn), forms);
  } else if (lifting_.facts.is_recursive(fn.name) && !takes_acc(fn) && is_cut_over(fn)) {
    lifted.body = batch_or_threads(lifting_, b, fn, source, results, forms, pattern);
  } else {
    Batch instances = same_instances(b);
    lifted.body = lifted_state(lifting_, instances, source, types_of(results), forms);
  }
  return lifted;
}

bool LiftedFunctions::make(const std::string& name) {
  if (const auto known = states_.find(name); known != states_.end())
    return known->second != State::kFailed;
  states_[name] = State::kActive;
  const Function& fn = lifting_.facts.original(name);
  const auto is_plain = [](const auto& p) { return p.type.kind == Type::kArray || is_acc(p); };
  if (!std::ranges::all_of(fn.params, is_plain) || !std::ranges::all_of(fn.results, is_plain) ||
      statement_count(fn.body) > kMaxStatements) {
    states_[name] = State::kFailed;
    return false;
  }
  lifting_.statements += statement_count(fn.body);
  // The function sees nothing of the code that calls it.
  const Loc loc = std::exchange(lifting_.loc, fn.loc);
  Names consumed = std::move(lifting_.consumed);
  const bool refused = std::exchange(lifting_.refused, false);
  const Body& source = takes_acc(fn) ? straightened(lifting_, fn.body) : fn.body;
  lifting_.consumed = analysis::consumed_names(source, lifting_.prog);
  HostAccs accs = std::exchange(lifting_.accs, {});
  Function made = lifted(fn, source);
  const bool ok = !lifting_.refused;
  lifting_.loc = loc;
  lifting_.consumed = std::move(consumed);
  lifting_.accs = std::move(accs);
  lifting_.refused = refused;
  states_[name] = ok ? State::kDone : State::kFailed;
  if (ok) made_.push_back(std::move(made));
  return ok;
}

}  // namespace skald::passes::lift
