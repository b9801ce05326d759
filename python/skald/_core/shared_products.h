// SPDX-License-Identifier: Apache-2.0
// Products of vectors with the same large matrix, which is read from memory once for two of them.
#pragma once

#include "common.h"

namespace skald::python {

// Looks for two such products among what is pending, and computes them.  False: an exception is
// set.
bool multiply_shared();

}  // namespace skald::python
