// SPDX-License-Identifier: Apache-2.0
// Which sets of kernels can be one kernel.
//
// A kernel may have any sinks together; what limits is where they run and in which order: what runs
// after a scan gets its values from the post-function, and on grids and segments there are fewer
// combinations of sinks.
#include <algorithm>
#include <array>

#include "core/ir/visit.h"
#include "passes/fusion/graph/region.h"
#include "passes/fusion/graph/shape.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

constexpr const char* kNoLateFold =
    "what follows a scan can only be mapped and scattered on this device";

// What the sinks of a cluster ask of a skeleton.
struct SinkNeeds {
  std::array<bool, 6> has = {};  // by kind
  bool late_fold = false, late_hist = false;

  void add(const Sink& sink, bool after_scan) {
    has[sink.kind] = true;
    if (!after_scan && !sink.late) return;
    late_fold = late_fold || sink.kind == Sink::kReduce || sink.kind == Sink::kPartition;
    late_hist = late_hist || sink.kind == Sink::kHist;
  }
};

// What the code generators have no skeleton for.
std::optional<std::string> why_no_skeleton(Domain::Kind domain, const SinkNeeds& needs) {
  const auto& has = needs.has;
  const bool folds = has[Sink::kReduce] || has[Sink::kScan];
  if (domain == Domain::kFlat) return std::nullopt;
  if (has[Sink::kPartition]) return "only flat domains are partitioned";
  if (has[Sink::kReduce] && has[Sink::kScan])
    return "rows are scanned or reduced, not both in one pass";
  if (has[Sink::kHist] && (folds || domain == Domain::kSeg))
    return "a histogram of rows that are folded needs a pass of its own";
  if (needs.late_fold || needs.late_hist)
    return "only scattering can follow a scan of rows in the same pass";
  return std::nullopt;
}

std::optional<std::string> why_not_guarded(const NodeInfo& info) {
  if (info.uses_position) return "it computes with its position among the rows that were kept";
  if (!info.scalar_rows) return "rows that are arrays cannot be masked";
  if (info.kernel->domain.kind != Domain::kFlat)
    return "its rows are not those that the filter keeps";
  return std::nullopt;
}

}  // namespace

Region::Why Region::why_not_kernel(const Cluster& cluster,
                                   const std::vector<Member>& members) const {
  SinkNeeds needs;
  Domain::Kind domain = Domain::kFlat;
  for (const Node j : cluster) {
    const NodeInfo& info = at(j);
    const Member& member = members[static_cast<size_t>(j)];
    for (const Sink& sink : info.kernel->sinks) needs.add(sink, member.after_scan);
    if (!member.guarded) {
      // Flat kernels run over the elements of segments.
      if (domain != Domain::kSeg) domain = info.kernel->domain.kind;
      continue;
    }
    if (Why why = why_not_guarded(info)) return why;
    for (size_t r = 0; r < info.roles.size(); ++r) {
      const ResultRole::Kind kind = info.roles[r].kind;
      if (kind != ResultRole::kRows && kind != ResultRole::kScanned) continue;
      if (!escapes(j, r, cluster)) continue;
      if (at(info.size_of.node).classes() != 1) return "arrays of one class only are wanted";
      // The rows of a partition are collected once, after the scan if need be.
      if (member.after_scan || kind == ResultRole::kScanned) needs.late_fold = true;
    }
  }
  if (needs.late_fold && !device_.late_folds) return kNoLateFold;
  return why_no_skeleton(domain, needs);
}

}  // namespace skald::passes::fusion
