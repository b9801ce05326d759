// SPDX-License-Identifier: Apache-2.0
// How long the versions of a nest take on a device: numbers of nanoseconds, computed by the host
// from the sizes at hand before it chooses.
//
//   as written    a thread for each point of the outer level, which goes through its rows
//                 element after element: waits for memory for each, and shares a read with nobody
//   in groups     as many groups at once as there is room for; in each a barrier for every kernel
//                 inside, and as many elements for a thread as it takes
//   flat          a launch for every kernel; what lies between them goes to memory and back
//
// The constants are those of passes::Device.  Sizes that are only known inside of a version make
// its time unknown; rounds of loops that are unknown count as one.
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "core/edit/builder.h"
#include "core/ir/program.h"
#include "passes/pass.h"

namespace skald::passes {

class VersionTimes {
 public:
  // The numbers are computed in `out`, where all that is bound inside of versions is unknown.
  VersionTimes(core::Builder& out, const Device& device) : out_(out), device_(device) {}

  // Nothing if a size is not known.
  std::optional<core::Operand> as_written(const core::Exp& exp);
  // A body of the host.
  std::optional<core::Operand> flat(const core::Body& body);
  // `inside`: what a group does; its arrays take so many bytes.
  std::optional<core::Operand> in_groups(const core::Body& inside, const core::Operand& groups,
                                         const core::Operand& bytes);

 private:
  // A kernel of a version.
  struct Work {
    core::Operand points, row;  // of all dimensions, and of the last one if results go along it
    core::Operand each;         // elements that a point goes through one after another
    core::Operand rounds;       // of the loops around it
    bool folds = false;
  };

  void collect(const core::Body& body, const core::Operand& rounds);
  void collect_arrays(const core::Body& body, const core::Operand& rounds, bool in_loop);
  core::Operand elements(const core::Body& body);
  core::Operand rounds_of(const core::Loop& loop);
  core::Operand product(const std::vector<core::Operand>& dims);
  core::Operand most(const core::Operand& a, const core::Operand& b);
  core::Operand quotient(const core::Operand& a, const core::Operand& b, bool up);
  core::Operand threads_at_once();
  core::Operand size(const core::Operand& size);
  bool is_known(const core::Operand& size) const;
  void start(const core::Body& body);

  core::Builder& out_;
  const Device& device_;
  std::unordered_set<core::Name> inside_;
  std::vector<Work> work_;
  core::Operand stored_ = core::const_i64(0);
  bool known_ = true;
};

}  // namespace skald::passes
