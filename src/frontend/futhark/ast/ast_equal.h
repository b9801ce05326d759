// SPDX-License-Identifier: Apache-2.0
// Whether two syntax trees are the same, positions and the checker's annotations aside.
#pragma once

#include "frontend/futhark/ast/ast.h"

namespace skald::futhark {

bool equal(const Program& a, const Program& b);
bool equal(const Exp& a, const Exp& b);
bool equal(const Pat& a, const Pat& b);
bool equal(const TypeExp& a, const TypeExp& b);

}  // namespace skald::futhark
