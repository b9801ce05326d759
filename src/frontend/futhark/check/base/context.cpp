// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/base/context.h"

#include <algorithm>

#include "frontend/futhark/check/base/rules.h"

namespace skald::futhark {

void Reporter::type_size(Span where) {
  if (!ctx_.f.arena().too_large()) return;
  error("type-too-large", where, kTypeTooLarge);
  ctx_.f.arena().forget_too_large();
  // To go on with such a type would take too long.
  stop_at_first();
}

void Reporter::error(std::string code, Span where, std::string what,
                     std::vector<source::Label> more, std::string hint) {
  source::Diagnostic d;
  d.code = std::move(code);
  d.what = std::move(what);
  d.labels.push_back({where, ""});
  for (auto& label : more) {
    if (!label.span.known()) continue;
    if (label.span == where) {
      if (d.labels[0].text.empty()) d.labels[0].text = std::move(label.text);
    } else {
      d.labels.push_back(std::move(label));
    }
  }
  d.hint = std::move(hint);
  // Advice has a place of its own.
  constexpr std::string_view kHint = "\nHint: ";
  if (const size_t at = d.what.find(kHint); at != std::string::npos && d.hint.empty()) {
    d.hint = d.what.substr(at + kHint.size());
    d.what.resize(at);
  }
  if (d.hint.empty()) d.hint = way_out_of(d.code);
  d.why = rule_of(d.code);
  // A sentence that goes on in the next line is no headline.
  const size_t line_end = d.what.find('\n');
  if (line_end != std::string::npos && d.what.compare(line_end, 3, "\n  ") == 0)
    if (const std::string plain = headline_of(d.code); !plain.empty())
      d.what = plain + "\n" + d.what;
  error(std::move(d));
}

bool Reporter::said(const std::string& what) const {
  return std::ranges::any_of(reported_, [&](const Said& s) { return s.what == what; });
}

// The same words at another place, or other words about the same place.
bool Reporter::said_before(const source::Diagnostic& d) const {
  const Span where = d.labels.empty() ? Span{} : d.labels[0].span;
  return std::ranges::any_of(reported_, [&](const Said& s) {
    return s.what == d.what ||
           (s.where.file == where.file && s.where.begin < where.end && where.begin < s.where.end);
  });
}

void Reporter::error(source::Diagnostic d) {
  ++count_;
  if (halted()) return;
  failed_ = true;
  if (said_before(d)) return;
  reported_.push_back({d.labels.empty() ? Span{} : d.labels[0].span, d.what});
  if (capture_)
    capture_->push_back(std::move(d));
  else
    ctx_.diagnostics.add(std::move(d));
}

std::string quote(const std::string& s) {
  return "\"" + shortened(s) + "\"";
}

std::string shortened(const std::string& s) {
  constexpr size_t kLongest = 400, kShown = 100;
  if (s.size() <= kLongest) return s;
  // Not in the middle of a character.
  size_t cut = kShown, rest = s.size() - kShown;
  while (cut > 0 && (static_cast<unsigned char>(s[cut]) & 0xc0) == 0x80) --cut;
  while (rest < s.size() && (static_cast<unsigned char>(s[rest]) & 0xc0) == 0x80) ++rest;
  return s.substr(0, cut) + " ... " + s.substr(rest);
}

std::string qual_text(const QualName& name) {
  std::string out;
  for (const std::string& q : name.quals) out += q + ".";
  return out + name.name;
}

std::string indented(const std::string& text) {
  std::string out = "  ";
  for (char c : text) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out;
}

std::string short_text(const Exp& e) {
  std::string text = pretty(e), out;
  bool blank = false;
  for (char c : text) {
    const bool is_blank = c == ' ' || c == '\n' || c == '\t';
    if (is_blank && blank) continue;
    out += is_blank ? ' ' : c;
    blank = is_blank;
  }
  if (out.size() > 70) out = out.substr(0, 34) + " ... " + out.substr(out.size() - 30);
  return out;
}

}  // namespace skald::futhark
