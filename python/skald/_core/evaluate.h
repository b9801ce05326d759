// SPDX-License-Identifier: Apache-2.0
// Running what was recorded.
#pragma once

#include "direct.h"

namespace skald::python {

// Gives a node its value by calling NumPy; its inputs have theirs.  False: an exception is set.
bool evaluate_by_numpy(Node* node);
// Calls the ufunc of a node on its inputs; the results go to `out`, a real array.
bool call_ufunc(const Node* node, PyObject* out);
// Computes `node` and what comes next and alone needs it at once.  No: it is not so, or must be
// done in two steps.
Done evaluate_pair(Node* node, Node* next);
// A node whose evaluation failed has no value; whoever asks for it gets the exception that is set
// now.  What failed to be written leaves the array as it was, but if `lose` is called.
void give_up(Node* node);
void lose(Node* node);

// Whose turn it is to run what is pending: ours, ours already, or nobody waits for it any more and
// an exception is set.
enum class Turn { kOurs, kInside, kInterrupted };
// Waits until no other thread is at it.
Turn begin_running();
void end_running();

}  // namespace skald::python
