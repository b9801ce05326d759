// SPDX-License-Identifier: Apache-2.0
// Small nodes, computed here.
#pragma once

#include "common.h"

namespace skald::python {

// Gives a node of few elements its value without NumPy, whose call would cost more than the
// arithmetic.  False: it is left to NumPy, which also says what floating-point warnings there are;
// nothing has changed then.
bool evaluate_directly(Node* node);
// The same for an elementwise node, into a part of an array instead: an input may be that part, but
// no other one that overlaps it.
bool compute_directly_into(const Node* node, std::byte* to, const View& target);
// Writes a few elements through a view of the array at `to`; the value lies elsewhere.  False: it
// is left to NumPy.
bool copy_directly(std::byte* to, DType type, const View& target, const Input& value);

// The product of two short vectors of floats as NumPy's scalar.  Null: it is left to NumPy, or an
// exception is set.
PyObject* short_product(PyObject* a, PyObject* b);
// The same for two small matrices of floats or complex numbers, as an array.
PyObject* small_product(PyObject* a, PyObject* b);
// A node for the product of two vectors or matrices of one type; null as above.
PyObject* record_product(PyObject* a, PyObject* b);

}  // namespace skald::python
