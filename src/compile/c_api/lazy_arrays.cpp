// SPDX-License-Identifier: Apache-2.0
// Lazy arrays of the C interface: recording.
#include <cmath>
#include <cstring>

#include "compile/c_api/handles.h"
#include "compile/c_api/lazy_objects.h"
#include "frontend/lazy/lower/scalar_ops.h"
#include "support/prim.h"

namespace skald::c_api {

using lazy::Dims;
using lazy::DType;
using lazy::Node;
using lazy::NodeKind;
using lazy::View;

namespace {

constexpr int kMostAxes = 16;

HandleTable<LazyArray, HandleKind::kLazy>& lazy_arrays() {
  static auto* const table = new HandleTable<LazyArray, HandleKind::kLazy>;
  return *table;
}

using Found = std::shared_ptr<LazyArray>;

Outcome find_lazy(skald_lazy handle, Found& array) {
  array = lazy_arrays().find(handle.id);
  return array ? Outcome{} : failed(SKALD_BAD_HANDLE, "there is no such lazy array");
}

// In the order of skald_type.
constexpr DType kLazyTypes[] = {DType::kBool, DType::kI8,  DType::kI16, DType::kI32,
                                DType::kI64,  DType::kU8,  DType::kU16, DType::kU32,
                                DType::kU64,  DType::kF16, DType::kF32, DType::kF64};

Outcome read_type(skald_type type, DType& out) {
  const auto number = static_cast<size_t>(type);
  if (number >= std::size(kLazyTypes) || type == SKALD_F16)
    return failed(SKALD_BAD_ARGUMENT, "there are no lazy arrays of this type");
  out = kLazyTypes[number];
  return {};
}

skald_type type_of(DType type) {
  size_t number = 0;
  while (kLazyTypes[number] != type) ++number;
  return static_cast<skald_type>(number);
}

Outcome read_dims(int rank, const int64_t* numbers, bool are_sizes, Dims& out) {
  if (rank < 0 || rank > kMostAxes)
    return failed(SKALD_BAD_ARGUMENT, fmt::format("lazy arrays have 0 to 16 axes, not {}", rank));
  if (rank > 0 && !numbers) return failed(SKALD_BAD_ARGUMENT, "a shape or strides are null");
  double count = 1;
  for (int i = 0; i < rank; ++i) {
    if (are_sizes && numbers[i] < 0) return failed(SKALD_BAD_ARGUMENT, "a size is negative");
    count *= static_cast<double>(numbers[i]);
    out.push_back(numbers[i]);
  }
  if (are_sizes && count > 1e15) return failed(SKALD_BAD_ARGUMENT, "there is no such large array");
  return {};
}

std::string shape_text(const Dims& shape) {
  std::string text;
  for (const int64_t n : shape) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return "(" + text + ")";
}

// An array without elements is at hand at once: plans have none.
Node* value_if_empty(Node* node) {
  if (node->count() == 0) lazy::set_value(node, lazy::new_buffer(0));
  return node;
}

skald_lazy add_lazy(Node* node, const View* view = nullptr) {
  auto array = std::make_shared<LazyArray>(value_if_empty(node));
  if (view) array->view = *view;
  return {lazy_arrays().add(std::move(array))};
}

Outcome read_view(const LazyArray& array, int rank, const int64_t* shape, const int64_t* strides,
                  int64_t offset, View& out) {
  if (Outcome bad = read_dims(rank, shape, true, out.shape); bad.status != SKALD_OK) return bad;
  if (Outcome bad = read_dims(rank, strides, false, out.strides); bad.status != SKALD_OK)
    return bad;
  out.offset = offset;
  if (out.count() == 0) return {};
  int64_t lowest = offset, highest = offset;
  for (int i = 0; i < rank; ++i) {
    int64_t reach = 0;
    if (__builtin_mul_overflow(out.shape[i] - 1, out.strides[i], &reach) ||
        __builtin_add_overflow(reach < 0 ? lowest : highest, reach, reach < 0 ? &lowest : &highest))
      return failed(SKALD_BAD_SHAPE, "the view does not lie inside the array");
  }
  if (lowest < 0 || highest >= array.view.count())
    return failed(SKALD_BAD_SHAPE, "the view does not lie inside the array");
  return {};
}

// Makes the array a version of its own, of which views are taken.
void make_whole(LazyArray& array) {
  if (array.is_whole()) return;
  Node* own = lazy::new_node(NodeKind::kCast, array.node->type, array.view.shape, 1);
  lazy::set_input(own, 0, array.node, array.view);
  array.node->drop();
  array.node = value_if_empty(own);
  array.view = View::dense(own->shape);
}

Outcome common_shape(const std::vector<Found>& inputs, Dims& out) {
  for (const Found& input : inputs) {
    const Dims& shape = input->view.shape;
    Dims before = out;
    const int rank = std::max(before.size(), shape.size());
    out = Dims(rank, 1);
    for (int i = 0; i < rank; ++i) {
      const int a = i - (rank - before.size()), b = i - (rank - shape.size());
      const int64_t one = a < 0 ? 1 : before[a], two = b < 0 ? 1 : shape[b];
      if (one != two && one != 1 && two != 1)
        return failed(SKALD_BAD_SHAPE, fmt::format("arrays of shapes {} and {} do not fit",
                                                   shape_text(before), shape_text(shape)));
      out[i] = one == 1 ? two : one;
    }
  }
  return {};
}

bool gives_bools(const std::string& op) {
  for (const char* known :
       {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "logical_and",
        "logical_or", "logical_xor", "logical_not", "isnan", "isinf", "isfinite"}) {
    if (op == known) return true;
  }
  return false;
}

Outcome apply(const std::string& op, const std::vector<Found>& inputs, skald_lazy& out) {
  const bool chooses = op == "where";
  if (inputs.size() < (chooses ? 3 : 1) || inputs.size() > 3)
    return failed(SKALD_BAD_ARGUMENT, fmt::format("{} does not take {} arrays", op, inputs.size()));
  const DType type = inputs.back()->node->type;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const DType wanted = chooses && i == 0 ? DType::kBool : type;
    if (inputs[i]->node->type != wanted)
      return failed(SKALD_BAD_TYPE, fmt::format("{}: the arrays are of different types", op));
  }
  if (!lazy::can_lower(op, type))
    return failed(SKALD_BAD_ARGUMENT, fmt::format("there is no operation {} on {}", op,
                                                  skald_type_name(type_of(type))));
  Dims shape;
  if (Outcome bad = common_shape(inputs, shape); bad.status != SKALD_OK) return bad;
  Node* node = lazy::new_node(NodeKind::kElementwise, gives_bools(op) ? DType::kBool : type, shape,
                              static_cast<int>(inputs.size()));
  node->op = lazy_op(op);
  node->compute_type = type;
  for (size_t i = 0; i < inputs.size(); ++i)
    lazy::set_input(node, static_cast<int>(i), inputs[i]->node, inputs[i]->view.broadcast(shape));
  out = add_lazy(node);
  return {};
}

lazy::Scalar scalar_of(DType type, const void* element) {
  lazy::Scalar scalar = {};
  if (type == DType::kBool) {
    scalar.b = *static_cast<const unsigned char*>(element) != 0;
  } else if (type == DType::kF32) {
    float value = 0;
    std::memcpy(&value, element, sizeof value);
    scalar.d = value;
  } else if (type == DType::kF64) {
    std::memcpy(&scalar.d, element, sizeof scalar.d);
  } else {
    const auto size = static_cast<size_t>(lazy::item_size(type));
    std::memcpy(&scalar.u, element, size);
    // Sign-extended, as constants of plans are.
    const unsigned shift = 64 - 8 * static_cast<unsigned>(size);
    if (lazy::is_signed(type)) scalar.i = static_cast<int64_t>(scalar.u << shift) >> shift;
  }
  return scalar;
}

Outcome reduce(const std::string& op, const LazyArray& array, uint64_t axes, bool keep,
               skald_lazy& out) {
  const int rank = array.view.rank();
  if (axes >> rank != 0) return failed(SKALD_BAD_ARGUMENT, "the array has no such axis");
  const DType type = array.node->type;
  if (!lazy::can_reduce(op, type))
    return failed(SKALD_BAD_ARGUMENT, fmt::format("{} does not combine elements of {}", op,
                                                  skald_type_name(type_of(type))));
  Dims shape;
  for (int i = 0; i < rank; ++i) {
    if ((axes >> i & 1) == 0) {
      shape.push_back(array.view.shape[i]);
    } else if (keep) {
      shape.push_back(1);
    }
  }
  Node* node = nullptr;
  if (array.view.count() == 0 && count_of(shape) > 0) {
    if (op == "maximum" || op == "minimum")
      return failed(SKALD_BAD_SHAPE, "an array without elements has no largest or smallest one");
    node = lazy::new_node(NodeKind::kFill, type, shape, 0);
    const bool one = op == "multiply" || op == "logical_and";
    node->scalar = {};
    if (type == DType::kBool) {
      node->scalar.b = one;
    } else if (lazy::is_float(type)) {
      node->scalar.d = one ? 1 : 0;
    } else {
      node->scalar.i = one ? 1 : 0;
    }
  } else {
    node = lazy::new_node(NodeKind::kReduce, type, shape, 1);
    node->op = lazy_op(op);
    node->axes = axes;
    node->keeps_axes = keep;
    lazy::set_input(node, 0, array.node, array.view);
  }
  out = add_lazy(node);
  return {};
}

Outcome write(LazyArray& array, const View& target, const LazyArray& value) {
  if (value.node->type != array.node->type)
    return failed(SKALD_BAD_TYPE, "what is written is of another type than the array");
  Dims shape = value.view.shape;
  bool fits = value.view.rank() <= target.rank();
  for (int i = 0; fits && i < value.view.rank(); ++i) {
    const int64_t to = target.shape[i + target.rank() - value.view.rank()];
    fits = shape[i] == to || shape[i] == 1;
  }
  if (!fits)
    return failed(SKALD_BAD_SHAPE,
                  fmt::format("an array of shape {} cannot be written into a part of shape {}",
                              shape_text(shape), shape_text(target.shape)));
  if (target.count() == 0) return {};
  // Of an array that is written into itself, the old elements are meant.
  Node* const source = value.node;
  source->retain();
  const View view = value.view.broadcast(target.shape);
  make_whole(array);
  if (target.shape == array.node->shape && target.offset == 0 && target.is_dense()) {
    // All of it: nobody needs the old elements.
    Node* all = lazy::new_node(NodeKind::kCast, array.node->type, array.node->shape, 1);
    lazy::set_input(all, 0, source, view);
    source->drop();
    array.node->drop();
    array.node = all;
    return {};
  }
  Node* node = lazy::new_node(NodeKind::kAssign, array.node->type, array.node->shape, 2);
  node->target = target;
  lazy::set_input(node, 0, array.node, View::dense(array.node->shape));
  lazy::set_input(node, 1, source, view);
  source->drop();
  array.node->drop();
  array.node = node;
  return {};
}

void copy_strided(const LazyArray& array, int axis, int64_t from, std::byte*& to, size_t size) {
  if (axis == array.view.rank()) {
    std::memcpy(to, array.node->data() + static_cast<size_t>(from) * size, size);
    to += size;
    return;
  }
  for (int64_t i = 0; i < array.view.shape[axis]; ++i)
    copy_strided(array, axis + 1, from + i * array.view.strides[axis], to, size);
}

Outcome read(LazyArray& array, void* to, size_t bytes) {
  const auto size = static_cast<size_t>(lazy::item_size(array.node->type));
  if (bytes != static_cast<size_t>(array.view.count()) * size)
    return failed(
        SKALD_BAD_ARGUMENT,
        fmt::format("an array of shape {} has {} bytes, not {}", shape_text(array.view.shape),
                    static_cast<size_t>(array.view.count()) * size, bytes));
  if (bytes == 0) return {};
  if (!to) return failed(SKALD_BAD_ARGUMENT, "`to` is null");
  if (array.node->is_pending()) {
    if (Outcome bad = run_lazy(); bad.status != SKALD_OK) return bad;
  }
  if (Outcome bad = bring_lazy_home(array.node); bad.status != SKALD_OK) return bad;
  if (array.view.is_dense()) {
    std::memcpy(to, array.node->data() + static_cast<size_t>(array.view.offset) * size, bytes);
  } else {
    auto* next = static_cast<std::byte*>(to);
    copy_strided(array, 0, array.view.offset, next, size);
  }
  return {};
}

// Every function of the header: the lock, and the arrays it takes.
template <class Body>
skald_status locked(std::initializer_list<skald_lazy> handles, const void* out, Body&& body) {
  return guarded([&]() -> Outcome {
    if (!out) return failed(SKALD_BAD_ARGUMENT, "a pointer is null");
    const std::lock_guard lock(lazy_mutex());
    std::vector<Found> found(handles.size());
    size_t i = 0;
    for (const skald_lazy handle : handles) {
      if (Outcome bad = find_lazy(handle, found[i++]); bad.status != SKALD_OK) return bad;
    }
    return body(found);
  });
}

}  // namespace

}  // namespace skald::c_api

using namespace skald::c_api;
namespace lazy = skald::lazy;

skald_status skald_lazy_backend(const char* name) {
  return locked({}, name, [&](auto&) { return choose_lazy_backend(name); });
}

skald_status skald_lazy_from_host(skald_type type, int rank, const int64_t* shape, const void* data,
                                  skald_lazy* out) {
  return locked({}, out, [&](auto&) -> Outcome {
    DType own;
    Dims dims;
    if (Outcome bad = read_type(type, own); bad.status != SKALD_OK) return bad;
    if (Outcome bad = read_dims(rank, shape, true, dims); bad.status != SKALD_OK) return bad;
    const int64_t bytes = count_of(dims) * lazy::item_size(own);
    if (bytes > 0 && !data) return failed(SKALD_BAD_ARGUMENT, "`data` is null");
    lazy::Buffer* buffer = lazy::new_buffer(bytes);
    if (!buffer) return failed(SKALD_LIMIT, "there is no memory for an array");
    if (bytes > 0) std::memcpy(buffer->data, data, static_cast<size_t>(bytes));
    *out = {lazy_arrays().add(std::make_shared<LazyArray>(lazy::new_value(own, dims, buffer)))};
    return {};
  });
}

skald_status skald_lazy_full(skald_type type, int rank, const int64_t* shape, const void* element,
                             skald_lazy* out) {
  return locked({}, element ? out : nullptr, [&](auto&) -> Outcome {
    DType own;
    Dims dims;
    if (Outcome bad = read_type(type, own); bad.status != SKALD_OK) return bad;
    if (Outcome bad = read_dims(rank, shape, true, dims); bad.status != SKALD_OK) return bad;
    Node* node = lazy::new_node(NodeKind::kFill, own, dims, 0);
    node->scalar = scalar_of(own, element);
    *out = add_lazy(node);
    return {};
  });
}

skald_status skald_lazy_iota(skald_type type, int64_t count, skald_lazy* out) {
  return locked({}, out, [&](auto&) -> Outcome {
    DType own;
    Dims dims;
    if (Outcome bad = read_type(type, own); bad.status != SKALD_OK) return bad;
    if (own == DType::kBool) return failed(SKALD_BAD_ARGUMENT, "bools are not counted");
    if (Outcome bad = read_dims(1, &count, true, dims); bad.status != SKALD_OK) return bad;
    Node* node = lazy::new_node(NodeKind::kIota, own, dims, 0);
    node->scalar = node->step = {};
    if (lazy::is_float(own)) {
      node->step.d = 1;
    } else {
      node->step.i = 1;
    }
    *out = add_lazy(node);
    return {};
  });
}

skald_status skald_lazy_copy(skald_lazy array, skald_lazy* out) {
  return locked({array}, out, [&](auto& found) -> Outcome {
    found[0]->node->retain();
    auto copy = std::make_shared<LazyArray>(found[0]->node);
    copy->view = found[0]->view;
    *out = {lazy_arrays().add(std::move(copy))};
    return {};
  });
}

skald_status skald_lazy_free(skald_lazy array) {
  return guarded([&]() -> Outcome {
    const std::lock_guard lock(lazy_mutex());
    return lazy_arrays().remove(array.id) ? Outcome{}
                                          : failed(SKALD_BAD_HANDLE, "there is no such lazy array");
  });
}

skald_status skald_lazy_apply(const char* operation, const skald_lazy* inputs, size_t count,
                              skald_lazy* out) {
  return locked({}, operation && inputs ? out : nullptr, [&](auto&) -> Outcome {
    std::vector<Found> found(count);
    for (size_t i = 0; i < count; ++i) {
      if (Outcome bad = find_lazy(inputs[i], found[i]); bad.status != SKALD_OK) return bad;
    }
    return apply(operation, found, *out);
  });
}

skald_status skald_lazy_cast(skald_lazy array, skald_type type, skald_lazy* out) {
  return locked({array}, out, [&](auto& found) -> Outcome {
    DType own;
    if (Outcome bad = read_type(type, own); bad.status != SKALD_OK) return bad;
    Node* node = lazy::new_node(NodeKind::kCast, own, found[0]->view.shape, 1);
    lazy::set_input(node, 0, found[0]->node, found[0]->view);
    *out = add_lazy(node);
    return {};
  });
}

skald_status skald_lazy_reduce(const char* operation, skald_lazy array, uint64_t axes, int keep,
                               skald_lazy* out) {
  return locked({array}, operation ? out : nullptr,
                [&](auto& found) { return reduce(operation, *found[0], axes, keep != 0, *out); });
}

skald_status skald_lazy_scan(const char* operation, skald_lazy array, int axis, skald_lazy* out) {
  return locked({array}, operation ? out : nullptr, [&](auto& found) -> Outcome {
    const LazyArray& from = *found[0];
    if (axis < 0 || axis >= from.view.rank())
      return failed(SKALD_BAD_ARGUMENT, "the array has no such axis");
    if (!lazy::can_reduce(operation, from.node->type))
      return failed(SKALD_BAD_ARGUMENT, fmt::format("{} does not combine elements", operation));
    Node* node = lazy::new_node(NodeKind::kScan, from.node->type, from.view.shape, 1);
    node->op = lazy_op(operation);
    node->axes = uint64_t{1} << axis;
    lazy::set_input(node, 0, from.node, from.view);
    *out = add_lazy(node);
    return {};
  });
}

skald_status skald_lazy_view(skald_lazy array, int rank, const int64_t* shape,
                             const int64_t* strides, int64_t offset, skald_lazy* out) {
  return locked({array}, out, [&](auto& found) -> Outcome {
    LazyArray& from = *found[0];
    View view;
    if (Outcome bad = read_view(from, rank, shape, strides, offset, view); bad.status != SKALD_OK)
      return bad;
    make_whole(from);
    from.node->retain();
    if (view.count() == 0) view = View::dense(view.shape);
    auto made = std::make_shared<LazyArray>(from.node);
    made->view = view;
    *out = {lazy_arrays().add(std::move(made))};
    return {};
  });
}

skald_status skald_lazy_write(skald_lazy array, int rank, const int64_t* shape,
                              const int64_t* strides, int64_t offset, skald_lazy value) {
  return locked({array, value}, &array, [&](auto& found) -> Outcome {
    View target;
    if (Outcome bad = read_view(*found[0], rank, shape, strides, offset, target);
        bad.status != SKALD_OK)
      return bad;
    return write(*found[0], target, *found[1]);
  });
}

skald_status skald_lazy_describe(skald_lazy array, skald_lazy_info* info) {
  return locked({array}, info, [&](auto& found) -> Outcome {
    *info = {};
    info->type = type_of(found[0]->node->type);
    info->rank = found[0]->view.rank();
    for (int i = 0; i < info->rank; ++i) info->shape[i] = found[0]->view.shape[i];
    info->pending = found[0]->node->is_pending() ? 1 : 0;
    return {};
  });
}

skald_status skald_lazy_read(skald_lazy array, void* to, size_t bytes) {
  return locked({array}, &array, [&](auto& found) { return read(*found[0], to, bytes); });
}

skald_status skald_lazy_flush(void) {
  return locked({}, &lazy_mutex(), [](auto&) { return run_lazy(); });
}
