// SPDX-License-Identifier: Apache-2.0
#include "compile/program/run_diagnostic.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace skald::compile {

namespace {

using source::Span;

std::string_view code_of(RunFailure::Kind kind) {
  switch (kind) {
    case RunFailure::kArguments: return "bad-arguments";
    // The words of whoever failed say more than a page could.
    case RunFailure::kLimit:
    case RunFailure::kDevice: return "";
    case RunFailure::kProgram: break;
  }
  return "run-time-error";
}

// Takes ":NUMBER" or "-NUMBER" from the end of `text`.
std::optional<uint32_t> take_number(std::string_view& text, char before) {
  const size_t at = text.find_last_of(":-");
  if (at == std::string_view::npos || text[at] != before) return std::nullopt;
  uint32_t number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + at + 1, end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  text = text.substr(0, at);
  return number;
}

// The bytes of a place such as "a.fut:3:5-3:9", whose last column belongs to it.
struct Place {
  std::string_view path;
  source::LineCol first, last;
};

std::optional<Place> parse_place(std::string_view text) {
  Place place;
  const std::optional<uint32_t> last_col = take_number(text, ':');
  const std::optional<uint32_t> last_line = last_col ? take_number(text, '-') : std::nullopt;
  const std::optional<uint32_t> col = last_line ? take_number(text, ':') : std::nullopt;
  const std::optional<uint32_t> line = col ? take_number(text, ':') : std::nullopt;
  if (!line) return std::nullopt;
  return Place{text, {*line, *col}, {*last_line, *last_col}};
}

// Where a column begins, and where the one after it does.
std::optional<std::pair<uint32_t, uint32_t>> bytes_at(const source::File& file,
                                                      source::LineCol at) {
  if (at.line == 0 || at.line > file.line_count()) return std::nullopt;
  const std::string_view line = file.line(at.line);
  const auto begin = static_cast<uint32_t>(line.data() - file.text().data());
  const auto end = begin + static_cast<uint32_t>(line.size());
  uint32_t offset = begin;
  while (offset < end && file.position(offset).col < at.col) ++offset;
  uint32_t after = offset;
  while (after < end && file.position(after).col <= at.col) ++after;
  return std::pair(offset, after);
}

std::optional<source::FileId> find_file(source::SourceMap& sources, std::string_view path) {
  for (uint32_t k = 0; k < sources.size(); ++k)
    if (sources.file({k}).name() == path) return source::FileId{k};
  const Result<source::FileId> loaded = sources.load(std::string(path));
  return loaded ? std::optional(*loaded) : std::nullopt;
}

// What users wrote themselves says more to them than what the prelude makes of it.
bool is_prelude(std::string_view place) {
  return place.starts_with("/prelude/");
}

std::string in_function(std::string_view name) {
  return name.empty() ? std::string() : fmt::format("in `{}`", name);
}

// With a comma between those that say something.
std::string joined(std::initializer_list<std::string> parts) {
  std::string all;
  for (const std::string& part : parts)
    if (!part.empty()) all += (all.empty() ? "" : ", ") + part;
  return all;
}

}  // namespace

std::optional<Span> find_span(source::SourceMap& sources, std::string_view text) {
  const std::optional<Place> place = parse_place(text);
  if (!place) return std::nullopt;
  const std::optional<source::FileId> file = find_file(sources, place->path);
  if (!file) return std::nullopt;
  const auto first = bytes_at(sources.file(*file), place->first);
  const auto last = bytes_at(sources.file(*file), place->last);
  if (!first || !last || last->second < first->first) return std::nullopt;
  return Span{*file, first->first, last->second};
}

std::vector<BacktraceFrame> frames_of(std::string_view backtrace) {
  std::vector<BacktraceFrame> frames;
  while (!backtrace.empty()) {
    const size_t end = backtrace.find('\n');
    std::string_view line = backtrace.substr(0, end);
    backtrace = end == std::string_view::npos ? std::string_view() : backtrace.substr(end + 1);
    const size_t number = line.find('#');
    const size_t space = number == std::string_view::npos ? number : line.find(' ', number);
    if (space == std::string_view::npos) continue;
    line.remove_prefix(space);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    // The names of folders may have spaces, those of functions have none.
    const size_t in = line.rfind(" in ");
    const bool named = in != std::string_view::npos && parse_place(line.substr(0, in));
    frames.push_back({line.substr(0, named ? in : line.size()),
                      named ? line.substr(in + 4) : std::string_view()});
  }
  return frames;
}

source::Diagnostic diagnose(const RunFailure& failure, source::SourceMap& sources) {
  source::Diagnostic result;
  result.code = failure.code.empty() ? code_of(failure.kind) : failure.code;
  const size_t line_end = failure.kind == RunFailure::kProgram
                              ? std::min(failure.message.find('\n'), failure.message.size())
                              : failure.message.size();
  result.what = failure.message.substr(0, line_end);
  const std::string names = failure.message.substr(std::min(line_end + 1, failure.message.size()));
  constexpr size_t kMostLabels = 4;
  const std::vector<BacktraceFrame> frames = frames_of(failure.backtrace);
  for (const BacktraceFrame& frame : frames) {
    if (is_prelude(frame.place) || result.labels.size() == kMostLabels) continue;
    const std::optional<Span> span = find_span(sources, frame.place);
    // A function that calls itself is shown once.
    const auto same = [&](const source::Label& label) { return label.span == *span; };
    if (!span || std::ranges::any_of(result.labels, same)) continue;
    std::string text =
        joined({result.labels.empty() ? names : "called from here", in_function(frame.function)});
    // The names are those of the function that failed.
    if (result.labels.empty() && is_prelude(frames[0].place) && !frames[0].function.empty())
      text =
          joined({names, in_function(frames[0].function),
                  frame.function.empty() ? "" : fmt::format("called from `{}`", frame.function)});
    result.labels.push_back({*span, std::move(text)});
  }
  if (result.labels.empty() && !names.empty()) result.what += "\n" + names;
  if (!failure.backtrace.empty()) result.what += "\n\nBacktrace:\n" + failure.backtrace;
  return result;
}

}  // namespace skald::compile
