// SPDX-License-Identifier: Apache-2.0
// What an integer would be in some run of the program.
#pragma once

#include <optional>
#include <unordered_map>

#include "imp/analysis/facts.h"
#include "imp/ir/imp.h"

namespace skald::imp {

class Example {
 public:
  explicit Example(const Facts& facts) : facts_(facts) {}

  void set(Name name, int64_t value) { values_[name] = static_cast<uint64_t>(value); }
  // Empty if it is no sum of known things.  What is known of nothing is a size: some large number.
  std::optional<Const> value(const Operand& operand, Prim type, int depth = 24);

 private:
  std::optional<Const> result(const Exp& exp, int depth);

  const Facts& facts_;
  std::unordered_map<Name, std::optional<uint64_t>> values_;
  int64_t next_ = 1000;
};

}  // namespace skald::imp
