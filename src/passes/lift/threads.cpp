// SPDX-License-Identifier: Apache-2.0
// A lifted function's other version: one kernel in which a thread runs each call.
#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/lift/instance_kernel.h"
#include "passes/lift/lift.h"

namespace skald::passes {

using namespace core;

// What one kernel stored for all calls: regular results, whether they fit, then the data of those
// whose sizes differ.
struct Lifter::StoredCalls {
  Batch::Segments room;
  std::vector<Name> arrays;
  std::vector<Type> data_types;
};

// Runs a call in each thread.  There is room for as many elements as the arguments have.
Lifter::StoredCalls Lifter::store_calls(Batch& b, const Function& fn, const Stmt& stmt,
                                        const std::vector<Form>& forms,
                                        const std::vector<Param>& regular,
                                        const std::vector<Param>& irregular) {
  const Type i64 = scalar_type(Prim::kI64), boolean = scalar_type(Prim::kBool);
  StoredCalls stored;
  stored.room = scan_lengths(b, [&](Point& at) {
    Operand size = const_i64(0);
    for (const Param& p : fn.params)
      if (form_of(b, p.type) != Form::kRegular)
        size = at.body.size_add(size, element_count(at, p.type, p.type.rank() > 1));
    return size;
  });
  InstanceKernel kernel(prog_, b.width, loc_);
  Builder& body = kernel.body;
  const Name s = kernel.s;
  Point at{b, body, s};
  bring_all(at, free_names(stmt));
  body.append(copy_with_fresh_names(stmt, prog_.names, at.subst));
  for (const Param& p : regular) {
    Operand value = p.name;
    substitute(value, at.subst);
    kernel.give(host_type(b, p.type), value);
  }
  const Name begin = body.let1(i64, Index{stored.room.offsets, {DimSlice{true, s}}}, "begin");
  const Operand next = body.size_add(s, const_i64(1));
  const Name end = body.let1(i64, Index{stored.room.offsets, {DimSlice{true, next}}}, "end");
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
  kernel.give(boolean, fits);
  const Name start = body.let1(i64, Select{fits, begin, const_i64(-1)}, "start");
  for (size_t k = 0, r = 0; k < stmt.pat.size(); ++k) {
    if (forms[k] == Form::kRegular) continue;
    const Type& type = irregular[r].type;
    const Type row =
        forms[k] == Form::kFlatSegments ? scalar_type(type.elem) : host_type(b, row_type(type));
    kernel.give_rows(*out_, row, stored.room.total, {start, lengths[r], rows[r]});
    stored.data_types.push_back(row);
    ++r;
  }
  stored.arrays = kernel.finish(*out_, "stored");
  return stored;
}

// True if all results fitted.
Name Lifter::all_fit(const Batch& b, Name fits) {
  const Type boolean = scalar_type(Prim::kBool);
  InstanceKernel check(prog_, b.width, loc_);
  const Name one = check.body.let1(boolean, Index{fits, {DimSlice{true, check.s}}}, "fits");
  check.combine(Sink::kReduce, combining(BinOpKind::kAnd, Prim::kBool, const_bool(true)), one);
  return check.finish(*out_, "all_fit")[0];
}

// The irregular results: those stored if all fitted, else computed again, now that the sizes are
// known.  Three names for each.
std::vector<Name> Lifter::fitting_or_exact(Batch& b, const Stmt& stmt,
                                           const std::vector<Form>& forms,
                                           const std::vector<Param>& irregular,
                                           const StoredCalls& stored) {
  const Type i64 = scalar_type(Prim::kI64);
  const size_t regular = stmt.pat.size() - irregular.size();
  const Name all_fit = this->all_fit(b, stored.arrays[regular]);
  const Name starts =
      out_->let1(array_of(b.width, i64),
                 Index{stored.room.offsets, {DimSlice{false, const_i64(0), b.width}}}, "starts");
  std::vector<Operand> fitting, results;
  std::vector<Param> pattern;
  std::vector<Type> types;
  std::vector<Form> irregular_forms;
  for (size_t k = 0, r = 0; k < stmt.pat.size(); ++k) {
    if (forms[k] == Form::kRegular) continue;
    fitting.insert(fitting.end(),
                   {Operand{stored.room.total}, starts, stored.arrays[regular + 1 + r]});
    const Name total = prog_.names.fresh("total");
    pattern.push_back({total, i64});
    pattern.push_back({prog_.names.fresh("starts"), array_of(b.width, i64)});
    pattern.push_back({prog_.names.fresh("data"), array_of(total, stored.data_types[r])});
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
  Builder* const code = out_;
  out_ = &exact;
  write_rows(again, {&stmt}, {}, irregular);
  std::vector<Operand> exactly = state_values(again, results, types, irregular_forms);
  out_ = code;
  std::vector<Name> chosen;
  for (const Param& p : pattern) chosen.push_back(p.name);
  code->let_pat(std::move(pattern),
                If{all_fit, Body({}, std::move(fitting)), exact.finish(std::move(exactly))});
  return chosen;
}

// One thread per instance.  Results are written where the arguments would fit; if some result is
// larger than that, all are computed again, now that the sizes are known.
Body Lifter::sequential_version(Batch& b, const Function& fn, const std::vector<Form>& forms) {
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
  const StoredCalls stored = store_calls(b, fn, stmt, forms, regular, irregular);
  bind_rows(b, regular, stored.arrays);
  const std::vector<Name> chosen = fitting_or_exact(b, stmt, forms, irregular, stored);
  for (size_t k = 0, r = 0, c = 0; k < stmt.pat.size(); ++k) {
    if (forms[k] == Form::kRegular) {
      values.emplace_back(stored.arrays[r++]);
    } else {
      for (size_t v = 0; v < 3; ++v) values.emplace_back(chosen[c++]);
    }
  }
  out_ = before;
  return code.finish(std::move(values));
}

}  // namespace skald::passes
