// SPDX-License-Identifier: Apache-2.0
// Lifted functions: f on one instance becomes f_lifted on a batch.
//
//   def qs xs = if length xs <= 1 then xs       def qs_lifted (w, starts, data) =
//               else qs lo ++ eq ++ qs hi         …
//                                                 qs_lifted (2 * w', starts of lo and hi, …)
//                                                 …
//
// Calls of one function that do not need each other's results are one call on a batch that is
// several times as wide, so a recursion costs a few launches per level, not per call.  Where a
// thread can run a recursive function, a batch of many small instances is handed to one kernel
// with a thread for each (cut_over.cpp).
#include <fmt/format.h>

#include <algorithm>

#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/lift/lift.h"

namespace skald::passes {

using namespace core;

// The results as parameters; unnamed ones get names.
std::vector<Param> Lifter::result_params(const Function& fn) {
  std::vector<Param> params;
  Substitution subst;
  for (const Ret& ret : fn.results) {
    const Name name = prog_.names.fresh("result");
    if (ret.name) subst.emplace(ret.name, name);
    params.push_back({name, ret.type});
  }
  for (Param& p : params) {
    substitute(p.type, subst);
    note(p);
  }
  return params;
}

namespace {

// The accumulator that a function takes after so many others.
Name root_of_param(const Function& fn, size_t before) {
  for (const Param& p : fn.params)
    if (p.type.kind == Type::kAcc && before-- == 0) return p.name;
  return {};
}

}  // namespace

// The code of a lifted function: for the whole batch, or, if `by_threads`, also one in which a
// thread runs each call.
Body Lifter::lifted_body(Batch& b, const Function& fn, const Body& source,
                         const std::vector<Param>& results, const std::vector<Form>& forms,
                         const std::vector<Param>& pattern, bool by_threads) {
  std::vector<Type> types;
  for (const Param& p : results) types.push_back(p.type);
  Builder code(prog_);
  code.set_loc(loc_);
  out_ = &code;
  Batch child;
  child.width = b.width;
  child.parent = &b;
  std::vector<Operand> values;
  if (!by_threads) {
    lift_body(child, source);
    if (!refused_) values = state_values(child, source.result, types, forms);
    return code.finish(std::move(values));
  }
  const Operand small = cut_over(b, fn);
  Batch other;
  other.width = b.width;
  other.parent = &b;
  Body threads = sequential_version(other, fn, forms);
  Body batch = side(child, source, types, forms);
  Substitution subst;
  std::vector<Param> chosen;
  for (const Param& p : pattern) {
    Type type = p.type;
    substitute(type, subst);
    chosen.push_back({prog_.names.fresh_like(p.name), type});
    subst.emplace(p.name, chosen.back().name);
  }
  for (const Param& p : chosen) values.emplace_back(p.name);
  if (!refused_) code.let_pat(std::move(chosen), If{small, std::move(threads), std::move(batch)});
  return code.finish(std::move(values));
}

bool Lifter::make_function(const std::string& name) {
  if (const auto known = functions_.find(name); known != functions_.end())
    return known->second != State::kFailed;
  functions_[name] = State::kActive;
  const Function& fn = originals_.at(name);
  const auto is_acc = [](const auto& p) { return p.type.kind == Type::kAcc; };
  const auto is_plain = [&](const auto& p) { return p.type.kind == Type::kArray || is_acc(p); };
  const bool accumulates = std::ranges::any_of(fn.params, is_acc);
  if (!std::ranges::all_of(fn.params, is_plain) || !std::ranges::all_of(fn.results, is_plain) ||
      statement_count(fn.body) > 1000) {
    functions_[name] = State::kFailed;
    return false;
  }
  lifted_ += statement_count(fn.body);
  Builder* const before = out_;
  const Loc loc = loc_;
  Names consumed = std::move(consumed_);
  const bool refused = refused_;
  refused_ = false;
  loc_ = fn.loc;
  const Body* const source = accumulates ? &straightened(fn.body) : &fn.body;
  consumed_ = analysis::consumed_names(*source, prog_);
  std::unordered_map<Name, HostAcc> accs = std::move(accs_);
  accs_.clear();

  Function lifted;
  lifted.name = lifted_name(name);
  lifted.loc = fn.loc;
  const Type i64 = scalar_type(Prim::kI64);
  Batch b;
  const Name width = prog_.names.fresh("width");
  b.width = width;
  lifted.params.push_back({width, i64});
  forms_of(b, fn.params);
  std::vector<Name> names;
  for (const Param& p : state_pattern(b, fn.params, b.width)) {
    lifted.params.push_back(p);
    names.push_back(p.name);
    if (is_acc(p)) accs_.emplace(root_of_param(fn, accs_.size()), HostAcc{p.name, p.type});
  }
  bind_state(b, fn.params, names);
  const std::vector<Param> results = result_params(fn);
  for (size_t k = 0; k < results.size(); ++k)
    if (is_acc(results[k])) roots_.insert_or_assign(results[k].name, root_of(source->result[k]));
  // One call after another would be as many launches as there are calls.
  if (tree_recursive_.contains(name))
    for (const Param& p : fn.params)
      if (is_acc(p) && !combines(p.name))
        refuse("the writes of several calls of a function must stay in order");
  Batch frame;
  frame.width = b.width;
  frame.parent = &b;
  const std::vector<Form> forms = forms_of(frame, results);
  const std::vector<Param> pattern = state_pattern(frame, results, b.width);
  for (const Param& p : pattern)
    lifted.results.push_back({p.type.is_scalar() ? p.name : Name{}, p.type});

  const bool by_threads =
      ctx_.device().recursion_in_kernels && recursive_.contains(name) && !accumulates;
  if (!refused_) lifted.body = lifted_body(b, fn, *source, results, forms, pattern, by_threads);
  const bool ok = !refused_;
  out_ = before;
  loc_ = loc;
  consumed_ = std::move(consumed);
  accs_ = std::move(accs);
  refused_ = refused;
  functions_[name] = ok ? State::kDone : State::kFailed;
  if (ok) made_.push_back(std::move(lifted));
  return ok;
}

}  // namespace skald::passes
