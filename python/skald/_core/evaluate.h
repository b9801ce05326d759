// SPDX-License-Identifier: Apache-2.0
// Running what was recorded.
#pragma once

#include "common.h"

namespace skald::python {

// Gives a node its value by calling NumPy; its inputs have theirs.  False: an exception is set.
bool evaluate_by_numpy(Node* node);
// Computes `node` where `writer`, which comes next and alone needs it, would write it.  0: it is
// not so, or must be done in two steps; -1: an exception is set.
int evaluate_in_place(Node* node, Node* writer);
void give_up(Node* node);

// Waits until no other thread runs what is pending.  False: this thread is already at it.
bool begin_running();
void end_running();

}  // namespace skald::python
