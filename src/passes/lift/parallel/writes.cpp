// SPDX-License-Identifier: Apache-2.0
// Scatters and histograms inside a batch: one kernel writes for all instances, each into its part
// of a common array.
#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "passes/lift/batch/kernels.h"
#include "passes/lift/batch/segments.h"
#include "passes/lift/parallel/parallel.h"

namespace skald::passes::lift {

using namespace core;

// A copy of the destination, in which every instance has its part: rows, or segments.
static Canonical copy_of_dest(Lifting& lifting, Batch& b, Name dest) {
  const Type& type = lifting.facts.type_of(dest);
  if (b.form_of(type) != Form::kRegular) return densify(lifting, b, dest, Form::kSegments);
  const Name rows = per_instance(
      lifting, b, {type}, [&](Point& at) { return std::vector{at.bring(Operand{dest})}; },
      "target")[0];
  return {const_i64(0), {}, rows};
}

// Writes go to copies of the destinations, in which every instance has its part.
bool lift_scatter(Lifting& lifting, Batch& b, const Stmt& stmt, const Scatter& scatter) {
  for (const Param& p : scatter.fn.params)
    if (p.type.kind != Type::kArray) return false;
  for (const ScatterDest& dest : scatter.dests)
    if (dest.shape.size() != 1 ||
        b.form_of(row_type(lifting.facts.type_of(dest.dest))) != Form::kRegular)
      return false;
  for (const Ret& ret : scatter.fn.results)
    if (b.form_of(ret.type) != Form::kRegular) return false;
  Names needed = free_names(scatter.fn);
  needed.insert(scatter.inputs.begin(), scatter.inputs.end());
  store_costly(lifting, b, needed);
  const Space space = space_of(lifting, b, scatter.width, checks_of(b, stmt, scatter.inputs));
  std::vector<Canonical> targets;
  std::vector<bool> regular;
  for (const ScatterDest& dest : scatter.dests) {
    regular.push_back(b.form_of(lifting.facts.type_of(dest.dest)) == Form::kRegular);
    targets.push_back(copy_of_dest(lifting, b, dest.dest));
  }
  Kernel kernel = open(space, b);
  Builder body(lifting.prog);
  body.set_loc(lifting.loc);
  Point at{lifting, b, body, space.s};
  std::vector<Ret> types;
  const std::vector<Operand> values = at.values(space, scatter.inputs, scatter.fn, types);
  const size_t dests = scatter.dests.size();
  std::vector<Operand> given;
  std::vector<Type> results;
  const Type i64 = scalar_type(Prim::kI64);
  for (size_t k = 0; k < dests; ++k) {
    const Type type = b.host_type(lifting.facts.type_of(scatter.dests[k].dest));
    const Type row = row_type(type);
    if (regular[k]) {
      Sink sink{Sink::kScatter, 3};
      sink.shape = {b.width, type.shape[0]};
      sink.dests = {targets[k].data};
      kernel.sinks.push_back(std::move(sink));
      given.insert(given.end(), {space.s, values[k], values[dests + k]});
      kernel.pull.results.insert(kernel.pull.results.end(), {{{}, i64}, {{}, i64}, {{}, row}});
      results.push_back(array_of(b.width, type));
      continue;
    }
    const Operand length = at.bring(scatter.dests[k].shape[0]);
    const Operand low = body.cmpop(CmpOpKind::kLe, Prim::kI64, const_i64(0), values[k], "low");
    const Operand high = body.cmpop(CmpOpKind::kLt, Prim::kI64, values[k], length, "high");
    const Name start = body.let1(i64, Index{targets[k].starts, {DimSlice{true, space.s}}}, "start");
    const Operand place = body.size_add(start, values[k]);
    const Name index =
        body.let1(i64, Select{body.logical_and(low, high), place, const_i64(-1)}, "at");
    Sink sink{Sink::kScatter, 2};
    sink.shape = {targets[k].total};
    sink.dests = {targets[k].data};
    kernel.sinks.push_back(std::move(sink));
    given.insert(given.end(), {index, values[dests + k]});
    kernel.pull.results.insert(kernel.pull.results.end(), {{{}, i64}, {{}, row}});
    results.push_back(array_of(targets[k].total, row));
  }
  kernel.pull.body = body.finish(std::move(given));
  sequentialise(kernel.pull.body, lifting.prog);
  const std::vector<Name> arrays = lifting.out->let(results, std::move(kernel), "scattered");
  for (size_t k = 0; k < dests; ++k) {
    Lifted value;
    if (regular[k]) {
      value.kind = Lifted::kRows;
      value.rows = arrays[k];
    } else {
      value.kind = Lifted::kSegments;
      value.total = targets[k].total;
      value.starts = targets[k].starts;
      value.data = arrays[k];
    }
    b.bind(stmt.pat[k].name, value);
  }
  return true;
}

Kernel on_flat_domain(Lifting& lifting, Kernel kernel, const Space& space) {
  if (!lifting.ctx.device().groups && kernel.sinks.size() == 1) return kernel;
  Kernel flat;
  flat.domain.dims = {space.total};
  flat.sinks = std::move(kernel.sinks);
  kernel.sinks.clear();
  // Constants need not be stored.
  std::vector<Type> stored;
  std::vector<Operand> values = kernel.pull.body.result;
  std::vector<size_t> computed;
  flat.pull.results = kernel.pull.results;
  for (size_t k = 0; k < values.size(); ++k) {
    if (as_const(values[k]) != nullptr) continue;
    computed.push_back(k);
    kernel.sinks.push_back({Sink::kOut, 1});
    stored.push_back(array_of(space.total, flat.pull.results[k].type));
  }
  const Name p = lifting.prog.names.fresh("p");
  flat.pull.params = {{p, scalar_type(Prim::kI64)}};
  Builder body(lifting.prog);
  if (!computed.empty()) {
    kernel.pull.results.clear();
    kernel.pull.body.result.clear();
    for (const size_t k : computed) {
      kernel.pull.results.push_back(flat.pull.results[k]);
      kernel.pull.body.result.push_back(values[k]);
    }
    const std::vector<Name> arrays = lifting.out->let(stored, std::move(kernel), "stored");
    for (size_t k = 0; k < computed.size(); ++k)
      values[computed[k]] = body.let1(flat.pull.results[computed[k]].type,
                                      Index{arrays[k], {DimSlice{true, p}}}, "x");
  }
  flat.pull.body = body.finish(std::move(values));
  return flat;
}

bool lift_hist(Lifting& lifting, Batch& b, const Stmt& stmt, const Hist& hist) {
  for (const Param& p : hist.fn.params)
    if (p.type.kind != Type::kArray) return false;
  for (const HistOp& op : hist.ops) {
    if (op.shape.size() != 1 || !is_free(b, op.op)) return false;
    for (const Name dest : op.dests)
      if (lifting.facts.type_of(dest).rank() != 1) return false;
  }
  Names needed = free_names(hist.fn);
  needed.insert(hist.inputs.begin(), hist.inputs.end());
  store_costly(lifting, b, needed);
  const Space space = space_of(lifting, b, hist.width, checks_of(b, stmt, hist.inputs));
  const Type i64 = scalar_type(Prim::kI64);
  std::vector<std::vector<Canonical>> targets;
  for (const HistOp& op : hist.ops) {
    std::vector<Canonical> of_op;
    // Destinations of one histogram have one size, so that one set of starts serves them all.
    for (const Name dest : op.dests) of_op.push_back(densify(lifting, b, dest, Form::kSegments));
    targets.push_back(std::move(of_op));
  }
  Kernel kernel = open(space, b);
  Builder body(lifting.prog);
  body.set_loc(lifting.loc);
  Point at{lifting, b, body, space.s};
  std::vector<Ret> types;
  const std::vector<Operand> values = at.values(space, hist.inputs, hist.fn, types);
  size_t value_at = hist.ops.size();
  std::vector<Operand> given;
  std::vector<Type> results;
  for (size_t k = 0; k < hist.ops.size(); ++k) {
    const HistOp& op = hist.ops[k];
    const Operand length = at.bring(op.shape[0]);
    const Operand low = body.cmpop(CmpOpKind::kLe, Prim::kI64, const_i64(0), values[k], "low");
    const Operand high = body.cmpop(CmpOpKind::kLt, Prim::kI64, values[k], length, "high");
    const Name start =
        body.let1(i64, Index{targets[k][0].starts, {DimSlice{true, space.s}}}, "start");
    const Operand place = body.size_add(start, values[k]);
    given.emplace_back(
        body.let1(i64, Select{body.logical_and(low, high), place, const_i64(-1)}, "at"));
    kernel.pull.results.push_back({{}, i64});
    Sink sink{Sink::kHist, static_cast<int>(1 + op.dests.size())};
    sink.shape = {targets[k][0].total};
    sink.op.push_back(free_operator(lifting, b, op.op));
    for (size_t d = 0; d < op.dests.size(); ++d) {
      // The totals are the same number under several names.
      Name dest = targets[k][d].data;
      const Type type =
          array_of(targets[k][0].total, scalar_type(lifting.facts.type_of(op.dests[d]).elem));
      if (d > 0) dest = lifting.out->let1(type, Reshape{dest, type.shape}, "target");
      sink.dests.push_back(dest);
      results.push_back(type);
      given.push_back(values[value_at]);
      kernel.pull.results.push_back({{}, types[value_at].type});
      ++value_at;
    }
    kernel.sinks.push_back(std::move(sink));
  }
  kernel.pull.body = body.finish(std::move(given));
  sequentialise(kernel.pull.body, lifting.prog);
  if (!space.grid) kernel = on_flat_domain(lifting, std::move(kernel), space);
  const std::vector<Name> arrays = lifting.out->let(results, std::move(kernel), "hist");
  size_t next = 0;
  for (size_t k = 0; k < hist.ops.size(); ++k) {
    for (size_t d = 0; d < hist.ops[k].dests.size(); ++d, ++next) {
      const Param& p = stmt.pat[next];
      Lifted value;
      if (b.form_of(p.type) == Form::kRegular) {
        const Type rows = array_of(b.width, b.host_type(p.type));
        value.kind = Lifted::kRows;
        value.rows = lifting.out->let1(rows, Reshape{arrays[next], rows.shape}, "rows");
      } else {
        value.kind = Lifted::kSegments;
        value.total = targets[k][0].total;
        value.starts = targets[k][0].starts;
        value.data = arrays[next];
      }
      b.bind(p.name, value);
    }
  }
  return true;
}

}  // namespace skald::passes::lift
