// SPDX-License-Identifier: Apache-2.0
// Attributes as core keeps them: the text the user wrote.
#pragma once

#include <string>

#include "frontend/futhark/ast/ast.h"

namespace skald::futhark::elab {

// "name", or "name(arg, …)".
std::string attr_text(const Attr& attr);

}  // namespace skald::futhark::elab
