// SPDX-License-Identifier: Apache-2.0
#include "driver/session.h"

#include <cstdio>

#include "core/text/parse.h"
#include "core/verify/verify.h"
#include "frontend/futhark/check/check.h"
#include "frontend/futhark/elaborate/elaborate.h"
#include "source/render.h"

namespace skald::driver {

using source::Severity;

bool Session::report() {
  std::fputs(drawn().c_str(), stderr);
  bool fine = !diagnostics_.has_errors();
  if (options_.warnings_are_errors) fine = fine && diagnostics_.all().empty();
  return fine;
}

std::string Session::drawn() {
  std::string out;
  for (; shown_ < diagnostics_.all().size(); ++shown_) {
    const source::Diagnostic& d = diagnostics_.all()[shown_];
    if (d.severity == Severity::kWarning && !options_.warnings) continue;
    if (options_.json_diagnostics)
      out += render_json(d, sources_) + "\n";
    else
      out +=
          render(d, sources_, options_.colour ? source::Colour::kAlways : source::Colour::kNever) +
          "\n";
  }
  return out;
}

std::string Session::error_text(std::string_view what) const {
  const source::Diagnostic d{Severity::kError, "", std::string(what)};
  if (options_.json_diagnostics) return render_json(d, sources_) + "\n";
  return render(d, sources_, options_.colour ? source::Colour::kAlways : source::Colour::kNever);
}

void Session::error(std::string_view what) {
  std::fputs(error_text(what).c_str(), stderr);
}

bool Session::check(const std::string& path) {
  if (path.ends_with(".core")) return load_core(path).has_value();
  const futhark::CheckOptions options{options_.warnings || options_.warnings_are_errors};
  const auto checked = futhark::check_program(path, sources_, diagnostics_, options);
  diagnostics_.sort_by_position();
  return checked != nullptr;
}

std::optional<core::Program> Session::load(const std::string& path) {
  return path.ends_with(".core") ? load_core(path) : load_futhark(path);
}

std::optional<core::Program> Session::load_futhark(const std::string& path) {
  const futhark::CheckOptions check_options{options_.warnings || options_.warnings_are_errors};
  const auto checked = futhark::check_program(path, sources_, diagnostics_, check_options);
  diagnostics_.sort_by_position();
  if (checked == nullptr) return std::nullopt;
  core::Program prog;
  futhark::ElaborateOptions options;
  options.safe = options_.safe;
  if (!futhark::elaborate(*checked, sources_, diagnostics_, options, prog)) return std::nullopt;
  return prog;
}

std::optional<core::Program> Session::load_core(const std::string& path) {
  const Result<source::FileId> file = sources_.load(path);
  if (!file) {
    diagnostics_.add({Severity::kError, "", file.error()});
    return std::nullopt;
  }
  Result<core::Program, source::Diagnostic> prog = core::parse(*file, sources_);
  if (!prog) {
    diagnostics_.add(prog.error());
    return std::nullopt;
  }
  const std::vector<std::string> problems = core::verify(*prog);
  for (const std::string& problem : problems)
    diagnostics_.add({Severity::kError, "core-malformed", problem});
  if (!problems.empty()) return std::nullopt;
  return std::move(*prog);
}

}  // namespace skald::driver
