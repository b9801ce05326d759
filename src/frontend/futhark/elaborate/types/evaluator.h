// SPDX-License-Identifier: Apache-2.0
// What the rooms ask of the walk over expressions, which lies above them all.
#pragma once

#include <vector>

#include "frontend/futhark/elaborate/values/values.h"

namespace skald::futhark::elab {

// Where a function is applied.
struct Use {
  Span span = {};
  // The type of the result, for sizes that no value tells.
  const Type* type = nullptr;
  Env env = {};
};

class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual ValuePtr exp(const Exp& e, const Env& env) = 0;
  virtual ValuePtr apply(const ValuePtr& fn, std::vector<ValuePtr> args, const Use& use) = 0;
};

}  // namespace skald::futhark::elab
