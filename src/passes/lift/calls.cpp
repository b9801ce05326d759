// SPDX-License-Identifier: Apache-2.0
// Calls of functions for a batch: those that do not need each other's results are one call of the
// lifted function (functions.cpp) on a batch that is several times as wide.
#include <algorithm>

#include "core/ir/visit.h"
#include "passes/lift/lift.h"

namespace skald::passes {

using namespace core;

bool Lifter::is_parallel_call(const Call& call) const {
  return parallel_.contains(call.fn) && originals_.contains(call.fn);
}

// The arguments of all calls, one batch after the other.
std::vector<Operand> Lifter::call_args(Batch& b, const Function& fn,
                                       const std::vector<const Stmt*>& calls) {
  const Type i64 = scalar_type(Prim::kI64);
  Batch frame;
  const std::vector<Form> forms = forms_of(frame, fn.params);
  const Operand width = out_->size_mul(b.width, const_i64(static_cast<int64_t>(calls.size())));
  std::vector<Operand> args = {width};
  const auto join = [&](const std::vector<Name>& arrays, const Type& row) {
    if (arrays.size() == 1) return arrays[0];
    return out_->let1(array_of(width, row), Concat{0, width, arrays}, "batches");
  };
  for (size_t k = 0; k < fn.params.size(); ++k) {
    const Type& type = fn.params[k].type;
    if (forms[k] == Form::kHost) {
      const Operand& arg = as<Call>(calls[0]->exp)->args[k];
      args.push_back(state_values(b, {arg}, {type}, {Form::kHost})[0]);
      continue;
    }
    if (forms[k] == Form::kRegular) {
      std::vector<Name> rows;
      for (const Stmt* call : calls) rows.push_back(rows_of(b, as<Call>(call->exp)->args[k], type));
      args.emplace_back(join(rows, type));
      continue;
    }
    std::vector<Canonical> parts;
    for (const Stmt* call : calls)
      parts.push_back(canonical(b, std::get<Name>(as<Call>(call->exp)->args[k]), forms[k]));
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
            b, {i64},
            [&](Point& at) {
              const Name start =
                  at.body.let1(i64, Index{part.starts, {DimSlice{true, at.s}}}, "start");
              return std::vector<Operand>{at.body.size_add(start, base)};
            },
            "starts")[0]);
      }
      if (!same) total = out_->size_add(total, part.total);
    }
    const Type row = forms[k] == Form::kFlatSegments ? scalar_type(type.elem) : row_type(type);
    const Name all =
        same ? data[0] : out_->let1(array_of(total, row), Concat{0, total, data}, "all");
    args.push_back(total);
    args.emplace_back(join(starts, i64));
    args.emplace_back(all);
  }
  return args;
}

void Lifter::run_calls(Batch& b, const std::vector<const Stmt*>& calls) {
  std::vector<const Stmt*> left = calls;
  while (!left.empty()) {
    const std::string name = as<Call>(left[0]->exp)->fn;
    std::vector<const Stmt*> group, others;
    // Calls with one and the same accumulators.
    const auto accumulators = [&](const Stmt& stmt) {
      std::vector<Name> roots;
      for (const Param& p : stmt.pat)
        if (p.type.kind == Type::kAcc) roots.push_back(root_of(p.name));
      return roots;
    };
    const std::vector<Name> roots = accumulators(*left[0]);
    for (const Name root : roots)
      if (!accs_.contains(root)) return refuse("an accumulator comes from elsewhere");
    for (const Stmt* stmt : left)
      (as<Call>(stmt->exp)->fn == name && accumulators(*stmt) == roots ? group : others)
          .push_back(stmt);
    left = std::move(others);
    if (!make_function(name)) return refuse("a function that cannot be lifted is called");
    for (const Stmt* stmt : group)
      if (!stmt->tokens.empty()) return refuse("a call behind a check");
    const Function& fn = originals_.at(name);
    loc_ = group[0]->loc;
    out_->set_loc(loc_);
    std::vector<Operand> args = call_args(b, fn, group);
    if (refused_) return;
    Batch frame;
    const std::vector<Form> given = forms_of(frame, fn.params);
    for (size_t k = 0, at = 1; k < given.size(); ++k) {
      if (given[k] == Form::kHost && fn.params[k].type.is_scalar())
        frame.values.at(fn.params[k].name).host = args[at];
      at += given[k] == Form::kHost || given[k] == Form::kRegular ? 1 : 3;
    }
    const std::vector<Param> results = result_params(fn);
    for (size_t k = 0; k < results.size(); ++k)
      if (results[k].type.kind == Type::kAcc)
        roots_.insert_or_assign(results[k].name, root_of(group[0]->pat[k].name));
    const std::vector<Form> forms = forms_of(frame, results);
    const std::vector<Param> pattern = state_pattern(frame, results, args[0]);
    out_->let_pat(pattern, Call{lifted_name(name), std::move(args)});
    for (size_t c = 0; c < group.size(); ++c) {
      size_t at = 0;
      const auto mine = [&](const Param& p) {
        if (group.size() == 1) return p.name;
        Type type = p.type;
        type.shape[0] = b.width;
        const Operand from = out_->size_mul(b.width, const_i64(static_cast<int64_t>(c)));
        return out_->let1(type, Index{p.name, {DimSlice{false, from, b.width}}}, "mine");
      };
      for (size_t k = 0; k < results.size(); ++k) {
        Lifted value;
        if (results[k].type.kind == Type::kAcc) {
          host_acc(group[c]->pat[k].name).name = pattern[at++].name;
          continue;
        }
        if (forms[k] == Form::kRegular) {
          value.kind = Lifted::kRows;
          value.rows = mine(pattern[at++]);
          from_calls_.insert(value.rows);
        } else {
          value.kind = Lifted::kSegments;
          value.total = pattern[at].name;
          value.starts = mine(pattern[at + 1]);
          value.data = pattern[at + 2].name;
          value.flat = forms[k] == Form::kFlatSegments;
          at += 3;
        }
        b.values.insert_or_assign(group[c]->pat[k].name, value);
      }
    }
  }
}

}  // namespace skald::passes
