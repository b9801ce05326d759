// SPDX-License-Identifier: Apache-2.0
// Branches: two blocks of which one is run.
//
// The branches of an `if` may give arrays of different sizes.  A size that both agree on and that
// exists outside is kept; otherwise the checker's type is asked; otherwise the size becomes a
// further result of the branches.
#pragma once

#include <functional>

#include "frontend/futhark/elaborate/types/types.h"

namespace skald::futhark::elab {

// `type`: of the result, in `env`; null if nothing is known about it.
ValuePtr if_value(Code& code, Types& types, const Operand& cond,
                  const std::function<ValuePtr()>& then_f, const std::function<ValuePtr()>& else_f,
                  const Type* type, const Env& env);
// && and ||.
ValuePtr short_circuit(Code& code, const Operand& lhs, bool is_and,
                       const std::function<ValuePtr()>& rhs);

}  // namespace skald::futhark::elab
