// SPDX-License-Identifier: Apache-2.0
// z.real and z.imag, put off.
//
// Such an array has a base of its own, which knows the base of the complex numbers (graph.h,
// PartOf).  Whoever looks at it sees the part of the current version there, computed when it is
// needed; whoever writes into it writes a new version there.  So it is a view as NumPy has it, but
// nothing needs a value.
#include "fallback.h"
#include "real_arrays.h"
#include "recording.h"
#include "ufunc.h"

namespace skald::python {

void refresh_part(Base* base) {
  lazy::PartOf& part = *base->part;
  Node* from = part.whole->current;
  const bool is_exported = part.whole->is_exported();
  if (part.seen == from->id && part.shown == part.whole->shown && !is_exported) return;
  Node* node = lazy::new_node(NodeKind::kCast, lazy::part_type(from->type), from->shape, 1);
  node->op = part.is_imaginary ? lazy::kImaginaryPart : lazy::kRealPart;
  lazy::set_input(node, 0, from, View::dense(from->shape));
  part.seen = is_exported ? 0 : from->id;
  part.shown = part.whole->shown;
  base->set(node);
}

bool assign_part(Base* base, const View& target, Node* value, const View& value_view, Node* mask,
                 const View* mask_view) {
  const lazy::PartOf& part = *base->part;
  Node* from = part.whole->current;
  Node* node = lazy::new_node(NodeKind::kElementwise, from->type, target.shape, 2);
  node->op = part.is_imaginary ? kWithImagOp : kWithRealOp;
  node->compute_type = from->type;
  lazy::set_input(node, 0, value, value_view);
  lazy::set_input(node, 1, from, target);
  const bool good =
      assign_node(part.whole, target, node, View::dense(target.shape), mask, mask_view);
  node->drop();
  return good;
}

// Real memory that others may write.
PyObject* share_part(ArrayObject* array) {
  const lazy::PartOf& part = *array->base->part;
  part.whole->retain();
  Ref whole(wrap(part.whole, View::dense(part.whole->current->shape)));
  Ref numbers(whole ? to_ndarray_shared(as_array(whole.get())) : nullptr);
  if (!numbers) return nullptr;
  const DType type = array->type();
  const int size = lazy::item_size(type);
  View view = array->view;
  // In elements of the memory, of which every second one is of this part.
  view.offset = 2 * view.offset + (part.is_imaginary ? 1 : 0);
  for (int i = 0; i < view.rank(); ++i) view.strides[i] *= 2 * size;
  PyArray_Descr* descr = descr_of(type);
  Py_INCREF(descr);
  PyObject* result = PyArray_NewFromDescr(
      &PyArray_Type, descr, view.rank(), view.shape.data(), view.strides.data(),
      static_cast<char*>(PyArray_DATA(as_real(numbers.get()))) + view.offset * size,
      array->is_read_only ? 0 : NPY_ARRAY_WRITEABLE, nullptr);
  if (!result) return nullptr;
  if (PyArray_SetBaseObject(as_real(result), numbers.release()) < 0) Py_CLEAR(result);
  return result;
}

// part(array, imaginary): None if it is better shown in memory, as parts of few elements of many.
PyObject* part_of(PyObject*, PyObject* args) {
  PyObject* object = nullptr;
  int imaginary = 0;
  if (!PyArg_ParseTuple(args, "Op", &object, &imaginary)) return nullptr;
  if (!is_array(object)) Py_RETURN_NONE;
  auto* array = as_array(object);
  Base* whole = array->base;
  const int64_t count = array->view.count();
  if (!lazy::is_complex(array->type()) || count == 0 || 2 * count < whole->current->count() ||
      (whole->is_exported() && !array->is_scalar))
    Py_RETURN_NONE;
  Node* node = lazy::new_node(NodeKind::kCast, lazy::part_type(array->type()),
                              whole->current->shape, 1);
  node->op = imaginary != 0 ? lazy::kImaginaryPart : lazy::kRealPart;
  lazy::set_input(node, 0, whole->current, View::dense(node->shape));
  Base* base = lazy::new_base(node);
  if (!array->is_scalar) base->show_part(whole, imaginary != 0);
  PyObject* result = wrap(base, array->view);
  if (!result) return nullptr;
  auto* made = raw_array(result);
  made->is_scalar = array->is_scalar;
  made->is_read_only = array->is_read_only;
  if (!array->is_scalar) {
    PyObject* const first = array->parent ? array->parent : object;
    made->parent = Ref::borrowed(first).release();
  }
  return result;
}

}  // namespace skald::python
