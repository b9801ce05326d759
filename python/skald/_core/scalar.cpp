// SPDX-License-Identifier: Apache-2.0
// Scalars of Python and NumPy as constants of the graph.
#include <cmath>
#include <limits>

#include "common.h"

namespace skald::python {

namespace {

template <class T>
bool fits(int64_t value) {
  return value >= static_cast<int64_t>(std::numeric_limits<T>::min()) &&
         value <= static_cast<int64_t>(std::numeric_limits<T>::max());
}

bool int_fits(DType type, int64_t value) {
  switch (type) {
    case DType::kI8: return fits<int8_t>(value);
    case DType::kU8: return fits<uint8_t>(value);
    case DType::kI16: return fits<int16_t>(value);
    case DType::kU16: return fits<uint16_t>(value);
    case DType::kI32: return fits<int32_t>(value);
    case DType::kU32: return fits<uint32_t>(value);
    case DType::kU64: return value >= 0;
    default: return true;
  }
}

bool from_long(PyObject* object, DType type, Scalar& scalar) {
  int overflow = 0;
  const int64_t value = PyArray_IsScalar(object, Long)
                            ? PyArrayScalar_VAL(object, Long)
                            : PyLong_AsLongLongAndOverflow(object, &overflow);
  if (value == -1 && PyErr_Occurred()) return false;
  if (type == DType::kBool) {
    scalar.b = overflow != 0 || value != 0;
    return true;
  }
  if (lazy::is_integer(type)) {
    if (overflow > 0 && type == DType::kU64) {
      scalar.u = PyLong_AsUnsignedLongLong(object);
      if (PyErr_Occurred()) {
        PyErr_Clear();
        return false;
      }
      return true;
    }
    if (overflow != 0 || !int_fits(type, value)) return false;
    scalar.i = value;
    return true;
  }
  const double number = overflow == 0 ? static_cast<double>(value) : PyLong_AsDouble(object);
  if (PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  scalar.c[1] = 0;
  scalar.c[0] = number;
  return true;
}

}  // namespace

bool scalar_from(PyObject* object, DType type, Scalar& scalar) {
  if (PyBool_Check(object)) {
    const bool value = object == Py_True;
    if (type == DType::kBool) {
      scalar.b = value;
    } else if (lazy::is_integer(type)) {
      scalar.i = value ? 1 : 0;
    } else {
      scalar.c[1] = 0;
      scalar.c[0] = value ? 1 : 0;
    }
    return true;
  }
  if (PyLong_CheckExact(object) || PyArray_IsScalar(object, Long))
    return from_long(object, type, scalar);
  if (PyFloat_Check(object) && (lazy::is_float(type) || lazy::is_complex(type))) {
    scalar.c[1] = 0;
    scalar.c[0] = PyFloat_AS_DOUBLE(object);
    // NumPy warns when this overflows: leave that to it.
    if (type == DType::kF32 || type == DType::kC64) {
      return !std::isfinite(scalar.c[0]) ||
             std::fabs(scalar.c[0]) <= std::numeric_limits<float>::max();
    }
    return type != DType::kF16 || !std::isfinite(scalar.c[0]) || std::fabs(scalar.c[0]) < 65504.0;
  }
  if (PyComplex_Check(object) && lazy::is_complex(type)) {
    scalar.c[0] = PyComplex_RealAsDouble(object);
    scalar.c[1] = PyComplex_ImagAsDouble(object);
    return true;
  }
  return false;
}

PyObject* scalar_to_python(DType type, Scalar scalar) {
  switch (type) {
    case DType::kBool: return PyBool_FromLong(scalar.b ? 1 : 0);
    case DType::kU64: return PyLong_FromUnsignedLongLong(scalar.u);
    case DType::kF16:
    case DType::kF32:
    case DType::kF64: return PyFloat_FromDouble(scalar.c[0]);
    case DType::kC64:
    case DType::kC128: return PyComplex_FromDoubles(scalar.c[0], scalar.c[1]);
    default: return PyLong_FromLongLong(scalar.i);
  }
}

}  // namespace skald::python
