// SPDX-License-Identifier: Apache-2.0
// Which arrays share memory, whatever the plan will be.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/program.h"

namespace skald::analysis {

// Every array has roots: names whose memory it may be in.  Unlike consumption (analysis/aliases.h)
// this follows updates: their result is in the memory of the array they change.  Results of
// branches, loops and calls are roots themselves and have those of all they may stand for, except
// that a call leaves out results of other calls.
class MemorySharing {
 public:
  explicit MemorySharing(const core::Function& fn);
  using Roots = std::vector<core::Name>;  // sorted
  // Of an array bound in the function; nothing for other names.
  const Roots& roots(core::Name name) const;
  const core::Type& type(core::Name array) const { return types_.at(array); }

 private:
  void body(const core::Body& body);
  void stmt(const core::Stmt& stmt);
  void bind(const core::Param& param);
  void join(core::Name array, const core::Operand& other);
  void join(core::Name array, const Roots& others);
  void join_argument(core::Name result, const core::Operand& arg);

  std::unordered_map<core::Name, Roots> roots_;
  std::unordered_map<core::Name, core::Type> types_;
  std::unordered_set<core::Name> of_calls_;  // results that may be arguments
};

// Where in the pattern the results of each sink begin; those that go through the post-body have
// none.
inline constexpr size_t kNoResult = SIZE_MAX;
std::vector<size_t> first_results(const core::Kernel& kernel);

}  // namespace skald::analysis
