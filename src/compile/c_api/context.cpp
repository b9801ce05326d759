// SPDX-License-Identifier: Apache-2.0
// Contexts of the C interface.
#include "compile/c_api/errors.h"
#include "compile/c_api/objects.h"
#include "compile/registry/backends.h"

namespace skald::c_api {

HandleTable<Context, HandleKind::kContext>& contexts() {
  static HandleTable<Context, HandleKind::kContext> table;
  return table;
}

skald_space space_of(const Context& context) {
  return context.engine->has_own_memory() ? SKALD_DEVICE : SKALD_HOST;
}

namespace {

Outcome new_context(const skald_context_options& options, skald_context& out) {
  const compile::Backend* backend = options.backend == nullptr
                                        ? &compile::default_backend()
                                        : compile::find_backend(options.backend);
  if (backend == nullptr)
    return failed(SKALD_NO_BACKEND, fmt::format("there is no back end `{}`; there are {}",
                                                options.backend, compile::backend_names()));
  if (options.threads < 0 || options.memory_limit < 0 || options.stack_limit < 0 ||
      !(options.time_limit >= 0))
    return failed(SKALD_BAD_ARGUMENT, "threads and limits must not be negative");
  compile::EngineOptions engine_options;
  engine_options.threads = options.threads;
  if (options.device != nullptr) engine_options.device = options.device;
  engine_options.profile = options.profile != 0;
  engine_options.limits = {
      .memory = options.memory_limit, .seconds = options.time_limit, .stack = options.stack_limit};
  if (const Result<Unit> kept = check_limits(*backend, engine_options.limits); !kept)
    return failed(SKALD_BAD_ARGUMENT, kept.error());
  Result<std::shared_ptr<compile::Engine>> engine = backend->open(engine_options);
  if (!engine) return failed(SKALD_NO_BACKEND, engine.error());
  auto context = std::make_shared<Context>();
  context->engine = std::move(*engine);
  context->backend = backend;
  context->use_cache = options.use_cache != 0;
  context->profile = options.profile != 0;
  out.id = contexts().add(std::move(context));
  return {};
}

// The oldest events of the engine and of the library itself, by their start.
void collect_events(Context& context) {
  for (const compile::Event& event : context.engine->take_events()) {
    skald_event shown{};
    shown.kind = static_cast<skald_event_kind>(event.kind);
    event.name.copy(shown.name, sizeof shown.name - 1);
    shown.bytes = event.bytes;
    shown.start_ns =
        std::chrono::duration_cast<std::chrono::nanoseconds>(event.start - context.start).count();
    shown.duration_ns = event.nanoseconds;
    context.events.push_back(shown);
  }
}

}  // namespace

}  // namespace skald::c_api

using namespace skald::c_api;

const char* skald_version(void) {
  return SKALD_VERSION;
}

skald_context_options skald_context_defaults(void) {
  skald_context_options options{};
  options.use_cache = 1;
  return options;
}

size_t skald_backend_count(void) {
  return skald::compile::backends().size();
}

const char* skald_backend_name(size_t number) {
  const auto& all = skald::compile::backends();
  // Names are literals, so that they end in a null.
  return number < all.size() ? all[number]->name.data() : nullptr;
}

skald_status skald_context_new(const skald_context_options* options, skald_context* out) {
  return guarded([&] {
    if (out == nullptr) return failed(SKALD_BAD_ARGUMENT, "`out` is null");
    return new_context(options == nullptr ? skald_context_defaults() : *options, *out);
  });
}

skald_status skald_context_choose(skald_context handle, const char* param, int64_t number) {
  return guarded([&]() -> Outcome {
    const std::shared_ptr<Context> context = contexts().find(handle.id);
    if (context == nullptr) return failed(SKALD_BAD_HANDLE, "there is no such context");
    if (param == nullptr || number < 0)
      return failed(SKALD_BAD_ARGUMENT, "`param` is null, or `number` negative");
    const std::lock_guard lock(context->mutex);
    context->chosen[param] = number;
    return {};
  });
}

skald_status skald_context_free(skald_context handle) {
  return guarded([&]() -> Outcome {
    const std::shared_ptr<Context> context = contexts().remove(handle.id);
    if (context == nullptr) return failed(SKALD_BAD_HANDLE, "there is no such context");
    std::unordered_set<uint64_t> own_programs, own_arrays;
    {
      const std::lock_guard lock(context->mutex);
      own_programs.swap(context->programs);
      own_arrays.swap(context->arrays);
    }
    for (const uint64_t id : own_arrays) arrays().remove(id);
    for (const uint64_t id : own_programs) programs().remove(id);
    return {};
  });
}

skald_status skald_context_finish(skald_context handle) {
  return guarded([&]() -> Outcome {
    const std::shared_ptr<Context> context = contexts().find(handle.id);
    if (context == nullptr) return failed(SKALD_BAD_HANDLE, "there is no such context");
    const skald::Result<skald::Unit> idle = context->engine->finish();
    return idle ? Outcome{} : failed(SKALD_DEVICE_ERROR, idle.error());
  });
}

skald_status skald_context_space(skald_context handle, skald_space* space) {
  return guarded([&]() -> Outcome {
    const std::shared_ptr<Context> context = contexts().find(handle.id);
    if (context == nullptr) return failed(SKALD_BAD_HANDLE, "there is no such context");
    if (space == nullptr) return failed(SKALD_BAD_ARGUMENT, "`space` is null");
    *space = space_of(*context);
    return {};
  });
}

skald_status skald_profile_read(skald_context handle, skald_event* events, size_t capacity,
                                size_t* count) {
  return guarded([&]() -> Outcome {
    const std::shared_ptr<Context> context = contexts().find(handle.id);
    if (context == nullptr) return failed(SKALD_BAD_HANDLE, "there is no such context");
    if (count == nullptr || (events == nullptr && capacity > 0))
      return failed(SKALD_BAD_ARGUMENT, "`events` or `count` is null");
    if (!context->profile)
      return failed(SKALD_BAD_ARGUMENT,
                    "this context records no events; set `profile` in its options");
    const std::lock_guard lock(context->mutex);
    collect_events(*context);
    *count = std::min(capacity, context->events.size());
    for (size_t k = 0; k < *count; ++k) {
      events[k] = context->events.front();
      context->events.pop_front();
    }
    return {};
  });
}
