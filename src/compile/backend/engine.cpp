// SPDX-License-Identifier: Apache-2.0
// What engines share whose memory is the host's.
#include <fmt/format.h>

#include "compile/backend/backend.h"
#include "compile/backend/entry_values.h"

namespace skald::compile {

using runtime::Value;

std::string RunFailure::text() const {
  return backtrace.empty() ? fmt::format("Error: {}", message)
                           : fmt::format("Error: {}\n\nBacktrace:\n{}", message, backtrace);
}

RunFailure RunFailure::without_memory(std::string message) {
  // As runtime::MemoryBudget words it.
  const bool limited = message.starts_with("Memory limit");
  return {std::move(message), {}, kLimit, limited ? "memory-limit" : ""};
}

Result<Unit> check_limits(const Backend& backend, const Limits& limits) {
  const auto refused = [&](std::string_view what) {
    return Failure(fmt::format("the back end {} cannot limit {}", backend.name, what));
  };
  if (limits.memory > 0 && !backend.limits_memory) return refused("memory");
  if (limits.seconds > 0 && !backend.limits_time) return refused("the time of a call");
  if (limits.stack > 0 && !backend.limits_stack) return refused("the stack");
  return Unit{};
}

Result<std::unique_ptr<Executable>> Engine::load(std::string_view, const ProgramOptions&) {
  return Failure("this back end has no images");
}

bool Engine::holds(const Value& value) const {
  return value.data.bytes() == 0 || value.data.data() != nullptr;
}

Result<Value> Engine::upload(const Value& value) {
  return value;
}

Result<Value> Engine::download(const Value& value) {
  return value;
}

Result<Unit> Engine::read(const Value& value, void* to) {
  std::memcpy(to, value.data.data(), static_cast<size_t>(value.data.bytes()));
  return Unit{};
}

Result<Value> Engine::copy(const Value& value) {
  return copy_on_host(value, budget());
}

Result<Value> Engine::allocate(Prim type, std::vector<int64_t> shape) {
  return Value::allocate(type, std::move(shape), budget());
}

Result<Value> Engine::part(const Value& value, int64_t offset, std::vector<int64_t> shape) {
  return runtime::part_of(value, offset, std::move(shape));
}

Result<Value> Engine::adopt(Prim, std::vector<int64_t>, void*, void (*)(void*, void*), void*) {
  return Failure("this back end has no memory of its own; use memory of the host");
}

Result<void*> Engine::native(const Value&) {
  return Failure("this back end has no memory of its own; use memory of the host");
}

Result<Unit> Engine::own_unique(const core::Function& entry, std::vector<Value>& args) {
  const auto first = static_cast<size_t>(entry.entry ? entry.entry->sizes : 0);
  for (size_t k = 0; k < args.size(); ++k) {
    const SkaldBlock* block = args[k].data.block();
    if (!entry.params[first + k].unique || args[k].shape.empty() || block == nullptr ||
        block->refs == 1)
      continue;
    Result<Value> own = copy(args[k]);
    if (!own) return own.failure();
    args[k] = std::move(*own);
  }
  return Unit{};
}

Result<std::vector<Value>, RunFailure> call_with_host_values(Engine& engine, Executable& executable,
                                                             const core::Function& entry,
                                                             std::vector<Value> args) {
  const auto failed = [](const std::string& why) {
    return Failure(RunFailure{why, {}, RunFailure::kDevice});
  };
  if (!engine.has_own_memory()) return executable.call(entry, std::move(args));
  for (Value& arg : args) {
    Result<Value> there = engine.upload(arg);
    if (!there && engine.budget() != nullptr)
      return Failure(RunFailure::without_memory(there.error()));
    if (!there) return failed(there.error());
    arg = std::move(*there);
  }
  Result<std::vector<Value>, RunFailure> results = executable.call(entry, std::move(args));
  if (!results) return results;
  for (Value& result : *results) {
    Result<Value> here = engine.download(result);
    if (!here) return failed(here.error());
    result = std::move(*here);
  }
  return results;
}

}  // namespace skald::compile
