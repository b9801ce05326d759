// SPDX-License-Identifier: Apache-2.0
// Which scalars have the same value: the sizes of blocks are compared with it.
#pragma once

#include <utility>
#include <vector>

#include "core/ir/name_map.h"
#include "core/ir/program.h"

namespace skald::analysis {

// Learns the scalar statements of a function in order.  Two operands with the same representative
// are equal wherever both are in scope.
class ScalarValues {
 public:
  explicit ScalarValues(const core::Body& body) { add(body); }
  void add(const core::Body& body);
  void add(const core::Stmt& stmt);

  core::Operand of(const core::Operand& operand) const;
  bool same(const core::Operand& a, const core::Operand& b) const { return of(a) == of(b); }

 private:
  core::NameMap<core::Operand> representative_;
  // By hash: an expression over representatives, and the first name bound to it.
  std::unordered_multimap<uint64_t, std::pair<core::Exp, core::Name>> known_;
};

// Is this a scalar expression that always gives the same value for the same operands?
bool is_pure_scalar(const core::Stmt& stmt);

}  // namespace skald::analysis
