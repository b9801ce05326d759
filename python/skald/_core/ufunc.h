// SPDX-License-Identifier: Apache-2.0
// The table of operations: one row for each of NumPy's ufuncs.
#pragma once

#include <string>
#include <vector>

#include "common.h"

namespace skald::python {

struct UfuncInfo {
  std::string name;
  PyObject* real = nullptr;    // NumPy's ufunc
  PyObject* object = nullptr;  // ours
  int inputs = 0, outputs = 0;
  bool is_generalised = false;  // matmul and the like
};

struct UfuncObject {
  PyObject_HEAD uint16_t op;
  vectorcallfunc call;
};

std::vector<UfuncInfo>& ufuncs();
// -1: no such ufunc.
int find_ufunc(const char* name);
bool fill_ufuncs();

// Operations that are used by name.
struct KnownOps {
  uint16_t add, subtract, multiply, true_divide, floor_divide, remainder, power, left_shift,
      right_shift, bitwise_and, bitwise_or, bitwise_xor, negative, positive, absolute, invert, less,
      less_equal, equal, not_equal, greater, greater_equal, maximum, minimum, square, sqrt,
      reciprocal, logical_and, logical_or, divmod, matmul, conjugate;
};
extern KnownOps ops;

// One elementwise operation with one result; gives a lazy array, or what NumPy gives.
PyObject* record_ufunc(uint16_t op, PyObject* const* args, int count);
// Into `out`, an array of ours.
PyObject* record_ufunc_into(uint16_t op, PyObject* const* args, int count, PyObject* out);
// op.reduce(array, axes …); `dtype` may be null.
PyObject* record_reduce(uint16_t op, ArrayObject* array, uint64_t axes, PyObject* dtype,
                        bool keep_axes);
PyObject* record_scan(uint16_t op, ArrayObject* array, int axis, PyObject* dtype);
// The three-argument where.
PyObject* record_where(PyObject* condition, PyObject* x, PyObject* y);
// Operations that are no ufuncs.  With…: inputs[1] with inputs[0] as one of its parts.
inline constexpr uint16_t kWhereOp = 0xfff0, kWithRealOp = 0xfff1, kWithImagOp = 0xfff2;
inline bool is_with_part(uint16_t op) {
  return op == kWithRealOp || op == kWithImagOp;
}

}  // namespace skald::python
