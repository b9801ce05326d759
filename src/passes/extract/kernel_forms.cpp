// SPDX-License-Identifier: Apache-2.0
#include "passes/extract/kernel_forms.h"

#include "core/edit/builder.h"
#include "core/ir/visit.h"
#include "passes/kernels/accumulators.h"
#include "passes/kernels/nest.h"
#include "passes/kernels/sequentialise.h"
#include "passes/kernels/sequentialise_internal.h"
#include "passes/kernels/sinks.h"

namespace skald::passes {

using namespace core;

namespace {

bool takes_scalars(const Lambda& fn) {
  for (const Param& p : fn.params)
    if (!p.type.is_scalar()) return false;
  return true;
}
bool scalar_operator(const Operator& op) {
  return takes_scalars(op.fn);
}

bool takes_accumulator(const Lambda& fn) {
  for (const Param& p : fn.params)
    if (p.type.kind == Type::kAcc) return true;
  return false;
}

// A pull thunk over Flat: reads row i of every input and runs `fn`.
Lambda flat_pull(Program& prog, Lambda fn, const std::vector<Name>& inputs, Loc loc) {
  sequentialise(fn.body, prog);
  Builder body(prog);
  body.set_loc(loc);
  Lambda pull;
  pull.params = {{prog.names.fresh("i"), scalar_type(Prim::kI64)}};
  pull.results = std::move(fn.results);
  const auto rows = read_rows(body, inputs, fn.params, pull.params[0].name);
  auto results = inline_lambda(body, std::move(fn), rows);
  pull.body = body.finish(std::move(results));
  return pull;
}

// The thunk's results are rearranged: `order[k]` is the old position of result k.
void reorder(Lambda& pull, const std::vector<size_t>& order) {
  std::vector<Ret> results;
  std::vector<Operand> values;
  for (const size_t k : order) {
    results.push_back(pull.results[k]);
    values.push_back(pull.body.result[k]);
  }
  pull.results = std::move(results);
  pull.body.result = std::move(values);
}

Stmt soac_kernel(Program& prog, Stmt stmt, Soac soac) {
  Kernel kernel;
  Nest nest = collect_nest(std::move(soac), prog, stmt.loc);
  kernel.domain.kind = nest.dims.size() == 1 ? Domain::kFlat : Domain::kGrid;
  kernel.domain.dims = std::move(nest.dims);
  kernel.pull = std::move(nest.pull);
  // A SOAC lists scans before reductions, a kernel gives the results of reductions first.
  std::vector<size_t> order;
  size_t at = 0;
  for (const Operator& op : nest.scans) at += op.neutral.size();
  const size_t scanned = at;
  for (Operator& op : nest.reduces) {
    const size_t count = op.neutral.size();
    for (size_t k = 0; k < count; ++k) order.push_back(at++);
    kernel.sinks.push_back({Sink::kReduce, static_cast<int>(count)});
    kernel.sinks.back().op.push_back(std::move(op));
  }
  for (size_t k = 0; k < scanned; ++k) order.push_back(k);
  for (Operator& op : nest.scans) {
    kernel.sinks.push_back({Sink::kScan, static_cast<int>(op.neutral.size())});
    kernel.sinks.back().op.push_back(std::move(op));
  }
  for (; at < kernel.pull.results.size(); ++at) {
    order.push_back(at);
    kernel.sinks.push_back({Sink::kOut, 1});
  }
  reorder(kernel.pull, order);
  kernel.post = std::move(nest.post);
  for (Sink& sink : kernel.sinks)
    for (Operator& op : sink.op) sequentialise(op.fn.body, prog);
  for (Lambda& post : kernel.post) sequentialise(post.body, prog);
  stmt.exp = std::move(kernel);
  return stmt;
}

// A histogram, scatter or partition.
template <class Node>
Stmt writing_kernel(Program& prog, Stmt stmt, Node node) {
  Kernel kernel;
  kernel.domain.dims = {node.width};
  kernel.sinks = take_sinks(node);
  kernel.pull = flat_pull(prog, std::move(node.fn), node.inputs, stmt.loc);
  for (Sink& sink : kernel.sinks)
    for (Operator& op : sink.op) sequentialise(op.fn.body, prog);
  group_by_sink(kernel.pull, kernel.sinks);
  stmt.exp = std::move(kernel);
  return stmt;
}

}  // namespace

bool is_kernel_shaped(const Stmt& stmt) {
  if (stmt.hints.sequential || stmt.hints.sequential_outer) return false;
  if (const Soac* soac = as<Soac>(stmt.exp)) {
    if (takes_accumulator(soac->fn)) return false;
    for (const Operator& op : soac->scans)
      if (!scalar_operator(op)) return false;
    for (const Operator& op : soac->reduces)
      if (!scalar_operator(op)) return false;
    for (const Lambda& post : soac->post)
      if (!takes_scalars(post)) return false;
    return true;
  }
  if (const Hist* hist = as<Hist>(stmt.exp)) {
    for (const HistOp& op : hist->ops)
      if (!scalar_operator(op.op)) return false;
    return !takes_accumulator(hist->fn);
  }
  return as<Scatter>(stmt.exp) != nullptr || as<Partition>(stmt.exp) != nullptr;
}

bool is_accumulating_map(const Stmt& stmt) {
  if (stmt.hints.sequential || stmt.hints.sequential_outer) return false;
  const Soac* soac = as<Soac>(stmt.exp);
  return soac != nullptr && soac->is_map() && takes_accumulator(soac->fn);
}

Stmt kernel_of(Program& prog, Stmt stmt) {
  // Taken out first: an argument made from `stmt` might be evaluated before one made from this.
  Exp exp = std::move(stmt.exp);
  if (Soac* soac = as<Soac>(exp)) return soac_kernel(prog, std::move(stmt), std::move(*soac));
  if (Hist* hist = as<Hist>(exp)) return writing_kernel(prog, std::move(stmt), std::move(*hist));
  if (Scatter* scatter = as<Scatter>(exp))
    return writing_kernel(prog, std::move(stmt), std::move(*scatter));
  return writing_kernel(prog, std::move(stmt), std::move(*as<Partition>(exp)));
}

// The sinks get their operators when accumulators become arrays.
Stmt accumulating_kernel(Program& prog, Stmt stmt, size_t depth) {
  Kernel kernel;
  Builder outside(prog);
  outside.set_loc(stmt.loc);
  for (; depth > 1; --depth) {
    Soac level = std::move(*as<Soac>(stmt.exp));
    const Name index = prog.names.fresh("i");
    kernel.domain.dims.push_back(level.width);
    kernel.pull.params.push_back({index, scalar_type(Prim::kI64)});
    const auto rows = read_rows(outside, level.inputs, level.fn.params, index);
    stmt.exp = last_soac(outside, std::move(level.fn), rows);
  }
  const AccumulatorWrites taken = take_writes(stmt);
  Soac soac = std::move(*as<Soac>(stmt.exp));
  kernel.domain.dims.push_back(soac.width);
  if (kernel.domain.dims.size() > 1) kernel.domain.kind = Domain::kGrid;
  Lambda point = flat_pull(prog, std::move(soac.fn), soac.inputs, stmt.loc);
  kernel.pull.params.push_back(point.params[0]);
  kernel.pull.results = std::move(point.results);
  for (Stmt& each : point.body.stmts) outside.append(std::move(each));
  kernel.pull.body = outside.finish(std::move(point.body.result));
  size_t at = 0;
  for (const AccumulatorWrites::Write& write : taken.writes) {
    Sink sink{Sink::kHist, static_cast<int>(write.count * (write.type.shape.size() +
                                                           write.type.acc_elems.size()))};
    sink.shape = write.type.shape;
    sink.dests = {write.acc};
    at += static_cast<size_t>(sink.count);
    kernel.sinks.push_back(std::move(sink));
  }
  for (; at < kernel.pull.results.size(); ++at) kernel.sinks.push_back({Sink::kOut, 1});
  stmt.exp = std::move(kernel);
  return stmt;
}

}  // namespace skald::passes
