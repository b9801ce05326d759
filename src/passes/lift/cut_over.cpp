// SPDX-License-Identifier: Apache-2.0
// When calls of a recursive function are left to one thread each, and calls from the host.
//
//   before   let {ys} = call qs(n, xs)      after   let {ys} = if n <= cut_over_elements
//                                                   then call qs_seq(n, xs)
//                                                   else a batch of one call of qs_lifted
//
// What a thread runs is not sequential for that: calls that do not need each other's results run
// side by side there too (imp/passes/forks.cpp), each call's own loops do not.  So where the work
// of a call is linear in its elements, the first levels of the recursion cost little even if one
// thread alone does them, less than batches cost.
#include <fmt/format.h>

#include <algorithm>

#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/lift/instance_kernel.h"
#include "passes/lift/lift.h"

namespace skald::passes {

using namespace core;

namespace {

// Calls on fewer elements than this may be left to one thread each, and so are batches that have
// little altogether.
constexpr int64_t kShortCall = 32768;
constexpr int64_t kLittle = 16384;
// The same for functions whose own work is linear.  One thread does the first two levels of a
// million elements in about the time that launching the kernels of four levels takes.
constexpr int64_t kLittleIfLinear = 1 << 20;
// A call may have this part of all elements: then all threads have something to do to the end.  Of
// few elements a larger part, because a level of the recursion costs more than it saves.
constexpr int64_t kFewCalls = 8, kManyCalls = 64;

bool has_loop(const Body& body) {
  for (const Stmt& stmt : body.stmts) {
    if (as<If>(stmt.exp) == nullptr) {
      bool found = false;
      for_each_body(stmt.exp, [&](const Body&) { found = true; });
      if (found) return true;
      continue;
    }
    bool inside = false;
    for_each_body(stmt.exp, [&](const Body& inner) { inside = inside || has_loop(inner); });
    if (inside) return true;
  }
  return false;
}

}  // namespace

// Does a call do a bounded amount of work for each of its elements, besides calling itself?  The
// side of a branch that ends the recursion does not count: it sees few elements.
bool Lifter::is_linear(const Body& body, const std::string& fn) const {
  for (const Stmt& stmt : body.stmts) {
    if (const Call* call = as<Call>(stmt.exp)) {
      if (call->fn != fn && parallel_.contains(call->fn)) return false;
      continue;
    }
    bool recursive = false, linear = true;
    for_each_body(stmt.exp, [&](const Body& inner) { recursive |= calls_of(inner, fn) > 0; });
    const bool branch = as<If>(stmt.exp) != nullptr;
    for_each_body(stmt.exp, [&](const Body& inner) {
      const bool ends = recursive && calls_of(inner, fn) == 0;
      linear = linear && (branch ? ends || is_linear(inner, fn) : !recursive && !has_loop(inner));
    });
    if (!linear) return false;
  }
  return true;
}

Operand Lifter::threshold(Builder& out, const Function& fn, std::string_view what, int64_t value) {
  return out.let1(scalar_type(Prim::kI64),
                  Tunable{fmt::format("{}.{}", fn.name, what),
                          fmt::format("threshold({}, )", value), const_i64(value)},
                  "threshold");
}

Operand Lifter::little_threshold(Builder& out, const Function& fn) {
  return threshold(out, fn, "cut_over_elements",
                   is_linear(fn.body, fn.name) ? kLittleIfLinear : kLittle);
}

// Is a thread per instance the better choice?  If the arrays are short, or if there is little to do
// at all; without arrays, if there are enough instances.
Operand Lifter::cut_over(Batch& b, const Function& fn) {
  const Type i64 = scalar_type(Prim::kI64);
  std::vector<const Param*> arrays;
  for (const Param& p : fn.params)
    if (form_of(b, p.type) != Form::kRegular) arrays.push_back(&p);
  if (arrays.empty()) {
    const Operand many = threshold(*out_, fn, "cut_over_calls", ctx_.device().parallelism);
    return out_->cmpop(CmpOpKind::kLe, Prim::kI64, many, b.width, "enough");
  }
  InstanceKernel kernel(prog_, b.width, {});
  Point at{b, kernel.body, kernel.s};
  Operand size = const_i64(0);
  for (const Param* p : arrays)
    size = at.body.size_add(size, element_count(at, p->type, p->type.rank() > 1));
  for (const BinOpKind op : {BinOpKind::kAdd, BinOpKind::kMax})
    kernel.combine(Sink::kReduce, combining(op, Prim::kI64, const_i64(0)), size);
  const std::vector<Name> sums = kernel.finish(*out_, "elements");
  const auto part = [&](int64_t calls) {
    return out_->binop(BinOpKind::kQuot, Prim::kI64, sums[0], const_i64(calls), "part");
  };
  // One after the other: arguments of a call are evaluated in any order.
  const Operand of_few_calls = part(kFewCalls);
  const Operand short_call = threshold(*out_, fn, "cut_over_size",
                                       is_linear(fn.body, fn.name) ? kLittleIfLinear : kShortCall);
  const Operand large_part =
      out_->binop(BinOpKind::kMin, Prim::kI64, of_few_calls, short_call, "part");
  const Operand of_many_calls = part(kManyCalls);
  const Operand most = out_->binop(BinOpKind::kMax, Prim::kI64, large_part, of_many_calls, "most");
  const Operand short_ones = out_->cmpop(CmpOpKind::kLe, Prim::kI64, sums[1], most, "short");
  const Operand at_most = little_threshold(*out_, fn);
  const Operand little = out_->cmpop(CmpOpKind::kLe, Prim::kI64, sums[0], at_most, "little");
  return out_->logical_or(little, short_ones);
}

// A call as a batch of one instance; gives its results.
std::vector<Operand> Lifter::batch_of_one(Builder& out, const Stmt& stmt) {
  const Call& call = *as<Call>(stmt.exp);
  const Function& fn = originals_.at(call.fn);
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
  const std::vector<Param> results = result_params(fn);
  const std::vector<Form> result_forms = forms_of(frame, results);
  const std::vector<Param> pattern = state_pattern(frame, results, one);
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

bool Lifter::lift_call(Builder& out, const Stmt& stmt) {
  const Call& call = *as<Call>(stmt.exp);
  if (!tree_recursive_.contains(call.fn) || !parallel_.contains(call.fn) || !stmt.tokens.empty() ||
      stmt.hints.sequential || !make_function(call.fn))
    return false;
  const Function& fn = originals_.at(call.fn);
  out.set_loc(stmt.loc);
  Batch frame;
  const std::vector<Form> forms = forms_of(frame, fn.params);
  const bool all_regular = std::ranges::all_of(
      forms, [](Form form) { return form == Form::kRegular || form == Form::kHost; });
  if (!ctx_.device().recursion_in_kernels || all_regular) {
    const std::vector<Operand> values = batch_of_one(out, stmt);
    for (size_t k = 0; k < values.size(); ++k) out.let_pat({stmt.pat[k]}, Value{values[k]});
    return true;
  }
  Substitution subst;
  for (size_t k = 0; k < fn.params.size(); ++k) subst.emplace(fn.params[k].name, call.args[k]);
  Operand elements = const_i64(0);
  for (size_t k = 0; k < fn.params.size(); ++k) {
    if (forms[k] == Form::kRegular || forms[k] == Form::kHost) continue;
    Type type = fn.params[k].type;
    substitute(type, subst);
    Operand size = const_i64(1);
    for (const Operand& dim : type.shape) size = out.size_mul(size, dim);
    elements = out.size_add(elements, size);
  }
  const Operand at_most = little_threshold(out, fn);
  const Operand little = out.cmpop(CmpOpKind::kLe, Prim::kI64, elements, at_most, "little");
  Builder thread(prog_), batch(prog_);
  std::vector<Param> pattern;
  std::vector<Operand> results;
  Substitution renamed;
  for (const Param& p : stmt.pat) {
    Type type = p.type;
    substitute(type, renamed);
    pattern.push_back({prog_.names.fresh_like(p.name), type});
    renamed.emplace(p.name, pattern.back().name);
    results.emplace_back(pattern.back().name);
  }
  thread.set_loc(stmt.loc);
  thread.let_pat(std::move(pattern), Call{sequential_name(call.fn), call.args});
  std::vector<Operand> lifted = batch_of_one(batch, stmt);
  out.let_pat(stmt.pat,
              If{little, thread.finish(std::move(results)), batch.finish(std::move(lifted))});
  return true;
}

}  // namespace skald::passes
