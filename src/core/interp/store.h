// SPDX-License-Identifier: Apache-2.0
// What every instruction of the interpreter works with: values in frames, memory for arrays, the
// places of stage MEMORY, and what went wrong.
//
// Functions that can fail give false after calling `fail`; the instruction loop then adds where it
// happened (`locate`).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/interp/code/code.h"
#include "core/interp/few.h"
#include "core/interp/interp.h"

namespace skald::core::interp {

inline int64_t int_at(Slot slot, const Frame& f) {
  return static_cast<int64_t>(f.scalars[slot]);
}
Dims dims_at(const std::vector<Slot>& slots, const Frame& f);
Array take(const Use& use, Frame& f);
inline void put(Kind kind, Slot slot, const Use& from, Frame& f) {
  if (is_scalar_slot(kind))
    f.scalars[slot] = f.scalars[from.slot];
  else if (is_array_slot(kind))
    f.arrays[slot] = take(from, f);
}
// From the frame `f` into the frame `to`.
void put_across(Kind kind, Slot slot, Frame& to, const Use& from, Frame& f);
void release(const std::vector<Binding>& params, Frame& f);

class Store {
 public:
  Store(const Program& prog, const InterpOptions& options);

  const InterpOptions& options() const { return options_; }
  MemoryBudget& budget() { return budget_; }
  [[nodiscard]] bool carry(const Carry& carry, Frame& f);
  [[nodiscard]] bool allocate(Prim elem, const Dims& shape, Array& out);
  // Where the value of `dst` shall be built.
  [[nodiscard]] bool output(const Binding& dst, const Dims& shape, const Frame& f, Array& out);
  // The array in the block that the memory plan has chosen.
  [[nodiscard]] bool placed(const Binding& dst, const Dims& shape, const Frame& f, Array& out);
  [[nodiscard]] bool bound(const Binding& dst, Frame& f);
  [[nodiscard]] bool make_writable(Array& array);
  [[nodiscard]] bool count_at(Slot slot, const Frame& f, int64_t& count);

  // Records what went wrong; gives false.
  bool fail(std::string message);
  // A limit that the user has set.
  bool fail_at_limit(std::string message, std::string_view code);
  // There are no `bytes` bytes `what` (" for an array", say).
  bool fail_for_memory(int64_t bytes, const std::string& what);
  bool fail_assert(const AssertCode& code, const Frame& f);
  bool fail_index(int64_t index, int64_t size);
  // Adds the place of a failure that has none so far, and the active calls; gives false.
  bool locate(Loc loc, const std::vector<Loc>& calls);
  RuntimeError& error() { return error_; }

 private:
  const Program& prog_;
  const InterpOptions& options_;
  MemoryBudget budget_;
  bool failed_ = false;
  bool located_ = false;
  RuntimeError error_;
};

}  // namespace skald::core::interp
