// SPDX-License-Identifier: Apache-2.0
// skald.ndarray: the type with its operators and attributes.  methods.cpp has the methods.
#include "array_type.h"

#include <cstddef>
#include <cstring>

#include "direct.h"
#include "fallback.h"
#include "index.h"
#include "recording.h"
#include "selection.h"
#include "ufunc.h"

namespace skald::python {

namespace {

// ---- Life

void free_array(PyObject* self) {
  auto* array = raw_array(self);
  if (array->weak_references) PyObject_ClearWeakRefs(self);
  drop_selection(array);
  if (array->base) array->base->drop();
  array->view.~View();
  Py_XDECREF(array->parent);
  free_object(array);
}

PyObject* new_array(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"shape", "dtype", "buffer", "offset", "strides", "order", nullptr};
  PyObject *shape = nullptr, *dtype = nullptr, *buffer = nullptr, *strides = nullptr,
           *order = nullptr;
  long long offset = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OOLOO", const_cast<char**>(names), &shape,
                                   &dtype, &buffer, &offset, &strides, &order)) {
    return nullptr;
  }
  if (buffer || strides || type != &array_type) {
    Ref made(PyObject_Call(reinterpret_cast<PyObject*>(&PyArray_Type), args, kwargs));
    return made ? adopt_ndarray(made.get()) : nullptr;
  }
  return empty_array(shape, dtype);
}

// ---- Operators

// Should the other operand's type decide?  As NumPy: __array_ufunc__ = None says so.
bool defers(PyObject* other) {
  if (is_array(other) || PyFloat_CheckExact(other) || PyLong_CheckExact(other) ||
      PyArray_CheckExact(other) || PyBool_Check(other) || PyComplex_CheckExact(other) ||
      PyList_CheckExact(other) || PyTuple_CheckExact(other) || PyArray_CheckAnyScalarExact(other)) {
    return false;
  }
  Ref attribute(
      PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(other)), "__array_ufunc__"));
  if (!attribute) {
    PyErr_Clear();
    return false;
  }
  return attribute.get() == Py_None;
}

PyObject* binary(uint16_t op, PyObject* a, PyObject* b) {
  if (defers(is_array(a) ? b : a)) Py_RETURN_NOTIMPLEMENTED;
  PyObject* const args[2] = {a, b};
  return record_ufunc(op, args, 2);
}
PyObject* unary(uint16_t op, PyObject* a) {
  return record_ufunc(op, &a, 1);
}
PyObject* in_place(uint16_t op, PyObject* a, PyObject* b) {
  if (!is_array(a) || raw_array(a)->is_scalar) return binary(op, a, b);
  if (defers(b)) Py_RETURN_NOTIMPLEMENTED;
  PyObject* const args[2] = {a, b};
  return record_ufunc_into(op, args, 2, a);
}

#define SKALD_BINARY(name, op)                          \
  PyObject* name(PyObject* a, PyObject* b) {            \
    return binary(ops.op, a, b);                        \
  }                                                     \
  PyObject* in_place_##name(PyObject* a, PyObject* b) { \
    return in_place(ops.op, a, b);                      \
  }
SKALD_BINARY(add, add)
SKALD_BINARY(subtract, subtract)
SKALD_BINARY(multiply, multiply)
SKALD_BINARY(true_divide, true_divide)
SKALD_BINARY(floor_divide, floor_divide)
SKALD_BINARY(remainder, remainder)
SKALD_BINARY(left_shift, left_shift)
SKALD_BINARY(right_shift, right_shift)
SKALD_BINARY(bit_and, bitwise_and)
SKALD_BINARY(bit_or, bitwise_or)
SKALD_BINARY(bit_xor, bitwise_xor)
#undef SKALD_BINARY

PyObject* matmul(PyObject* a, PyObject* b) {
  PyObject* product = short_product(a, b);
  if (!product && !PyErr_Occurred()) product = small_product(a, b);
  if (!product && !PyErr_Occurred()) product = record_product(a, b);
  return product || PyErr_Occurred() ? product : binary(ops.matmul, a, b);
}
PyObject* in_place_matmul(PyObject* a, PyObject* b) {
  return in_place(ops.matmul, a, b);
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  // NumPy squares booleans as numbers of eight bits; numpy.power(booleans, 2) has 64.
  const bool is_square = is_array(a) && raw_array(a)->type() == DType::kBool &&
                         PyLong_CheckExact(b) && PyLong_AsLong(b) == 2;
  PyErr_Clear();
  if (is_square) return record_ufunc(ops.square, &a, 1);
  return binary(ops.power, a, b);
}
PyObject* in_place_power(PyObject* a, PyObject* b, PyObject*) {
  return in_place(ops.power, a, b);
}
PyObject* divide_both(PyObject* a, PyObject* b) {
  return binary(ops.divmod, a, b);
}
PyObject* negative(PyObject* a) {
  return unary(ops.negative, a);
}
PyObject* positive(PyObject* a) {
  return unary(ops.positive, a);
}
PyObject* absolute(PyObject* a) {
  return unary(ops.absolute, a);
}
PyObject* invert(PyObject* a) {
  return unary(ops.invert, a);
}

PyObject* compare(PyObject* a, PyObject* b, int relation) {
  const uint16_t table[] = {ops.less,      ops.less_equal, ops.equal,
                            ops.not_equal, ops.greater,    ops.greater_equal};
  const bool equality = relation == Py_EQ || relation == Py_NE;
  if (equality && (b == Py_None || PyUnicode_Check(b))) {
    Ref real_array(to_ndarray_read_only(as_array(a)));
    Ref result(real_array ? PyObject_RichCompare(real_array.get(), b, relation) : nullptr);
    return result ? adopt(result.get()) : nullptr;
  }
  return binary(table[relation], a, b);
}

// ---- As a scalar

PyObject* as_numpy(PyObject* self) {
  return as_array(self)->view.rank() == 0 ? to_numpy_scalar(as_array(self))
                                          : to_ndarray_read_only(as_array(self));
}
int truth(PyObject* self) {
  Ref value(as_numpy(self));
  return value ? PyObject_IsTrue(value.get()) : -1;
}
PyObject* to_int(PyObject* self) {
  Ref value(as_numpy(self));
  return value ? PyNumber_Long(value.get()) : nullptr;
}
PyObject* to_float(PyObject* self) {
  Ref value(as_numpy(self));
  return value ? PyNumber_Float(value.get()) : nullptr;
}
PyObject* to_index(PyObject* self) {
  Ref value(as_array(self)->is_scalar ? as_numpy(self) : to_ndarray_read_only(as_array(self)));
  return value ? PyNumber_Index(value.get()) : nullptr;
}

Py_hash_t hash(PyObject* self) {
  if (!as_array(self)->is_scalar) {
    PyErr_SetString(PyExc_TypeError, "unhashable type: 'numpy.ndarray'");
    return -1;
  }
  Ref value(as_numpy(self));
  return value ? PyObject_Hash(value.get()) : -1;
}

PyObject* text(PyObject* self, bool full) {
  auto* array = as_array(self);
  Ref value(array->is_scalar ? to_numpy_scalar(array) : to_ndarray_read_only(array));
  if (!value) return nullptr;
  return full ? PyObject_Repr(value.get()) : PyObject_Str(value.get());
}
PyObject* repr(PyObject* self) {
  return text(self, true);
}
PyObject* str(PyObject* self) {
  return text(self, false);
}

// ---- Sequence

Py_ssize_t length(PyObject* self) {
  if (as_array(self)->view.rank() == 0) {
    PyErr_SetString(PyExc_TypeError, "len() of unsized object");
    return -1;
  }
  return as_array(self)->view.shape[0];
}
PyObject* get(PyObject* self, PyObject* key) {
  return get_item(as_array(self), key);
}
int set(PyObject* self, PyObject* key, PyObject* value) {
  return set_item(as_array(self), key, value);
}
PyObject* item(PyObject* self, Py_ssize_t at) {
  Ref key(PyLong_FromSsize_t(at));
  return get_item(as_array(self), key.get());
}
int contains(PyObject* self, PyObject* value) {
  Ref real_array(to_ndarray_read_only(as_array(self)));
  Ref real_value(real_array ? to_real(value, false) : nullptr);
  return real_value ? PySequence_Contains(real_array.get(), real_value.get()) : -1;
}
PyObject* iterate(PyObject* self) {
  if (as_array(self)->view.rank() == 0) {
    PyErr_SetString(PyExc_TypeError, "iteration over a 0-d array");
    return nullptr;
  }
  return PySeqIter_New(self);
}

// ---- Memory for others

// NumPy asks for the buffer first, takes no notice of an exception, and then calls `__array__`,
// which must say it again: the elements are gone.
struct Unheard {
  PyObject *array = nullptr, *type = nullptr, *value = nullptr, *traceback = nullptr;
};
Unheard& unheard() {
  static Unheard last;
  return last;
}
void forget_unheard() {
  Unheard& last = unheard();
  last.array = nullptr;
  Py_CLEAR(last.type);
  Py_CLEAR(last.value);
  Py_CLEAR(last.traceback);
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  forget_unheard();
  Ref shared(as_array(self)->is_scalar ? to_ndarray_read_only(as_array(self))
                                       : to_ndarray_shared(as_array(self)));
  if (!shared) {
    Unheard& last = unheard();
    last.array = self;
    PyErr_Fetch(&last.type, &last.value, &last.traceback);
    Py_XINCREF(last.type), Py_XINCREF(last.value), Py_XINCREF(last.traceback);
    PyErr_Restore(last.type, last.value, last.traceback);
    return -1;
  }
  // The real array answers, and is what the consumer holds.
  return PyObject_GetBuffer(shared.get(), view, flags);
}

PyNumberMethods numbers;
PyMappingMethods mapping = {length, get, set};
PySequenceMethods sequence;
PyBufferProcs buffer = {get_buffer, nullptr};

void fill_numbers() {
  numbers.nb_add = add, numbers.nb_subtract = subtract, numbers.nb_multiply = multiply;
  numbers.nb_true_divide = true_divide, numbers.nb_floor_divide = floor_divide;
  numbers.nb_remainder = remainder, numbers.nb_divmod = divide_both, numbers.nb_power = power;
  numbers.nb_negative = negative, numbers.nb_positive = positive, numbers.nb_absolute = absolute;
  numbers.nb_invert = invert, numbers.nb_lshift = left_shift, numbers.nb_rshift = right_shift;
  numbers.nb_and = bit_and, numbers.nb_or = bit_or, numbers.nb_xor = bit_xor;
  numbers.nb_matrix_multiply = matmul, numbers.nb_bool = truth, numbers.nb_int = to_int;
  numbers.nb_float = to_float, numbers.nb_index = to_index;
  numbers.nb_inplace_add = in_place_add, numbers.nb_inplace_subtract = in_place_subtract;
  numbers.nb_inplace_multiply = in_place_multiply;
  numbers.nb_inplace_true_divide = in_place_true_divide;
  numbers.nb_inplace_floor_divide = in_place_floor_divide;
  numbers.nb_inplace_remainder = in_place_remainder, numbers.nb_inplace_power = in_place_power;
  numbers.nb_inplace_lshift = in_place_left_shift, numbers.nb_inplace_rshift = in_place_right_shift;
  numbers.nb_inplace_and = in_place_bit_and, numbers.nb_inplace_or = in_place_bit_or;
  numbers.nb_inplace_xor = in_place_bit_xor;
  numbers.nb_inplace_matrix_multiply = in_place_matmul;
}

}  // namespace

PyTypeObject array_type = {PyVarObject_HEAD_INIT(nullptr, 0)};

bool raise_unheard(PyObject* array) {
  Unheard& last = unheard();
  if (last.array != array) return false;
  last.array = nullptr;
  PyErr_Restore(std::exchange(last.type, nullptr), std::exchange(last.value, nullptr),
                std::exchange(last.traceback, nullptr));
  return true;
}

bool ready_array_type() {
  fill_numbers();
  sequence.sq_length = length, sequence.sq_item = item, sequence.sq_contains = contains;
  array_type.tp_name = "skald.ndarray";
  array_type.tp_doc = "A lazy array: operations are recorded and run when a value is needed.";
  array_type.tp_basicsize = sizeof(ArrayObject);
  array_type.tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE;
  array_type.tp_new = new_array;
  array_type.tp_dealloc = free_array;
  array_type.tp_repr = repr;
  array_type.tp_str = str;
  array_type.tp_hash = hash;
  array_type.tp_richcompare = compare;
  array_type.tp_iter = iterate;
  array_type.tp_as_number = &numbers;
  array_type.tp_as_mapping = &mapping;
  array_type.tp_as_sequence = &sequence;
  array_type.tp_as_buffer = &buffer;
  array_type.tp_weaklistoffset = offsetof(ArrayObject, weak_references);
  array_type.tp_methods = array_methods();
  array_type.tp_getset = array_attributes();
  array_type.tp_getattro = array_attribute;
  return ready_array_metatype() && PyType_Ready(&array_type) == 0 && ready_array_new();
}

}  // namespace skald::python
