// SPDX-License-Identifier: Apache-2.0
// What is known about integers and booleans at a point of the program.
//
// Integers: bounds on differences, a - b ≤ k, where a and b are names or zero.  They come from loop
// counters, indices, sizes of arrays, the conditions of the branches we are in, and from operators
// (min, max, mod, conversions, differences that are not negative, adding a constant that cannot
// wrap).  A question is answered by searching for a short chain of bounds; sums of two names are
// compared through a difference that bounds one of them, as in sliding windows, or through a
// product, as in flat indices; multiples through a quotient, as in every second element.  What a
// definition says about a value alone (masks, shifts, quotients) are intervals (intervals.cpp).
//
// Booleans: conditions that hold or do not hold here.
//
// Checks give no facts: a check that nobody needs may disappear, and what it proved with it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/ir/name_map.h"
#include "core/ir/program.h"

namespace skald::analysis {

// All integers from `least` to `greatest`; the default is what any integer type holds.
struct Interval {
  __int128 least = INT64_MIN;
  __int128 greatest = UINT64_MAX;
};

class Facts {
 public:
  // The definition of a name, or null.
  using Definitions = std::function<const core::Exp*(core::Name)>;
  explicit Facts(Definitions definitions) : definitions_(std::move(definitions)) {}

  // 0 ≤ n, and small enough that adding a few to it does not wrap.
  void is_size(const core::Operand& n);
  // 1 ≤ n.
  void is_positive(const core::Operand& n);
  // 0 ≤ i < bound.
  void is_index(core::Name i, const core::Operand& bound);
  // The name was just bound to the expression.
  void defined(core::Name name, const core::Exp& exp);
  void assume(const core::Operand& cond, bool holds);

  std::optional<bool> decide(const core::CmpOp& cmp) const;
  std::optional<bool> decide(const core::Operand& cond) const;
  // lhs ≤ rhs + k for certain.
  bool at_most(const core::Operand& lhs, const core::Operand& rhs, int64_t k = 0) const;

  // The values that an integer may have.
  Interval interval(const core::Operand& o) const;

  // Facts learnt after a mark are forgotten by undo.
  size_t mark() const { return log_.size(); }
  void undo(size_t mark);

 private:
  // A name and a constant added to it; name 0 is zero.
  struct Term {
    uint32_t name = 0;
    int64_t add = 0;
  };
  struct Bound {
    uint32_t other;
    int64_t k;
  };
  Term term(const core::Operand& o, int depth = 0) const;
  void add(const Term& a, const Term& b, int64_t k);  // a - b ≤ k
  bool proves(const Term& a, const Term& b, int64_t k) const;
  bool proves_plain(const Term& a, const Term& b, int64_t k) const;
  bool proves_sum(const Term& a, const Term& b, int64_t k) const;
  bool proves_window(const Term& base, const Term& step, const Term& limit, int64_t k) const;
  bool proves_flat(const core::BinOp& sum, const Term& limit, int64_t k) const;
  bool proves_multiple(const Term& a, const Term& b, int64_t k) const;
  bool is_small(const Term& t) const;
  const core::BinOp* i64_operation(uint32_t name) const;
  Interval interval(const core::Operand& o, int depth, int& budget) const;
  Interval defined_interval(const core::Exp& exp, int depth, int& budget) const;
  bool search(uint32_t from, uint32_t to, int64_t k, int depth, int& budget) const;
  std::optional<bool> compare(const core::CmpOp& cmp) const;
  std::optional<bool> decide(const core::Operand& cond, int depth) const;
  static std::optional<bool> decide(core::CmpOpKind op, const Interval& a, const Interval& b);

  Definitions definitions_;
  core::NameMap<std::vector<Bound>> bounds_;  // by a
  // By b, where a is zero: b ≥ -k.  (The bounds of zero are many.)
  core::NameMap<std::vector<int64_t>> floors_;
  core::NameMap<bool> bools_;
  struct Entry {
    uint32_t name;
    uint32_t other;
    bool is_bool;
    // Of what is known from here on: never used twice, so that what follows from it can be
    // remembered, also across facts that came and went.
    uint64_t state;
  };
  uint64_t state() const { return log_.empty() ? 0 : log_.back().state; }
  std::vector<Entry> log_;
  uint64_t states_ = 0;
  // Comparisons that were looked at.  The same ones come again and again: on their own, in every
  // condition that they are part of, and in every check of one.
  struct Answer {
    core::CmpOp cmp = {};
    uint64_t state = UINT64_MAX;
    std::optional<bool> answer = {};
  };
  mutable std::vector<Answer> answers_;  // by hash
};

}  // namespace skald::analysis
