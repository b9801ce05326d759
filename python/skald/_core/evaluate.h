// SPDX-License-Identifier: Apache-2.0
// Running what was recorded.
#pragma once

#include "common.h"

namespace skald::python {

// Gives a node its value by calling NumPy; its inputs have theirs.  False: an exception is set.
bool evaluate_by_numpy(Node* node);
void give_up(Node* node);

// Waits until no other thread runs what is pending.  False: this thread is already at it.
bool begin_running();
void end_running();

}  // namespace skald::python
