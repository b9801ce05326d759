// SPDX-License-Identifier: Apache-2.0
#include "frontend/nesl/check/check.h"

#include "frontend/nesl/check/infer.h"
#include "frontend/nesl/check/library.h"
#include "frontend/nesl/parse/parse.h"
#include "support/stack.h"

namespace skald::nesl {

namespace {

struct Reader {
  CheckedProgram& program;
  source::SourceMap& sources;
  source::Diagnostics& diagnostics;

  void read(source::FileId file, Inference& inference, bool is_library) const {
    program.sources.push_back(
        std::make_unique<SourceProgram>(parse_program(file, sources, diagnostics)));
    if (diagnostics.has_errors()) return;
    for (const Form& form : program.sources.back()->forms) inference.form(form, is_library);
  }
  void read_library(Inference& inference) const {
    for (const LibraryFile& each : library_files())
      read(sources.add(std::string(each.path), std::string(each.text)), inference, true);
  }
  void read_program(source::FileId file, Inference& inference) const {
    read(file, inference, false);
    if (!diagnostics.has_errors()) inference.finish();
  }
};

}  // namespace

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
    const Reader reader{*program, sources, diagnostics};
    reader.read_library(inference);
    reader.read_program(*file, inference);
  });
  return diagnostics.has_errors() ? nullptr : std::move(program);
}

struct Checker::State {
  source::SourceMap sources;
  source::Diagnostics diagnostics;
  CheckedProgram program;
  Inference library{program, diagnostics};
  std::unordered_map<std::string, TypeRef> datatypes;  // of the library
};

Checker::Checker() : state_(std::make_unique<State>()) {
  on_large_stack([&] {
    const Reader reader{state_->program, state_->sources, state_->diagnostics};
    reader.read_library(state_->library);
  });
  state_->datatypes = state_->program.datatypes;
}

Checker::~Checker() = default;

bool Checker::check(std::string name, std::string text) {
  state_->diagnostics = {};
  state_->program.datatypes = state_->datatypes;
  state_->program.forms.clear();
  const source::FileId file = state_->sources.add(std::move(name), std::move(text));
  on_large_stack([&] {
    Inference inference = state_->library;
    const Reader reader{state_->program, state_->sources, state_->diagnostics};
    reader.read_program(file, inference);
  });
  return !state_->diagnostics.has_errors();
}

const source::Diagnostics& Checker::diagnostics() const {
  return state_->diagnostics;
}
const source::SourceMap& Checker::sources() const {
  return state_->sources;
}

}  // namespace skald::nesl
