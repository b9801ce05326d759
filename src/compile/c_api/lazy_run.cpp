// SPDX-License-Identifier: Apache-2.0
// Running what lazy arrays have recorded: every plan is compiled when it is first met.
#include <cstring>
#include <unordered_map>

#include "compile/c_api/lazy_objects.h"
#include "compile/registry/backends.h"
#include "frontend/lazy/engine_api.h"
#include "frontend/lazy/engine_arrays.h"
#include "frontend/lazy/plan.h"

extern "C" const skald::lazy::EngineApi* skald_lazy_engine();

namespace skald::c_api {

using lazy::Buffer;
using lazy::DType;
using lazy::Node;

namespace {

struct LazyProgram {
  std::vector<int64_t> code;
  lazy::Plan plan;
  lazy::EngineProgram* program = nullptr;
};

struct LazyState {
  std::string backend{compile::default_backend().name};
  std::vector<std::string> op_names;
  std::unordered_multimap<uint64_t, LazyProgram> programs;
  lazy::PlanWriter writer;
  // Memory that programs gave back, from any thread; has a lock of its own.
  std::mutex returned_mutex;
  std::vector<Buffer*> returned;
};
LazyState& lazy_state() {
  static auto* const state = new LazyState;
  return *state;
}

uint64_t scalar_bits_of(DType type, const lazy::Scalar& scalar) {
  uint64_t bits = 0;
  if (type == DType::kBool) return scalar.b ? 1 : 0;
  if (type == DType::kF32) {
    const auto value = static_cast<float>(scalar.d);
    std::memcpy(&bits, &value, 4);
    return bits;
  }
  std::memcpy(&bits, &scalar.u, static_cast<size_t>(lazy::item_size(type)));
  return bits;
}

void give_lazy_back(void*, void* buffer) {
  const std::lock_guard lock(lazy_state().returned_mutex);
  lazy_state().returned.push_back(static_cast<Buffer*>(buffer));
}

void drop_lazy_returned() {
  std::vector<Buffer*> buffers;
  {
    const std::lock_guard lock(lazy_state().returned_mutex);
    buffers.swap(lazy_state().returned);
  }
  for (Buffer* buffer : buffers) buffer->drop();
}

void lend_or_give(lazy::EngineCall& call, const Node* node, bool give) {
  lazy::add_array(call, node, node->buffer, give ? give_lazy_back : nullptr);
}

Buffer* lazy_result(LazyProgram& program, lazy::EngineCall& call, size_t number) {
  lazy::EngineArray& array = call.results[number];
  for (const lazy::EngineArray& given : call.arrays) {
    // Changed in place.
    if (given.release && array.data && given.data == array.data && array.bytes > 0) {
      auto* buffer = static_cast<Buffer*>(given.argument);
      buffer->retain();
      array.release(array.data, array.argument);
      return buffer;
    }
  }
  auto* buffer = new Buffer;
  buffer->data = array.data;
  buffer->bytes = array.bytes;
  buffer->release = array.release;
  buffer->argument = array.argument;
  if (array.device) {
    buffer->device = array.device;
    buffer->release_device = skald_lazy_engine()->drop_device;
    buffer->owner = program.program;
  }
  return buffer;
}

// The program of the plan that `writer` has; made if it is new.
Outcome find_lazy_program(const lazy::PlanWriter& writer, LazyProgram*& found) {
  LazyState& state = lazy_state();
  auto [it, end] = state.programs.equal_range(writer.hash);
  for (; it != end; ++it) {
    if (it->second.code == writer.code) {
      found = &it->second;
      return {};
    }
  }
  LazyProgram made{.code = writer.code, .plan = lazy::read_plan(writer.code), .program = nullptr};
  std::string message;
  made.program =
      skald_lazy_engine()->compile(made.code, state.op_names, state.backend.c_str(), message);
  if (!made.program) return failed(SKALD_INTERNAL_ERROR, message);
  found = &state.programs.emplace(writer.hash, std::move(made))->second;
  return {};
}

// Copies that were made on a device are used again.
void keep_lazy_copies(LazyProgram& program, lazy::EngineCall& call, lazy::PlanWriter& writer) {
  for (size_t i = 0; i < call.arrays.size(); ++i) {
    const lazy::EngineArray& array = call.arrays[i];
    Buffer* buffer = writer.externals[i]->buffer;
    if (!array.device || array.device == buffer->device || array.release) continue;
    buffer->forget_device();
    buffer->device = array.device;
    buffer->release_device = skald_lazy_engine()->drop_device;
    buffer->owner = program.program;
  }
}

}  // namespace

std::mutex& lazy_mutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

uint16_t lazy_op(const std::string& name) {
  std::vector<std::string>& names = lazy_state().op_names;
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<uint16_t>(i);
  names.push_back(name);
  return static_cast<uint16_t>(names.size() - 1);
}

Outcome choose_lazy_backend(const std::string& name) {
  LazyState& state = lazy_state();
  if (name == state.backend) return {};
  const compile::Backend* backend = compile::find_backend(name);
  if (!backend)
    return failed(SKALD_NO_BACKEND, fmt::format("there is no back end `{}`; there are {}", name,
                                                compile::backend_names()));
  std::string why_not;
  if (!backend->is_available(why_not)) return failed(SKALD_NO_BACKEND, why_not);
  if (!state.programs.empty())
    return failed(SKALD_BAD_ARGUMENT, "the back end must be chosen before anything is run");
  state.backend = name;
  return {};
}

Outcome run_lazy() {
  Node* first = lazy::pending().first();
  if (!first) return {};
  lazy::PlanWriter& writer = lazy_state().writer;
  writer.write(first, nullptr);
  LazyProgram* program = nullptr;
  if (Outcome bad = find_lazy_program(writer, program); !program) return bad;
  lazy::EngineCall call;
  call.symbols = writer.symbols;
  for (size_t i = 0; i < writer.scalars.size(); ++i)
    call.scalars.push_back(scalar_bits_of(program->plan.scalars[i], writer.scalars[i]));
  for (size_t i = 0; i < writer.externals.size(); ++i)
    lend_or_give(call, writer.externals[i], program->plan.externals[i].is_exclusive);
  std::string message;
  const bool good = skald_lazy_engine()->run(program->program, call, message);
  keep_lazy_copies(*program, call, writer);
  if (good) {
    // What is inside the plan goes with the last one that needs it, so it is held as long.
    const std::vector<Node*> outputs = writer.outputs;
    for (size_t i = 0; i < outputs.size(); ++i)
      lazy::set_value(outputs[i], lazy_result(*program, call, i));
  }
  drop_lazy_returned();
  return good ? Outcome{} : failed(SKALD_RUN_ERROR, message);
}

Outcome bring_lazy_home(Node* node) {
  Buffer* buffer = node->buffer;
  if (buffer->data || !buffer->device) return {};
  Buffer* room = lazy::new_buffer(buffer->bytes);
  if (!room) return failed(SKALD_LIMIT, "there is no memory for an array");
  std::string message;
  const bool good = skald_lazy_engine()->download(static_cast<lazy::EngineProgram*>(buffer->owner),
                                                  buffer->device, room->data, message);
  if (good) {
    std::swap(buffer->data, room->data);
    std::swap(buffer->release, room->release);
    std::swap(buffer->argument, room->argument);
  }
  room->drop();
  return good ? Outcome{} : failed(SKALD_DEVICE_ERROR, message);
}

}  // namespace skald::c_api
