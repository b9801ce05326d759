// SPDX-License-Identifier: Apache-2.0
// A lifted function's other version: one kernel in which a thread runs each call.
#include "passes/lift/calls/threads.h"

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/lift/batch/instance_kernel.h"
#include "passes/lift/batch/kernels.h"
#include "passes/lift/batch/state.h"

namespace skald::passes::lift {

using namespace core;

// What one kernel stored for all calls: regular results, whether they fit, then the data of those
// whose sizes differ.
struct StoredCalls {
  Batch::Segments room;
  std::vector<Name> arrays;
  std::vector<Type> data_types;
};

// Runs a call in each thread.  There is room for as many elements as the arguments have.
static StoredCalls store_calls(Lifting& lifting, Batch& b, const Function& fn, const Stmt& stmt,
                               const std::vector<Form>& forms, const std::vector<Param>& regular,
                               const std::vector<Param>& irregular) {
  const Type i64 = scalar_type(Prim::kI64), boolean = scalar_type(Prim::kBool);
  StoredCalls stored;
  stored.room = scan_lengths(lifting, b, [&](Point& at) {
    Operand size = const_i64(0);
    for (const Param& p : fn.params)
      if (b.form_of(p.type) != Form::kRegular)
        size = at.body.size_add(size, at.element_count(p.type, p.type.rank() > 1));
    return size;
  });
  InstanceKernel kernel(lifting.prog, b.width, lifting.loc);
  Builder& body = kernel.body;
  const Name s = kernel.s;
  Point at{lifting, b, body, s};
  at.bring_all(free_names(stmt));
  body.append(copy_with_fresh_names(stmt, lifting.prog.names, at.subst));
  for (const Param& p : regular) {
    Operand value = p.name;
    substitute(value, at.subst);
    kernel.give(b.host_type(p.type), value);
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
        forms[k] == Form::kFlatSegments ? scalar_type(type.elem) : b.host_type(row_type(type));
    kernel.give_rows(*lifting.out, row, stored.room.total, {start, lengths[r], rows[r]});
    stored.data_types.push_back(row);
    ++r;
  }
  stored.arrays = kernel.finish(*lifting.out, "stored");
  return stored;
}

// True if all results fitted.
static Name all_results_fit(Lifting& lifting, const Batch& b, Name fits) {
  const Type boolean = scalar_type(Prim::kBool);
  InstanceKernel check(lifting.prog, b.width, lifting.loc);
  const Name one = check.body.let1(boolean, Index{fits, {DimSlice{true, check.s}}}, "fits");
  check.combine(Sink::kReduce,
                combining(lifting.prog, BinOpKind::kAnd, Prim::kBool, const_bool(true)), one);
  return check.finish(*lifting.out, "all_fit")[0];
}

// The irregular results: those stored if all fitted, else computed again, now that the sizes are
// known.  Three names for each.
static std::vector<Name> fitting_or_exact(Lifting& lifting, Batch& b, const Stmt& stmt,
                                          const std::vector<Form>& forms,
                                          const std::vector<Param>& irregular,
                                          const StoredCalls& stored) {
  const Type i64 = scalar_type(Prim::kI64);
  const size_t regular = stmt.pat.size() - irregular.size();
  const Name all_fit = all_results_fit(lifting, b, stored.arrays[regular]);
  const Name starts = lifting.out->let1(
      array_of(b.width, i64), Index{stored.room.offsets, {DimSlice{false, const_i64(0), b.width}}},
      "starts");
  std::vector<Operand> fitting, results;
  std::vector<Param> pattern;
  std::vector<Type> types;
  std::vector<Form> irregular_forms;
  for (size_t k = 0, r = 0; k < stmt.pat.size(); ++k) {
    if (forms[k] == Form::kRegular) continue;
    fitting.insert(fitting.end(),
                   {Operand{stored.room.total}, starts, stored.arrays[regular + 1 + r]});
    const Name total = lifting.prog.names.fresh("total");
    pattern.push_back({total, i64});
    pattern.push_back({lifting.prog.names.fresh("starts"), array_of(b.width, i64)});
    pattern.push_back({lifting.prog.names.fresh("data"), array_of(total, stored.data_types[r])});
    results.emplace_back(stmt.pat[k].name);
    types.push_back(stmt.pat[k].type);
    irregular_forms.push_back(forms[k]);
    ++r;
  }
  Batch again;
  again.width = b.width;
  again.parent = &b;
  Builder exact(lifting.prog);
  exact.set_loc(lifting.loc);
  std::vector<Operand> exactly;
  {
    const WritesTo here(lifting, exact);
    write_rows(lifting, again, {&stmt}, {}, irregular);
    exactly = state_values(lifting, again, results, types, irregular_forms);
  }
  std::vector<Name> chosen = names_of(pattern);
  lifting.out->let_pat(std::move(pattern),
                       If{all_fit, Body({}, std::move(fitting)), exact.finish(std::move(exactly))});
  return chosen;
}

// One thread per instance.  Results are written where the arguments would fit; if some result is
// larger than that, all are computed again, now that the sizes are known.
Body in_threads(Lifting& lifting, Batch& b, const Function& fn, const std::vector<Param>& results,
                const std::vector<Form>& forms) {
  Builder code(lifting.prog);
  code.set_loc(lifting.loc);
  const WritesTo here(lifting, code);
  Stmt call;
  call.pat = results;
  std::vector<Operand> args;
  for (const Param& p : fn.params) args.emplace_back(p.name);
  call.exp = Call{fn.name, std::move(args)};
  call.loc = fn.loc;
  const Stmt& stmt = lifting.keep(std::move(call));
  std::vector<Param> regular, irregular;
  for (size_t k = 0; k < stmt.pat.size(); ++k)
    (forms[k] == Form::kRegular ? regular : irregular).push_back(stmt.pat[k]);
  std::vector<Operand> values;
  if (irregular.empty()) {
    write_rows(lifting, b, {&stmt}, regular, {});
    std::vector<Operand> names;
    for (const Param& p : stmt.pat) names.emplace_back(p.name);
    values = state_values(lifting, b, names, types_of(stmt.pat), forms);
    return code.finish(std::move(values));
  }
  const StoredCalls stored = store_calls(lifting, b, fn, stmt, forms, regular, irregular);
  b.bind_rows(regular, stored.arrays);
  const std::vector<Name> chosen = fitting_or_exact(lifting, b, stmt, forms, irregular, stored);
  for (size_t k = 0, r = 0, c = 0; k < stmt.pat.size(); ++k) {
    if (forms[k] == Form::kRegular) {
      values.emplace_back(stored.arrays[r++]);
    } else {
      for (size_t v = 0; v < 3; ++v) values.emplace_back(chosen[c++]);
    }
  }
  return code.finish(std::move(values));
}

}  // namespace skald::passes::lift
