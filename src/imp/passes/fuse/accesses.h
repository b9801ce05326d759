// SPDX-License-Identifier: Apache-2.0
// What a sequential loop reads and writes, and when: which element of a block an access touches in
// which iteration.
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "imp/analysis/facts.h"
#include "imp/ir/imp.h"

namespace skald::imp {

struct LoopAccess {
  Stmt* stmt;  // a Load or a Store
  Name block;
  Prim type;
  bool writes;
  // Iteration i touches element i + offset; none: some element.
  std::optional<int64_t> offset;
  // Every iteration touches the element whose index is the first value of the counter.
  bool of_first;
  // It stands directly in the body, so every iteration does it once.
  bool always;
  // It stands in a branch that the first iteration does not take.
  bool not_first;
};

// Of one loop, in the order in which the body is written.  Valid until the body changes.
class LoopAccesses {
 public:
  LoopAccesses(For& loop, const Facts& facts);

  const std::vector<LoopAccess>& all() const { return all_; }
  // Does the body only compute, load, store, branch, loop and check?
  bool is_plain() const { return plain_; }
  bool can_fail() const { return can_fail_; }
  bool writes(Name block) const;
  bool touches(Name block) const;

 private:
  void look(Body& body, bool always, bool not_first);
  std::optional<int64_t> offset(const Operand& index, int depth = 4) const;
  bool excludes_first(const Operand& cond, bool holds, int depth = 4) const;
  std::optional<int64_t> from_begin(const Operand& operand) const;

  const For& loop_;
  const Facts& facts_;
  std::vector<LoopAccess> all_;
  bool plain_ = true, can_fail_ = false;
};

// Counts i64 by one.
bool counts_up(const For& loop);
// Do two loops that count up take the same values?
bool same_range(const For& a, const For& b, const Facts& facts);

// May the iterations of `later` run as soon as those of `earlier` with the same number have?  Each
// element that both touch, and one of them writes, must be touched by `earlier` first.
bool keeps_order(const LoopAccesses& earlier, const LoopAccesses& later, const Facts& facts);

// The access that writes what `load` reads, among those of the loop that it is one of: `distance`
// iterations before.
struct Source {
  const LoopAccess* store = nullptr;  // null: not known
  int64_t distance = 0;
};
Source source_of(const LoopAccess& load, const std::vector<LoopAccess>& all);

}  // namespace skald::imp
