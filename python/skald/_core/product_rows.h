// SPDX-License-Identifier: Apache-2.0
// Products of vectors in a loop of Python, as one product of matrices.
#pragma once

#include "common.h"

namespace skald::python {

// If the first pending product from this node on, which may be it, is the first of many whose
// vectors are rows of one array, and whose matrices are parts of another one that differ in their
// columns only, all of them get their values.  False: an exception is set.
bool multiply_rows(Node* first);

}  // namespace skald::python
