// SPDX-License-Identifier: Apache-2.0
// The front ends that there are.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/frontend.h"

namespace skald::compile {

const std::vector<const frontend::Frontend*>& frontends();
// Null if there is none.
const frontend::Frontend* find_frontend(std::string_view name);
// The front end of a file, by the end of its name; the first one of the table if that says nothing.
const frontend::Frontend& frontend_of(std::string_view path);

// Adds one that is not part of this library.  Before the first program is compiled; not from
// several threads.
void add_frontend(const frontend::Frontend& frontend);

}  // namespace skald::compile
