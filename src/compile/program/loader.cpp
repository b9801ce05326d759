// SPDX-License-Identifier: Apache-2.0
#include "compile/program/loader.h"

#include "compile/program/run_diagnostic.h"
#include "compile/registry/frontends.h"
#include "source/render.h"

namespace skald::compile {

namespace {

std::string draw(const source::Diagnostic& diagnostic, const source::SourceMap& sources,
                 const LoaderOptions& options) {
  if (options.json) return render_json(diagnostic, sources) + "\n";
  return render(diagnostic, sources,
                options.colour ? source::Colour::kAlways : source::Colour::kNever);
}

}  // namespace

std::optional<core::Program> Loader::load(const std::string& path,
                                          const frontend::Frontend* frontend) {
  const frontend::Frontend& chosen = frontend != nullptr ? *frontend : frontend_of(path);
  return chosen.load(path, sources_, diagnostics_, options_.frontend);
}

bool Loader::check(const std::string& path) {
  return frontend_of(path).check(path, sources_, diagnostics_, options_.frontend);
}

std::string Loader::drawn() {
  std::string out;
  for (; shown_ < diagnostics_.all().size(); ++shown_) {
    out += draw(diagnostics_.all()[shown_], sources_, options_);
    if (!options_.json) out += "\n";
  }
  return out;
}

std::string Loader::error_text(std::string_view what) const {
  return draw({source::Severity::kError, "", std::string(what)}, sources_, options_);
}

std::string Loader::failure_text(const RunFailure& failure) {
  const source::Diagnostic diagnostic = diagnose(failure, sources_);
  return draw(diagnostic, sources_, options_);
}

bool Loader::accepts() const {
  return !diagnostics_.has_errors() &&
         (!options_.warnings_are_errors || diagnostics_.all().empty());
}

}  // namespace skald::compile
