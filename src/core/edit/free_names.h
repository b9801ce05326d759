// SPDX-License-Identifier: Apache-2.0
// The names that code uses but does not bind.
#pragma once

#include "core/ir/name_map.h"
#include "core/ir/program.h"

namespace skald::core {

NameSet free_names(const Body& body);
NameSet free_names(const Lambda& fn);
NameSet free_names(const Stmt& stmt);
NameSet free_names(const Exp& exp);

}  // namespace skald::core
