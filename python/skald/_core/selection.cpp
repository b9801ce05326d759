// SPDX-License-Identifier: Apache-2.0
#include "selection.h"

#include <unordered_map>

#include "evaluate.h"
#include "masks.h"
#include "plan_cache.h"
#include "recording.h"
#include "ufunc.h"

namespace skald::python {

namespace {

// A mask that names fewer of the elements is better looked through once.
constexpr int64_t kFewestChosen = 4;

// A boolean array for the first axes of the array, all of them at most.
ArrayObject* mask_for(const ArrayObject* array, PyObject* key) {
  if (!is_array(key) || raw_array(key)->type() != DType::kBool) return nullptr;
  ArrayObject* mask = as_array(key);
  const int rank = mask->view.rank();
  if (rank == 0 || rank > array->view.rank()) return nullptr;
  for (int i = 0; i < rank; ++i) {
    if (mask->view.shape[i] != array->view.shape[i]) return nullptr;
  }
  return array->view.count() > 0 ? mask : nullptr;
}

// The mask as a view of the shape of the array.
View spread_view(const View& mask, const Dims& shape) {
  View view = mask;
  for (int i = mask.rank(); i < shape.size(); ++i) {
    view.shape.push_back(shape[i]);
    view.strides.push_back(0);
  }
  return view;
}

bool may_be_put_off(const Node* node) {
  return !(node->buffer && (node->buffer->exports > 0 || !node->buffer->data));
}

// Does the mask name enough elements, as far as is known now?
bool is_worth_it(const Node* mask, const View& view) {
  if (!mask->buffer) return true;
  return kFewestChosen * count_chosen({mask->data(), view}) >= view.count();
}

// Where the script is now; null if that is not known.
SelectingPlace* place_now() {
  constexpr size_t kMostPlaces = 4096;
  static auto* const places = new std::unordered_map<uint64_t, SelectingPlace>;
  PyFrameObject* frame = PyEval_GetFrame();
  if (!frame) return nullptr;
  PyCodeObject* code = PyFrame_GetCode(frame);
  const uint64_t key = reinterpret_cast<uint64_t>(code) * 0x9fb21c651e98df25ULL +
                       static_cast<uint64_t>(PyFrame_GetLasti(frame));
  Py_DECREF(code);
  const auto known = places->find(key);
  if (known != places->end()) return &known->second;
  return places->size() < kMostPlaces ? &(*places)[key] : nullptr;
}

// Where an array of the elements was mostly needed in the end, as in loops that go on with what is
// left, putting off makes work: all elements are computed, and then chosen.  Now and then it gets
// another chance.
bool should_be_put_off(SelectingPlace* place) {
  constexpr int64_t kFirst = 4, kAgain = 64;
  if (!place) return true;
  const bool good = place->put_off < kFirst || 2 * place->settled <= place->put_off;
  if (!good && ++place->visits % kAgain != 0) return false;
  ++place->put_off;
  return true;
}

// Do two pending nodes compute the same?  `x[x > 0] = f(x[x > 0])` has two masks.
bool same_value(const Node* a, const Node* b, int depth) {
  if (a == b) return true;
  const bool alike = a->is_pending() && b->is_pending() && a->kind == NodeKind::kElementwise &&
                     b->kind == a->kind && a->op == b->op && a->type == b->type &&
                     a->compute_type == b->compute_type && a->input_count == b->input_count &&
                     !a->is_masked && !b->is_masked;
  if (!alike || depth == 0) return false;
  for (int i = 0; i < a->input_count; ++i) {
    const Input &x = a->inputs[i], &y = b->inputs[i];
    const bool same = x.node && y.node ? same_value(x.node, y.node, depth - 1) && x.view == y.view
                                       : !x.node && !y.node && x.type == y.type &&
                                             x.scalar.u == y.scalar.u &&
                                             !lazy::is_complex(x.type);
    if (!same) return false;
  }
  return true;
}

bool same_mask(const Selection& a, const Selection& b) {
  constexpr int kDepth = 3;
  return a.trailing == b.trailing && a.mask_view == b.mask_view &&
         same_value(a.mask, b.mask, kDepth);
}

// Can the operand be read at each element of the selection?
bool fits(PyObject* object, const Selection& selection) {
  if (!is_array(object))
    return PyFloat_CheckExact(object) || PyLong_CheckExact(object) || PyBool_Check(object) ||
           PyComplex_CheckExact(object) || PyArray_IsScalar(object, Generic);
  const ArrayObject* array = raw_array(object);
  if (array->selection) return same_mask(*array->selection, selection);
  Dims shape;
  return array->view.rank() <= selection.trailing && !array->base->is_exported() &&
         broadcast_shapes(array->view.shape, selection.mask_view.shape, shape) &&
         shape == selection.mask_view.shape;
}

// Settles selections of few elements as soon as that is known.
const Selection* useful_selection(PyObject* object) {
  if (!is_array(object) || !raw_array(object)->selection) return nullptr;
  ArrayObject* array = raw_array(object);
  Selection& selection = *array->selection;
  if (!selection.is_dense && selection.mask->buffer) {
    selection.is_dense = is_worth_it(selection.mask, selection.mask_view);
    if (!selection.is_dense) settle_selection(array);
  }
  return array->selection;
}

// Its elements, however they lie; null with an exception set.
Node* chosen_elements(const ArrayObject* array) {
  const Selection& selection = *array->selection;
  Node* node = array->base->current;
  if (!force_node(node) || !force_node(selection.mask)) return nullptr;
  if (!bring_home(node->buffer) || !bring_home(selection.mask->buffer)) return nullptr;
  const Shown mask{selection.mask->data(), selection.mask_view};
  const int64_t count = count_chosen(mask);
  Dims shape(1, count);
  for (int i = selection.mask_view.rank() - selection.trailing; i < selection.mask_view.rank(); ++i) {
    shape[0] /= selection.mask_view.shape[i];
    shape.push_back(selection.mask_view.shape[i]);
  }
  if (node->is_compressed) {
    node->buffer->retain();
    return lazy::new_value(node->type, shape, node->buffer);
  }
  const int size = lazy::item_size(node->type);
  Buffer* buffer = lazy::new_buffer(count * size);
  if (!buffer) {
    PyErr_NoMemory();
    return nullptr;
  }
  compress(mask, {node->data(), array->view}, size, static_cast<std::byte*>(buffer->data));
  return lazy::new_value(node->type, shape, buffer);
}

}  // namespace

void drop_selection(ArrayObject* array) {
  if (!array->selection) return;
  array->selection->mask->drop();
  delete array->selection;
  array->selection = nullptr;
}

void settle_selection(ArrayObject* array) {
  if (SelectingPlace* place = array->selection->place) ++place->settled;
  Node* node = chosen_elements(array);
  if (!node && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
    // Nothing may be lost: the interrupt comes once more, when the elements are there.
    PyErr_Clear();
    node = chosen_elements(array);
    PyErr_SetInterrupt();
  }
  if (!node) {
    // Whoever asks for the elements will hear why there are none.
    node = lazy::new_node(NodeKind::kFill, array->type(), Dims(1, 0), 0);
    give_up(node);
    PyErr_Clear();
  }
  drop_selection(array);
  array->base->set(node);
  array->view = View::dense(node->shape);
}

PyObject* wrap_selected(Node* node, const Selection& selection) {
  node->is_masked = true;
  lazy::set_input(node, node->input_count - 1, selection.mask, selection.mask_view);
  PyObject* result = wrap_node(node);
  if (!result) return nullptr;
  selection.mask->retain();
  raw_array(result)->selection = new Selection(selection);
  return result;
}

PyObject* select(ArrayObject* array, PyObject* key) {
  if (array->is_scalar || is_recording() || current_trace()) return nullptr;
  if (array->view.count() <= lazy::kFewElements) return nullptr;
  ArrayObject* mask = mask_for(array, key);
  if (!mask) return nullptr;
  Node* from = array->base->current;
  Node* chooser = mask->base->current;
  if (!may_be_put_off(from) || !may_be_put_off(chooser)) return nullptr;
  const View view = spread_view(mask->view, array->view.shape);
  if (!is_worth_it(chooser, view)) return nullptr;
  SelectingPlace* const place = place_now();
  if (!should_be_put_off(place)) return nullptr;
  const Selection selection{.mask = chooser,
                            .mask_view = view,
                            .trailing = array->view.rank() - mask->view.rank(),
                            .is_dense = chooser->buffer != nullptr,
                            .place = place};
  Node* node = lazy::new_node(NodeKind::kCast, from->type, array->view.shape, 2);
  lazy::set_input(node, 0, from, array->view);
  return wrap_selected(node, selection);
}

const Selection* common_selection(PyObject* const* args, int count) {
  const Selection* found = nullptr;
  bool some = false;
  for (int i = 0; i < count; ++i) {
    some = some || (is_array(args[i]) && raw_array(args[i])->selection);
    const Selection* selection = useful_selection(args[i]);
    // Of equal masks the oldest one has a value first.
    if (selection && (!found || selection->mask->id < found->mask->id)) found = selection;
  }
  if (!some) return nullptr;
  bool common = found != nullptr && !is_recording() && !current_trace();
  for (int i = 0; common && i < count; ++i) common = fits(args[i], *found);
  if (common) return found;
  for (int i = 0; i < count; ++i) {
    if (is_array(args[i])) as_array(args[i]);
  }
  return nullptr;
}

bool replace_selected(ArrayObject* target, const ArrayObject* value) {
  Node* node = value->base->current;
  if (node->type != target->type()) {
    node = lazy::new_node(NodeKind::kCast, target->type(), node->shape, 2);
    lazy::set_input(node, 0, value->base->current, value->view);
    lazy::set_input(node, 1, value->selection->mask, value->selection->mask_view);
    node->is_masked = true;
  } else {
    node->retain();
  }
  target->base->set(node);
  return true;
}

int assign_by_mask(ArrayObject* array, PyObject* key, PyObject* value) {
  if (array->is_scalar || is_recording() || current_trace()) return 0;
  ArrayObject* mask = mask_for(array, key);
  if (!mask) return 0;
  const View view = spread_view(mask->view, array->view.shape);
  const Selection own{.mask = mask->base->current,
                      .mask_view = view,
                      .trailing = array->view.rank() - mask->view.rank(),
                      .is_dense = true};
  const bool is_selection = is_array(value) && raw_array(value)->selection;
  if (is_selection && same_mask(*raw_array(value)->selection, own)) {
    const ArrayObject* source = raw_array(value);
    const Selection& selection = *source->selection;
    return assign_node(array->base, array->view, source->base->current, source->view,
                       selection.mask, &selection.mask_view)
               ? 1
               : -1;
  }
  if (!is_array(value) || as_array(value)->view.rank() > own.trailing ||
      mask->base->is_exported())
    return 0;
  Dims shape;
  const View& given = as_array(value)->view;
  if (!broadcast_shapes(given.shape, array->view.shape, shape) || !(shape == array->view.shape))
    return 0;
  return assign_node(array->base, array->view, as_array(value)->base->current,
                     given.broadcast(array->view.shape), own.mask, &view)
             ? 1
             : -1;
}

PyObject* reduce_selected(uint16_t op, ArrayObject* array, PyObject* dtype) {
  PyObject* const self = reinterpret_cast<PyObject*>(array);
  if (!useful_selection(self) || is_recording() || current_trace()) return nullptr;
  const Selection& selection = *array->selection;
  const bool is_one = op == ops.multiply || op == ops.logical_and;
  if (!is_one && op != ops.add && op != ops.logical_or) return nullptr;
  Node* where = lazy::new_node(NodeKind::kElementwise, array->type(), array->view.shape, 3);
  where->op = kWhereOp;
  where->compute_type = DType::kBool;
  lazy::set_input(where, 0, selection.mask, selection.mask_view);
  lazy::set_input(where, 1, array->base->current, array->view);
  Scalar neutral = {};
  const DType type = array->type();
  if (is_one && lazy::is_complex(type)) {
    neutral.c[0] = 1;
  } else if (is_one && lazy::is_float(type)) {
    neutral.d = 1;
  } else if (is_one) {
    neutral.i = 1;
  }
  lazy::set_scalar(where, 2, type, neutral);
  Ref all(wrap_node(where));
  if (!all) return nullptr;
  const int rank = array->view.rank();
  return record_reduce(op, as_array(all.get()), (uint64_t{1} << rank) - 1, dtype, false);
}

PyObject* count_selected(ArrayObject* array) {
  if (!useful_selection(reinterpret_cast<PyObject*>(array))) return nullptr;
  const Selection& selection = *array->selection;
  selection.mask->retain();
  Ref mask(wrap(lazy::new_base(selection.mask), selection.mask_view));
  if (!mask) return nullptr;
  const int rank = selection.mask_view.rank();
  return record_reduce(ops.add, as_array(mask.get()), (uint64_t{1} << rank) - 1, nullptr, false);
}

}  // namespace skald::python
