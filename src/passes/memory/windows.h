// SPDX-License-Identifier: Apache-2.0
// Which arrays are parts of others: windows.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/program.h"

namespace skald::passes {

// Parameters of functions that are given windows, by the function's name.
using WindowParams = std::unordered_map<std::string, std::vector<bool>>;

// Those of which a call of the function's own recursion, or another one, gives a part.
WindowParams find_window_params(const core::Program& prog);

// A window is consecutive rows of another array, its base: a slice, a slice of that, what both
// sides of a branch take from one base, the parameter of a loop that only ever becomes a window of
// the same base.  Parameters that consume are never windows.
class Windows {
 public:
  explicit Windows(const core::Function& fn);

  // The array itself if it is no window.
  core::Name base(core::Name array) const {
    const auto found = base_.find(array);
    return found == base_.end() ? array : found->second;
  }
  const core::Type& type(core::Name array) const { return types_.at(array); }
  bool is_array(const core::Operand& operand) const {
    const core::Name* name = core::as_name(operand);
    return name != nullptr && types_.contains(*name);
  }

 private:
  void bind(const core::Param& param);
  void body(const core::Body& body);
  void stmt(const core::Stmt& stmt);
  void branch(const core::Stmt& stmt, const core::If& branch);
  void loop(const core::Stmt& stmt, const core::Loop& loop);
  void join(core::Name array, const core::Operand& source);

  std::unordered_map<core::Name, core::Name> base_;
  std::unordered_map<core::Name, core::Type> types_;
  // How many bodies are around the name.
  std::unordered_map<core::Name, int> level_;
  std::unordered_set<core::Name> apart_;  // loop parameters that are no windows
  int here_ = 0;
};

// The array and the first row, if the statement names consecutive rows of an array.
struct WindowStep {
  core::Name array;
  core::Operand start;
};
bool is_window_step(const core::Stmt& stmt, const Windows& windows, WindowStep& step);

}  // namespace skald::passes
