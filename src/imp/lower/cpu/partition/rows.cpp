// SPDX-License-Identifier: Apache-2.0
// Members that are arrays, or lie apart.
#include "imp/lower/cpu/partition/partition.h"

namespace skald::imp {

Operand is_member(Code& code, const Operand& row_class, size_t c) {
  return code.let(
      Prim::kBool,
      core::CmpOp{CmpOpKind::kEq, Prim::kI64, row_class, const_i64(static_cast<int64_t>(c))},
      "member");
}

void count_member(Code& code, const Operand& row_class, size_t c, Name next) {
  const Operand member = is_member(code, row_class, c);
  const Operand one = code.let(Prim::kI64, core::Convert{Prim::kBool, Prim::kI64, member}, "one");
  code.add(Assign{next, code.add_i64(next, one)});
}

void write_partition_of_rows(KernelWriter& kernel, Code& code, const Otherwise&) {
  const SinkInfo& info = kernel.facts.sinks[0];
  const auto classes = static_cast<size_t>(info.sink->classes);
  const Operand n = kernel.facts.dims[0];
  const Name size = code.fresh("chunk_size");
  code.add(ChunkSize{size, n, const_i64(kernel.facts.least_chunk)});
  const Operand chunks = chunk_count(code, n, size);
  std::vector<Name> counts;
  for (size_t c = 0; c < classes; ++c)
    counts.push_back(code.alloc(Space::kHeap, code.mul_i64(chunks, const_i64(8)), "counts"));

  code.parallel_chunks(
      n, size, [&](Code& inner, const Operand& begin, const Operand& end, const Operand& chunk) {
        std::vector<Name> next;
        for (size_t c = 0; c < classes; ++c) next.push_back(inner.var(Prim::kI64, begin, "next"));
        inner.loop(begin, end, [&](Code& at, const Operand& i) {
          kernel.point(
              at, {i},
              [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
                for (size_t c = 0; c < classes; ++c)
                  collect_member(kernel, here, info, c, next[c], values);
              });
        });
        for (size_t c = 0; c < classes; ++c)
          inner.add(Store{Prim::kI64, counts[c], chunk, inner.sub_i64(next[c], begin)});
      });

  std::vector<Name> totals;
  for (size_t c = 0; c < classes; ++c)
    totals.push_back(code.var(Prim::kI64, const_i64(0), "total"));
  const Operand some = code.less_i64(const_i64(0), n);
  code.branch(some, [&](Code& nonempty) {
    nonempty.short_loop(const_i64(0), chunks, [&](Code& inner, const Operand& chunk) {
      move_together(kernel, inner, info, inner.mul_i64(chunk, size), counts, chunk, totals);
    });
  });
  // The types of the results mention these names.
  for (size_t c = 0; c < classes; ++c)
    code.add(Let{kernel.stmt.pat[info.results + c].name, Prim::kI64, core::Value{totals[c]}});
  for (const Name block : counts) code.add(Free{block});
}

void move_together(KernelWriter& kernel, Code& code, const SinkInfo& info, const Operand& begin,
                   const std::vector<Name>& counts, const Operand& chunk,
                   const std::vector<Name>& totals) {
  const auto classes = static_cast<size_t>(info.sink->classes);
  const auto row_values = static_cast<size_t>(info.sink->count) - 1;
  for (size_t c = 0; c < classes; ++c) {
    const Operand count = code.load(Prim::kI64, counts[c], chunk, "count");
    for (size_t v = 0; v < row_values; ++v) {
      const ArrayPlace& rows = kernel.result_place(info.results + classes + c * row_values + v);
      Operand bytes = const_i64(prim_size(rows.type.elem));
      for (size_t k = 1; k < rows.type.shape.size(); ++k)
        bytes = code.mul_i64(bytes, rows.type.shape[k]);
      code.add(CopyBytes{rows.loc.block, code.mul_i64(totals[c], bytes), rows.loc.block,
                         code.mul_i64(begin, bytes), code.mul_i64(count, bytes), true});
    }
    code.add(Assign{totals[c], code.add_i64(totals[c], count)});
  }
}

void collect_member(KernelWriter& kernel, Code& code, const SinkInfo& info, size_t c, Name next,
                    const std::vector<Operand>& values) {
  const auto classes = static_cast<size_t>(info.sink->classes);
  const auto row_values = static_cast<size_t>(info.sink->count) - 1;
  const Operand member = code.let(Prim::kBool,
                                  core::CmpOp{CmpOpKind::kEq, Prim::kI64, values[info.values],
                                              const_i64(static_cast<int64_t>(c))},
                                  "member");
  std::vector<size_t> arrays;
  for (size_t v = 0; v < row_values; ++v) {
    const ArrayPlace& dest = kernel.result_place(info.results + classes + c * row_values + v);
    if (dest.type.shape.size() > 1)
      arrays.push_back(v);
    else
      kernel.fn.store(code, dest, {next}, values[info.values + 1 + v]);
  }
  if (!arrays.empty()) {
    code.branch(member, [&](Code& inner) {
      for (const size_t v : arrays)
        kernel.fn.store(inner, kernel.result_place(info.results + classes + c * row_values + v),
                        {next}, values[info.values + 1 + v]);
    });
  }
  const Operand one = code.let(Prim::kI64, core::Convert{Prim::kBool, Prim::kI64, member}, "one");
  code.add(Assign{next, code.add_i64(next, one)});
}

}  // namespace skald::imp
