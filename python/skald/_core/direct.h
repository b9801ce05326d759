// SPDX-License-Identifier: Apache-2.0
// Nodes computed here, row by row, without arrays of Python.
#pragma once

#include "common.h"

namespace skald::python {

// What became of a node: it has its value, it is left to NumPy (nothing has changed), or an
// exception is set.
enum class Done { kYes, kNo, kFailed };

// Gives a node its value by our loops, if it has few elements, or by NumPy's inner loops.  Says
// what floating-point warnings there are, as NumPy does.
Done evaluate_directly(Node* node);
// The same, but what would warn is left alone.
bool evaluate_quietly(Node* node);
// The same for an elementwise node, into a part of an array instead.  `reads`: an input is that
// part; none is another one that overlaps it.
Done compute_directly_into(const Node* node, std::byte* to, const View& target, bool reads);
// Writes elements through a view of the array at `to`; the value lies elsewhere.  False: it is left
// to NumPy.
bool copy_directly(std::byte* to, DType type, const View& target, const Input& value);
// Between two arrays that do not overlap; false: they have too many axes.
bool copy_elements(DType type, const std::byte* from, const View& source, std::byte* to,
                   const View& target);
// An input of the same shape and type that nobody else needs: its memory can be that of the result.
// Null: there is none.
Buffer* memory_to_reuse(const Node* node);

// The product of two short vectors of floats as NumPy's scalar.  Null: it is left to NumPy, or an
// exception is set.
PyObject* short_product(PyObject* a, PyObject* b);
// The same for two small matrices of floats or complex numbers, as an array.
PyObject* small_product(PyObject* a, PyObject* b);
// A node for the product of two vectors or matrices of one type; null as above.
PyObject* record_product(PyObject* a, PyObject* b);

}  // namespace skald::python
