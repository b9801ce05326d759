// SPDX-License-Identifier: Apache-2.0
// Which sets of kernels can be one kernel.
//
// A kernel may have any sinks together; what limits is where they run and in which order:
//
//   domain    all members have the domain of the result, or run over the rows that a partition
//             among them keeps, under its guard
//   phase     what runs after a scan gets its values from the post-function; a second scan there
//             would need another pass
//   skeleton  on grids and segments there are fewer combinations of sinks, see below
//   budget    code, sinks, registers and memory of groups (budget.h)
#include <algorithm>

#include "core/ir/visit.h"
#include "passes/fusion/hints.h"
#include "passes/fusion/region.h"
#include "passes/fusion/shape.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

// What the code generators have no skeleton for.
std::optional<std::string> why_no_skeleton(Domain::Kind domain, const std::vector<bool>& has,
                                           bool late_fold, bool late_hist) {
  const bool folds = has[Sink::kReduce] || has[Sink::kScan];
  if (domain == Domain::kFlat) return std::nullopt;
  if (has[Sink::kPartition]) return "only flat domains are partitioned";
  if (has[Sink::kReduce] && has[Sink::kScan])
    return "rows are scanned or reduced, not both in one pass";
  if (has[Sink::kHist] && (folds || domain == Domain::kSeg))
    return "a histogram of rows that are folded needs a pass of its own";
  if (late_fold || late_hist) return "only scattering can follow a scan of rows in the same pass";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> Region::why_not_kernel(const Cluster& cluster) const {
  const auto at = [&](Node node) -> const NodeInfo& { return nodes_[static_cast<size_t>(node)]; };
  const auto inside = [&](Node node) {
    return node >= 0 && std::ranges::binary_search(cluster, node);
  };
  const NodeInfo* main = nullptr;  // one that runs over the domain of the result
  Budget budget(device_);
  bool any_scan = false, scalar_rows = true;
  Hints hints = at(cluster[0]).hints;
  for (const Node j : cluster) {
    const NodeInfo& info = at(j);
    budget.add(info.needs);
    any_scan = any_scan || info.has_scans;
    scalar_rows = scalar_rows && info.scalar_rows;
    if (cluster.size() > 1 && info.kernel->guarded) return "a guard stands before a kernel";
    if (!hints_agree(info.hints, hints)) return "they have different hints";
    join_hints(hints, info.hints);
    if (!info.scalar_operators) return "an operator on arrays would make the whole sequential";
    // Values that pass from one member to another are counted once, and need no sink.
    for (const ResultOf& source : info.sources) {
      if (inside(source.node)) budget.pass(escapes(source.node, source.result, cluster));
    }
    if (inside(info.size_of.node)) continue;
    if (main == nullptr) main = &info;
    if (!same_domain(*main->kernel, *info.kernel)) return "they run over different domains";
    if (info.kernel->domain.kind == Domain::kSeg) main = &info;
  }
  if (main == nullptr) return "their sizes depend on each other";
  // Flat members agree with the segments, but must do so with all of them.
  for (const Node j : cluster)
    if (!inside(at(j).size_of.node) && !same_domain(*main->kernel, *at(j).kernel))
      return "they run over different domains";
  if (std::optional<std::string> why = budget.exceeded()) return why;
  if (any_scan && !scalar_rows) return "rows that are arrays cannot pass through a post-function";

  std::vector<bool> post(nodes_.size(), false);  // by node: does it run after a scan?
  std::vector<bool> has(6, false);
  bool late_fold = false, late_hist = false;
  for (const Node j : cluster) {
    const NodeInfo& info = at(j);
    const bool guarded = inside(info.size_of.node);
    bool after_scan = false;
    for (const ResultOf& source : info.sources) {
      if (!inside(source.node)) {
        if (guarded) return "it also reads an array by its position among the rows that were kept";
        continue;
      }
      const NodeInfo& producer = at(source.node);
      const ResultRole& role = producer.roles[source.result];
      if (role.kind == ResultRole::kTotal || role.kind == ResultRole::kUpdated ||
          role.kind == ResultRole::kSize)
        return "the producer's result is complete only when all of it has run";
      if (role.kind == ResultRole::kMember) {
        if (!guarded || info.size_of.node != source.node || info.size_of.result != role.of_class)
          return "its rows are not those that the filter keeps";
      } else if (guarded ? !(producer.size_of.node == info.size_of.node &&
                             producer.size_of.result == info.size_of.result)
                         : inside(producer.size_of.node)) {
        return "its rows are not those that the filter keeps";
      }
      after_scan =
          after_scan || post[static_cast<size_t>(source.node)] || role.kind == ResultRole::kScanned;
    }
    // Under the guard of a partition that runs after a scan, one runs after it too.
    after_scan = after_scan || (guarded && post[static_cast<size_t>(info.size_of.node)]);
    post[static_cast<size_t>(j)] = after_scan;
    if (guarded && info.sources.empty()) return "it reads nothing that the filter gives";
    if (guarded && info.uses_position)
      return "it computes with its position among the rows that were kept";
    if (guarded && !info.scalar_rows) return "rows that are arrays cannot be masked";
    if (guarded && info.kernel->domain.kind != Domain::kFlat)
      return "its rows are not those that the filter keeps";
    if (after_scan && info.has_scans) return "a scan of scanned values needs another pass";
    for (const Sink& sink : info.kernel->sinks) {
      has[sink.kind] = true;
      if (!after_scan && !sink.late) continue;
      const bool fold = sink.kind == Sink::kReduce || sink.kind == Sink::kPartition;
      if (fold && !device_.late_folds)
        return "what follows a scan can only be mapped and scattered on this device";
      late_fold = late_fold || fold;
      late_hist = late_hist || sink.kind == Sink::kHist;
    }
    if (!guarded) continue;
    for (size_t r = 0; r < info.roles.size(); ++r) {
      const ResultRole::Kind kind = info.roles[r].kind;
      if (kind != ResultRole::kRows && kind != ResultRole::kScanned) continue;
      if (!escapes(j, r, cluster)) continue;
      size_t classes = 0;
      for (const ResultRole& role : at(info.size_of.node).roles)
        classes += role.kind == ResultRole::kSize ? 1 : 0;
      if (classes != 1) return "arrays of one class only are wanted";
      // The rows of a partition are collected once, after the scan if need be.
      if (!post[static_cast<size_t>(info.size_of.node)] &&
          (after_scan || kind == ResultRole::kScanned)) {
        if (!device_.late_folds)
          return "what follows a scan can only be mapped and scattered on this device";
        late_fold = true;
      }
    }
  }
  return why_no_skeleton(main->kernel->domain.kind, has, late_fold, late_hist);
}

}  // namespace skald::passes::fusion
