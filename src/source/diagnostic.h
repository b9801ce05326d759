// SPDX-License-Identifier: Apache-2.0
// Diagnostics: what is wrong with the user's program, as data.
//
// Front-end steps put diagnostics into a Diagnostics sink and go on where they can.  The driver
// draws them (render.h) or prints them as JSON.  Four kinds of errors exist and are never mixed:
// diagnostics (kError, kWarning), limitations (kLimitation: correct programs that we do not handle
// yet), run-time errors (core/interp, runtime) and internal errors (support/bug.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "source/source.h"

namespace skald::source {

enum class Severity : uint8_t { kError, kWarning, kLimitation };

struct Label {
  Span span;
  // What is to be seen there; may be empty for the first label.
  std::string text;
};

// One problem, in the order a reader needs it: what, where, why, what to do.
struct Diagnostic {
  Severity severity = Severity::kError;
  // Names a page in docs/errors/, shown by `skald explain CODE`.
  std::string code;
  // The first line is one sentence in the words of the source language; it is the headline.  More
  // lines (expected and actual types) are shown below the excerpt.
  std::string what;
  // The first one is the place an editor jumps to, and the narrowest that is wrong; others are
  // places one has to know to understand it.
  std::vector<Label> labels = {};
  // The rule that was broken; may be empty.
  std::string why = {};
  // A change that would fix it; may be empty.
  std::string hint = {};
};

class Diagnostics {
 public:
  void add(Diagnostic d);
  void error(std::string code, Span where, std::string what);
  void warning(std::string code, Span where, std::string what);
  void limitation(Span where, std::string what);

  bool has_errors() const { return errors_ > 0; }
  size_t error_count() const { return errors_; }
  const std::vector<Diagnostic>& all() const { return all_; }
  // Stable sort: causes first, that is by file and position.
  void sort_by_position();
  // Drops what was said before, and warnings about a place that an error is about; then sorts.
  void tidy();

 private:
  std::vector<Diagnostic> all_;
  // Errors and limitations: both stop the compilation.
  size_t errors_ = 0;
};

}  // namespace skald::source
