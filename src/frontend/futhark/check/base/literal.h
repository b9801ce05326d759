// SPDX-License-Identifier: Apache-2.0
// The values of literals as written.
#pragma once

#include <optional>
#include <string>

#include "frontend/futhark/ast/ast.h"
#include "support/prim.h"

namespace skald::futhark {

// The magnitude of an integer literal (decimal, 0x, 0b, 0r); empty if it is 2^127 or more.
std::optional<__int128> int_literal_value(const std::string& text);
// Also for integer literals; infinite if too large.
double literal_as_double(const std::string& text);
bool literal_fits(const Literal& lit, bool negated, Prim type);

}  // namespace skald::futhark
