// SPDX-License-Identifier: Apache-2.0
// The module `intrinsics`: which functions it has, and what a call of one gives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/futhark/elaborate/arrays/soacs.h"
#include "frontend/futhark/elaborate/scalars/operators.h"

namespace skald::futhark::elab {

// How many arguments an intrinsic takes; nothing if there is none of this name.
std::optional<size_t> intrinsic_arity(const std::string& name);

class Intrinsics {
 public:
  Intrinsics(Code& code, Types& types, Evaluator& evaluator, Operators& operators)
      : code_(code), types_(types), operators_(operators), soacs_(code, types, evaluator) {}

  ValuePtr apply(const Closure& intrinsic, const std::vector<ValuePtr>& args, const Use& use);

 private:
  // Null if there is no second-order function of this name.
  ValuePtr soac(const std::string& name, const std::vector<ValuePtr>& args, const Use& use);

  Code& code_;
  Types& types_;
  Operators& operators_;
  Soacs soacs_;
};

}  // namespace skald::futhark::elab
