// SPDX-License-Identifier: Apache-2.0
// Computing nodes by NumPy itself, one after the other: exact, without compiling anything.
#include "evaluate.h"

#include <cstdlib>
#include <cstring>

#include "calls.h"
#include "direct.h"
#include "fallback.h"
#include "masks.h"
#include "places.h"
#include "plan_cache.h"
#include "real_arrays.h"
#include "recording.h"
#include "ufunc.h"

namespace skald::python {

namespace {

// A row of chosen elements among its inputs is told where it belongs.
bool reads_compressed(const Node* node) {
  for (int i = 0; i < node->input_count; ++i) {
    const Node* from = node->inputs[i].node;
    if (from && from->is_compressed) return true;
  }
  return false;
}

}  // namespace

bool call_ufunc(const Node* node, PyObject* out) {
  Ref args[5];
  PyObject* list[5];
  const int count = node->input_count;
  // A Python number takes the type of the array beside it, and costs less than an array.
  bool has_type = false;
  for (int i = 0; i < count; ++i) {
    has_type = has_type || (node->inputs[i].node && node->inputs[i].type == node->compute_type);
  }
  has_type = has_type && node->op < kWhereOp && node->is_plain;
  for (int i = 0; i < count; ++i) {
    const Input& input = node->inputs[i];
    const bool number = has_type && !input.node && input.type != DType::kBool;
    args[i] = Ref(number ? scalar_to_python(input.type, input.scalar) : input_array(input));
    if (!args[i]) return false;
    list[i] = args[i].get();
  }
  if (node->op == kWhereOp) {
    Ref chosen(PyArray_Where(list[0], list[1], list[2]));
    return chosen && PyArray_CopyInto(as_real(out), as_real(chosen.get())) == 0;
  }
  if (is_with_part(node->op)) {
    if (PyArray_CopyInto(as_real(out), as_real(list[1])) < 0) return false;
    Ref part(PyObject_GetAttrString(out, node->op == kWithRealOp ? "real" : "imag"));
    return part && PyArray_CopyInto(as_real(part.get()), as_real(list[0])) == 0;
  }
  // By name: as a position it means something else to `maximum` one day, says NumPy.
  static PyObject* const names = Py_BuildValue("(s)", "out");
  list[count] = out;
  Ref done(PyObject_Vectorcall(ufuncs()[node->op].real, list, static_cast<size_t>(count), names));
  return static_cast<bool>(done);
}

namespace {

bool run_elementwise(Node* node) {
  if (reads_compressed(node) && !expand_inputs(node)) return false;
  if (Buffer* buffer = node->op == kWhereOp ? nullptr : memory_to_reuse(node)) {
    Ref out(show(buffer->data, node->type, View::dense(node->shape), true));
    if (!out || !call_ufunc(node, out.get())) return false;
    out = Ref();
    buffer->retain();
    lazy::set_value(node, buffer);
    return true;
  }
  Result result(node);
  if (!result.array || !call_ufunc(node, result.array.get())) return false;
  result.give(node);
  return true;
}

bool run_cast(Node* node) {
  Result result(node);
  if (!result.array) return false;
  Ref source(input_array(node->inputs[0]));
  if (source && node->op != 0)
    source = Ref(
        PyObject_GetAttrString(source.get(), node->op == lazy::kImaginaryPart ? "imag" : "real"));
  if (!source || PyArray_CopyInto(as_real(result.array.get()), as_real(source.get())) < 0) {
    return false;
  }
  result.give(node);
  return true;
}

bool run_fill(Node* node) {
  Result result(node);
  if (!result.array) return false;
  static const Scalar zero = {};
  if (std::memcmp(&node->scalar, &zero, sizeof zero) == 0) {
    std::memset(result.buffer->data, 0, static_cast<size_t>(result.buffer->bytes));
  } else {
    Ref value(scalar_to_python(node->type, node->scalar));
    if (!value || PyArray_FillWithScalar(as_real(result.array.get()), value.get()) < 0)
      return false;
  }
  result.give(node);
  return true;
}

template <class T>
void count_up(void* data, int64_t count, T start, T step) {
  auto* to = static_cast<T*>(data);
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(start + static_cast<T>(i) * step);
}

bool run_iota(Node* node) {
  Result result(node);
  if (!result.array) return false;
  void* data = result.buffer->data;
  const int64_t count = node->count();
  const int64_t start = node->scalar.i, step = node->step.i;
  switch (node->type) {
    case DType::kI8:
      count_up<int8_t>(data, count, static_cast<int8_t>(start), static_cast<int8_t>(step));
      break;
    case DType::kU8:
      count_up<uint8_t>(data, count, static_cast<uint8_t>(start), static_cast<uint8_t>(step));
      break;
    case DType::kI16:
      count_up<int16_t>(data, count, static_cast<int16_t>(start), static_cast<int16_t>(step));
      break;
    case DType::kU16:
      count_up<uint16_t>(data, count, static_cast<uint16_t>(start), static_cast<uint16_t>(step));
      break;
    case DType::kI32:
      count_up<int32_t>(data, count, static_cast<int32_t>(start), static_cast<int32_t>(step));
      break;
    case DType::kU32:
      count_up<uint32_t>(data, count, static_cast<uint32_t>(start), static_cast<uint32_t>(step));
      break;
    case DType::kI64: count_up<int64_t>(data, count, start, step); break;
    case DType::kU64: count_up<uint64_t>(data, count, node->scalar.u, node->step.u); break;
    case DType::kF32:
      count_up<float>(data, count, static_cast<float>(node->scalar.d),
                      static_cast<float>(node->step.d));
      break;
    case DType::kF64: count_up<double>(data, count, node->scalar.d, node->step.d); break;
    default: PyErr_SetString(PyExc_TypeError, "arange of this type is left to NumPy"); return false;
  }
  result.give(node);
  return true;
}

bool run_reduce(Node* node) {
  Ref source(input_array(node->inputs[0]));
  if (!source) return false;
  Ref axes;
  if (node->kind == NodeKind::kScan) {
    axes = Ref(PyLong_FromLong(__builtin_ctzll(node->axes)));
  } else {
    axes = Ref(PyTuple_New(__builtin_popcountll(node->axes)));
    int at = 0;
    for (int i = 0; i < 64; ++i) {
      if (node->axes >> i & 1) PyTuple_SET_ITEM(axes.get(), at++, PyLong_FromLong(i));
    }
  }
  Result result(node);
  if (!result.array) return false;
  static PyObject* const reduce = PyUnicode_InternFromString("reduce");
  static PyObject* const accumulate = PyUnicode_InternFromString("accumulate");
  static PyObject* const names = Py_BuildValue("(ss)", "out", "keepdims");
  static PyObject* const scan_names = Py_BuildValue("(s)", "out");
  PyObject* const dtype = reinterpret_cast<PyObject*>(descr_of(node->compute_type));
  Ref done;
  if (node->kind == NodeKind::kScan) {
    PyObject* args[] = {ufuncs()[node->op].real, source.get(), axes.get(), dtype,
                        result.array.get()};
    done = Ref(PyObject_VectorcallMethod(accumulate, args, 4, scan_names));
  } else {
    PyObject* args[] = {ufuncs()[node->op].real,
                        source.get(),
                        axes.get(),
                        dtype,
                        result.array.get(),
                        node->keeps_axes ? Py_True : Py_False};
    done = Ref(PyObject_VectorcallMethod(reduce, args, 4, names));
  }
  if (!done) return false;
  result.give(node);
  return true;
}

// Chosen elements go back to where they came from.
bool spread_written(const Node* node, std::byte* data) {
  const Input &written = node->inputs[1], &mask = node->inputs[2];
  const int size = lazy::item_size(node->type);
  if (written.type == node->type) {
    spread(shown(mask), {data, node->target}, size, written.node->data(), size);
    return true;
  }
  const View few = View::dense(Dims(1, count_chosen(shown(mask))));
  Ref source(show(written.node->data(), written.type, few, false));
  Ref cast(source ? PyArray_EMPTY(1, few.shape.data(), numpy_type(node->type), 0) : nullptr);
  if (!cast || PyArray_CopyInto(as_real(cast.get()), as_real(source.get())) < 0) return false;
  const auto* from = static_cast<const std::byte*>(PyArray_DATA(as_real(cast.get())));
  spread(shown(mask), {data, node->target}, size, from, size);
  return true;
}

bool run_assign(Node* node) {
  Node* old = node->inputs[0].node;
  const int count = node->input_count;
  int own = 0;
  for (int i = 0; i < count; ++i) own += node->inputs[i].node == old ? 1 : 0;
  Buffer* buffer = nullptr;
  int64_t offset = 0;
  const bool exported = old->buffer->exports > 0;
  // A mask must stay as it is while it is read.
  const bool is_mask = count == 3 && node->inputs[2].node->buffer == old->buffer;
  if (exported ||
      (old->refs == own && old->buffer->refs == 1 && old->buffer->writable && !is_mask)) {
    buffer = old->buffer;
    buffer->forget_device();
    buffer->retain();
    offset = old->byte_offset;
  } else {
    const int64_t bytes = node->count() * lazy::item_size(node->type);
    buffer = lazy::new_buffer(bytes);
    if (!buffer) {
      PyErr_NoMemory();
      return false;
    }
    std::memcpy(buffer->data, old->data(), static_cast<size_t>(bytes));
  }
  const Input& written = node->inputs[1];
  if (count == 3 && written.node && written.node->is_compressed) {
    const bool good = spread_written(node, static_cast<std::byte*>(buffer->data) + offset);
    if (good) lazy::set_value(node, buffer, offset);
    if (!good) buffer->drop();
    return good;
  }
  // Others may show the same memory as another buffer.
  const bool elsewhere = !written.node || (written.node->buffer != buffer && !exported);
  if (count == 2 && elsewhere &&
      copy_directly(static_cast<std::byte*>(buffer->data) + offset, node->type, node->target,
                    written)) {
    lazy::set_value(node, buffer, offset);
    return true;
  }
  Ref target(show(static_cast<char*>(buffer->data) + offset, node->type, node->target, true));
  Ref value(input_array(node->inputs[1]));
  bool good = target && value;
  if (good && count == 3) {
    Ref mask(input_array(node->inputs[2]));
    Ref args(mask ? PyTuple_Pack(2, target.get(), value.get()) : nullptr);
    Ref kwargs(args ? Py_BuildValue("{sOss}", "where", mask.get(), "casting", "unsafe") : nullptr);
    Ref done(kwargs ? PyObject_Call(real.copyto, args.get(), kwargs.get()) : nullptr);
    good = static_cast<bool>(done);
  } else if (good) {
    good = PyArray_CopyInto(as_real(target.get()), as_real(value.get())) == 0;
  }
  if (!good) {
    buffer->drop();
    return false;
  }
  lazy::set_value(node, buffer, offset);
  return true;
}

// Philox-2x32-10, one draw of 64 bits.
uint64_t philox(uint64_t counter, uint32_t key) {
  auto low = static_cast<uint32_t>(counter), high = static_cast<uint32_t>(counter >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t product = 0xd256d193ULL * low;
    low = static_cast<uint32_t>(product >> 32) ^ key ^ high;
    high = static_cast<uint32_t>(product);
    key += 0x9e3779b9U;
  }
  return static_cast<uint64_t>(high) << 32 | low;
}

bool run_random(Node* node) {
  Buffer* buffer = lazy::new_buffer(node->count() * 8);
  if (!buffer) {
    set_no_memory(node);
    return false;
  }
  const int64_t count = node->count();
  const auto key = static_cast<uint32_t>(node->step.u);
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bits = philox(node->scalar.u + static_cast<uint64_t>(i), key);
    if (node->type == DType::kF64) {
      static_cast<double*>(buffer->data)[i] = static_cast<double>(bits >> 11) * 0x1p-53;
    } else {
      static_cast<uint64_t*>(buffer->data)[i] = bits;
    }
  }
  lazy::set_value(node, buffer);
  return true;
}

bool run_roll(Node* node) {
  Result result(node);
  if (!result.array) return false;
  const int axis = __builtin_ctzll(node->axes);
  const int64_t extent = node->shape[axis], shift = node->scalar.i;
  const Input& input = node->inputs[0];
  const struct {
    int64_t from, to, count;
  } parts[] = {{0, shift, extent - shift}, {extent - shift, 0, shift}};
  for (const auto& part : parts) {
    View from = input.view, to = View::dense(node->shape);
    from.offset += part.from * from.strides[axis];
    to.offset += part.to * to.strides[axis];
    from.shape[axis] = to.shape[axis] = part.count;
    Ref source(show(input.node->data(), input.type, from, false));
    Ref target(show(result.buffer->data, node->type, to, true));
    if (!source || !target || PyArray_CopyInto(as_real(target.get()), as_real(source.get())) < 0) {
      return false;
    }
  }
  result.give(node);
  return true;
}

bool run_product(Node* node) {
  const Input &a = node->inputs[0], &b = node->inputs[1];
  Ref left(input_array(a)), right(input_array(b));
  Result result(node);
  const int64_t bytes = (a.view.count() + b.view.count()) * lazy::item_size(node->type);
  if (!left || !right || !result.array || !count_fallback("matmul", bytes)) return false;
  PyObject* const args[] = {left.get(), right.get(), result.array.get()};
  Ref done(PyObject_Vectorcall(ufuncs()[ops.matmul].real, args, 3, nullptr));
  if (!done) return false;
  result.give(node);
  return true;
}

// The payload becomes the tuple of results, from which the parts take theirs.
bool run_opaque(Node* node) {
  Ref args(PyTuple_New(node->input_count));
  for (int i = 0; i < node->input_count; ++i) {
    PyObject* arg = input_array(node->inputs[i]);
    if (!arg) return false;
    PyTuple_SET_ITEM(args.get(), i, arg);
  }
  Ref results(PyObject_CallObject(static_cast<PyObject*>(node->payload), args.get()));
  if (!results) return false;
  if (!PyTuple_Check(results.get())) results = Ref(PyTuple_Pack(1, results.get()));
  auto* buffer = new Buffer;
  buffer->release = [](void*, void* tuple) { Py_DECREF(static_cast<PyObject*>(tuple)); };
  buffer->argument = results.release();
  buffer->data = buffer;
  lazy::set_value(node, buffer);
  return true;
}

bool run_part(Node* node) {
  auto* results = static_cast<PyObject*>(node->inputs[0].node->buffer->argument);
  if (node->op >= PyTuple_GET_SIZE(results)) {
    PyErr_SetString(PyExc_RuntimeError, "a library function gave too few results");
    return false;
  }
  Result result(node);
  if (!result.array) return false;
  Ref source(PyArray_FromAny(PyTuple_GET_ITEM(results, node->op), nullptr, 0, 0, 0, nullptr));
  if (!source || PyArray_CopyInto(as_real(result.array.get()), as_real(source.get())) < 0) {
    return false;
  }
  result.give(node);
  return true;
}

}  // namespace

// The payload of a failed node is a pair: the type of the exception, and its arguments.
static bool raise_again(const Node* node) {
  auto* const pair = static_cast<PyObject*>(node->payload);
  PyErr_SetObject(PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1));
  tell_places(node);
  return false;
}

bool evaluate_by_numpy(Node* node) {
  ++stats.eager_nodes;
  if (Trace* trace = current_trace()) ++trace->runs;
  for (int i = 0; i < node->input_count; ++i) {
    Node* from = node->inputs[i].node;
    if (from && from->is_pending())
      return from->kind == NodeKind::kFailed ? raise_again(from) : refuse_value();
    if (from && !bring_home(from->buffer)) return false;
  }
  if (node->is_masked) return run_masked(node);
  if (!reads_compressed(node)) {
    const Done done = evaluate_directly(node);
    if (done != Done::kNo) return done == Done::kYes;
  }
  switch (node->kind) {
    case NodeKind::kValue: return true;
    case NodeKind::kElementwise: return run_elementwise(node);
    case NodeKind::kCast: return run_cast(node);
    case NodeKind::kFill: return run_fill(node);
    case NodeKind::kIota: return run_iota(node);
    case NodeKind::kReduce:
    case NodeKind::kScan: return run_reduce(node);
    case NodeKind::kAssign: return run_assign(node);
    case NodeKind::kRandom: return run_random(node);
    case NodeKind::kRoll: return run_roll(node);
    case NodeKind::kProduct: return run_product(node);
    case NodeKind::kOpaque: return run_opaque(node);
    case NodeKind::kPart: return run_part(node);
    case NodeKind::kCall: return evaluate_call(node);
    case NodeKind::kArgument: return refuse_value();
    case NodeKind::kFailed: return raise_again(node);
  }
  return false;
}

}  // namespace skald::python
