// SPDX-License-Identifier: Apache-2.0
#include "passes/fusion/compose/part.h"

#include <algorithm>

#include "core/ir/visit.h"
#include "passes/kernels/sinks.h"
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

// A histogram, scatter or partition.
template <class Node>
Part of_writing(Node node, std::vector<Param> pat) {
  Part part{.inputs = std::move(node.inputs), .pat = std::move(pat)};
  part.sinks = take_sinks(node);
  part.code = std::move(node.fn);
  group_by_sink(part.code, part.sinks);
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
  if (Hist* e = as<Hist>(exp)) return of_writing(std::move(*e), std::move(stmt.pat));
  if (Scatter* e = as<Scatter>(exp)) return of_writing(std::move(*e), std::move(stmt.pat));
  if (Partition* e = as<Partition>(exp)) return of_writing(std::move(*e), std::move(stmt.pat));
  if (FlatMap* e = as<FlatMap>(exp)) return of_flatmap(std::move(*e), std::move(stmt.pat));
  SKALD_BUG("fusion of a statement that is no SOAC");
}

}  // namespace skald::passes::fusion
