// SPDX-License-Identifier: Apache-2.0
// Calls of functions for a batch: those that do not need each other's results are one call of the
// lifted function (functions.cpp) on a batch that is several times as wide.
#include <algorithm>

#include "core/ir/visit.h"
#include "passes/lift/batch/kernels.h"
#include "passes/lift/batch/segments.h"
#include "passes/lift/batch/state.h"
#include "passes/lift/calls/lifted_functions.h"

namespace skald::passes::lift {

using namespace core;

// The arguments of all calls, one batch after the other.
static std::vector<Operand> call_args(Lifting& lifting, Batch& b, const Function& fn,
                                      const std::vector<const Stmt*>& calls) {
  const Type i64 = scalar_type(Prim::kI64);
  Batch frame;
  const std::vector<Form> forms = forms_of(frame, fn.params);
  const Operand width =
      lifting.out->size_mul(b.width, const_i64(static_cast<int64_t>(calls.size())));
  std::vector<Operand> args = {width};
  const auto join = [&](const std::vector<Name>& arrays, const Type& row) {
    if (arrays.size() == 1) return arrays[0];
    return lifting.out->let1(array_of(width, row), Concat{0, width, arrays}, "batches");
  };
  Substitution known;  // numbers of the host that sizes of other parameters are made of
  for (size_t k = 0; k < fn.params.size(); ++k) {
    Type type = fn.params[k].type;
    substitute(type, known);
    if (forms[k] == Form::kHost) {
      const Operand& arg = as<Call>(calls[0]->exp)->args[k];
      args.push_back(state_values(lifting, b, {arg}, {type}, {Form::kHost})[0]);
      if (type.is_scalar()) known.emplace(fn.params[k].name, args.back());
      continue;
    }
    if (forms[k] == Form::kRegular) {
      std::vector<Name> rows;
      for (const Stmt* call : calls)
        rows.push_back(rows_of(lifting, b, as<Call>(call->exp)->args[k], type));
      args.emplace_back(join(rows, type));
      continue;
    }
    std::vector<Canonical> parts;
    for (const Stmt* call : calls)
      parts.push_back(
          canonical(lifting, b, std::get<Name>(as<Call>(call->exp)->args[k]), forms[k]));
    const bool same =
        std::ranges::all_of(parts, [&](const Canonical& c) { return c.data == parts[0].data; });
    std::vector<Name> starts, data;
    Operand total = same ? parts[0].total : const_i64(0);
    for (const Canonical& part : parts) {
      data.push_back(part.data);
      if (same || &part == &parts[0]) {
        starts.push_back(part.starts);
      } else {
        const Operand base = total;
        starts.push_back(per_instance(
            lifting, b, {i64},
            [&](Point& at) {
              const Name start =
                  at.body.let1(i64, Index{part.starts, {DimSlice{true, at.s}}}, "start");
              return std::vector<Operand>{at.body.size_add(start, base)};
            },
            "starts")[0]);
      }
      if (!same) total = lifting.out->size_add(total, part.total);
    }
    const Type row = forms[k] == Form::kFlatSegments ? scalar_type(type.elem) : row_type(type);
    const Name all =
        same ? data[0] : lifting.out->let1(array_of(total, row), Concat{0, total, data}, "all");
    args.push_back(total);
    args.emplace_back(join(starts, i64));
    args.emplace_back(all);
  }
  return args;
}

void LiftedFunctions::run_calls(Batch& b, const std::vector<const Stmt*>& calls) {
  std::vector<const Stmt*> left = calls;
  while (!left.empty()) {
    const std::string name = as<Call>(left[0]->exp)->fn;
    std::vector<const Stmt*> group, others;
    // Calls with one and the same accumulators.
    const auto accumulators = [&](const Stmt& stmt) {
      std::vector<Name> roots;
      for (const Param& p : stmt.pat)
        if (p.type.kind == Type::kAcc) roots.push_back(lifting_.facts.accs().root_of(p.name));
      return roots;
    };
    const std::vector<Name> roots = accumulators(*left[0]);
    for (const Name root : roots)
      if (!lifting_.accs.contains(root))
        return lifting_.refuse("an accumulator comes from elsewhere");
    for (const Stmt* stmt : left)
      (as<Call>(stmt->exp)->fn == name && accumulators(*stmt) == roots ? group : others)
          .push_back(stmt);
    left = std::move(others);
    if (!make(name)) return lifting_.refuse("a function that cannot be lifted is called");
    for (const Stmt* stmt : group)
      if (!stmt->tokens.empty()) return lifting_.refuse("a call behind a check");
    run_group(b, group);
    if (lifting_.refused) return;
  }
}

// Calls of one function, with one and the same accumulators.
void LiftedFunctions::run_group(Batch& b, const std::vector<const Stmt*>& group) {
  const Function& fn = lifting_.facts.original(as<Call>(group[0]->exp)->fn);
  lifting_.loc = group[0]->loc;
  lifting_.out->set_loc(lifting_.loc);
  std::vector<Operand> args = call_args(lifting_, b, fn, group);
  if (lifting_.refused) return;
  Batch frame;
  const std::vector<Form> given = forms_of(frame, fn.params);
  for (size_t k = 0, at = 1; k < given.size(); ++k) {
    if (given[k] == Form::kHost && fn.params[k].type.is_scalar())
      frame.values.at(fn.params[k].name).host = args[at];
    at += given[k] == Form::kHost || given[k] == Form::kRegular ? 1 : 3;
  }
  const std::vector<Param> results = result_params(lifting_, fn);
  for (size_t k = 0; k < results.size(); ++k)
    if (results[k].type.kind == Type::kAcc)
      lifting_.facts.accs().set_root(results[k].name,
                                     lifting_.facts.accs().root_of(group[0]->pat[k].name));
  const std::vector<Form> forms = forms_of(frame, results);
  const std::vector<Param> pattern = state_pattern(lifting_, frame, results, args[0]);
  lifting_.out->let_pat(pattern, Call{lifted_name(fn.name), std::move(args)});
  for (size_t c = 0; c < group.size(); ++c) {
    size_t at = 0;
    const auto mine = [&](const Param& p) {
      if (group.size() == 1) return p.name;
      Type type = p.type;
      type.shape[0] = b.width;
      const Operand from = lifting_.out->size_mul(b.width, const_i64(static_cast<int64_t>(c)));
      return lifting_.out->let1(type, Index{p.name, {DimSlice{false, from, b.width}}}, "mine");
    };
    for (size_t k = 0; k < results.size(); ++k) {
      Lifted value;
      if (results[k].type.kind == Type::kAcc) {
        lifting_.host_acc(group[c]->pat[k].name).name = pattern[at++].name;
        continue;
      }
      if (forms[k] == Form::kRegular) {
        value.kind = Lifted::kRows;
        value.rows = mine(pattern[at++]);
        lifting_.from_calls.insert(value.rows);
      } else {
        value.kind = Lifted::kSegments;
        value.total = pattern[at].name;
        value.starts = mine(pattern[at + 1]);
        value.data = pattern[at + 2].name;
        value.flat = forms[k] == Form::kFlatSegments;
        at += 3;
      }
      b.bind(group[c]->pat[k].name, value);
    }
  }
}

}  // namespace skald::passes::lift
