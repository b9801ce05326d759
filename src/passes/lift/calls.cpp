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

#include "core/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/lift/lift.h"

namespace skald::passes {

using namespace core;

bool Lifter::is_parallel_call(const Call& call) const {
  return parallel_.contains(call.fn) && originals_.contains(call.fn);
}

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
    types_.insert_or_assign(p.name, p.type);
    if (p.type.is_array()) ranks_.insert_or_assign(p.name, p.type.rank());
  }
  return params;
}

bool Lifter::make_function(const std::string& name) {
  if (const auto known = functions_.find(name); known != functions_.end())
    return known->second != State::kFailed;
  functions_[name] = State::kActive;
  const Function& fn = originals_.at(name);
  const auto is_plain = [](const auto& p) { return p.type.kind == Type::kArray; };
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
  consumed_ = consumed_names(fn.body, prog_);

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
  }
  bind_state(b, fn.params, names);
  const std::vector<Param> results = result_params(fn);
  Batch frame;
  frame.width = b.width;
  frame.parent = &b;
  const std::vector<Form> forms = forms_of(frame, results);
  std::vector<Type> types;
  for (const Param& p : results) types.push_back(p.type);
  const std::vector<Param> pattern = state_pattern(frame, results, b.width);
  for (const Param& p : pattern)
    lifted.results.push_back({p.type.is_scalar() ? p.name : Name{}, p.type});

  Builder code(prog_);
  code.set_loc(loc_);
  out_ = &code;
  Batch child;
  child.width = b.width;
  child.parent = &b;
  if (ctx_.device().recursion_in_kernels && recursive_.contains(name)) {
    const Operand small = cut_over(b, fn);
    Batch other;
    other.width = b.width;
    other.parent = &b;
    Body threads = sequential_version(other, fn, forms);
    Body batch = side(child, fn.body, types, forms);
    Substitution subst;
    std::vector<Param> chosen;
    for (const Param& p : pattern) {
      Type type = p.type;
      substitute(type, subst);
      chosen.push_back({prog_.names.fresh_like(p.name), type});
      subst.emplace(p.name, chosen.back().name);
    }
    std::vector<Operand> values;
    for (const Param& p : chosen) values.emplace_back(p.name);
    if (!refused_) code.let_pat(std::move(chosen), If{small, std::move(threads), std::move(batch)});
    lifted.body = code.finish(std::move(values));
  } else {
    lift_body(child, fn.body);
    std::vector<Operand> values;
    if (!refused_) values = state_values(child, fn.body.result, types, forms);
    lifted.body = code.finish(std::move(values));
  }
  const bool ok = !refused_;
  out_ = before;
  loc_ = loc;
  consumed_ = std::move(consumed);
  refused_ = refused;
  functions_[name] = ok ? State::kDone : State::kFailed;
  if (ok) made_.push_back(std::move(lifted));
  return ok;
}

// One thread per instance.  Results are written where the arguments would fit; if some result is
// larger than that, all are computed again, now that the sizes are known.
Body Lifter::sequential_version(Batch& b, const Function& fn, const std::vector<Form>& forms) {
  const Type i64 = scalar_type(Prim::kI64), boolean = scalar_type(Prim::kBool);
  Builder code(prog_);
  code.set_loc(loc_);
  Builder* const before = out_;
  out_ = &code;
  Stmt call;
  call.pat = result_params(fn);
  std::vector<Operand> args;
  for (const Param& p : fn.params) args.emplace_back(p.name);
  call.exp = Call{fn.name, std::move(args)};
  call.loc = fn.loc;
  synthetic_.push_back(std::move(call));
  const Stmt& stmt = synthetic_.back();
  std::vector<Param> regular, irregular;
  for (size_t k = 0; k < stmt.pat.size(); ++k)
    (forms[k] == Form::kRegular ? regular : irregular).push_back(stmt.pat[k]);
  std::vector<Operand> values;
  if (irregular.empty()) {
    write_rows(b, {&stmt}, regular, {});
    std::vector<Operand> results;
    std::vector<Type> types;
    for (const Param& p : stmt.pat) {
      results.emplace_back(p.name);
      types.push_back(p.type);
    }
    values = state_values(b, results, types, forms);
    out_ = before;
    return code.finish(std::move(values));
  }
  // Room for as many elements as the arguments have.
  const Batch::Segments room = scan_lengths(b, [&](Point& at) {
    Operand size = const_i64(0);
    for (const Param& p : fn.params)
      if (form_of(b, p.type) != Form::kRegular)
        size = at.body.size_add(size, element_count(at, p.type, p.type.rank() > 1));
    return size;
  });
  Kernel kernel;
  kernel.domain.dims = {b.width};
  const Name s = prog_.names.fresh("s");
  kernel.pull.params = {{s, i64}};
  Builder body(prog_);
  body.set_loc(loc_);
  Point at{b, body, s};
  bring_all(at, free_names(stmt));
  body.append(copy_with_fresh_names(stmt, prog_.names, at.subst));
  std::vector<Operand> given;
  std::vector<Type> arrays;
  for (const Param& p : regular) {
    Operand value = p.name;
    substitute(value, at.subst);
    given.push_back(value);
    const Type type = host_type(b, p.type);
    kernel.pull.results.push_back({{}, type});
    kernel.sinks.push_back({Sink::kOut, 1});
    arrays.push_back(array_of(b.width, type));
  }
  const Name begin = body.let1(i64, Index{room.offsets, {DimSlice{true, s}}}, "begin");
  const Operand next = body.size_add(s, const_i64(1));
  const Name end = body.let1(i64, Index{room.offsets, {DimSlice{true, next}}}, "end");
  const Operand capacity = body.size_sub(end, begin);
  Operand fits = const_bool(true);
  std::vector<Operand> rows;
  std::vector<Operand> lengths;
  for (size_t k = 0, r = 0; k < stmt.pat.size(); ++k) {
    if (forms[k] == Form::kRegular) continue;
    Type here = irregular[r].type;
    substitute(here, at.subst);
    Operand value = irregular[r].name;
    substitute(value, at.subst);
    Operand length = here.shape[0];
    if (forms[k] == Form::kFlatSegments && here.rank() > 1) {
      for (size_t d = 1; d < here.shape.size(); ++d) length = body.size_mul(length, here.shape[d]);
      value = body.let1(array_of(length, scalar_type(here.elem)),
                        Reshape{std::get<Name>(value), {length}}, "line");
    }
    fits = body.logical_and(fits, body.cmpop(CmpOpKind::kLe, Prim::kI64, length, capacity, "fits"));
    rows.push_back(value);
    lengths.push_back(length);
    ++r;
  }
  given.push_back(fits);
  kernel.pull.results.push_back({{}, boolean});
  kernel.sinks.push_back({Sink::kOut, 1});
  arrays.push_back(array_of(b.width, boolean));
  const Name start = body.let1(i64, Select{fits, begin, const_i64(-1)}, "start");
  std::vector<Type> data_types;
  for (size_t k = 0, r = 0; k < stmt.pat.size(); ++k) {
    if (forms[k] == Form::kRegular) continue;
    const Type& type = irregular[r].type;
    const Type row =
        forms[k] == Form::kFlatSegments ? scalar_type(type.elem) : host_type(b, row_type(type));
    const Name size = prog_.names.fresh("size");
    given.insert(given.end(), {start, lengths[r], rows[r]});
    kernel.pull.results.push_back({{}, i64});
    kernel.pull.results.push_back({size, i64});
    kernel.pull.results.push_back({{}, array_of(size, row)});
    const Type all = array_of(room.total, row);
    Sink sink{Sink::kScatter, 3};
    sink.shape = {room.total};
    sink.dests = {out_->let1(all, Scratch{all.elem, all.shape}, "rows")};
    kernel.sinks.push_back(std::move(sink));
    arrays.push_back(all);
    data_types.push_back(row);
    ++r;
  }
  kernel.pull.body = body.finish(std::move(given));
  sequentialise(kernel.pull.body, prog_);
  const std::vector<Name> first = out_->let(arrays, std::move(kernel), "stored");
  for (size_t k = 0; k < regular.size(); ++k) {
    Lifted value;
    value.kind = Lifted::kRows;
    value.rows = first[k];
    b.values.insert_or_assign(regular[k].name, value);
  }
  // Did all fit?
  Kernel check;
  check.domain.dims = {b.width};
  const Name t = prog_.names.fresh("s");
  check.pull.params = {{t, i64}};
  check.pull.results = {{{}, boolean}};
  Builder read(prog_);
  const Name one = read.let1(boolean, Index{first[regular.size()], {DimSlice{true, t}}}, "fits");
  check.pull.body = read.finish({one});
  check.sinks.push_back({Sink::kReduce, 1});
  check.sinks.back().op.push_back(combining(BinOpKind::kAnd, Prim::kBool, const_bool(true)));
  const Name all_fit = out_->let1(boolean, std::move(check), "all_fit");

  const Name starts =
      out_->let1(array_of(b.width, i64),
                 Index{room.offsets, {DimSlice{false, const_i64(0), b.width}}}, "starts");
  std::vector<Operand> fitting, results;
  std::vector<Param> pattern;
  std::vector<Type> types;
  std::vector<Form> irregular_forms;
  for (size_t k = 0, r = 0; k < stmt.pat.size(); ++k) {
    if (forms[k] == Form::kRegular) continue;
    fitting.insert(fitting.end(), {Operand{room.total}, starts, first[regular.size() + 1 + r]});
    const Name total = prog_.names.fresh("total");
    pattern.push_back({total, i64});
    pattern.push_back({prog_.names.fresh("starts"), array_of(b.width, i64)});
    pattern.push_back({prog_.names.fresh("data"), array_of(total, data_types[r])});
    results.emplace_back(stmt.pat[k].name);
    types.push_back(stmt.pat[k].type);
    irregular_forms.push_back(forms[k]);
    ++r;
  }
  Batch again;
  again.width = b.width;
  again.parent = &b;
  Builder exact(prog_);
  exact.set_loc(loc_);
  out_ = &exact;
  write_rows(again, {&stmt}, {}, irregular);
  std::vector<Operand> exactly = state_values(again, results, types, irregular_forms);
  out_ = &code;
  std::vector<Name> chosen;
  for (const Param& p : pattern) chosen.push_back(p.name);
  code.let_pat(std::move(pattern),
               If{all_fit, Body({}, std::move(fitting)), exact.finish(std::move(exactly))});
  for (size_t k = 0, r = 0, c = 0; k < stmt.pat.size(); ++k) {
    if (forms[k] == Form::kRegular) {
      values.emplace_back(first[r++]);
    } else {
      for (size_t v = 0; v < 3; ++v) values.emplace_back(chosen[c++]);
    }
  }
  out_ = before;
  return code.finish(std::move(values));
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
    for (const Stmt* stmt : left)
      (as<Call>(stmt->exp)->fn == name ? group : others).push_back(stmt);
    left = std::move(others);
    if (!make_function(name)) return refuse("a function that cannot be lifted is called");
    for (const Stmt* stmt : group)
      if (!stmt->tokens.empty()) return refuse("a call behind a check");
    const Function& fn = originals_.at(name);
    loc_ = group[0]->loc;
    out_->set_loc(loc_);
    std::vector<Operand> args = call_args(b, fn, group);
    Batch frame;
    forms_of(frame, fn.params);
    const std::vector<Param> results = result_params(fn);
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
        if (forms[k] == Form::kRegular) {
          value.kind = Lifted::kRows;
          value.rows = mine(pattern[at++]);
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
