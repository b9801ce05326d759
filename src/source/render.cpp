// SPDX-License-Identifier: Apache-2.0
// Draws a diagnostic:
//
//   error[size-mismatch]: the arrays given to `map2` may have different lengths
//     --> smooth.fut:4:15-17
//        |
//      3 | def smooth [n] [m] (xs: [n]f32) (ws: [m]f32) : [n]f32 =
//        |                                      ------ length m
//      4 |   map2 (*) xs ws
//        |               ^^ this has length m
//        = why:  …
//        = try:  …
#include "source/render.h"

#include <algorithm>

namespace skald::source {

namespace {

// Longer source lines are shown from around the label only, so that a one-line file of 10 MB does
// not fill the screen.
constexpr size_t kMaxShownLine = 160;

struct Palette {
  std::string_view head, bold, dim, mark, reset;
};

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

// One label on one line of source.
struct Mark {
  uint32_t line, col, length;
  bool primary;
  std::string_view text;
};

// Columns on a terminal: bytes that continue a UTF-8 character take no room.
size_t display_width(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; }));
}

std::string without_tabs(std::string_view text) {
  std::string out(text);
  std::replace(out.begin(), out.end(), '\t', ' ');
  return out;
}

std::vector<Mark> marks_in(const Diagnostic& d, const SourceMap& sources, FileId file) {
  std::vector<Mark> marks;
  for (size_t i = 0; i < d.labels.size(); ++i) {
    const Span span = d.labels[i].span;
    if (!span.known() || !(span.file == file)) continue;
    const File& f = sources.file(file);
    const LineCol begin = f.position(span.begin);
    const auto line_length = static_cast<uint32_t>(f.line(begin.line).size());
    const uint32_t room = line_length >= begin.col ? line_length - begin.col + 1 : 1;
    const uint32_t length =
        std::clamp<uint32_t>(span.end - span.begin, 1, std::max<uint32_t>(room, 1));
    marks.push_back({begin.line, begin.col, length, i == 0, d.labels[i].text});
  }
  std::stable_sort(marks.begin(), marks.end(),
                   [](const Mark& a, const Mark& b) { return a.line < b.line; });
  return marks;
}

void draw_file(std::string& out, const Diagnostic& d, const SourceMap& sources, FileId file,
               const Palette& p) {
  const File& f = sources.file(file);
  const std::vector<Mark> marks = marks_in(d, sources, file);
  uint32_t previous = 0;
  out += fmt::format("{}     |{}\n", p.dim, p.reset);
  for (const Mark& mark : marks) {
    const std::string_view full = f.line(mark.line);
    const size_t from = mark.col > kMaxShownLine / 2 && full.size() > kMaxShownLine
                            ? mark.col - kMaxShownLine / 2
                            : 0;
    const std::string shown = without_tabs(full.substr(std::min(from, full.size()), kMaxShownLine));
    if (mark.line != previous) {
      if (previous != 0 && mark.line > previous + 1)
        out += fmt::format("{} ... |{}\n", p.dim, p.reset);
      out += fmt::format("{}{:>4} |{} {}\n", p.dim, mark.line, p.reset, shown);
    }
    previous = mark.line;
    const size_t lead = display_width(
        std::string_view(shown).substr(0, std::min<size_t>(mark.col - 1 - from, shown.size())));
    const size_t width = std::max<size_t>(
        1, display_width(full.substr(std::min<size_t>(mark.col - 1, full.size()),
                                     std::min<size_t>(mark.length, kMaxShownLine))));
    out += fmt::format("{}     |{} {}{}{}{}{}{}\n", p.dim, p.reset, std::string(lead, ' '),
                       mark.primary ? p.mark : p.dim, std::string(width, mark.primary ? '^' : '-'),
                       mark.text.empty() ? "" : " ", mark.text, p.reset);
  }
}

void draw_note(std::string& out, std::string_view name, std::string_view text, const Palette& p) {
  if (text.empty()) return;
  out += fmt::format("{}     = {}:{}  ", p.dim, name, p.reset);
  for (char c : text) {
    out += c;
    if (c == '\n') out += "             ";
  }
  out += '\n';
}

}  // namespace

std::string render(const Diagnostic& d, const SourceMap& sources, Colour colour) {
  const Palette p = palette(d.severity, colour);
  std::string out = d.code.empty() || d.severity == Severity::kLimitation
                        ? fmt::format("{}{}{}: {}{}{}\n", p.head, severity_name(d.severity),
                                      p.reset, p.bold, d.what, p.reset)
                        : fmt::format("{}{}[{}]{}: {}{}{}\n", p.head, severity_name(d.severity),
                                      d.code, p.reset, p.bold, d.what, p.reset);
  std::vector<FileId> seen;
  for (const Label& label : d.labels) {
    if (!label.span.known() || std::find(seen.begin(), seen.end(), label.span.file) != seen.end())
      continue;
    seen.push_back(label.span.file);
    out += fmt::format("{}  {} {}{}\n", p.dim, seen.size() == 1 ? "-->" : ":::", p.reset,
                       sources.describe(label.span));
    draw_file(out, d, sources, label.span.file, p);
  }
  draw_note(out, "why", d.why, p);
  draw_note(out, "try", d.hint, p);
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
