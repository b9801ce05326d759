// SPDX-License-Identifier: Apache-2.0
#include "compile/program/loader.h"

#include <algorithm>

#include "compile/program/run_diagnostic.h"
#include "compile/registry/frontends.h"
#include "core/edit/rename.h"
#include "passes/differentiate/differentiate.h"
#include "source/render.h"

namespace skald::compile {

namespace {

std::string draw(const source::Diagnostic& diagnostic, const source::SourceMap& sources,
                 const LoaderOptions& options) {
  if (options.json) return render_json(diagnostic, sources) + "\n";
  return render(diagnostic, sources,
                options.colour ? source::Colour::kAlways : source::Colour::kNever);
}

// Nobody reads more at once, and the first ones are the most likely causes.
constexpr size_t kMostShown = 20;

constexpr std::string_view kByIntegers = "integer-derivative";

struct Count {
  size_t errors = 0, warnings = 0;
};

std::string counted(size_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

// "3 errors and 1 warning; the first 20 errors are shown".
std::string summary(const Count& found, const Count& shown) {
  std::string out;
  if (found.errors) out = counted(found.errors, "error");
  if (found.warnings) out += (out.empty() ? "" : " and ") + counted(found.warnings, "warning");
  if (shown.errors < found.errors)
    out +=
        fmt::format("; the first {} errors are shown, mend these before the others", shown.errors);
  if (shown.warnings < found.warnings)
    out += fmt::format("; the first {} warnings are shown", shown.warnings);
  return out + "\n";
}

}  // namespace

std::optional<core::Program> Loader::load(const std::string& path,
                                          const frontend::Frontend* frontend) {
  const frontend::Frontend& chosen = frontend != nullptr ? *frontend : frontend_of(path);
  std::optional<core::Program> prog = chosen.load(path, sources_, diagnostics_, options_.frontend);
  if (prog && passes::ad::has_derivatives(*prog)) check_derivatives(*prog);
  return prog;
}

void Loader::warn_of_integers(const core::Program& prog) {
  for (const core::Loc loc : passes::ad::derivatives_by_integers(prog)) {
    const auto span = find_span(sources_, prog.locs[prog.locs.outside_prelude(loc)].text);
    const bool known = std::ranges::any_of(diagnostics_.all(), [&](const source::Diagnostic& d) {
      return span && d.code == kByIntegers && d.labels[0].span == *span;
    });
    if (!span || known) continue;
    source::Diagnostic found{source::Severity::kWarning, std::string(kByIntegers),
                             "a derivative by values none of which is a float"};
    found.labels.push_back({*span, ""});
    found.why = "tangents of integers are integers, and those of comparisons are false";
    found.hint = "convert the values to floats first, and differentiate by those";
    diagnostics_.add(std::move(found));
  }
}

// The pass that computes derivatives runs on a copy, to say what it cannot do.
void Loader::check_derivatives(const core::Program& prog) {
  warn_of_integers(prog);
  core::Program copy = core::clone(prog);
  for (const passes::ad::Problem& problem : passes::ad::differentiate(copy)) {
    source::Diagnostic found{source::Severity::kLimitation, "not-differentiable", problem.what};
    const core::Loc loc = copy.locs.outside_prelude(problem.loc);
    if (const auto span = find_span(sources_, copy.locs[loc].text))
      found.labels.push_back({*span, "a derivative is asked for that depends on this"});
    // A function that is differentiated twice has it once.
    const bool known = std::ranges::any_of(diagnostics_.all(), [&](const source::Diagnostic& d) {
      return d.what == found.what && !d.labels.empty() && !found.labels.empty() &&
             d.labels[0].span == found.labels[0].span;
    });
    if (!known) diagnostics_.add(std::move(found));
  }
}

namespace {

bool mentions_derivatives(const source::SourceMap& sources) {
  for (uint32_t k = 0; k < sources.size(); ++k) {
    const source::File& file = sources.file({k});
    if (file.name().starts_with("/prelude/")) continue;
    for (const std::string_view word : {"jvp", "vjp", "jmp", "mjp"})
      if (file.text().find(word) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

// What has no derivative is only seen in the program that comes out.
bool Loader::check(const std::string& path) {
  const frontend::Frontend& frontend = frontend_of(path);
  if (!frontend.check(path, sources_, diagnostics_, options_.frontend)) return false;
  if (!mentions_derivatives(sources_)) return true;
  source::Diagnostics checked = std::move(diagnostics_);
  diagnostics_ = {};
  load(path, &frontend);
  std::swap(diagnostics_, checked);
  for (const source::Diagnostic& each : checked.all())
    if (each.severity != source::Severity::kWarning || each.code == kByIntegers)
      diagnostics_.add(each);
  return !diagnostics_.has_errors();
}

std::string Loader::drawn() {
  std::string out;
  Count found, shown;
  for (; shown_ < diagnostics_.all().size(); ++shown_) {
    const source::Diagnostic& d = diagnostics_.all()[shown_];
    const bool is_warning = d.severity == source::Severity::kWarning;
    size_t& number = is_warning ? found.warnings : found.errors;
    if (++number > kMostShown && !options_.json) continue;
    ++(is_warning ? shown.warnings : shown.errors);
    out += draw(d, sources_, options_);
    if (!options_.json) out += "\n";
  }
  if (!options_.json && found.errors + found.warnings > 1) out += summary(found, shown);
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
