// SPDX-License-Identifier: Apache-2.0
#include "frontend/nesl/check/check.h"

#include "frontend/nesl/check/infer.h"
#include "frontend/nesl/check/library.h"
#include "frontend/nesl/parse/parse.h"
#include "support/stack.h"

namespace skald::nesl {

std::unique_ptr<CheckedProgram> check_program(const std::string& path, source::SourceMap& sources,
                                              source::Diagnostics& diagnostics) {
  const Result<source::FileId> file = sources.load(path);
  if (!file) {
    diagnostics.add({source::Severity::kError, "", file.error()});
    return nullptr;
  }
  auto program = std::make_unique<CheckedProgram>();
  on_large_stack([&] {
    Inference inference(*program, diagnostics);
    const auto read = [&](source::FileId id, bool is_library) {
      program->sources.push_back(
          std::make_unique<SourceProgram>(parse_program(id, sources, diagnostics)));
      if (diagnostics.has_errors()) return;
      for (const Form& form : program->sources.back()->forms) inference.form(form, is_library);
    };
    for (const LibraryFile& each : library_files())
      read(sources.add(std::string(each.path), std::string(each.text)), true);
    read(*file, false);
    if (!diagnostics.has_errors()) inference.finish();
  });
  return diagnostics.has_errors() ? nullptr : std::move(program);
}

}  // namespace skald::nesl
