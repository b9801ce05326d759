// SPDX-License-Identifier: Apache-2.0
// Code on small arrays, done at compile time: every element becomes a scalar of its own, loops and
// SOACs of constant length are unrolled.
//
//   before   \{as : [2]i32, bs : [2]i32} -> map(2, {as, bs}, \{a, b} -> a + b)
//   after    \{a0, a1, b0, b1} -> let {t0} = a0 + b0  let {t1} = a1 + b1  in {t0, t1}
#pragma once

#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>

#include "core/edit/builder.h"
#include "core/edit/rename.h"

namespace skald::passes {

// Longer loops and arrays are not unrolled.
inline constexpr int64_t kMostRounds = 64;

// An array whose shape is known: its elements, row by row.
struct SmallArray {
  core::Prim elem;
  std::vector<int64_t> shape;
  std::vector<core::Operand> elems;
};
using SmallValue = std::variant<core::Operand, SmallArray>;

// The shape, if it is known at compile time.
std::optional<std::vector<int64_t>> constant_shape(const core::Type& type);
// How many scalars a value of this type is; none if that is not known.
std::optional<int64_t> scalar_count(const core::Type& type);
// All elements of an array, by subscripting.
SmallArray load_elements(core::Builder& out, core::Name array, const core::Type& type);
// The array with these elements.
core::Name store_elements(core::Builder& out, const core::Type& type,
                          const std::vector<core::Operand>& elems);

class Unrolling {
 public:
  // At most `budget` statements are made.
  Unrolling(core::Program& prog, size_t budget) : prog_(prog), budget_(budget) {}

  // Runs `fn` on the arguments.  Nothing if it does something that needs an array in memory, or too
  // much; what was appended to `out` until then is of no use.
  std::optional<std::vector<SmallValue>> apply(core::Builder& out, const core::Lambda& fn,
                                               const std::vector<SmallValue>& args);

 private:
  using Values = std::optional<std::vector<SmallValue>>;
  using Results = std::vector<SmallValue>;
  Values body(core::Builder& out, const core::Body& body);
  bool stmt(core::Builder& out, const core::Stmt& stmt);
  bool scalar_stmt(core::Builder& out, const core::Stmt& stmt);
  std::optional<SmallArray> array_stmt(core::Builder& out, const core::Stmt& stmt);
  Values soac(core::Builder& out, const core::Soac& soac);
  Values loop(core::Builder& out, const core::Loop& loop);
  Values branch(core::Builder& out, const core::Stmt& stmt, const core::If& node);
  bool index(core::Builder& out, const core::Stmt& stmt, const core::Index& node);
  void bind(core::Name name, SmallValue value);
  core::Operand operand(const core::Operand& o) const;
  std::optional<SmallValue> value(const core::Operand& o) const;
  const SmallArray* small(core::Name name) const;
  std::optional<SmallValue> row(core::Builder& out, const core::Param& param, core::Name input,
                                int64_t i);
  // The places of the elements that a slice selects, and its shape.
  struct Selected {
    std::vector<size_t> places;
    std::vector<int64_t> shape;
  };
  std::optional<Selected> select(const SmallArray& array,
                                 const std::vector<core::DimSlice>& slice) const;
  SmallArray after_checks(core::Builder& out, SmallArray array,
                          const std::vector<core::Name>& checks);
  std::vector<core::Name> tokens(const core::Stmt& stmt) const;
  bool within_budget(const core::Builder& out) const { return out.stmts().size() <= budget_; }

  core::Program& prog_;
  size_t budget_;
  std::unordered_map<core::Name, SmallArray> arrays_;
  core::Substitution subst_;
  // Checks that come before the SOAC, loop or branch we are in.
  std::vector<core::Name> held_;
};

}  // namespace skald::passes
