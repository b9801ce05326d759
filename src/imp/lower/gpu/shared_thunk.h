// SPDX-License-Identifier: Apache-2.0
// Several points of one thread: what two of them would compute alike is computed once, as the half
// steps of a scheme that lie between two points, or what does not depend on one of the indices.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "core/edit/rename.h"
#include "imp/lower/common/function.h"

namespace skald::imp {

// An index of a point: the same for all points, and how far away this one is.
struct SharedIndex {
  Operand base;
  int64_t away = 0;
};

class SharedThunk {
 public:
  // All code goes to one body.
  SharedThunk(FunctionLowering& fn, const core::Lambda& pull) : fn_(fn), pull_(pull) {}

  std::vector<Operand> values(Code& code, const std::vector<SharedIndex>& indices);
  // What was computed so far costs, in simple operations.
  int64_t cost() const { return cost_; }

 private:
  // Index number `dim`, moved.
  struct Form {
    size_t dim;
    int64_t away;
  };
  struct Known {
    core::Exp exp;
    std::vector<Name> names;
  };

  // Is it an index and a constant?
  bool is_index(const core::Stmt& stmt);
  bool is_copy(const core::Stmt& stmt);
  void give_index(Code& code, Name name, const std::vector<SharedIndex>& indices);
  void compute(Code& code, const core::Stmt& stmt);

  FunctionLowering& fn_;
  const core::Lambda& pull_;
  // Of the point that is being written.
  std::unordered_map<Name, Form> forms_;
  core::Substitution subst_;
  // Of all points.
  std::map<std::pair<size_t, int64_t>, Operand> moved_;
  std::unordered_multimap<uint64_t, Known> known_;
  int64_t cost_ = 0;
};

}  // namespace skald::imp
