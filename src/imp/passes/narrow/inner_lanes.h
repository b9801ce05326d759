// SPDX-License-Identifier: Apache-2.0
// Rows inside the points of a kernel.  A loop along a row that decides by its index what to do is
// `simd for` if its iterations are independent: then vectors are cut at the borders (docs/simd.md),
// where LLVM would ask in every iteration.  Short rows have a loop of their own.  And if the points
// of a parallel loop consist of such rows, the cost of a point is known before it runs, from their
// lengths.
#pragma once

#include <functional>
#include <optional>

#include "imp/analysis/facts.h"
#include "imp/ir/imp.h"

namespace skald::imp {

bool should_run_in_lanes(const For& loop, const Facts& facts);
// The same loop with other names; of loops that should run in lanes.
For copy_of(const For& loop, core::NameTable& names);
// Does some branch ask whether it is the first iteration, and can no other be meant?  If so,
// removes that branch from the loop, whose other iterations do not take it.
//
//   for (j = max(0, k); j < n)               j' = max(0, k);  the body for j'
//     if (j == k) r = f else r = …      →    for (j = max(0, k) + 1; j < n)  r = …
bool take_out_first(For& loop, const Facts& facts);
// The statements of one iteration, with other names.
std::vector<Stmt> iteration_of(const For& loop, const Operand& index, core::NameTable& names);
// Shorter rows run as they are: to find the borders would take longer than to ask again and again.
inline constexpr int64_t kLongEnoughForLanes = 64;
// Is there a `simd for` in it?
bool has_inner_lanes(const Body& body);

// Computes from the lengths of loops how many points are worth a task.
class TaskSize {
 public:
  // `outside` gives the value of an operand before the parallel loop, if it is known there.
  using Outside = std::function<std::optional<Operand>(const Operand&)>;
  TaskSize(core::NameTable& names, std::vector<Stmt>& out, Outside outside)
      : names_(names), out_(out), outside_(std::move(outside)) {}

  // What the body costs, at most about what a task should cost; nothing if that is not known.
  std::optional<Operand> cost(const Body& body);
  Operand grain(const Operand& cost);

 private:
  Operand limited(const Operand& a);
  Operand plus(const Operand& a, const Operand& b);
  Operand larger(const Operand& a, const Operand& b);
  Operand binop(BinOpKind op, const Operand& a, const Operand& b);

  core::NameTable& names_;
  std::vector<Stmt>& out_;
  Outside outside_;
};

}  // namespace skald::imp
