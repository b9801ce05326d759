// SPDX-License-Identifier: Apache-2.0
// The back ends that there are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compile/backend/backend.h"

namespace skald::compile {

const std::vector<const Backend*>& backends();
// Null if there is none.
const Backend* find_backend(std::string_view name);
// "interp, cpu or opencl"
std::string backend_names();
// The best one that this build has without a device.
const Backend& default_backend();
// The one that says what programs mean.
const Backend& reference_backend();

// Adds one that is not part of this library.  Before the first program is compiled; not from
// several threads.
void add_backend(const Backend& backend);

// What can be printed of a program below core, and by whom; null if nobody can.
struct FoundEmit {
  const Backend* backend;
  const Emit* emit;
};
FoundEmit find_emit(std::string_view name);

}  // namespace skald::compile
