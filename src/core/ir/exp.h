// SPDX-License-Identifier: Apache-2.0
// The expressions of the core IR.
//
// The core IR is in A-normal form: an operand is a name or a constant, never a nested expression.
// Every name is bound exactly once in a whole Program, so no pass needs to think about shadowing.
// Nodes are plain structs in a variant; `fields` lists what a node holds, in the order the printer
// shows it, and is the only place that has to change when a node gains a field.
//
// How many values an expression gives, and their types, is read off the pattern of its statement. A
// later pattern element's type may mention an earlier one of the same pattern:
//
//   let {m_3 : i64, ys_4 : [m_3]i32} = partition(…)
//
// Read next: visit.h (walking), verify.h (what is legal at which stage), interp/interp.h (the
// reference semantics), docs/ir.md.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "core/ir/array_nodes.h"
#include "core/ir/body.h"
#include "core/ir/control_nodes.h"
#include "core/ir/hints.h"
#include "core/ir/kernel_nodes.h"
#include "core/ir/memory_nodes.h"
#include "core/ir/scalar_nodes.h"
#include "core/ir/soac_nodes.h"

namespace skald::core {

// The list of all nodes; visit.h and the printer, parser and verifier follow it.
// clang-format off
#define SKALD_CORE_NODES(X) \
  X(Value) X(Opaque) X(Tunable) X(UnOp) X(BinOp) X(CmpOp) X(TernOp) X(Convert) X(Bitcast) X(Select) \
  X(ArrayLit) X(Index) X(Update) X(FlatIndex) X(FlatUpdate) X(Concat) X(Iota) X(Replicate) \
  X(Scratch) X(Reshape) X(Rearrange) X(Copy) X(Assert) X(If) X(Loop) X(Call) X(Soac) X(Hist) \
  X(Scatter) X(Partition) X(FlatMap) X(WithAcc) X(UpdateAcc) X(Jvp) X(Vjp) X(WithVjp) X(Kernel) \
  X(Alloc) X(Free)
// clang-format on

using Exp =
    std::variant<Value, Opaque, Tunable, UnOp, BinOp, CmpOp, TernOp, Convert, Bitcast, Select,
                 ArrayLit, Index, Update, FlatIndex, FlatUpdate, Concat, Iota, Replicate, Scratch,
                 Reshape, Rearrange, Copy, Assert, If, Loop, Call, Soac, Hist, Scatter, Partition,
                 FlatMap, WithAcc, UpdateAcc, Jvp, Vjp, WithVjp, Kernel, Alloc, Free>;

// Where in the source: an index into the Program's table of places; 0 is "nowhere".
struct Loc {
  uint32_t index = 0;
  friend bool operator==(Loc, Loc) = default;
};

// let {pat} = exp, after the checks that gave `tokens`.
struct Stmt {
  std::vector<Param> pat;
  Exp exp;
  std::vector<Name> tokens = {};
  Hints hints = {};
  Loc loc = {};
  static auto fields(auto& self) {
    return std::tie(self.pat, self.exp, self.tokens, self.hints, self.loc);
  }
};

}  // namespace skald::core
