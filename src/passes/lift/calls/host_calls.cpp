// SPDX-License-Identifier: Apache-2.0
// Calls from the host: a batch of one instance.
//
//   before   let {ys} = call qs(n, xs)      after   a batch of one call of qs_lifted
#include <algorithm>

#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/lift/batch/state.h"
#include "passes/lift/calls/cut_over.h"
#include "passes/lift/calls/lifted_functions.h"

namespace skald::passes::lift {

using namespace core;

// A call as a batch of one instance; gives its results.
std::vector<Operand> LiftedFunctions::batch_of_one(Builder& out, const Stmt& stmt) {
  const Call& call = *as<Call>(stmt.exp);
  const Function& fn = lifting_.facts.original(call.fn);
  const Type i64 = scalar_type(Prim::kI64);
  out.set_loc(stmt.loc);
  Substitution subst;
  for (size_t k = 0; k < fn.params.size(); ++k) subst.emplace(fn.params[k].name, call.args[k]);
  Batch frame;
  const std::vector<Form> forms = forms_of(frame, fn.params);
  const Operand one = const_i64(1);
  std::vector<Operand> args = {one};
  for (size_t k = 0; k < fn.params.size(); ++k) {
    Type type = fn.params[k].type;
    substitute(type, subst);
    if (forms[k] == Form::kHost) {
      args.push_back(call.args[k]);
      if (type.is_scalar()) frame.values.at(fn.params[k].name).host = call.args[k];
      continue;
    }
    if (forms[k] == Form::kRegular) {
      const Type rows = array_of(one, type);
      if (type.is_scalar())
        args.emplace_back(out.let1(rows, Replicate{{one}, call.args[k]}, "batch"));
      else
        args.emplace_back(
            out.let1(rows, Reshape{std::get<Name>(call.args[k]), rows.shape}, "batch"));
      continue;
    }
    Operand total = type.shape[0];
    Name data = std::get<Name>(call.args[k]);
    if (forms[k] == Form::kFlatSegments) {
      for (size_t d = 1; d < type.shape.size(); ++d) total = out.size_mul(total, type.shape[d]);
      if (type.rank() > 1)
        data = out.let1(array_of(total, scalar_type(type.elem)), Reshape{data, {total}}, "data");
    }
    args.push_back(total);
    args.emplace_back(out.let1(array_of(one, i64), Replicate{{one}, const_i64(0)}, "starts"));
    args.emplace_back(data);
  }
  const std::vector<Param> results = result_params(lifting_, fn);
  const std::vector<Form> result_forms = forms_of(frame, results);
  const std::vector<Param> pattern = state_pattern(lifting_, frame, results, one);
  out.let_pat(pattern, Call{lifted_name(call.fn), std::move(args)});
  size_t at = 0;
  const DimSlice first{true, const_i64(0)};
  std::vector<Operand> values;
  Substitution sizes;  // of the results, by the names that the statement binds
  for (size_t k = 0; k < results.size(); ++k) {
    const Param& p = stmt.pat[k];
    Type type = p.type;
    substitute(type, sizes);
    if (result_forms[k] == Form::kHost) {
      values.emplace_back(pattern[at++].name);
      continue;
    }
    if (result_forms[k] == Form::kRegular) {
      Name value = out.let1(type, Index{pattern[at++].name, {first}}, "result");
      if (type.is_array()) value = out.let1(type, Copy{value}, "result");
      values.emplace_back(value);
      sizes.emplace(p.name, value);
      continue;
    }
    const Name start = out.let1(i64, Index{pattern[at + 1].name, {first}}, "start");
    const Name data = pattern[at + 2].name;
    Name view;
    if (result_forms[k] == Form::kSegments || type.rank() == 1) {
      view = out.let1(type, Index{data, {DimSlice{false, start, type.shape[0]}}}, "result");
    } else {
      FlatIndex flat{data, start, {}};
      Operand stride = const_i64(1);
      for (size_t d = type.shape.size(); d-- > 0;) {
        flat.dims.insert(flat.dims.begin(), {type.shape[d], stride});
        if (d > 0) stride = out.size_mul(stride, type.shape[d]);
      }
      view = out.let1(type, std::move(flat), "result");
    }
    values.emplace_back(out.let1(type, Copy{view}, "result"));
    at += 3;
  }
  return values;
}

// Would the host read single elements of a device's arrays?
bool LiftedFunctions::reads_device(const std::string& name) const {
  const auto is_array = [](const Param& p) { return p.type.is_array() && !p.unique; };
  return lifting_.ctx.device().own_space &&
         std::ranges::any_of(lifting_.facts.original(name).params, is_array);
}

bool LiftedFunctions::lift_call(Builder& out, const Stmt& stmt) {
  const Call& call = *as<Call>(stmt.exp);
  if (!lifting_.facts.is_tree_recursive(call.fn) || !stmt.tokens.empty() || stmt.hints.sequential)
    return false;
  if (!lifting_.facts.is_parallel(call.fn) && !reads_device(call.fn)) return false;
  if (is_forked(call.fn)) {
    forked_.insert(call.fn);
    return false;
  }
  if (!make(call.fn)) return false;
  out.set_loc(stmt.loc);
  const std::vector<Operand> values = batch_of_one(out, stmt);
  for (size_t k = 0; k < values.size(); ++k) out.let_pat({stmt.pat[k]}, Value{values[k]});
  return true;
}

}  // namespace skald::passes::lift
