// SPDX-License-Identifier: Apache-2.0
// The names that code uses but does not bind, as a NameSet.  (core/rename.h has the same as a
// std::unordered_set, which costs an allocation for every name.)
#pragma once

#include "core/name_map.h"
#include "core/program.h"

namespace skald::core {

NameSet names_used_by(const Body& body);
NameSet names_used_by(const Lambda& fn);
NameSet names_used_by(const Stmt& stmt);

}  // namespace skald::core
