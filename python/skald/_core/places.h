// SPDX-License-Identifier: Apache-2.0
// Places in the script: where a node was recorded, and where its value was needed.
#pragma once

#include <string>

#include "common.h"

namespace skald::python {

// From here on new nodes know their place.  What lies in `folder`, this package, is no place of a
// script: who called it is.
void note_places(const std::string& folder);
// The exception that is set gets a note of where its cause was recorded and where it was run, if
// these are two lines.
void tell_places(const Node* node);
// The number of the place where the script is now, which is not in this package; 0: it is not
// known.
uint32_t place_in_script();
// A new reference.
PyObject* file_of(uint32_t place);
int line_of(uint32_t place);

}  // namespace skald::python
