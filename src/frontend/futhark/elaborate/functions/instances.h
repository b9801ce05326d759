// SPDX-License-Identifier: Apache-2.0
// The environment that a function's body sees: its type and size parameters at one use, and its
// parameters.
#pragma once

#include <vector>

#include "frontend/futhark/elaborate/types/types.h"

namespace skald::futhark::elab {

// The type and size parameters as the use of the closure instantiates them.
Env bind_instance(Types& types, const Closure& c, const std::vector<uint32_t>& ids,
                  const std::vector<TypeParam>& tparams, const Type* def_type, Env env);
// The parameters, and what arguments tell about the type and size parameters.
Env bind_params(Types& types, const std::vector<Ptr<Pat>>& params, const std::vector<uint32_t>& ids,
                const std::vector<TypeParam>& tparams, const std::vector<ValuePtr>& args, Env env);
Env bind_params(Types& types, const DVal& def, const std::vector<ValuePtr>& args, const Env& env);

// The body of a function, as code that stands where it is used; `span`: the call, if the back trace
// shows one.
ValuePtr inline_body(Code& code, Evaluator& evaluator, const Exp& body, const Env& env, Span span);

}  // namespace skald::futhark::elab
