// SPDX-License-Identifier: Apache-2.0
// Sinks, and the values they take.
#include "passes/lift/batch/instance_kernel.h"

#include "passes/kernels/sequentialise.h"

namespace skald::passes::lift {

using namespace core;

InstanceKernel::InstanceKernel(Program& program, const Operand& width, Loc loc)
    : prog(program), s(program.names.fresh("s")), body(program) {
  kernel.domain.dims = {width};
  kernel.pull.params = {{s, scalar_type(Prim::kI64)}};
  body.set_loc(loc);
}

void InstanceKernel::give(const Type& row, const Operand& value) {
  given.push_back(value);
  kernel.pull.results.push_back({{}, row});
  kernel.sinks.push_back({Sink::kOut, 1});
  results.push_back(array_of(kernel.domain.dims[0], row));
}

void InstanceKernel::give_rows(Builder& out, const Type& row, const Operand& total,
                               const Rows& rows) {
  const Type i64 = scalar_type(Prim::kI64);
  const Name size = prog.names.fresh("size");
  given.insert(given.end(), {rows.start, rows.length, rows.value});
  kernel.pull.results.push_back({{}, i64});
  kernel.pull.results.push_back({size, i64});
  kernel.pull.results.push_back({{}, array_of(size, row)});
  const Type all = array_of(total, row);
  Sink sink{Sink::kScatter, 3};
  sink.shape = {total};
  sink.dests = {out.let1(all, Scratch{all.elem, all.shape}, "rows")};
  kernel.sinks.push_back(std::move(sink));
  results.push_back(all);
}

void InstanceKernel::combine(Sink::Kind kind, Operator op, const Operand& value) {
  const Type type = op.fn.params[0].type;
  given.push_back(value);
  kernel.pull.results.push_back({{}, type});
  kernel.sinks.push_back({kind, 1});
  kernel.sinks.back().op.push_back(std::move(op));
  results.push_back(kind == Sink::kScan ? array_of(kernel.domain.dims[0], type) : type);
}

std::vector<Name> InstanceKernel::finish(Builder& out, std::string_view base) {
  kernel.pull.body = body.finish(std::move(given));
  sequentialise(kernel.pull.body, prog);
  return out.let(std::move(results), std::move(kernel), base);
}

}  // namespace skald::passes::lift
