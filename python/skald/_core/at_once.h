// SPDX-License-Identifier: Apache-2.0
// Arithmetic on few elements that are at hand, without a node: rows of arrays in loops of Python,
// where recording would cost more than the arithmetic.
#pragma once

#include "common.h"

namespace skald::python {

// May what was just met be computed now?  Where more is pending it may be a part of that: a loop is
// found only if all of it is recorded.
bool may_run_at_once();
// The operation on one or two operands.  Null: it must be recorded, or an exception is set.
PyObject* compute_at_once(uint16_t op, PyObject* const* args, int count);
// The same, written over the first operand, as operators in place do.  False: as above.
bool update_at_once(uint16_t op, ArrayObject* target, PyObject* value);

}  // namespace skald::python
