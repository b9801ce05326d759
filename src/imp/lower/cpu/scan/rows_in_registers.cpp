// SPDX-License-Identifier: Apache-2.0
// Scans of rows that are shorter than a few registers.
//
// If the rows follow one another in the results, some hundred points are computed as one vector
// loop (cpu/loops/rows_as_one_loop.h), and then scanned in registers that may hold several rows
// (imp::ScanRows).
#include "core/ir/visit.h"
#include "imp/lower/cpu/loops/rows_as_one_loop.h"
#include "imp/lower/cpu/scan/scan.h"

namespace skald::imp {

using core::Sink;

WhyNot why_no_rows_in_registers(KernelWriter& kernel) {
  if (!kernel.facts.scan.in_registers) return "the operators are not done in registers";
  // Those of a kernel with a post-function are not where the scans say.
  if (auto why = why_no_rows_as_one_loop(kernel)) return why;
  for (const SinkInfo& info : kernel.facts.sinks)
    for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v)
      if (is_float(kernel.result_place(info.results + v).type.elem)) return "it scans floats";
  return std::nullopt;
}

void scan_rows_in_registers(KernelWriter& kernel, Code& code) {
  const RowsAsOneLoop rows = *find_rows_as_one_loop(kernel, code);
  for_each_row_group(kernel, code, [&](Code& at, const RowGroup& group) {
    const auto start_of = [&](const ArrayPlace& place) {
      return address(at, place, {group.first, const_i64(0)});
    };
    // By the values of the thunk.
    std::vector<const ArrayPlace*> to(kernel.node.pull.results.size());
    std::vector<Operand> starts(to.size(), const_i64(0));
    for (const SinkInfo& info : kernel.facts.sinks)
      for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v) {
        to[info.values + v] = &kernel.result_place(info.results + v);
        starts[info.values + v] = start_of(*to[info.values + v]);
      }
    // Elements of one array are scanned from where they are.  (Of several, the result of one scan
    // may lie where the next one would read.)
    const std::vector<Operand>& results = kernel.node.pull.body.result;
    const std::vector<core::Stmt>& stmts = kernel.node.pull.body.stmts;
    const bool plain = results.size() == 1 && rows.reads.size() == 1 &&
                       Operand{stmts[rows.reads[0]].pat[0].name} == results[0];
    Name from = to[0]->loc.block;
    Operand from_start = starts[0];
    if (plain) {
      const ArrayPlace& place =
          kernel.fn.place(core::as<core::Index>(stmts[rows.reads[0]].exp)->array);
      from = place.loc.block;
      from_start = start_of(place);
    } else {
      points_of_group(kernel, at, rows, group,
                      [&](Code& inner, const Operand& k, const std::vector<Operand>& values) {
                        for (size_t v = 0; v < to.size(); ++v)
                          inner.add(Store{to[v]->type.elem, to[v]->loc.block,
                                          inner.add_i64(starts[v], k), values[v]});
                      });
    }
    for (const SinkInfo& info : kernel.facts.sinks)
      for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v) {
        const core::BinOp* node = core::as<core::BinOp>(info.sink->op[0].fn.body.stmts[v].exp);
        const size_t k = info.values + v;
        at.add(ScanRows{node->op, node->type, to[k]->loc.block, starts[k],
                        plain ? from : to[k]->loc.block, plain ? from_start : starts[k],
                        group.count, group.length});
      }
  });
}

}  // namespace skald::imp
