// SPDX-License-Identifier: Apache-2.0
// Accumulators of reductions and scans.
#include <algorithm>

#include "imp/lower/kernel/writer.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

Accumulators KernelWriter::start(Code& code, const Operator& op) {
  Accumulators acc;
  for (size_t k = 0; k < op.neutral.size(); ++k)
    acc.push_back(code.var(op.fn.params[k].type.elem, fn.value(op.neutral[k]), "acc"));
  return acc;
}

void KernelWriter::combine(Code& code, const Operator& op, const Accumulators& acc,
                           const std::vector<Operand>& values) {
  std::vector<Operand> args(acc.begin(), acc.end());
  args.insert(args.end(), values.begin(), values.end());
  std::vector<Operand> next = fn.apply(code, op.fn, args);
  if (fn.options.fused_sums && !facts.has(Sink::kScan) && !facts.has(Sink::kHist))
    for (Operand& sum : next) sum = code.fused(sum);
  // A result that is another accumulator is read before that one changes.
  for (size_t k = 0; k < next.size(); ++k) {
    const Name* name = core::as_name(next[k]);
    if (name != nullptr && std::find(acc.begin(), acc.end(), *name) != acc.end() &&
        !(*name == acc[k]))
      next[k] = code.let(op.fn.params[k].type.elem, core::Value{next[k]}, "saved");
  }
  for (size_t k = 0; k < next.size(); ++k)
    if (!(next[k] == Operand{acc[k]})) code.add(Assign{acc[k], next[k]});
}

std::vector<Name> KernelWriter::partials(Code& code, const Operator& op, const Operand& count) {
  std::vector<Name> blocks;
  for (size_t k = 0; k < op.neutral.size(); ++k)
    blocks.push_back(code.alloc(
        Space::kHeap, code.mul_i64(count, const_i64(prim_size(op.fn.params[k].type.elem))),
        "partials"));
  return blocks;
}

void KernelWriter::combine_partials(Code& code, const std::vector<const Operator*>& ops,
                                    const std::vector<std::vector<Name>>& partial,
                                    const Operand& chunks, const std::vector<Accumulators>& accs) {
  code.short_loop(const_i64(0), chunks, [&](Code& inner, const Operand& chunk) {
    for (size_t k = 0; k < ops.size(); ++k) {
      std::vector<Operand> values;
      for (size_t v = 0; v < partial[k].size(); ++v)
        values.push_back(
            inner.load(ops[k]->fn.params[v].type.elem, partial[k][v], chunk, "partial"));
      combine(inner, *ops[k], accs[k], values);
    }
  });
}

std::vector<Accumulators> KernelWriter::start_all(Code& code, Sink::Kind kind) {
  std::vector<Accumulators> accs;
  for (const Operator* op : facts.operators(kind)) accs.push_back(start(code, *op));
  return accs;
}

void KernelWriter::combine_all(Code& code, const std::vector<Accumulators>& accs,
                               const std::vector<Operand>& values) {
  size_t k = 0;
  for (const SinkInfo& info : facts.sinks)
    if (info.sink->kind == Sink::kReduce)
      combine(code, info.sink->op[0], accs[k++], sink_values(info, values));
}

void KernelWriter::name_reduced(const std::vector<Accumulators>& accs) {
  size_t k = 0;
  for (const SinkInfo& info : facts.sinks_of(Sink::kReduce)) {
    for (size_t v = 0; v < accs[k].size(); ++v)
      fn.alias[stmt.pat[info.results + v].name] = accs[k][v];
    ++k;
  }
}

}  // namespace skald::imp
