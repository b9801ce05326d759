// SPDX-License-Identifier: Apache-2.0
// Which blocks of an iteration need no counting of references.
//
// Loops and branches hand blocks on: the buffers of a loop change places in every round.  Blocks of
// the heap are counted so that the last user gives them back.  But if every block that can get into
// a name was allocated in a body around all names that it can get into, then it lives long
// enough anyway: the allocations are scratch memory, the names are views.
//
//   acc = alloc; spare = alloc              both around the loop: views
//   loop {a = acc, s = spare} … in {s, a}
//   loop {a = acc} … b = alloc … in {b}     made in one round, used in the next: counted
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/exp.h"

namespace skald::imp {

class BlockFlows {
 public:
  // Adds the body of an iteration (or of a function, whose blocks are all counted).
  void add(const core::Body& body);
  // The block leaves the body that it is made in.
  bool is_counted(core::Name block) const;

 private:
  struct Place {
    uint32_t body = 0;
    bool allocates = false;
  };

  void visit(const core::Body& body, uint32_t id);
  uint32_t new_body(uint32_t around, uint32_t depth);
  void flows(const core::Operand& from, core::Name to);
  void leaves(const core::Operand& o);
  void bind(core::Name name, uint32_t body, bool allocates);
  uint32_t find(uint32_t name) const;
  uint32_t innermost_around(uint32_t a, uint32_t b) const;
  void count_short_lived();

  // By number of a body, the outermost first.
  struct Around {
    uint32_t body;
    uint32_t depth;
  };
  std::vector<Around> around_;
  std::unordered_map<core::Name, Place> places_;
  mutable std::unordered_map<uint32_t, uint32_t> parent_;  // classes of names that share blocks
  std::unordered_set<uint32_t> counted_;                   // classes
};

}  // namespace skald::imp
