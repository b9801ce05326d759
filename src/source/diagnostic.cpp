// SPDX-License-Identifier: Apache-2.0
#include "source/diagnostic.h"

#include <algorithm>

namespace skald::source {

void Diagnostics::add(Diagnostic d) {
  if (d.severity != Severity::kWarning) ++errors_;
  all_.push_back(std::move(d));
}

void Diagnostics::error(std::string code, Span where, std::string what) {
  add({Severity::kError, std::move(code), std::move(what), {{where, ""}}});
}

void Diagnostics::warning(std::string code, Span where, std::string what) {
  add({Severity::kWarning, std::move(code), std::move(what), {{where, ""}}});
}

void Diagnostics::limitation(Span where, std::string what) {
  add({Severity::kLimitation, "not-supported-yet", std::move(what), {{where, ""}}});
}

void Diagnostics::sort_by_position() {
  const auto place = [](const Diagnostic& d) {
    const Span span = d.labels.empty() ? Span{} : d.labels.front().span;
    return std::pair(span.file.index, span.begin);
  };
  std::stable_sort(all_.begin(), all_.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
}

}  // namespace skald::source
