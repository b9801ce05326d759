// SPDX-License-Identifier: Apache-2.0
// Partition (and so filter): fixed chunks, two passes.  The first counts the members of every class
// in every chunk, the second computes the values again and writes them where they belong, in order.
#include "core/visit.h"
#include "imp/lower/kernel_lowering.h"

namespace skald::imp {

using core::Sink;

namespace {

constexpr int64_t kLeastChunk = 4096;

}  // namespace

void KernelLowering::partition(Code& code) {
  SKALD_CHECK(sinks_.size() == 1, "a kernel partitions or does something else, not both");
  const SinkInfo& info = sinks_[0];
  const auto classes = static_cast<size_t>(info.sink->classes);
  const auto values_per_row = static_cast<size_t>(info.sink->count) - 1;
  const Operand n = dims_[0];
  const Name size = code.fresh("chunk_size");
  code.add(ChunkSize{size, n, const_i64(kLeastChunk)});
  const Operand chunks = chunk_count(code, n, size);
  std::vector<Name> counts;
  for (size_t c = 0; c < classes; ++c)
    counts.push_back(code.alloc(Space::kHeap, code.mul_i64(chunks, const_i64(8)), "counts"));

  const auto member = [&](Code& at, const Operand& cls, size_t c) {
    return at.let(Prim::kBool,
                  core::CmpOp{CmpOpKind::kEq, Prim::kI64, cls, const_i64(static_cast<int64_t>(c))},
                  "member");
  };
  code.parallel_chunks(
      n, size, [&](Code& inner, const Operand& begin, const Operand& end, const Operand& chunk) {
        std::vector<Name> found;
        for (size_t c = 0; c < classes; ++c)
          found.push_back(inner.var(Prim::kI64, const_i64(0), "found"));
        inner.loop(begin, end, [&](Code& at, const Operand& i) {
          point(
              at, {i},
              [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
                for (size_t c = 0; c < classes; ++c) {
                  const Operand one = here.let(
                      Prim::kI64,
                      core::Convert{Prim::kBool, Prim::kI64, member(here, values[info.values], c)},
                      "one");
                  here.add(Assign{found[c], here.add_i64(found[c], one)});
                }
              });
        });
        for (size_t c = 0; c < classes; ++c)
          inner.add(Store{Prim::kI64, counts[c], chunk, found[c]});
      });

  // Counts become starting positions.
  std::vector<Name> totals;
  for (size_t c = 0; c < classes; ++c)
    totals.push_back(code.var(Prim::kI64, const_i64(0), "total"));
  const Operand some = code.less_i64(const_i64(0), n);
  code.branch(some, [&](Code& nonempty) {
    nonempty.loop(const_i64(0), chunks, [&](Code& inner, const Operand& chunk) {
      for (size_t c = 0; c < classes; ++c) {
        const Operand count = inner.load(Prim::kI64, counts[c], chunk, "count");
        inner.add(Store{Prim::kI64, counts[c], chunk, totals[c]});
        inner.add(Assign{totals[c], inner.add_i64(totals[c], count)});
      }
    });
  });
  // The types of the results mention these names.
  for (size_t c = 0; c < classes; ++c)
    code.add(Let{stmt_.pat[info.results + c].name, Prim::kI64, core::Value{totals[c]}});

  code.parallel_chunks(
      n, size, [&](Code& inner, const Operand& begin, const Operand& end, const Operand& chunk) {
        std::vector<Name> next;
        for (size_t c = 0; c < classes; ++c)
          next.push_back(
              inner.var(Prim::kI64, inner.load(Prim::kI64, counts[c], chunk, "start"), "next"));
        inner.loop(begin, end, [&](Code& at, const Operand& i) {
          point(at, {i},
                [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
                  for (size_t c = 0; c < classes; ++c)
                    here.branch(member(here, values[info.values], c), [&](Code& then) {
                      for (size_t v = 0; v < values_per_row; ++v)
                        fn_.store(then,
                                  result_place(info.results + classes + c * values_per_row + v),
                                  {next[c]}, values[info.values + 1 + v]);
                      then.add(Assign{next[c], then.add_i64(next[c], const_i64(1))});
                    });
                });
        });
      });
  for (const Name block : counts) code.add(Free{block});
}

}  // namespace skald::imp
