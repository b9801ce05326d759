// SPDX-License-Identifier: Apache-2.0
// A whole back end in one folder: it prints the kernels of a program, and computes nothing.
#pragma once

#include "compile/backend/backend.h"

namespace skald::printer {

extern const compile::Backend kBackend;

// What the engines of this process printed so far.
std::string& printed();

}  // namespace skald::printer
