// SPDX-License-Identifier: Apache-2.0
// Operations on so few elements that recording them costs more than computing them.
#pragma once

#include "common.h"

namespace skald::python {

// Computes a node that was just made, if that is little and needs nothing that is pending.  Else,
// and where NumPy would warn, it stays as it is.
void run_if_little(Node* node);
// Writes a few elements of an array that nobody else needs as it is: those of a node, or a number.
// False: it must be recorded.
bool write_if_little(const Base* base, const View& target, const Node* value,
                     const View& value_view);
bool write_if_little(const Base* base, const View& target, const Input& value);

}  // namespace skald::python
