// SPDX-License-Identifier: Apache-2.0
// All elements of an array, or those that a mask chooses, added up by one of NumPy's inner loops.
#pragma once

#include "direct.h"

namespace skald::python {

// `quietly`: only if there is nothing to tell.
Done reduce_directly(Node* node, bool quietly);
// `node` chooses between what is there where its mask is true, and nothing, and `sum`, which comes
// next and alone needs it, adds it all up: what is there is added up instead.
Done sum_chosen(Node* node, Node* sum);

}  // namespace skald::python
