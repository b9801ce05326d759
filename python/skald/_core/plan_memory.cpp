// SPDX-License-Identifier: Apache-2.0
// Memory of arrays on its way to programs and back, on the host and on devices.
#include <cstring>
#include <mutex>

#include "compiler.h"
#include "frontend/lazy/engine_arrays.h"

namespace skald::python {

namespace {

struct Returned {
  std::mutex mutex;
  std::vector<Buffer*> buffers;
};
Returned& returned() {
  static auto* const list = new Returned;
  return *list;
}
}  // namespace

void add_numbers(CachedPlan* plan, const lazy::PlanWriter& writer, lazy::EngineCall& call) {
  call.symbols = writer.symbols;
  for (size_t i = 0; i < writer.scalars.size(); ++i) {
    call.scalars.push_back(scalar_bits(plan->plan.scalars[i], writer.scalars[i]));
  }
}

uint64_t scalar_bits(DType type, const Scalar& scalar) {
  uint64_t bits = 0;
  if (type == DType::kBool) {
    bits = scalar.b ? 1 : 0;
  } else if (type == DType::kF64) {
    std::memcpy(&bits, &scalar.d, 8);
  } else if (type == DType::kF32) {
    const auto value = static_cast<float>(scalar.d);
    std::memcpy(&bits, &value, 4);
  } else if (type == DType::kF16) {
    // Only fails for numbers that were seen to fit.
    if (PyFloat_Pack2(scalar.d, reinterpret_cast<char*>(&bits), 1) < 0) PyErr_Clear();
  } else {
    std::memcpy(&bits, &scalar.u, static_cast<size_t>(lazy::item_size(type)));
  }
  return bits;
}

static void give_back(void*, void* buffer) {
  const std::lock_guard lock(returned().mutex);
  returned().buffers.push_back(static_cast<Buffer*>(buffer));
}

void add_array(lazy::EngineCall& call, const Node* node, Buffer* buffer, bool give) {
  // Others may have changed it.
  if (buffer->exports > 0) buffer->forget_device();
  lazy::add_array(call, node, buffer, give ? give_back : nullptr);
}

void add_tables(CachedPlan* plan, const lazy::PlanWriter& writer, int64_t rounds,
                lazy::EngineCall& call, TableMemory& memory) {
  const auto add = [&](DType type) {
    const auto bytes = static_cast<size_t>(rounds * lazy::item_size(type));
    memory.push_back(std::make_unique<std::byte[]>(bytes + 64));
    lazy::EngineArray& array = call.arrays.emplace_back();
    array.data = memory.back().get();
    array.type = type;
    array.bytes = static_cast<int64_t>(bytes);
    array.shape = {rounds};
    return memory.back().get();
  };
  const auto count = static_cast<size_t>(rounds);
  for (const auto& table : writer.symbol_tables)
    std::memcpy(add(DType::kI64), table.data(), count * sizeof(int64_t));
  for (size_t k = 0; k < writer.scalar_tables.size(); ++k) {
    const auto number = static_cast<size_t>(plan->plan.changing_scalars[k]);
    const DType type = plan->plan.scalars[number];
    const auto size = static_cast<size_t>(lazy::item_size(type));
    std::byte* to = add(type);
    for (size_t i = 0; i < count; ++i) {
      const uint64_t bits = scalar_bits(type, writer.scalar_tables[k][i]);
      std::memcpy(to + i * size, &bits, size);
    }
  }
}

Buffer* add_copy(lazy::EngineCall& call, const Node* node) {
  const int64_t bytes = node->count() * lazy::item_size(node->type);
  Buffer* copy = lazy::new_buffer(bytes);
  if (!copy) return nullptr;
  std::memcpy(copy->data, node->data(), static_cast<size_t>(bytes));
  lazy::EngineArray& array = call.arrays.emplace_back();
  array.data = copy->data;
  array.type = node->type;
  array.bytes = bytes;
  array.shape.assign(node->shape.begin(), node->shape.end());
  copy->retain();
  array.release = give_back;
  array.argument = copy;
  return copy;
}

// Copies that were made on the device are used again.
static void keep_copies(CachedPlan* plan, lazy::EngineCall& call,
                        const std::vector<Buffer*>& buffers) {
  for (size_t i = 0; i < call.arrays.size(); ++i) {
    const lazy::EngineArray& array = call.arrays[i];
    if (!array.device || array.device == buffers[i]->device) continue;
    buffers[i]->forget_device();
    buffers[i]->device = array.device;
    buffers[i]->release_device = engine_api()->drop_device;
    buffers[i]->owner = plan;
  }
}

bool bring_home(Buffer* buffer) {
  if (buffer->data || !buffer->device) return true;
  Buffer* room = lazy::new_buffer(buffer->bytes);
  if (!room) {
    PyErr_NoMemory();
    return false;
  }
  std::string message;
  bool good = false;
  auto* plan = static_cast<CachedPlan*>(buffer->owner);
  Py_BEGIN_ALLOW_THREADS good =
      engine_api()->download(plan->program, buffer->device, room->data, message);
  Py_END_ALLOW_THREADS if (!good) {
    room->drop();
    PyErr_Format(PyExc_RuntimeError, "skald: %s", message.c_str());
    return false;
  }
  buffer->data = std::exchange(room->data, nullptr);
  buffer->release = std::exchange(room->release, nullptr);
  buffer->argument = room->argument;
  room->drop();
  return true;
}

bool finish_devices() {
  if (!compiler_is_loaded()) return true;
  std::string message;
  bool good = false;
  Py_BEGIN_ALLOW_THREADS good = engine_api()->finish(message);
  Py_END_ALLOW_THREADS if (!good) PyErr_Format(PyExc_RuntimeError, "skald: %s", message.c_str());
  return good;
}

Buffer* take_result(CachedPlan* plan, lazy::EngineCall& call, size_t number,
                    const std::vector<Buffer*>& given) {
  lazy::EngineArray& array = call.results[number];
  for (size_t k = 0; k < call.arrays.size(); ++k) {
    // Changed in place.
    if (call.arrays[k].release && array.data && call.arrays[k].data == array.data &&
        array.bytes > 0) {
      given[k]->retain();
      array.release(array.data, array.argument);
      return given[k];
    }
  }
  auto* buffer = new Buffer;
  buffer->data = array.data;
  buffer->bytes = array.bytes;
  buffer->release = array.release;
  buffer->argument = array.argument;
  if (array.device) {
    buffer->device = array.device;
    buffer->release_device = engine_api()->drop_device;
    buffer->owner = plan;
  }
  return buffer;
}

bool call_plan(CachedPlan* plan, lazy::EngineCall& call, const std::vector<Buffer*>& given) {
  std::string message;
  bool good = false;
  const double started = now();
  Py_BEGIN_ALLOW_THREADS good = engine_api()->run(plan->program, call, message);
  Py_END_ALLOW_THREADS stats.running += now() - started;
  keep_copies(plan, call, given);
  if (good) return true;
  if (message.find("memory") != std::string::npos) {
    PyErr_SetString(PyExc_MemoryError, message.c_str());
  } else {
    PyErr_Format(PyExc_RuntimeError, "skald: a compiled plan failed: %s", message.c_str());
  }
  return false;
}

void drop_returned() {
  std::vector<Buffer*> buffers;
  {
    const std::lock_guard lock(returned().mutex);
    buffers.swap(returned().buffers);
  }
  for (Buffer* buffer : buffers) buffer->drop();
}

}  // namespace skald::python
