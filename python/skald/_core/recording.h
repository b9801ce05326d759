// SPDX-License-Identifier: Apache-2.0
// Recording functions over lazy arrays, for skald.jit and the derivatives.
//
// While a function is recorded, nodes go into a list of their own, and its arguments are nodes
// without values.  What does not depend on them can still be computed.
#pragma once

#include <vector>

#include "common.h"

namespace skald::python {

bool is_recording();
// Why functions are recorded now: to be replayed, to be differentiated; bits.
enum RecordingPurpose : int { kToReplay = 1, kToDifferentiate = 2 };
int recording_purposes();
// Says that a value was asked for that does not exist; always false.
bool refuse_value();

struct RecordedResult {
  Node* node;  // not owned: one of the nodes, of the arguments or of the captured ones
  View view;
  bool is_scalar;
};
// A recorded function: nodes in order, as templates that are in no list.
struct Recorded {
  std::vector<Node*> nodes, arguments, captured;  // owned
  std::vector<RecordedResult> results;

  Recorded() = default;
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;
  ~Recorded();
};
// Of the object that end_recording gave; null with an exception set.
Recorded* recorded_of(PyObject* capsule);

bool ready_recording(PyObject* module);
bool ready_functions(PyObject* module);

}  // namespace skald::python
