// SPDX-License-Identifier: Apache-2.0
// Application of functions: all at once, in parts, inlined or as a call in core.
#pragma once

#include <vector>

#include "frontend/futhark/elaborate/arrays/intrinsics.h"
#include "frontend/futhark/elaborate/functions/core_functions.h"
#include "frontend/futhark/elaborate/scalars/operators.h"

namespace skald::futhark::elab {

class Calls {
 public:
  Calls(Code& code, Types& types, Evaluator& evaluator, Operators& operators,
        Intrinsics& intrinsics, CoreFunctions& functions)
      : code_(code),
        types_(types),
        evaluator_(evaluator),
        operators_(operators),
        intrinsics_(intrinsics),
        functions_(functions) {}

  ValuePtr apply(const ValuePtr& fn, std::vector<ValuePtr> args, const Use& use);

 private:
  // With as many arguments as the function has parameters.
  ValuePtr apply_full(const Closure& c, const std::vector<ValuePtr>& args, const Use& use);
  ValuePtr apply_def(const Closure& c, const std::vector<ValuePtr>& args, const Use& use);

  Code& code_;
  Types& types_;
  Evaluator& evaluator_;
  Operators& operators_;
  Intrinsics& intrinsics_;
  CoreFunctions& functions_;
};

}  // namespace skald::futhark::elab
