// SPDX-License-Identifier: Apache-2.0
// Which nodes can be one SOAC or kernel: what holds for both.
//
//   side by side   hints agree; what the points need is there (budget.h)
//   one space      all run over the points of the result, or over the rows that a partition among
//                  them keeps, under its guard
//   rows           what passes from one to another is a row of the same point; a scan of what was
//                  scanned needs another pass
//
// Read next: soac_legality.cpp, kernel_legality.cpp.
#include <algorithm>

#include "core/ir/visit.h"
#include "passes/fusion/graph/hints.h"
#include "passes/fusion/graph/region.h"
#include "passes/fusion/graph/shape.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

// A sum of products of two elements for each point of two dimensions or more.  Such kernels keep
// tiles of sums in registers; two of them at once have tiles of half the size, each of whose
// elements is loaded for half as many products.
bool is_matrix_product(const Kernel& kernel) {
  if (kernel.domain.kind != Domain::kGrid || kernel.domain.dims.size() < 3 || kernel.guarded ||
      kernel.sinks.size() != 1 || kernel.sinks[0].kind != Sink::kReduce)
    return false;
  const BinOp* product = nullptr;
  for (const Stmt& stmt : kernel.pull.body.stmts) {
    if (as<Index>(stmt.exp) != nullptr) continue;
    const auto* e = as<BinOp>(stmt.exp);
    if (e == nullptr || e->op != BinOpKind::kMul || !is_float(e->type) || product != nullptr)
      return false;
    product = e;
  }
  return product != nullptr;
}

}  // namespace

std::optional<std::string> Region::why_not(const Cluster& cluster) const {
  if (Why why = why_not_side_by_side(cluster)) return why;
  if (Why why = why_not_one_space(cluster)) return why;
  std::vector<Member> members(nodes_.size());
  if (Why why = why_not_rows(cluster, members)) return why;
  return at(cluster[0]).kernel != nullptr ? why_not_kernel(cluster, members)
                                          : why_not_soac(cluster, members);
}

Region::Why Region::why_not_side_by_side(const Cluster& cluster) const {
  Budget budget(device_);
  bool any_scan = false, scalar_rows = true;
  Hints hints = at(cluster[0]).hints;
  for (const Node j : cluster) {
    const NodeInfo& info = at(j);
    budget.add(info.needs);
    any_scan = any_scan || info.has_scans;
    scalar_rows = scalar_rows && info.scalar_rows;
    if (cluster.size() > 1 && info.kernel != nullptr && info.kernel->guarded)
      return "a guard stands before a kernel";
    if (!hints_agree(info.hints, hints)) return "they have different hints";
    join_hints(hints, info.hints);
    if (Why why = why_not_beside_operators(j, cluster)) return why;
    // Values that pass from one member to another are counted once; in kernels, those that nobody
    // else needs have no sink.
    for (const ResultOf& source : info.sources)
      if (source.node >= 0 && std::ranges::binary_search(cluster, source.node))
        budget.pass(info.kernel == nullptr || escapes(source.node, source.result, cluster));
  }
  if (Why why = budget.exceeded()) return why;
  if (!device_.groups && std::ranges::count_if(cluster, [&](Node j) {
                           return at(j).kernel != nullptr && is_matrix_product(*at(j).kernel);
                         }) > 1)
    return "products of matrices share the registers for their tiles badly";
  if (!any_scan || scalar_rows) return std::nullopt;
  if (at(cluster[0]).kernel == nullptr && (cluster.size() == 1 || scans_rows_only(cluster)))
    return std::nullopt;
  return "rows that are arrays cannot pass through the function after a scan";
}

Region::Why Region::why_not_one_space(const Cluster& cluster) const {
  const NodeInfo* main = nullptr;  // one that runs over the points of the result
  std::vector<const NodeInfo*> others;
  for (const Node j : cluster) {
    const NodeInfo& info = at(j);
    const Node partition = info.size_of.node;
    if (partition >= 0 && std::ranges::binary_search(cluster, partition)) continue;
    others.push_back(&info);
    const bool is_seg = info.kernel != nullptr && info.kernel->domain.kind == Domain::kSeg;
    if (main == nullptr || is_seg) main = &info;
  }
  if (main == nullptr) return "their sizes depend on each other";
  // Flat kernels agree with segments, but must do so with all of them.
  for (const NodeInfo* info : others) {
    if (main->kernel != nullptr && !same_domain(*main->kernel, *info->kernel))
      return "they run over different domains";
    if (main->kernel == nullptr && !(info->width == main->width))
      return "their sizes are not known to be equal";
  }
  return std::nullopt;
}

// By node: how it takes part.
Region::Why Region::why_not_rows(const Cluster& cluster, std::vector<Member>& members) const {
  const auto member = [&](Node node) -> Member& { return members[static_cast<size_t>(node)]; };
  const auto inside = [&](Node node) { return node >= 0 && member(node).inside; };
  for (const Node j : cluster) member(j).inside = true;
  for (const Node j : cluster) {
    const NodeInfo& info = at(j);
    const bool guarded = member(j).guarded = inside(info.size_of.node);
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
      // The partition whose rows these are, if it is one of the cluster's.
      ResultOf rows = producer.size_of;
      if (role.kind == ResultRole::kMember) rows = {source.node, role.of_class};
      const bool same = guarded
                            ? rows.node == info.size_of.node && rows.result == info.size_of.result
                            : !inside(rows.node);
      if (!same) return "its rows are not those that the filter keeps";
      after_scan =
          after_scan || member(source.node).after_scan || role.kind == ResultRole::kScanned;
    }
    // Under the guard of a partition that runs after a scan, one runs after it too.
    after_scan = after_scan || (guarded && member(info.size_of.node).after_scan);
    member(j).after_scan = after_scan;
    if (guarded && info.sources.empty()) return "it reads nothing that the filter gives";
    if (after_scan && info.has_scans) return "a scan of scanned values needs another pass";
  }
  return std::nullopt;
}

}  // namespace skald::passes::fusion
