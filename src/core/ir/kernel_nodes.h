// SPDX-License-Identifier: Apache-2.0
// Nodes of the core IR (exp.h) from stage KERNELS on.
#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/ir/soac_nodes.h"

namespace skald::core {

// The index space of a kernel.
//   kFlat   one dimension.
//   kGrid   dims.size() dimensions; the last one is the one that reductions and scans run along.
//   kSeg    irregular segments: dims = {number of segments, total length}, `offsets` has one more
//   element
//           than there are segments.  The thunk gets (segment, position in it, flat position).
struct Domain {
  enum Kind : uint8_t { kFlat, kGrid, kSeg };
  Kind kind = kFlat;
  std::vector<Operand> dims;
  std::vector<Name> offsets = {};  // none or one
  static auto fields(auto& self) { return std::tie(self.kind, self.dims, self.offsets); }
};

// What becomes of `count` values that the pull thunk gives for each point of the domain.
//   kOut        arrays over the whole domain.
//   kReduce     combined by `op` along the last dimension.
//   kScan       inclusive scan by `op` along the last dimension; arrays over the whole domain.
//   kPartition  as the node Partition with `classes` classes (Flat only).
//   kScatter    as Scatter with one destination: indices (shape.size()), then one value.
//   kHist       as Hist with one histogram: indices (shape.size()) and values, of each write.
struct Sink {
  enum Kind : uint8_t { kOut, kReduce, kScan, kPartition, kScatter, kHist };
  Kind kind = kOut;
  int count = 1;
  std::vector<Operator> op = {};    // kReduce, kScan, kHist
  int classes = 0;                  // kPartition
  std::vector<Operand> shape = {};  // kScatter, kHist: the indexed dimensions of the destinations
  std::vector<Name> dests = {};     // kScatter, kHist
  // Takes its values from the post-function, not from the thunk; neither kOut nor kScan.
  bool late = false;
  static auto fields(auto& self) {
    return std::tie(self.kind, self.count, self.op, self.classes, self.shape, self.dests,
                    self.late);
  }
};

// One parallel operation in normal form: for every point of the domain, `pull` (a function of the
// indices, reading arrays by subscripting) gives values for the sinks, in order.  With `guarded`
// the first value is a bool, and a point where it is false feeds no sink.  With scans, `post` turns
// scanned values and the values for kOut sinks into values for the late sinks, in order, and then
// into what is stored, as in Soac.  The results of the statement are those of the sinks, in order;
// with `post`, first those of all sinks but kScan and kOut, then the stored arrays.
struct Kernel {
  static constexpr std::string_view kName = "kernel";
  Domain domain;
  bool guarded = false;
  Lambda pull;
  std::vector<Sink> sinks;
  std::vector<Lambda> post = {};  // none or one
  Space space = Space::kHost;     // where it runs; all its arrays are there
  static auto fields(auto& self) {
    return std::tie(self.domain, self.guarded, self.pull, self.sinks, self.post, self.space);
  }
};

}  // namespace skald::core
