// SPDX-License-Identifier: Apache-2.0
// Draws a diagnostic:
//
//   error[size-mismatch]: `ws` has length m, but `map2` needs length n here
//     --> smooth.fut:4:15-17
//        |
//      3 | def smooth [n] [m] (xs: [n]f32) (ws: [m]f32) : [n]f32 =
//        |                                      - length m
//      4 |   map2 (*) xs ws
//        |               ^^
//        = Expected: [n]f32
//          Actual:   [m]f32
//        = why:  …
//        = try:  …
//        = more: skald explain size-mismatch
#include "source/render.h"

#include <algorithm>

#include "source/excerpt.h"
#include "source/text_width.h"

namespace skald::source {

namespace {

Palette palette(Severity severity, Colour colour) {
  if (colour == Colour::kNever) return {};
  const std::string_view head = severity == Severity::kError     ? "\033[1;31m"
                                : severity == Severity::kWarning ? "\033[1;33m"
                                                                 : "\033[1;35m";
  return {head, "\033[1m", "\033[34m", head, "\033[0m"};
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kError: return "error";
    case Severity::kWarning: return "warning";
    case Severity::kLimitation: return "not supported yet";
  }
  return "error";
}

// Lines after the first stand below the beginning of the text.
void draw_note(std::string& out, size_t margin, std::string_view name, std::string_view text,
               const Palette& p) {
  if (text.empty()) return;
  out += fmt::format("{}{:{}}= {}{}", p.dim, "", margin, name, p.reset);
  char last = ' ';
  for (char c : printable(text)) {
    // Paragraphs are not worth the room.
    if (c == '\n' && last == '\n') continue;
    if (last == '\n') out += std::string(margin + 2 + name.size(), ' ');
    out += c;
    last = c;
  }
  if (last != '\n') out += '\n';
}

// A limitation says what it is instead.
bool shows_code(const Diagnostic& d) {
  return !d.code.empty() && d.severity != Severity::kLimitation;
}

}  // namespace

std::string render(const Diagnostic& d, const SourceMap& sources, Colour colour) {
  const Palette p = palette(d.severity, colour);
  const size_t line_end = std::min(d.what.find('\n'), d.what.size());
  std::string out = fmt::format("{}{}{}{}: {}{}{}\n", p.head, severity_name(d.severity),
                                shows_code(d) ? "[" + d.code + "]" : "", p.reset, p.bold,
                                printable(d.what.substr(0, line_end)), p.reset);
  size_t margin = kLeastMargin;
  std::vector<FileId> seen;
  for (const Label& label : d.labels) {
    if (!label.span.known() || std::find(seen.begin(), seen.end(), label.span.file) != seen.end())
      continue;
    seen.push_back(label.span.file);
    out += fmt::format("{}  {} {}{}\n", p.dim, seen.size() == 1 ? "-->" : ":::", p.reset,
                       printable(sources.describe(label.span)));
    const size_t needed =
        draw_excerpt(out, d.labels, sources.file(label.span.file), label.span.file, p);
    margin = std::max(margin, needed);
  }
  const std::string_view details = std::string_view(d.what).substr(line_end);
  draw_note(out, margin, "",
            details.substr(std::min(details.find_first_not_of('\n'), details.size())), p);
  draw_note(out, margin, "why:  ", d.why, p);
  draw_note(out, margin, "try:  ", d.hint, p);
  if (!d.code.empty()) draw_note(out, margin, "more: ", "skald explain " + d.code, p);
  return out;
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      default:
        if (static_cast<uint8_t>(c) < 0x20)
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
          out += c;
    }
  }
  return out + '"';
}

std::string render_json(const Diagnostic& d, const SourceMap& sources) {
  std::string labels;
  for (const Label& label : d.labels) {
    if (!label.span.known()) continue;
    const File& f = sources.file(label.span.file);
    const LineCol begin = f.position(label.span.begin);
    const LineCol end = f.position(label.span.end);
    labels += fmt::format(
        "{}{{\"file\":{},\"line\":{},\"column\":{},\"end_line\":{},\"end_column\":{},\"text\":{}}}",
        labels.empty() ? "" : ",", json_string(f.name()), begin.line, begin.col, end.line, end.col,
        json_string(label.text));
  }
  const std::string_view severity =
      d.severity == Severity::kLimitation ? "limitation" : severity_name(d.severity);
  return fmt::format(
      "{{\"severity\":{},\"code\":{},\"message\":{},\"labels\":[{}],\"why\":{},\"hint\":{}}}",
      json_string(severity), json_string(d.code), json_string(d.what), labels, json_string(d.why),
      json_string(d.hint));
}

}  // namespace skald::source
