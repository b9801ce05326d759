// SPDX-License-Identifier: Apache-2.0
// Operators of NumPy's scalars with our arrays on the right: `a[i, j] * row`.  NumPy asks
// `__array_ufunc__` by way of its own arrays, which takes longer than the operation; so the slots of
// its scalar types ask us first, and do what they did before for everything else.
#include <array>

#include "array_type.h"
#include "ufunc.h"

namespace skald::python {

namespace {

struct Operator {
  binaryfunc PyNumberMethods::*slot;
  uint16_t KnownOps::*op;
};
constexpr std::array kOperators = {
    Operator{&PyNumberMethods::nb_add, &KnownOps::add},
    Operator{&PyNumberMethods::nb_subtract, &KnownOps::subtract},
    Operator{&PyNumberMethods::nb_multiply, &KnownOps::multiply},
    Operator{&PyNumberMethods::nb_true_divide, &KnownOps::true_divide},
};
constexpr size_t kTypes = 4;

std::array<std::array<binaryfunc, kOperators.size()>, kTypes> before;

template <size_t type, size_t number>
PyObject* operate(PyObject* left, PyObject* right) {
  // An array on the left has slots of its own.
  if (Py_TYPE(right) != &array_type || is_array(left)) return before[type][number](left, right);
  PyObject* const args[2] = {left, right};
  return record_ufunc(ops.*kOperators[number].op, args, 2);
}

template <size_t type, size_t... numbers>
void replace(PyTypeObject* of, std::index_sequence<numbers...>) {
  const auto one = [&](binaryfunc& slot, size_t number, binaryfunc ours) {
    before[type][number] = slot;
    slot = ours;
  };
  (one(of->tp_as_number->*kOperators[numbers].slot, numbers, operate<type, numbers>), ...);
}

}  // namespace

void ready_scalar_operators() {
  constexpr auto kAll = std::make_index_sequence<kOperators.size()>();
  replace<0>(&PyDoubleArrType_Type, kAll);
  replace<1>(&PyFloatArrType_Type, kAll);
  replace<2>(&PyLongArrType_Type, kAll);
  replace<3>(&PyCDoubleArrType_Type, kAll);
}

}  // namespace skald::python
