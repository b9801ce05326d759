// SPDX-License-Identifier: Apache-2.0
// One block of the core IR as a fusion problem.
//
// Nodes are the SOACs of the block, or, after flattening, its kernels.  All other statements only
// order them: a way from one node to another through such a statement means "strictly before".
// Reads of an array come strictly before the statement that consumes it.
//
// Read next: region.cpp (dependences), pairs.cpp (what may be merged with what, and the gain),
// legality.cpp (which nodes may be one SOAC or kernel).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/aliases.h"
#include "core/ir/name_map.h"
#include "core/ir/program.h"
#include "passes/fusion/graph/node.h"
#include "passes/pass.h"

namespace skald::passes::fusion {

struct Refusal {
  Node a = 0, b = 0;
  std::string why;
};

class Region {
 public:
  Region(const core::Body& body, const core::Program& prog, analysis::Aliases& aliases,
         const Device& device);

  const Problem& problem() const { return problem_; }
  const std::vector<NodeInfo>& nodes() const { return nodes_; }
  // Why these nodes cannot be one SOAC or kernel; nothing if they can.
  std::optional<std::string> why_not(const Cluster& cluster) const;
  // Pairs with something in common that were refused before solving.
  const std::vector<Refusal>& refusals() const { return refusals_; }
  // Arrays with so many readers that only near ones of them became pairs.
  const std::vector<std::pair<core::Name, size_t>>& crowded() const { return crowded_; }
  // By statement: the statements that must come before it.
  const std::vector<std::vector<size_t>>& dependences() const { return deps_; }
  // Does somebody outside of the cluster need this result?
  bool escapes(Node node, size_t result, const Cluster& cluster) const;

 private:
  void find_nodes();
  void find_dependences(analysis::Aliases& aliases);
  void relate_nodes();
  const NodeInfo& at(Node node) const { return nodes_[static_cast<size_t>(node)]; }
  NodeInfo& at(Node node) { return nodes_[static_cast<size_t>(node)]; }
  // The node that a name is a result of, if one is.
  ResultOf source_of(core::Name name) const;
  double bytes(const core::Type& type) const;

  // pairs.cpp
  struct PairSearch;
  void add_pairs();
  void order_nodes(PairSearch& search) const;
  void order_node(Node node, const std::set<Node>& behind, PairSearch& search) const;
  void refuse_vertical(PairSearch& search);
  void find_siblings(PairSearch& search);
  void compare_readers(core::Name array, const std::vector<Node>& readers, PairSearch& search);
  void choose_pairs(PairSearch& search);
  void add_arrays();

  // legality.cpp: how a node takes part in a cluster.
  struct Member {
    bool inside = false;
    bool guarded = false;     // runs over the rows that a partition of the cluster keeps
    bool after_scan = false;  // and after a scan of the cluster
  };
  using Why = std::optional<std::string>;
  Why why_not_side_by_side(const Cluster& cluster) const;
  Why why_not_one_space(const Cluster& cluster) const;
  Why why_not_rows(const Cluster& cluster, std::vector<Member>& members) const;
  // soac_legality.cpp, kernel_legality.cpp
  bool scans_rows_only(const Cluster& cluster) const;
  Why why_not_beside_operators(Node node, const Cluster& cluster) const;
  Why why_not_soac(const Cluster& cluster, const std::vector<Member>& members) const;
  struct Leaving;
  Why leave(Node node, const Cluster& cluster, bool guarded, Leaving& leaving) const;
  Why why_not_accumulate(const Cluster& cluster) const;
  Why why_not_kernel(const Cluster& cluster, const std::vector<Member>& members) const;

  const core::Body& body_;
  const core::Program& prog_;
  const Device& device_;
  std::vector<NodeInfo> nodes_;
  std::vector<int> node_of_;  // by statement, -1 if it is no node
  std::vector<std::vector<size_t>> deps_;
  // By statement: dependences that do not come from reading a value.
  std::vector<std::vector<size_t>> order_deps_;
  // By node: names that its expression uses other than as input or width.
  std::vector<std::vector<core::Name>> other_uses_;
  core::NameMap<std::pair<size_t, size_t>> defs_;  // statement, place in pattern
  Problem problem_;
  std::vector<Refusal> refusals_;
  std::vector<std::pair<core::Name, size_t>> crowded_;
};

}  // namespace skald::passes::fusion
