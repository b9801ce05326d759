// SPDX-License-Identifier: Apache-2.0
// Programs of the C interface.
#include "compile/backend/entry_values.h"
#include "compile/c_api/errors.h"
#include "compile/c_api/objects.h"
#include "compile/registry/frontends.h"

namespace skald::c_api {

HandleTable<Program, HandleKind::kProgram>& programs() {
  static HandleTable<Program, HandleKind::kProgram> table;
  return table;
}

namespace {

compile::ProgramOptions library_options(Context& context) {
  compile::ProgramOptions options;
  options.passes.verify = false;
  const std::lock_guard lock(context.mutex);
  // Some are chosen when a program is compiled, some when it runs; names decide.
  options.passes.numbers = options.tuning = context.chosen;
  return options;
}

// The first error in the diagnostics, and all of them drawn.
Outcome compile_error(compile::Loader& loader, std::string drawn) {
  Outcome outcome = failed(SKALD_COMPILE_ERROR, std::move(drawn));
  for (const source::Diagnostic& d : loader.diagnostics().all()) {
    if (d.severity == source::Severity::kWarning) continue;
    outcome.code = d.code;
    if (!d.labels.empty()) outcome.place = loader.sources().describe(d.labels[0].span);
    break;
  }
  return outcome;
}

Outcome add_program(const std::shared_ptr<Context>& context,
                    std::unique_ptr<compile::Program> compiled, std::string warnings,
                    skald_program& out) {
  auto program = std::make_shared<Program>();
  program->context = context;
  program->compiled = std::move(compiled);
  program->warnings = std::move(warnings);
  const std::lock_guard lock(context->mutex);
  out.id = programs().add(std::move(program));
  context->programs.insert(out.id);
  return {};
}

Outcome compile_program(const std::shared_ptr<Context>& context, compile::Loader& loader,
                        compile::ProgramRequest request, skald_program& out) {
  request.options = library_options(*context);
  request.cache = request.cache && context->use_cache;
  std::string shown, problem;
  const compile::TimedEvent event(context->engine->events(), compile::Event::kCompile,
                                  request.path);
  std::unique_ptr<compile::Program> compiled =
      compile::Program::make(loader, context->engine, request, shown, problem);
  if (compiled == nullptr && problem.empty()) return compile_error(loader, std::move(shown));
  if (compiled == nullptr) return failed(SKALD_COMPILE_ERROR, problem);
  compiled->keep();
  return add_program(context, std::move(compiled), std::move(shown), out);
}

// One of the plain values of an entry point: which value of the source language it belongs to.
struct PlainValue {
  compile::PlainType type;
  bool unique = false;
  const core::EntryValue* source = nullptr;
};

std::vector<PlainValue> plain_values(const std::vector<compile::PlainType>& types,
                                     const std::vector<core::EntryValue>& sources) {
  std::vector<PlainValue> values;
  for (const compile::PlainType& type : types) values.push_back({type});
  size_t next = 0;
  for (const core::EntryValue& source : sources)
    for (int k = 0; k < source.count && next < values.size(); ++k, ++next) {
      values[next].source = &source;
      values[next].unique = source.unique;
    }
  return values;
}

Outcome describe_value(skald_program handle, const char* entry, size_t number, bool is_input,
                       skald_value_info* info) {
  const std::shared_ptr<Program> program = programs().find(handle.id);
  if (program == nullptr) return failed(SKALD_BAD_HANDLE, "there is no such program");
  if (entry == nullptr || info == nullptr)
    return failed(SKALD_BAD_ARGUMENT, "`entry` or `info` is null");
  const core::Function* fn = program->compiled->find_entry(entry);
  if (fn == nullptr)
    return failed(SKALD_BAD_ARGUMENT, fmt::format("there is no entry point `{}`", entry));
  const std::vector<PlainValue> values =
      is_input ? plain_values(compile::entry_inputs(*fn), fn->entry->params)
               : plain_values(compile::entry_outputs(*fn), fn->entry->results);
  if (number >= values.size())
    return failed(SKALD_BAD_ARGUMENT, fmt::format("entry point `{}` has {} {}", entry,
                                                  values.size(), is_input ? "inputs" : "outputs"));
  const PlainValue& value = values[number];
  info->type = static_cast<skald_type>(value.type.type);
  info->rank = value.type.rank;
  info->consumed = value.unique && is_input ? 1 : 0;
  info->name = value.source != nullptr ? value.source->name.c_str() : "";
  info->source_type = value.source != nullptr ? value.source->type.c_str() : "";
  return {};
}

}  // namespace

}  // namespace skald::c_api

using namespace skald::c_api;
namespace compile = skald::compile;

skald_status skald_program_from_file(skald_context handle, const char* path, skald_program* out) {
  return guarded([&]() -> Outcome {
    const std::shared_ptr<Context> context = contexts().find(handle.id);
    if (context == nullptr) return failed(SKALD_BAD_HANDLE, "there is no such context");
    if (path == nullptr || out == nullptr)
      return failed(SKALD_BAD_ARGUMENT, "`path` or `out` is null");
    compile::Loader loader;
    return compile_program(context, loader, {.path = path}, *out);
  });
}

skald_status skald_program_from_text(skald_context handle, const char* language, const char* name,
                                     const char* text, skald_program* out) {
  return guarded([&]() -> Outcome {
    const std::shared_ptr<Context> context = contexts().find(handle.id);
    if (context == nullptr) return failed(SKALD_BAD_HANDLE, "there is no such context");
    if (language == nullptr || name == nullptr || text == nullptr || out == nullptr)
      return failed(SKALD_BAD_ARGUMENT, "`language`, `name`, `text` or `out` is null");
    const skald::frontend::Frontend* frontend = compile::find_frontend(language);
    if (frontend == nullptr)
      return failed(SKALD_BAD_ARGUMENT, fmt::format("there is no front end `{}`", language));
    compile::Loader loader;
    loader.sources().provide(name, text);
    return compile_program(context, loader, {.path = name, .frontend = frontend, .cache = false},
                           *out);
  });
}

skald_status skald_program_from_image(skald_context handle, const void* image, size_t bytes,
                                      skald_program* out) {
  return guarded([&]() -> Outcome {
    const std::shared_ptr<Context> context = contexts().find(handle.id);
    if (context == nullptr) return failed(SKALD_BAD_HANDLE, "there is no such context");
    if (image == nullptr || out == nullptr)
      return failed(SKALD_BAD_ARGUMENT, "`image` or `out` is null");
    auto compiled = compile::Program::from_image(
        context->engine, std::string_view(static_cast<const char*>(image), bytes),
        library_options(*context));
    if (!compiled) return failed(SKALD_BAD_IMAGE, compiled.error());
    return add_program(context, std::move(*compiled), {}, *out);
  });
}

skald_status skald_program_image(skald_program handle, const void** image, size_t* bytes) {
  return guarded([&]() -> Outcome {
    const std::shared_ptr<Program> program = programs().find(handle.id);
    if (program == nullptr) return failed(SKALD_BAD_HANDLE, "there is no such program");
    if (image == nullptr || bytes == nullptr)
      return failed(SKALD_BAD_ARGUMENT, "`image` or `bytes` is null");
    const std::lock_guard lock(program->mutex);
    if (program->image.empty()) program->image = program->compiled->image();
    if (program->image.empty())
      return failed(SKALD_BAD_ARGUMENT, fmt::format("programs of the back end {} have no images",
                                                    program->context->backend->name));
    *image = program->image.data();
    *bytes = program->image.size();
    return {};
  });
}

skald_status skald_program_warnings(skald_program handle, const char** text) {
  return guarded([&]() -> Outcome {
    const std::shared_ptr<Program> program = programs().find(handle.id);
    if (program == nullptr) return failed(SKALD_BAD_HANDLE, "there is no such program");
    if (text == nullptr) return failed(SKALD_BAD_ARGUMENT, "`text` is null");
    *text = program->warnings.c_str();
    return {};
  });
}

skald_status skald_program_free(skald_program handle) {
  return guarded([&]() -> Outcome {
    const std::shared_ptr<Program> program = programs().remove(handle.id);
    if (program == nullptr) return failed(SKALD_BAD_HANDLE, "there is no such program");
    const std::lock_guard lock(program->context->mutex);
    program->context->programs.erase(handle.id);
    return {};
  });
}

skald_status skald_program_entry_count(skald_program handle, size_t* count) {
  return guarded([&]() -> Outcome {
    const std::shared_ptr<Program> program = programs().find(handle.id);
    if (program == nullptr) return failed(SKALD_BAD_HANDLE, "there is no such program");
    if (count == nullptr) return failed(SKALD_BAD_ARGUMENT, "`count` is null");
    *count = program->compiled->entries().size();
    return {};
  });
}

skald_status skald_program_entry(skald_program handle, size_t number, skald_entry_info* info) {
  return guarded([&]() -> Outcome {
    const std::shared_ptr<Program> program = programs().find(handle.id);
    if (program == nullptr) return failed(SKALD_BAD_HANDLE, "there is no such program");
    if (info == nullptr) return failed(SKALD_BAD_ARGUMENT, "`info` is null");
    const auto entries = program->compiled->entries();
    if (number >= entries.size())
      return failed(SKALD_BAD_ARGUMENT,
                    fmt::format("the program has {} entry points", entries.size()));
    info->name = entries[number]->entry->name.c_str();
    info->inputs = compile::entry_inputs(*entries[number]).size();
    info->outputs = compile::entry_outputs(*entries[number]).size();
    return {};
  });
}

skald_status skald_program_input(skald_program program, const char* entry, size_t number,
                                 skald_value_info* info) {
  return guarded([&] { return describe_value(program, entry, number, true, info); });
}

skald_status skald_program_output(skald_program program, const char* entry, size_t number,
                                  skald_value_info* info) {
  return guarded([&] { return describe_value(program, entry, number, false, info); });
}
