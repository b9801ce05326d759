// SPDX-License-Identifier: Apache-2.0
#include "source/diagnostic.h"

#include <algorithm>
#include <set>
#include <tuple>

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

namespace {

Span first_place(const Diagnostic& d) {
  return d.labels.empty() ? Span{} : d.labels.front().span;
}

bool overlap(Span a, Span b) {
  return a.known() && a.file == b.file && a.begin < b.end && b.begin < a.end;
}

}  // namespace

void Diagnostics::sort_by_position() {
  const auto place = [](const Diagnostic& d) {
    const Span span = first_place(d);
    return std::pair(span.file.index, span.begin);
  };
  std::stable_sort(all_.begin(), all_.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
}

void Diagnostics::tidy() {
  std::set<std::tuple<uint32_t, uint32_t, uint32_t, std::string, std::string>> said;
  std::vector<Span> wrong;
  for (const Diagnostic& d : all_)
    if (d.severity != Severity::kWarning) wrong.push_back(first_place(d));
  std::erase_if(all_, [&](const Diagnostic& d) {
    const Span span = first_place(d);
    const bool is_warning = d.severity == Severity::kWarning;
    const bool drop =
        !said.emplace(span.file.index, span.begin, span.end, d.code, d.what).second ||
        (is_warning && std::ranges::any_of(wrong, [&](Span w) { return overlap(w, span); }));
    if (drop && !is_warning) --errors_;
    return drop;
  });
  sort_by_position();
}

}  // namespace skald::source
