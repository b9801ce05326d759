// SPDX-License-Identifier: Apache-2.0
// From a plan to a core program.
//
// Every array of the program is a function of its index: reading an input computes it there, so
// views, broadcasting and shifted slices are index arithmetic, and producers disappear into their
// consumers.  An array is stored only if somebody outside needs it, if it is the result of a
// reduction or scan, or if computing it again would cost too much (see `decide.cpp`).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/ir/program.h"
#include "frontend/lazy/lower/callees.h"
#include "frontend/lazy/plan.h"

namespace skald::lazy {

// The name of an operation in NumPy; "where" for the three-argument where; "with_real" and
// "with_imag" of a float and complex numbers.
using OpName = std::function<std::string_view(uint16_t op)>;

struct LoweredPlan {
  core::Program program;  // one entry point, "plan": symbols (i64), scalars, external arrays
  int stored = 0;         // arrays that are stored, outputs included
};
// What runs the program.  Devices compute where they store: many small kernels, writes beside each
// other and arrays in between cost them more than branches and places that are computed.
enum class Machine : uint8_t { kHost, kDevice };
LoweredPlan lower_plan(const Plan& plan, const OpName& op_name, const FindCallee& find_callee = {},
                       Machine machine = Machine::kHost);

// Readers of nodes that compute the same read the first of these (equal.cpp).
void merge_equal_nodes(Plan& plan);
// Reads what was written into a part of an array from where it came from (forward.cpp).
void forward_writes(Plan& plan);

// What to be careful with: bytes that are moved, or code, if there would be too much of it.
enum class Thrift { kOfBytes, kOfCode };
// Do both show the same elements of their arrays?
inline bool is_same_view(const PlanInput& a, const PlanInput& b) {
  return a.form == b.form && a.axes == b.axes && a.strides == b.strides && a.starts == b.starts;
}
// Can be found out of a place whether an assignment writes it, and where that is in the value?
bool tells_places(const PlanNode& node);
// Does an assignment write at one position of an axis only?
bool is_thin(const PlanNode& node);
// Does it write a part that goes on along all axes?
bool is_box(const PlanNode& node);
// What an assignment writes goes through rolls that nobody else sees: they, the last one first.
std::vector<const PlanNode*> rolls_before_write(const Plan& plan, const PlanNode& write);
// A thin part of an array is written from another place of it, or with a constant (moved.cpp).
struct MovedWrite {
  std::vector<int> through;         // operations on what is read, the last one first
  const PlanInput* from = nullptr;  // the place of the array; null: a constant is written
};
std::optional<MovedWrite> moved_write(const Plan& plan, const PlanNode& write);
// Few elements are combined: written out, they are part of what reads the result.
bool is_short_reduction(const PlanNode& node, Machine machine);

struct Decisions {
  std::vector<bool> stored;  // by node
  std::vector<bool> pushed;  // assignments that are computed where the first of the rolls reads
  std::vector<bool> moved;   // thin writes whose readers read at the other place
};
Decisions decide_stored(const Plan& plan, const OpName& op_name, Thrift thrift, Machine machine);

}  // namespace skald::lazy
