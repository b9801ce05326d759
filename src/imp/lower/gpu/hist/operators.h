// SPDX-License-Identifier: Apache-2.0
// What the operator of a histogram needs, so that many threads can update its bins at once.
#pragma once

#include <optional>
#include <vector>

#include "imp/ir/code.h"

namespace skald::imp {

enum class BinUpdate : uint8_t {
  kInstruction,  // the device has an instruction for it
  kSwap,         // all components of a bin fit one word, which is compared and swapped
  kLock,
};

BinUpdate bin_update(const core::Operator& op);
// \a b -> a op b, where the device has an instruction for it.
std::optional<BinOpKind> atomic_operator(const core::Operator& op);
// \a b -> a + b on f32 or f64: devices may have an instruction for it in their memory.
bool is_float_sum(const core::Operator& op);
// Is one of them such a sum, and are all instructions of devices that have one for it?
bool are_float_sums(const std::vector<const core::Operator*>& ops);
// \a b -> min (a + b) limit on i32, which begins with 0: sums may be larger for a moment.
std::optional<int64_t> saturation_limit(const core::Operator& op);
// Do most updates change nothing: words, of which each component is one of the two given?
bool changes_seldom(const core::Operator& op);
// May the operator fail or take memory, or does it work on arrays?  Then it is only used where a
// lock is held.
bool has_failing_operator(const core::Operator& op);
// Can bins be had apart from the destination: scalars, and nothing that fails?
bool may_lie_apart(const core::Operator& op);
// Does an update of several arrays at one place need a lock?
bool needs_lock(const core::Operator& op);

// The components of a bin as one word.
class BinWord {
 public:
  // Of an operator that needs no lock.
  explicit BinWord(const core::Operator& op);
  Prim type() const { return type_; }
  Operand pack(Code& code, const std::vector<Operand>& components) const;
  std::vector<Operand> unpack(Code& code, const Operand& word) const;

 private:
  Prim type_;
  std::vector<Prim> components_;
};

// How bins lie in memory apart from their destination: as one word each, or, if that needs a lock,
// one column for each component.
class BinColumns {
 public:
  explicit BinColumns(const core::Operator& op);
  const std::vector<Prim>& types() const { return types_; }
  int64_t bytes() const;
  // Room for `count` bins in each column.
  std::vector<Name> make_room(Code& code, Space space, const Operand& count) const;
  void store(Code& code, const std::vector<Name>& columns, const Operand& at,
             const std::vector<Operand>& components) const;
  std::vector<Operand> load(Code& code, const std::vector<Name>& columns, const Operand& at) const;

 private:
  std::optional<BinWord> word_;
  std::vector<Prim> types_;
};

}  // namespace skald::imp
