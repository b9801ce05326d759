// SPDX-License-Identifier: Apache-2.0
// Numbers by which a piece of code divides several times, side by side or in a loop that the number
// does not change in: their reciprocal is computed once, where the number is.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "imp/ir/imp.h"

namespace skald::clike {

class SharedDivisors {
 public:
  // Looks through a body that sees the numbers `outside`.
  void find(const std::vector<imp::Decl>& outside, const imp::Body& body) {
    for (const imp::Decl& each : outside) depth_.emplace(each.name, 0);
    look(body, 0);
  }
  bool contains(core::Name name) const { return shared_.contains(name); }
  bool contains(const core::Operand& operand) const {
    const core::Name* name = core::as_name(operand);
    return name != nullptr && contains(*name);
  }

 private:
  void look(const imp::Body& body, int depth);
  void divides_by(core::Name divisor, int depth);

  std::unordered_map<core::Name, int> depth_;  // in loops, of what is bound once
  std::unordered_set<core::Name> seen_, shared_;
};

// The divisor of a quotient of f64 that are both no constants; null: it is something else.
const core::Name* shared_divisor(const imp::Exp& exp);

}  // namespace skald::clike
