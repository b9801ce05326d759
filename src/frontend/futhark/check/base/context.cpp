// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/base/context.h"

#include "frontend/futhark/check/base/rules.h"

namespace skald::futhark {

void Reporter::type_size(Span where) {
  if (!ctx_.f.arena().too_large()) return;
  error("type-too-large", where, kTypeTooLarge);
  ctx_.f.arena().forget_too_large();
}

void Reporter::error(std::string code, Span where, std::string what,
                     std::vector<source::Label> more, std::string hint) {
  if (failed_) return;
  failed_ = true;
  source::Diagnostic d;
  d.code = std::move(code);
  d.what = std::move(what);
  d.labels.push_back({where, ""});
  for (auto& label : more)
    if (label.span.known()) d.labels.push_back(std::move(label));
  d.hint = std::move(hint);
  d.why = rule_of(d.code);
  if (capture_)
    *capture_ = std::move(d);
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
