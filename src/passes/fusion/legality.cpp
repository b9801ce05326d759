// SPDX-License-Identifier: Apache-2.0
// Which sets of SOACs can be one SOAC.
//
// The result is one of five nodes, so what leaves the cluster must be of one kind:
//
//   soac        any number of reductions, scans and arrays
//   with_acc    a map that writes to accumulators, and arrays
//   hist        histograms only;  scatter: destinations only;  flatmap: one flatmap only
//   partition   the arrays of one partition and what is mapped from them (classes = 1)
//
// Row by row there are two phases: before and after the scans.  What runs after them can only be
// mapped (the post-body).  A node over the rows that a partition keeps runs under its guard.
#include <algorithm>

#include "core/ir/visit.h"
#include "passes/fusion/hints.h"
#include "passes/fusion/region.h"
#include "passes/fusion/shape.h"

namespace skald::passes::fusion {

using namespace core;

std::optional<std::string> Region::why_not(const Cluster& cluster) const {
  return nodes_[static_cast<size_t>(cluster[0])].kernel != nullptr ? why_not_kernel(cluster)
                                                                   : why_not_soac(cluster);
}

// Scans with operators on arrays, and what makes their rows: nothing else leaves, and nothing reads
// what was scanned, so no post-body is needed.
bool Region::scans_rows_only(const Cluster& cluster) const {
  for (const Node j : cluster) {
    const NodeInfo& info = nodes_[static_cast<size_t>(j)];
    if (info.has_reduces || (info.has_scans && (info.scalar_operators || !info.only_scans)))
      return false;
    for (size_t r = 0; r < info.readers.size(); ++r)
      if (escapes(j, r, cluster) != info.has_scans) return false;
    for (const ResultOf& source : info.sources)
      if (source.node >= 0 && std::ranges::binary_search(cluster, source.node) &&
          nodes_[static_cast<size_t>(source.node)].has_scans)
        return false;
  }
  return true;
}

std::optional<std::string> Region::why_not_soac(const Cluster& cluster) const {
  const auto at = [&](Node node) -> const NodeInfo& { return nodes_[static_cast<size_t>(node)]; };
  const auto inside = [&](Node node) {
    return node >= 0 && std::ranges::binary_search(cluster, node);
  };
  const Operand* width = nullptr;
  Budget budget(device_);
  bool any_scan = false, scalar_rows = true;
  Hints hints = at(cluster[0]).hints;
  for (const Node j : cluster) {
    const NodeInfo& info = at(j);
    budget.add(info.needs);
    any_scan = any_scan || info.has_scans;
    scalar_rows = scalar_rows && info.scalar_rows;
    if (!hints_agree(info.hints, hints)) return "they have different hints";
    join_hints(hints, info.hints);
    for (const Node other : cluster) {
      if (info.scalar_operators || other == j) continue;
      if (info.kind == NodeKind::kHist && !at(other).joins_rows)
        return "a histogram of rows takes short maps of scalars only";
      if (info.kind != NodeKind::kHist && !stands_beside_rows(info, at(other)))
        return "an operator on arrays stands beside maps and its like only";
    }
    for (const ResultOf& source : info.sources) {
      if (inside(source.node)) budget.pass(true);
    }
    if (inside(info.size_of.node)) continue;
    if (width == nullptr) width = &info.width;
    if (!(info.width == *width)) return "their sizes are not known to be equal";
  }
  if (std::optional<std::string> why = budget.exceeded()) return why;
  if (any_scan && !scalar_rows && cluster.size() > 1 && !scans_rows_only(cluster))
    return "rows that are arrays cannot pass through a scan's post-body";

  // By node: does it run after a scan?
  std::vector<bool> post(nodes_.size(), false);
  enum Sinks : uint8_t { kNone = 0, kRows = 1, kHists = 2, kScatters = 4, kParts = 8, kFlats = 16 };
  bool accumulates = false;
  unsigned leaving = kNone;
  Node part = -1;  // the partition whose arrays leave
  for (const Node j : cluster) {
    const NodeInfo& info = at(j);
    const bool guarded = inside(info.size_of.node);
    const auto same_guard = [&](const ResultOf& other) {
      return guarded ? other.node == info.size_of.node && other.result == info.size_of.result
                     : !inside(other.node);
    };
    bool after_scan = false;
    for (const ResultOf& source : info.sources) {
      if (!inside(source.node)) {
        if (guarded) return "it also reads an array by its position among the rows that were kept";
        continue;
      }
      const NodeInfo& producer = at(source.node);
      if (producer.kind == NodeKind::kPartition) {
        const size_t classes = static_cast<size_t>(producer.classes);
        const size_t values = (producer.readers.size() - classes) / classes;
        const size_t of_class = (source.result - classes) / values;
        if (!guarded || info.size_of.node != source.node || info.size_of.result != of_class)
          return "its rows are not those that the filter keeps";
      } else if (!same_guard(producer.size_of)) {
        return "its rows are not those that the filter keeps";
      }
      after_scan = after_scan || post[static_cast<size_t>(source.node)] || producer.has_scans;
    }
    post[static_cast<size_t>(j)] = after_scan;
    if (guarded && info.sources.empty()) return "it reads nothing that the filter gives";
    if (after_scan && info.has_scans) return "a scan of scanned values needs another pass";
    if (after_scan && info.has_reduces) return "a reduction of scanned values needs another pass";
    if (after_scan && info.kind != NodeKind::kSoac)
      return "only a map can follow a scan in the same pass";
    if (guarded && info.has_scans) return "a scan of filtered rows needs their positions";
    if (guarded && info.kind == NodeKind::kFlatMap) return "a flatmap needs all its rows";
    if (guarded && info.kind == NodeKind::kAcc)
      return "writes to an accumulator need all their rows";
    if (info.kind == NodeKind::kAcc) accumulates = true;
    switch (info.kind) {
      case NodeKind::kHist: leaving |= kHists; break;
      case NodeKind::kScatter: leaving |= kScatters; break;
      case NodeKind::kFlatMap:
        if ((leaving & kFlats) != 0) return "one flatmap for one pass";
        leaving |= kFlats;
        break;
      case NodeKind::kAcc:
      case NodeKind::kSoac:
        if (info.has_reduces) leaving |= kRows;
        for (size_t r = 0; r < info.readers.size(); ++r) {
          const Stmt& stmt = body_.stmts[info.stmt];
          if (!stmt.pat[r].type.is_array() || !escapes(j, r, cluster)) continue;
          if (r < info.updated) continue;
          if (!guarded) {
            leaving |= kRows;
            continue;
          }
          leaving |= kParts;
          if (part >= 0 && part != info.size_of.node) return "two filters give arrays";
          part = info.size_of.node;
          if (at(part).classes != 1) return "arrays of one class only are wanted";
        }
        break;
      case NodeKind::kPartition:
        for (size_t r = static_cast<size_t>(info.classes); r < info.readers.size(); ++r) {
          if (!escapes(j, r, cluster)) continue;
          leaving |= kParts;
          if (part >= 0 && part != j) return "two filters give arrays";
          part = j;
        }
        break;
      case NodeKind::kKernel: break;
    }
  }
  if ((leaving & (leaving - 1)) != 0)
    return "their results are of different kinds, and no SOAC gives both";
  if (accumulates) {
    if ((leaving & ~static_cast<unsigned>(kRows)) != 0)
      return "as SOACs only maps can join writes to an accumulator";
    for (const Node j : cluster)
      for (const Node other : cluster)
        if (j != other && at(j).kind == NodeKind::kAcc)
          if (auto why = why_not_with_accumulator(at(j), at(other))) return why;
    return std::nullopt;
  }
  if (leaving == kNone) return "none of their results is used";
  // The number of rows that a filter keeps can be a reduction, but only beside others.
  for (const Node j : cluster) {
    const NodeInfo& info = at(j);
    if (info.kind != NodeKind::kPartition || j == part) continue;
    for (size_t r = 0; r < static_cast<size_t>(info.classes); ++r)
      if (leaving != kRows && escapes(j, r, cluster))
        return "the number of rows that the filter keeps is needed too";
  }
  return std::nullopt;
}

}  // namespace skald::passes::fusion
