// SPDX-License-Identifier: Apache-2.0
// What fusion needs to know about one parallel operation, SOAC or kernel: where it runs, what it
// reads row by row, what its results are.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/program.h"
#include "passes/fusion/graph/budget.h"
#include "passes/fusion/graph/direction.h"
#include "passes/fusion/solve/problem.h"

namespace skald::passes::fusion {

enum class NodeKind : uint8_t { kSoac, kHist, kScatter, kPartition, kFlatMap, kAcc, kKernel };

// What a result is.
struct ResultRole {
  enum Kind : uint8_t {
    kRows,     // an array with a row for each point, made before the scans
    kScanned,  // the same, made by a scan or after it
    kSize,     // of a class of a partition
    kMember,   // rows of a class
    kTotal,    // of a reduction
    kUpdated   // complete only when all of the node has run
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
  std::vector<ResultRole> roles;    // by result
  bool makes_accumulators = false;  // kAcc: a with_acc, not a map inside of one
  bool in_order = false;            // kAcc: iterations write several times
  bool consumes = false;            // some row of an input
  bool scalar_operators = true;
  bool has_scans = false, has_reduces = false;
  bool only_scans = false;       // and every result is a scanned value as it is
  bool scalar_rows = true;       // no row, value or output is an array
  bool is_nest = false;          // the function contains SOACs
  bool is_perfect_nest = false;  // and consists of little else
  bool is_wide_nest = false;     // one of them has as many points as a size says
  bool hides_nest = false;       // too much code to stand between the levels of another nest
  bool joins_rows = false;       // a map so short that it may run for every element of a row
  Direction direction;           // of its reductions through matrices
  Needs needs;
  core::Hints hints;
  // By result: the nodes that read it row by row; whether anybody else reads it.
  std::vector<std::vector<Node>> readers;
  std::vector<bool> used_otherwise;

  // ---- kernels
  const core::Kernel* kernel = nullptr;
  bool uses_position = false;  // the index serves for more than reading the inputs

  size_t classes() const {
    return static_cast<size_t>(
        std::ranges::count(roles, ResultRole::kSize, [](const ResultRole& r) { return r.kind; }));
  }
};

}  // namespace skald::passes::fusion
