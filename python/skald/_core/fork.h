// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common.h"

namespace skald::python {

// Asks Python to be told of forks.  False: an exception is set.
bool ready_for_forks();

}  // namespace skald::python
