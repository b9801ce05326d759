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
// mapped (the post-body).  That is code of one point, and so is what runs under the guard of a
// partition: on a device a nest keeps its own parallelism instead.
#include <algorithm>

#include "core/ir/visit.h"
#include "passes/fusion/graph/region.h"
#include "passes/fusion/graph/shape.h"

namespace skald::passes::fusion {

using namespace core;

// What leaves a cluster.
struct Region::Leaving {
  enum Kind : uint8_t { kNone = 0, kRows = 1, kHists = 2, kScatters = 4, kParts = 8, kFlats = 16 };
  unsigned kinds = kNone;
  Node partition = -1;  // the one whose arrays leave
};

// Scans with operators on arrays, and what makes their rows: nothing else leaves, and nothing reads
// what was scanned, so no post-body is needed.
bool Region::scans_rows_only(const Cluster& cluster) const {
  for (const Node j : cluster) {
    const NodeInfo& info = at(j);
    if (info.has_reduces || (info.has_scans && (info.scalar_operators || !info.only_scans)))
      return false;
    for (size_t r = 0; r < info.readers.size(); ++r)
      if (escapes(j, r, cluster) != info.has_scans) return false;
    for (const ResultOf& source : info.sources)
      if (source.node >= 0 && std::ranges::binary_search(cluster, source.node) &&
          at(source.node).has_scans)
        return false;
  }
  return true;
}

Region::Why Region::why_not_beside_operators(Node node, const Cluster& cluster) const {
  const NodeInfo& info = at(node);
  if (info.scalar_operators) return std::nullopt;
  if (info.kernel != nullptr) return "an operator on arrays would make the whole sequential";
  for (const Node other : cluster) {
    if (other == node) continue;
    if (info.kind == NodeKind::kHist && !at(other).joins_rows)
      return "a histogram of rows takes short maps of scalars only";
    if (info.kind != NodeKind::kHist && !stands_beside_rows(info, at(other)))
      return "an operator on arrays stands beside maps and its like only";
  }
  return std::nullopt;
}

// Notes what the node gives to others than the cluster.
Region::Why Region::leave(Node node, const Cluster& cluster, bool guarded, Leaving& leaving) const {
  const NodeInfo& info = at(node);
  const auto leave_partition = [&](Node partition) -> Why {
    leaving.kinds |= Leaving::kParts;
    if (leaving.partition >= 0 && leaving.partition != partition) return "two filters give arrays";
    leaving.partition = partition;
    return std::nullopt;
  };
  if (info.kind == NodeKind::kHist) leaving.kinds |= Leaving::kHists;
  if (info.kind == NodeKind::kScatter) leaving.kinds |= Leaving::kScatters;
  if (info.kind == NodeKind::kFlatMap) {
    if ((leaving.kinds & Leaving::kFlats) != 0) return "one flatmap for one pass";
    leaving.kinds |= Leaving::kFlats;
  }
  if (info.has_reduces) leaving.kinds |= Leaving::kRows;
  for (size_t r = 0; r < info.readers.size(); ++r) {
    const ResultRole::Kind role = info.roles[r].kind;
    if (!escapes(node, r, cluster)) continue;
    if (role == ResultRole::kMember)
      if (Why why = leave_partition(node)) return why;
    const bool is_row = role == ResultRole::kRows || role == ResultRole::kScanned;
    if (!is_row || !body_.stmts[info.stmt].pat[r].type.is_array()) continue;
    if (!guarded) {
      leaving.kinds |= Leaving::kRows;
      continue;
    }
    if (Why why = leave_partition(info.size_of.node)) return why;
    if (at(leaving.partition).classes() != 1) return "arrays of one class only are wanted";
  }
  return std::nullopt;
}

Region::Why Region::why_not_accumulate(const Cluster& cluster) const {
  for (const Node j : cluster)
    for (const Node other : cluster)
      if (j != other && at(j).kind == NodeKind::kAcc)
        if (Why why = why_not_with_accumulator(at(j), at(other))) return why;
  return std::nullopt;
}

Region::Why Region::why_not_soac(const Cluster& cluster, const std::vector<Member>& members) const {
  Leaving leaving;
  bool accumulates = false;
  for (const Node j : cluster) {
    const NodeInfo& info = at(j);
    const Member& member = members[static_cast<size_t>(j)];
    if (member.after_scan && info.has_reduces)
      return "a reduction of scanned values needs another pass";
    if (member.after_scan && info.kind != NodeKind::kSoac)
      return "only a map can follow a scan in the same pass";
    if (device_.reduces_by_segments && info.is_wide_nest && (member.after_scan || member.guarded))
      return "one thread would do all that the nest does for a row";
    if (member.guarded && info.has_scans) return "a scan of filtered rows needs their positions";
    if (member.guarded && info.kind == NodeKind::kFlatMap) return "a flatmap needs all its rows";
    if (member.guarded && info.kind == NodeKind::kAcc)
      return "writes to an accumulator need all their rows";
    accumulates = accumulates || info.kind == NodeKind::kAcc;
    if (Why why = leave(j, cluster, member.guarded, leaving)) return why;
  }
  if ((leaving.kinds & (leaving.kinds - 1)) != 0)
    return "their results are of different kinds, and no SOAC gives both";
  if (accumulates) {
    if ((leaving.kinds & ~static_cast<unsigned>(Leaving::kRows)) != 0)
      return "as SOACs only maps can join writes to an accumulator";
    return why_not_accumulate(cluster);
  }
  if (leaving.kinds == Leaving::kNone) return "none of their results is used";
  // The number of rows that a filter keeps can be a reduction, but only beside others.
  for (const Node j : cluster)
    for (size_t r = 0; r < at(j).roles.size(); ++r)
      if (at(j).roles[r].kind == ResultRole::kSize && j != leaving.partition &&
          leaving.kinds != Leaving::kRows && escapes(j, r, cluster))
        return "the number of rows that the filter keeps is needed too";
  return std::nullopt;
}

}  // namespace skald::passes::fusion
