// SPDX-License-Identifier: Apache-2.0
// AST → text that parses back to the same AST (positions aside).
#pragma once

#include <string>

#include "frontend/futhark/ast/ast.h"
#include "frontend/futhark/ast/types.h"

namespace skald::futhark {

std::string pretty(const Program& prog);
std::string pretty(const Exp& exp);
std::string pretty(const Pat& pat);
std::string pretty(const TypeExp& type);
// Types the way Futhark prints them: "[n]f32 -> (i32, bool) -> *[k]f32".
std::string pretty(const Type& type);

}  // namespace skald::futhark
