// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/mixed/strategies.h"

#include <algorithm>

#include "imp/lower/cpu/hist/hist.h"
#include "imp/lower/cpu/mixed/chunks.h"
#include "imp/lower/cpu/partition/strategies.h"

namespace skald::imp {

using core::Sink;

namespace {

// Copies of a histogram that is not alone in its kernel.
constexpr int64_t kCopies = 8;

struct MixedSinks {
  KernelWriter& kernel;
  Operand n;
  Gathered all;
};

WhyNot why_not_copied(MixedSinks& mixed) {
  if (!mixed.kernel.facts.has(Sink::kHist)) return "there is no histogram";
  return std::nullopt;
}

void write_copied(MixedSinks& mixed, Code& code, const Otherwise& otherwise) {
  KernelWriter& kernel = mixed.kernel;
  Operand bins = const_i64(0);
  for (const SinkInfo& info : kernel.facts.sinks_of(Sink::kHist))
    bins = code.add_i64(bins, code.mul_i64(bin_count(kernel, code, info), const_i64(2 * kCopies)));
  code.branch(
      code.less_i64(bins, mixed.n),
      [&](Code& few) {
        const Operand even =
            few.binop(BinOpKind::kQuot, few.add_i64(mixed.n, const_i64(kCopies - 1)),
                      const_i64(kCopies), "size");
        const Operand size = few.max_i64(const_i64(kernel.facts.least_chunk), even);
        write_mixed_chunks(kernel, few, Bins::kCopied, size, mixed.all);
      },
      otherwise);
}

WhyNot why_not_exact_chunks(MixedSinks& mixed) {
  if (are_atomic(mixed.kernel.facts)) return std::nullopt;
  return "no atomic instruction does what the operator of a histogram does";
}

void write_exact_chunks(MixedSinks& mixed, Code& code, const Otherwise&) {
  const Name size = code.fresh("chunk_size");
  code.add(ChunkSize{size, mixed.n, const_i64(mixed.kernel.facts.least_chunk)});
  write_mixed_chunks(mixed.kernel, code, Bins::kAtomic, size, mixed.all);
}

void write_one_chunk(MixedSinks& mixed, Code& code, const Otherwise&) {
  write_mixed_chunks(mixed.kernel, code, Bins::kInOrder, code.max_i64(mixed.n, const_i64(1)),
                     mixed.all);
}

constexpr StrategyFor<MixedSinks> kMixedSinks[] = {
    {"mixed/copied-bins", why_not_copied, write_copied},
    {"mixed/chunks", why_not_exact_chunks, write_exact_chunks},
    {"mixed/one-chunk", always_fits, write_one_chunk},
};

void write_mixed(KernelWriter& kernel, Code& code, const Otherwise&) {
  MixedSinks mixed{kernel, const_i64(0), {}};
  const std::vector<SinkInfo>& sinks = kernel.facts.sinks;
  mixed.all.sinks.resize(sinks.size());
  for (size_t k = 0; k < sinks.size(); ++k) {
    const Sink& sink = *sinks[k].sink;
    if (sink.kind == Sink::kReduce) mixed.all.sinks[k].acc = kernel.start(code, sink.op[0]);
    for (int c = 0; sink.kind == Sink::kPartition && c < sink.classes; ++c)
      mixed.all.sinks[k].next.push_back(code.var(Prim::kI64, const_i64(0), "total"));
  }
  mixed.n = kernel.point_count(code);
  choose(std::span<const StrategyFor<MixedSinks>>(kMixedSinks), mixed, code);
  for (size_t k = 0; k < sinks.size(); ++k) {
    const SinkInfo& info = sinks[k];
    const Gathered::Of& of = mixed.all.sinks[k];
    for (size_t v = 0; info.sink->kind == Sink::kReduce && v < of.acc.size(); ++v)
      kernel.fn.alias[kernel.stmt.pat[info.results + v].name] = of.acc[v];
    // The types of the results mention these names.
    for (size_t c = 0; c < of.next.size(); ++c)
      code.add(Let{kernel.stmt.pat[info.results + c].name, Prim::kI64, core::Value{of.next[c]}});
  }
}

constexpr Strategy kMixed[] = {{"mixed/one-pass", always_fits, write_mixed}};

}  // namespace

bool is_mixed(const KernelWriter& kernel) {
  const KernelFacts& facts = kernel.facts;
  // Reductions of what vectors scan are done where it is scanned.
  const bool reduces = facts.has(Sink::kScan) && facts.dims.size() == 1 && facts.scan.in_vectors();
  const bool late = std::ranges::any_of(facts.sinks, [&](const SinkInfo& info) {
    return info.sink->late && info.sink->kind != Sink::kScatter &&
           !(info.sink->kind == Sink::kReduce && reduces);
  });
  const bool folds = facts.has(Sink::kReduce) || facts.has(Sink::kScan);
  if (facts.has(Sink::kHist))
    return late || folds || facts.has(Sink::kPartition) || !kernel.node.post.empty();
  return late ||
         (facts.has(Sink::kPartition) && facts.sinks.size() > 1 && !is_ordered_partition(kernel));
}

std::span<const Strategy> mixed_strategies() {
  return kMixed;
}

void add_mixed_names(std::vector<StrategyName>& names) {
  add_names(std::span<const StrategyFor<MixedSinks>>(kMixedSinks), names);
}

}  // namespace skald::imp
