// SPDX-License-Identifier: Apache-2.0
// One block of the core IR as a fusion problem.
//
// Nodes are the SOACs of the block, or, after flattening, its kernels.  All other statements only
// order them: a way from one node to another through such a statement means "strictly before".
// Reads of an array come strictly before the statement that consumes it.
//
// Read next: region.cpp (dependences), legality.cpp and kernel_legality.cpp (which nodes may be one
// SOAC or kernel).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/aliases.h"
#include "core/ir/name_map.h"
#include "core/ir/program.h"
#include "passes/fusion/budget.h"
#include "passes/fusion/problem.h"
#include "passes/pass.h"

namespace skald::passes::fusion {

enum class NodeKind : uint8_t { kSoac, kHist, kScatter, kPartition, kFlatMap, kAcc, kKernel };

// What a result of a kernel is.
struct ResultRole {
  enum Kind : uint8_t {
    kRows,     // an array over the domain, made before the scans
    kScanned,  // an array over the domain, made by a scan or after it
    kSize,     // of a class of a partition
    kMember,   // rows of a class
    kTotal,    // of a reduction
    kUpdated   // a destination
  };
  Kind kind = kRows;
  size_t of_class = 0;  // kMember: the result that is the size of the class
};

// A result of a node: which node, and which place of its pattern.
struct ResultOf {
  Node node = -1;
  size_t result = 0;
};

struct NodeInfo {
  size_t stmt = 0;  // index in the block
  NodeKind kind = NodeKind::kSoac;
  core::Operand width = core::const_i64(0);
  std::vector<core::Name> inputs;  // without accumulators
  // Whatever arrays are read, row by row or not: two nodes that read the same one are worth
  // merging.
  std::vector<core::Name> arrays;
  // By input: the node that gives it, if one does.
  std::vector<ResultOf> sources;
  // The partition and class whose size is this node's width; node < 0 if there is none.
  ResultOf size_of;
  int classes = 0;        // kPartition
  size_t updated = 0;     // so many results, the first ones, are complete only at the end
  bool in_order = false;  // kAcc: iterations write several times
  bool consumes = false;  // some row of an input
  bool scalar_operators = true;
  bool has_scans = false, has_reduces = false;
  bool only_scans = false;       // and every result is a scanned value as it is
  bool scalar_rows = true;       // no row, value or output is an array
  bool is_nest = false;          // the function contains SOACs
  bool is_perfect_nest = false;  // and consists of little else
  bool hides_nest = false;       // too much code to stand between the levels of another nest
  bool joins_rows = false;       // a map so short that it may run for every element of a row
  Needs needs;
  core::Hints hints;
  // By result: the nodes that read it row by row; whether anybody else reads it.
  std::vector<std::vector<Node>> readers;
  std::vector<bool> used_otherwise;

  // ---- kernels
  const core::Kernel* kernel = nullptr;
  std::vector<ResultRole> roles;  // by result
  bool uses_position = false;     // the index serves for more than reading the inputs
};

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
  void add_pairs();
  bool scans_rows_only(const Cluster& cluster) const;
  std::optional<std::string> why_not_soac(const Cluster& cluster) const;
  std::optional<std::string> why_not_kernel(const Cluster& cluster) const;
  double bytes(const core::Type& type) const;

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
