// SPDX-License-Identifier: Apache-2.0
// Single points of scans, and totals of ranges.
#include "imp/lower/cpu/reduce/reduce.h"
#include "imp/lower/cpu/scan/scan.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

void scan_values(KernelWriter& kernel, Code& code, const std::vector<Operand>& indices,
                 const std::vector<Operand>& values, const std::vector<Accumulators>& accs,
                 bool write) {
  std::vector<Operand> scanned, rest;
  size_t scan = 0;
  for (const SinkInfo& info : kernel.facts.sinks) {
    if (info.sink->kind != Sink::kScan) continue;
    const Operator& op = info.sink->op[0];
    kernel.combine(code, op, accs[scan], kernel.sink_values(info, values));
    // The value now, not what the variable holds after later points.
    for (size_t v = 0; v < accs[scan].size(); ++v)
      scanned.push_back(code.let(op.fn.params[v].type.elem, core::Value{accs[scan][v]}, "scanned"));
    ++scan;
  }
  if (!write) return;
  for (const SinkInfo& info : kernel.facts.sinks) {
    if (info.sink->kind == Sink::kReduce)
      kernel.combine(code, info.sink->op[0], accs[scan++], kernel.sink_values(info, values));
    if (info.sink->kind == Sink::kScatter && !info.sink->late)
      kernel.scatter_sink(code, info, values);
    if (info.sink->kind == Sink::kOut)
      for (const Operand& value : kernel.sink_values(info, values)) rest.push_back(value);
  }
  scanned.insert(scanned.end(), rest.begin(), rest.end());
  scan_outputs(kernel, code, indices, std::move(scanned));
}

}  // namespace

void scan_point(KernelWriter& kernel, Code& code, const std::vector<Operand>& indices,
                const std::vector<Accumulators>& accs, bool write) {
  kernel.point(
      code, indices,
      [&](Code& inner, const std::vector<Operand>& all, const std::vector<Operand>& values) {
        scan_values(kernel, inner, all, values, accs, write);
      });
}

std::vector<Operand> scan_outputs(KernelWriter& kernel, Code& code,
                                  const std::vector<Operand>& indices,
                                  std::vector<Operand> outputs) {
  const KernelFacts& facts = kernel.facts;
  if (!kernel.node.post.empty()) {
    outputs = kernel.fn.apply(code, kernel.node.post[0], outputs);
    for (const SinkInfo& info : facts.sinks)
      if (info.sink->late && info.sink->kind == Sink::kScatter)
        kernel.scatter_sink(code, info, outputs);
    for (size_t k = facts.late_values; k < outputs.size(); ++k)
      kernel.fn.store(code, kernel.result_place(facts.first_array + k - facts.late_values), indices,
                      outputs[k]);
    return outputs;
  }
  size_t k = 0;
  for (const Sink::Kind kind : {Sink::kScan, Sink::kOut})
    for (const SinkInfo& info : facts.sinks)
      for (int v = 0; info.sink->kind == kind && v < info.sink->count; ++v)
        kernel.fn.store(code, kernel.result_place(info.results + static_cast<size_t>(v)), indices,
                        outputs[k++]);
  return outputs;
}

std::vector<Operand> load_scanned(Code& code, const Operator& op, const std::vector<Name>& blocks,
                                  const Operand& place) {
  std::vector<Operand> values;
  for (size_t v = 0; v < blocks.size(); ++v)
    values.push_back(code.load(op.fn.params[v].type.elem, blocks[v], place, "total"));
  return values;
}

void store_scanned(Code& code, const Operator& op, const std::vector<Name>& blocks,
                   const Operand& place, const std::vector<Operand>& values) {
  for (size_t v = 0; v < blocks.size(); ++v)
    code.add(Store{op.fn.params[v].type.elem, blocks[v], place, values[v]});
}

std::vector<std::vector<Name>> start_carry(KernelWriter& kernel, Code& code) {
  std::vector<std::vector<Name>> carry;
  for (const Operator* op : kernel.facts.operators(Sink::kScan)) {
    carry.emplace_back();
    for (size_t v = 0; v < op->neutral.size(); ++v) {
      const Prim type = op->fn.params[v].type.elem;
      carry.back().push_back(code.alloc(Space::kScratch, const_i64(prim_size(type)), "carry"));
      code.add(Store{type, carry.back()[v], const_i64(0), kernel.fn.value(op->neutral[v])});
    }
  }
  return carry;
}

void scan_totals(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
                 const Operand& begin, const Operand& end, const std::vector<Accumulators>& accs) {
  const KernelFacts& facts = kernel.facts;
  if (facts.scan.in_lanes && facts.scan.floats)
    return lane_totals(kernel, code, outer, begin, end, accs);
  if ((facts.straight || facts.scan.in_vectors()) && facts.commutative(Sink::kScan))
    return reduce_along(kernel, code, facts.sinks_of(Sink::kScan), outer, begin,
                        code.sub_i64(end, begin), accs);
  if (ordered_lanes(kernel, Sink::kScan) > 0)
    return reduce_in_order(kernel, code, Sink::kScan, outer, begin, end, accs);
  if (facts.scan.in_lanes) return lane_totals(kernel, code, outer, begin, end, accs);
  code.loop(begin, end, [&](Code& at, const Operand& i) {
    std::vector<Operand> indices = outer;
    indices.push_back(i);
    scan_point(kernel, at, indices, accs, false);
  });
}

}  // namespace skald::imp
