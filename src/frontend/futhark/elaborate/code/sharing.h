// SPDX-License-Identifier: Apache-2.0
// Which arrays are views of which, which are shared by several values, which are consumed.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "frontend/futhark/elaborate/values/values.h"

namespace skald::futhark::elab {

class Sharing {
 public:
  // `name` may be a view of `source`.
  void add_alias(Name name, const Operand& source);
  // The arrays that `name` may be a view of; itself if it is none.
  std::vector<Name> roots_of(Name name) const;
  // From now on several values may look at these arrays without an alias that says so.
  void share(Name array);
  void share(const Value& v);
  bool is_shared(Name name) const;
  // Somebody writes to the array, and to what it is a view of.
  void mark_consumed(Name array);
  // For a name that is no view.
  bool is_consumed(Name name) const { return consumed_.contains(name); }

 private:
  std::unordered_set<Name> shared_;
  std::unordered_map<Name, std::vector<Name>> alias_;  // array → the arrays it is a view of
  std::unordered_set<Name> consumed_;                  // roots
};

}  // namespace skald::futhark::elab
