// SPDX-License-Identifier: Apache-2.0
// What follows from the marks of a loop (ir/lanes.h) and its body: for the pass that writes them
// and for code generators that follow them.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "imp/ir/imp.h"

namespace skald::imp {

// Bytes for each lane that may lie on the stack.
inline constexpr int64_t kSmallArray = 1024;

// Are there arrays of the iteration that are larger, or of a size not known?
bool has_large_arrays(const Body& body);

// What the expressions of a body, and of those inside it, are bound to.
using Definitions = std::unordered_map<Name, const Exp*>;
Definitions definitions_in(const Body& body);

// What can be told before a group of iterations runs, for all of them, and mostly is the same for
// many groups:
struct Border {
  enum Kind : uint8_t {
    kCompares,  // c = linear < uniform, or another comparison: ends of arrays
    kExtends,   // x = convert_i32_i64(linear): linear while the narrow value does not wrap, which
                // is where `comparison`, with the least value of the type, would change
    kClamps,    // x = max(linear, uniform), an index: linear while `comparison` holds
  };
  Name name;
  core::CmpOp comparison;
  bool linear_left;  // of the comparison
  Kind kind = kCompares;
};
// `linear_left`: is the left operand of the expression the linear one?
Border make_border(Name name, const Exp& exp, bool linear_left);
LaneBorder mark_of(const Border& border, const Exp& exp);
std::vector<Border> borders_of(const LanePlan& plan, const Definitions& made);

// A store of a stretch of an array, and what has to be computed of the body to know where that
// begins.
struct RowStore {
  const Store* store = nullptr;
  std::vector<const Let*> index;
};
// Of a statement of the loop's body; no store if its place depends on more than a few values.
RowStore row_store(const For& loop, size_t statement);

// The checks of a body and what they need of it.
std::unordered_set<const Stmt*> checks_and_needs(const Body& body,
                                                 std::unordered_set<Name>& needed);

// The variables that a body assigns but does not declare, each once, in the order of their
// numbers.
std::vector<Name> assigned_outside(const Body& then_body, const Body& else_body);

// The memory that a body reads and writes.
struct Accessed {
  std::vector<Name> read, written;
};
Accessed accessed_by(const Body& body);

}  // namespace skald::imp
