// SPDX-License-Identifier: Apache-2.0
#include "passes/fusion/compose/part.h"

#include "core/ir/visit.h"
#include "support/bug.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

Sink fold_sink(Sink::Kind kind, Operator op) {
  Sink sink{kind, static_cast<int>(op.neutral.size())};
  sink.op.push_back(std::move(op));
  return sink;
}

Part of_soac(Soac soac, std::vector<Param> pat) {
  Part part{.inputs = std::move(soac.inputs), .code = std::move(soac.fn)};
  size_t scanned = 0, reduced = 0;
  for (Operator& op : soac.scans) {
    scanned += op.neutral.size();
    part.sinks.push_back(fold_sink(Sink::kScan, std::move(op)));
  }
  for (Operator& op : soac.reduces) {
    reduced += op.neutral.size();
    part.sinks.push_back(fold_sink(Sink::kReduce, std::move(op)));
  }
  const size_t others = part.code.results.size() - scanned - reduced;
  if (others > 0) part.sinks.push_back({Sink::kOut, static_cast<int>(others)});
  // A SOAC gives its totals before what it scanned, a kernel goes by the order of its sinks.
  const auto totals = pat.begin() + static_cast<ptrdiff_t>(reduced);
  if (soac.post.empty()) std::rotate(pat.begin(), totals, totals + static_cast<ptrdiff_t>(scanned));
  part.post = std::move(soac.post);
  part.pat = std::move(pat);
  return part;
}

// The function of a SOAC that writes gives all indices before all values; a sink takes its own
// together.
void group_by_sink(Part& part) {
  size_t index = 0, value = 0;
  for (const Sink& sink : part.sinks) value += indices_of(sink);
  std::vector<Operand> values;
  std::vector<Ret> results;
  const auto take = [&](size_t from) {
    values.push_back(part.code.body.result[from]);
    results.push_back(part.code.results[from]);
  };
  for (const Sink& sink : part.sinks) {
    const size_t indices = indices_of(sink);
    for (size_t k = 0; k < indices; ++k) take(index++);
    for (size_t k = indices; k < static_cast<size_t>(sink.count); ++k) take(value++);
  }
  part.code.body.result = std::move(values);
  part.code.results = std::move(results);
}

Part of_hist(Hist hist, std::vector<Param> pat) {
  Part part{.inputs = std::move(hist.inputs), .code = std::move(hist.fn), .pat = std::move(pat)};
  for (HistOp& op : hist.ops) {
    Sink sink{Sink::kHist, static_cast<int>(op.shape.size() + op.dests.size())};
    sink.shape = std::move(op.shape);
    sink.dests = std::move(op.dests);
    sink.op.push_back(std::move(op.op));
    part.sinks.push_back(std::move(sink));
  }
  group_by_sink(part);
  return part;
}

Part of_scatter(Scatter scatter, std::vector<Param> pat) {
  Part part{
      .inputs = std::move(scatter.inputs), .code = std::move(scatter.fn), .pat = std::move(pat)};
  for (ScatterDest& dest : scatter.dests) {
    Sink sink{Sink::kScatter, static_cast<int>(dest.shape.size() + 1)};
    sink.shape = std::move(dest.shape);
    sink.dests = {dest.dest};
    part.sinks.push_back(std::move(sink));
  }
  group_by_sink(part);
  return part;
}

Part of_partition(Partition partition, std::vector<Param> pat) {
  Part part{.inputs = std::move(partition.inputs),
            .code = std::move(partition.fn),
            .pat = std::move(pat)};
  Sink sink{Sink::kPartition, static_cast<int>(part.code.results.size())};
  sink.classes = partition.classes;
  part.sinks.push_back(std::move(sink));
  return part;
}

Part of_flatmap(FlatMap flat, std::vector<Param> pat) {
  Part part{.inputs = std::move(flat.inputs), .code = std::move(flat.fn), .pat = std::move(pat)};
  flat.fn = Lambda{};
  part.flat = std::move(flat);
  return part;
}

Part of_kernel(Kernel kernel, std::vector<Param> pat) {
  return {.domain = std::move(kernel.domain),
          .code = std::move(kernel.pull),
          .sinks = std::move(kernel.sinks),
          .post = std::move(kernel.post),
          .pat = std::move(pat)};
}

}  // namespace

Part part_of(Stmt stmt) {
  Exp& exp = stmt.exp;
  if (Kernel* e = as<Kernel>(exp)) return of_kernel(std::move(*e), std::move(stmt.pat));
  if (Soac* e = as<Soac>(exp)) return of_soac(std::move(*e), std::move(stmt.pat));
  if (Hist* e = as<Hist>(exp)) return of_hist(std::move(*e), std::move(stmt.pat));
  if (Scatter* e = as<Scatter>(exp)) return of_scatter(std::move(*e), std::move(stmt.pat));
  if (Partition* e = as<Partition>(exp)) return of_partition(std::move(*e), std::move(stmt.pat));
  if (FlatMap* e = as<FlatMap>(exp)) return of_flatmap(std::move(*e), std::move(stmt.pat));
  SKALD_BUG("fusion of a statement that is no SOAC");
}

}  // namespace skald::passes::fusion
