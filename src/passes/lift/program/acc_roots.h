// SPDX-License-Identifier: Apache-2.0
// Which accumulator a name stands for, and whether its writes are combined.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ir/program.h"

namespace skald::passes::lift {

// What is known of an accumulator: nothing yet, whether writes overwrite or are combined, or that
// it is called both ways.
enum class AccKind : uint8_t { kNone, kOverwrites, kCombines, kEither };

// Does the statement give accumulators?
bool gives_acc(const core::Stmt& stmt);

class AccRoots {
 public:
  using Types = std::unordered_map<core::Name, core::Type>;

  // What the statement binds inside; and what it gives, after all that is inside.
  void note_inside(const core::Stmt& stmt);
  void note_results(const core::Stmt& stmt, const Types& types);
  void set_root(core::Name acc, core::Name root) { roots_.insert_or_assign(acc, root); }
  // Those that functions take are what all their callers give.
  void find_kinds(const core::Program& prog,
                  const std::unordered_map<std::string, core::Function>& originals);

  // The parameter of the with_acc or function that it comes from.
  core::Name root_of(const core::Operand& acc) const;
  // Does this accumulator surely combine what is written?  Or overwrite?
  bool combines(core::Name acc) const { return kind_of(acc) == AccKind::kCombines; }
  bool overwrites(core::Name acc) const { return kind_of(acc) == AccKind::kOverwrites; }

 private:
  AccKind kind_of(core::Name acc) const;
  bool join(const core::Function* fn, const std::vector<core::Name>& given);

  std::unordered_map<core::Name, core::Name> roots_;
  std::unordered_map<core::Name, AccKind> kinds_;  // by root
  // Calls that hand accumulators on: the function, and their roots.
  std::vector<std::pair<std::string, std::vector<core::Name>>> calls_;
};

}  // namespace skald::passes::lift
