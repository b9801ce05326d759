// SPDX-License-Identifier: Apache-2.0
// The functions that array combinators take.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "frontend/futhark/elaborate/types/types.h"

namespace skald::futhark::elab {

struct LambdaResult {
  core::Lambda fn;
  RepPtr rep;  // of the result; its sizes mean something outside
};

using LambdaBody = std::function<ValuePtr(const std::vector<ValuePtr>&)>;
// The result has the shape `rep`.  `base`: what parameters are called after.
core::Lambda lambda_to(Code& code, const std::vector<RepPtr>& params, const LambdaBody& f,
                       const RepPtr& rep, std::string_view base = "x");
// The result has the shape that its value has; `hint` is asked for sizes that cannot leave the
// function, and may be null.
LambdaResult lambda(Code& code, Types& types, const std::vector<RepPtr>& params,
                    const LambdaBody& f, const RepPtr& hint);

// The sizes of a block's result in terms that exist outside: as they are, or moved out of the
// block, or from `hint`.
RepPtr settle(Code& code, Types& types, Block& block, const RepPtr& rep, const RepPtr& hint);

}  // namespace skald::futhark::elab
