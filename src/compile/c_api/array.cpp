// SPDX-License-Identifier: Apache-2.0
// Arrays of the C interface.
#include <cstring>

#include "compile/backend/entry_values.h"
#include "compile/c_api/errors.h"
#include "compile/c_api/objects.h"

namespace skald::c_api {

using runtime::Value;

HandleTable<Array, HandleKind::kArray>& arrays() {
  static HandleTable<Array, HandleKind::kArray> table;
  return table;
}

skald_array add_array(const std::shared_ptr<Context>& context, Value value, skald_space space) {
  auto array = std::make_shared<Array>();
  array->context = context;
  array->value = std::move(value);
  array->space = space;
  const std::lock_guard lock(context->mutex);
  const skald_array handle{arrays().add(std::move(array))};
  context->arrays.insert(handle.id);
  return handle;
}

namespace {

constexpr int kMostDimensions = 64;

bool is_type(skald_type type) {
  return static_cast<size_t>(type) < kAllPrims.size();
}

// Type and shape as they were given, and how many bytes that is.
struct Layout {
  Prim type = Prim::kI32;
  std::vector<int64_t> shape;
  int64_t bytes = 0;
};

Outcome read_shape(int rank, const int64_t* shape, std::vector<int64_t>& out) {
  if (rank < 0 || rank > kMostDimensions)
    return failed(SKALD_BAD_ARGUMENT, fmt::format("{} is not a number of dimensions", rank));
  if (rank > 0 && shape == nullptr) return failed(SKALD_BAD_ARGUMENT, "`shape` is null");
  if (rank > 0) out.assign(shape, shape + rank);
  return {};
}

Outcome read_layout(skald_type type, int rank, const int64_t* shape, Layout& out) {
  if (!is_type(type)) return failed(SKALD_BAD_ARGUMENT, fmt::format("{} is no type", int{type}));
  if (Outcome bad = read_shape(rank, shape, out.shape); bad.status != SKALD_OK) return bad;
  out.type = static_cast<Prim>(type);
  const Result<int64_t> bytes = runtime::byte_size(out.type, out.shape);
  if (!bytes) return failed(SKALD_BAD_ARGUMENT, bytes.error());
  out.bytes = *bytes;
  return {};
}

// Finds the context and checks what all ways to make an array have in common.
Outcome begin_array(skald_context handle, skald_type type, int rank, const int64_t* shape,
                    const skald_array* out, std::shared_ptr<Context>& context, Layout& layout) {
  context = contexts().find(handle.id);
  if (context == nullptr) return failed(SKALD_BAD_HANDLE, "there is no such context");
  if (out == nullptr) return failed(SKALD_BAD_ARGUMENT, "`out` is null");
  return read_layout(type, rank, shape, layout);
}

// A value that uses memory of the host without owning it.
Result<Value> borrowed(const Layout& layout, void* data, void (*release)(void*, void*),
                       void* argument) {
  Result<runtime::Buffer> buffer = runtime::Buffer::adopt(data, layout.bytes, release, argument);
  if (!buffer) return buffer.failure();
  return Value{layout.type, layout.shape, std::move(*buffer)};
}

Outcome find_array(skald_array handle, std::shared_ptr<Array>& array) {
  array = arrays().find(handle.id);
  if (array == nullptr)
    return failed(
        SKALD_BAD_HANDLE,
        "there is no such array; it was freed, given to a call, or its context has ended");
  return {};
}

// Where the elements of an array are copied to or from.
Outcome moved(const Result<Value>& value, const std::shared_ptr<Context>& context,
              skald_space space, skald_array& out) {
  if (!value) {
    const compile::RunFailure failure = compile::RunFailure::without_memory(value.error());
    return {SKALD_LIMIT, failure.message, failure.code};
  }
  out = add_array(context, *value, space);
  return {};
}

Outcome copy_to(const Array& array, skald_space space, skald_array& out) {
  compile::Engine& engine = *array.context->engine;
  const bool own = engine.has_own_memory();
  if (space == SKALD_DEVICE && !own)
    return failed(SKALD_BAD_SPACE, fmt::format("the back end {} has no memory but the host's",
                                               array.context->backend->name));
  if (array.space == space)
    return moved(own == (space == SKALD_DEVICE)
                     ? engine.copy(array.value)
                     : compile::copy_on_host(array.value, engine.budget()),
                 array.context, space, out);
  return moved(space == SKALD_DEVICE ? engine.upload(array.value) : engine.download(array.value),
               array.context, space, out);
}

Outcome read_elements(const Array& array, void* to, size_t bytes) {
  if (to == nullptr && bytes > 0) return failed(SKALD_BAD_ARGUMENT, "`to` is null");
  if (static_cast<int64_t>(bytes) != array.value.data.bytes())
    return failed(SKALD_BAD_ARGUMENT,
                  fmt::format("an array of type {} has {} bytes, not {}",
                              runtime::type_text(array.value.type, array.value.shape),
                              array.value.data.bytes(), bytes));
  if (bytes == 0) return {};
  if (array.space == SKALD_HOST) {
    std::memcpy(to, array.value.data.data(), bytes);
    return {};
  }
  const Result<Unit> read = array.context->engine->read(array.value, to);
  return read ? Outcome{} : failed(SKALD_DEVICE_ERROR, read.error());
}

Outcome rows_of(const Array& array, int64_t first, int64_t count, skald_array& out) {
  const Value& value = array.value;
  if (value.shape.empty()) return failed(SKALD_BAD_SHAPE, "a scalar has no rows");
  if (first < 0 || count < 0 || first > value.shape[0] || count > value.shape[0] - first)
    return failed(SKALD_BAD_ARGUMENT,
                  fmt::format("rows {} to {} of {}", first, first + count, value.shape[0]));
  std::vector<int64_t> shape = value.shape;
  const int64_t row = shape[0] == 0 ? 0 : value.data.bytes() / shape[0];
  shape[0] = count;
  const Result<Value> part =
      array.space == SKALD_HOST ? runtime::part_of(value, first * row, std::move(shape))
                                : array.context->engine->part(value, first * row, std::move(shape));
  return moved(part, array.context, array.space, out);
}

Outcome reshape(const Array& array, int rank, const int64_t* shape, skald_array& out) {
  std::vector<int64_t> wanted;
  if (Outcome bad = read_shape(rank, shape, wanted); bad.status != SKALD_OK) return bad;
  const Result<int64_t> bytes = runtime::byte_size(array.value.type, wanted);
  if (!bytes || *bytes != array.value.data.bytes())
    return failed(SKALD_BAD_SHAPE,
                  fmt::format("{} and {} do not have the same number of elements",
                              runtime::type_text(array.value.type, array.value.shape),
                              runtime::type_text(array.value.type, wanted)));
  Value value = array.value;
  value.shape = std::move(wanted);
  out = add_array(array.context, std::move(value), array.space);
  return {};
}

// Calls make(context, layout), which sets `out`.
template <class Make>
skald_status make_array(skald_context handle, skald_type type, int rank, const int64_t* shape,
                        const skald_array* out, const Make& make) {
  return guarded([&]() -> Outcome {
    std::shared_ptr<Context> context;
    Layout layout;
    if (Outcome bad = begin_array(handle, type, rank, shape, out, context, layout);
        bad.status != SKALD_OK)
      return bad;
    return make(context, layout);
  });
}

template <class Use>
skald_status with_array(skald_array handle, const Use& use) {
  return guarded([&]() -> Outcome {
    std::shared_ptr<Array> array;
    if (Outcome bad = find_array(handle, array); bad.status != SKALD_OK) return bad;
    return use(array);
  });
}

}  // namespace

}  // namespace skald::c_api

using namespace skald::c_api;

size_t skald_type_size(skald_type type) {
  return is_type(type) ? static_cast<size_t>(skald::prim_size(static_cast<skald::Prim>(type))) : 0;
}

const char* skald_type_name(skald_type type) {
  return is_type(type) ? skald::prim_name(static_cast<skald::Prim>(type)).data() : "";
}

skald_status skald_array_from_host(skald_context handle, skald_type type, int rank,
                                   const int64_t* shape, const void* data, skald_array* out) {
  return make_array(handle, type, rank, shape, out, [&](auto& context, auto& layout) -> Outcome {
    if (data == nullptr && layout.bytes > 0) return failed(SKALD_BAD_ARGUMENT, "`data` is null");
    const skald::Result<skald::runtime::Value> host =
        borrowed(layout, const_cast<void*>(data), nullptr, nullptr);
    if (!host) return failed(SKALD_LIMIT, host.error());
    skald::compile::Engine& engine = *context->engine;
    // A scalar stays on the host, wherever arrays lie.
    if (rank == 0)
      return moved(skald::compile::copy_on_host(*host), context, space_of(*context), *out);
    return moved(engine.has_own_memory() ? engine.upload(*host) : engine.copy(*host), context,
                 space_of(*context), *out);
  });
}

skald_status skald_array_adopt_host(skald_context handle, skald_type type, int rank,
                                    const int64_t* shape, void* data,
                                    void (*release)(void* data, void* argument), void* argument,
                                    skald_array* out) {
  return make_array(handle, type, rank, shape, out, [&](auto& context, auto& layout) -> Outcome {
    if (data == nullptr && layout.bytes > 0) return failed(SKALD_BAD_ARGUMENT, "`data` is null");
    return moved(borrowed(layout, data, release, argument), context, SKALD_HOST, *out);
  });
}

skald_status skald_array_adopt_device(skald_context handle, skald_type type, int rank,
                                      const int64_t* shape, void* memory,
                                      void (*release)(void* memory, void* argument), void* argument,
                                      skald_array* out) {
  return make_array(handle, type, rank, shape, out, [&](auto& context, auto& layout) -> Outcome {
    if (memory == nullptr) return failed(SKALD_BAD_ARGUMENT, "`memory` is null");
    if (!context->engine->has_own_memory())
      return failed(SKALD_BAD_SPACE, fmt::format("the back end {} has no memory but the host's",
                                                 context->backend->name));
    return moved(context->engine->adopt(layout.type, layout.shape, memory, release, argument),
                 context, SKALD_DEVICE, *out);
  });
}

skald_status skald_array_new(skald_context handle, skald_type type, int rank, const int64_t* shape,
                             skald_array* out) {
  return make_array(handle, type, rank, shape, out, [&](auto& context, auto& layout) -> Outcome {
    return moved(context->engine->allocate(layout.type, layout.shape), context, space_of(*context),
                 *out);
  });
}

skald_status skald_array_rows(skald_array handle, int64_t first, int64_t count, skald_array* out) {
  return with_array(handle, [&](const std::shared_ptr<Array>& array) -> Outcome {
    if (out == nullptr) return failed(SKALD_BAD_ARGUMENT, "`out` is null");
    return rows_of(*array, first, count, *out);
  });
}

skald_status skald_array_reshape(skald_array handle, int rank, const int64_t* shape,
                                 skald_array* out) {
  return with_array(handle, [&](const std::shared_ptr<Array>& array) -> Outcome {
    if (out == nullptr) return failed(SKALD_BAD_ARGUMENT, "`out` is null");
    return reshape(*array, rank, shape, *out);
  });
}

skald_status skald_array_copy(skald_array handle, skald_space space, skald_array* out) {
  return with_array(handle, [&](const std::shared_ptr<Array>& array) -> Outcome {
    if (out == nullptr) return failed(SKALD_BAD_ARGUMENT, "`out` is null");
    if (space != SKALD_HOST && space != SKALD_DEVICE)
      return failed(SKALD_BAD_ARGUMENT, fmt::format("{} is no space", int{space}));
    return copy_to(*array, space, *out);
  });
}

skald_status skald_array_read(skald_array handle, void* to, size_t bytes) {
  return with_array(handle, [&](const std::shared_ptr<Array>& array) -> Outcome {
    return read_elements(*array, to, bytes);
  });
}

skald_status skald_array_data(skald_array handle, void** data) {
  return with_array(handle, [&](const std::shared_ptr<Array>& array) -> Outcome {
    if (data == nullptr) return failed(SKALD_BAD_ARGUMENT, "`data` is null");
    if (array->space != SKALD_HOST)
      return failed(
          SKALD_BAD_SPACE,
          "the array lies on a device; skald_array_copy or skald_array_read bring it to the host");
    *data = array->value.data.data();
    return {};
  });
}

skald_status skald_array_native(skald_array handle, void** memory) {
  return with_array(handle, [&](const std::shared_ptr<Array>& array) -> Outcome {
    if (memory == nullptr) return failed(SKALD_BAD_ARGUMENT, "`memory` is null");
    if (array->space != SKALD_DEVICE)
      return failed(SKALD_BAD_SPACE,
                    "the array lies on the host; skald_array_data has its address");
    const skald::Result<void*> found = array->context->engine->native(array->value);
    if (!found) return failed(SKALD_BAD_SPACE, found.error());
    *memory = *found;
    return {};
  });
}

skald_status skald_array_describe(skald_array handle, skald_array_info* info) {
  return with_array(handle, [&](const std::shared_ptr<Array>& array) -> Outcome {
    if (info == nullptr) return failed(SKALD_BAD_ARGUMENT, "`info` is null");
    info->type = static_cast<skald_type>(array->value.type);
    info->rank = array->value.rank();
    info->shape = array->value.shape.data();
    info->space = array->space;
    info->bytes = array->value.data.bytes();
    return {};
  });
}

skald_status skald_array_give(skald_array handle) {
  return with_array(handle, [&](const std::shared_ptr<Array>& array) -> Outcome {
    array->given = true;
    return {};
  });
}

skald_status skald_array_free(skald_array handle) {
  return guarded([&]() -> Outcome {
    const std::shared_ptr<Array> array = arrays().remove(handle.id);
    if (array == nullptr)
      return failed(
          SKALD_BAD_HANDLE,
          "there is no such array; it was freed, given to a call, or its context has ended");
    const std::lock_guard lock(array->context->mutex);
    array->context->arrays.erase(handle.id);
    return {};
  });
}
