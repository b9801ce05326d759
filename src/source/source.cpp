// SPDX-License-Identifier: Apache-2.0
#include "source/source.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "source/text_width.h"

namespace skald::source {

namespace {

constexpr uint64_t kMaxFileBytes = uint64_t{1} << 30;

// The offset of the first byte that is not part of valid UTF-8, or npos.
size_t first_invalid_utf8(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<uint8_t>(text[i]);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const size_t length = lead >= 0xf0 && lead <= 0xf4  ? 4
                          : lead >= 0xe0 && lead < 0xf0 ? 3
                          : lead >= 0xc2 && lead < 0xe0 ? 2
                                                        : 0;
    if (length == 0 || i + length > text.size()) return i;
    for (size_t k = 1; k < length; ++k)
      if ((static_cast<uint8_t>(text[i + k]) & 0xc0) != 0x80) return i;
    i += length;
  }
  return std::string_view::npos;
}

// The bytes of a file; of a longer one than kMaxFileBytes only some more than these.
Result<std::string> read_file(const std::string& path) {
  struct stat info = {};
  if (::stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return Failure(fmt::format("there is no file `{}`", path));
    return Failure(fmt::format("cannot look at `{}`: {}", path, std::strerror(errno)));
  }
  if (S_ISDIR(info.st_mode)) return Failure(fmt::format("`{}` is a folder, not a file", path));
  std::FILE* in = std::fopen(path.c_str(), "rb");
  if (in == nullptr)
    return Failure(fmt::format("cannot open `{}`: {}", path, std::strerror(errno)));
  std::string text;
  char chunk[1 << 16];
  size_t got = 0;
  while ((got = std::fread(chunk, 1, sizeof chunk, in)) > 0 && text.size() <= kMaxFileBytes)
    text.append(chunk, got);
  const bool failed = std::ferror(in) != 0;
  std::fclose(in);
  if (failed) return Failure(fmt::format("cannot read `{}`", path));
  return text;
}

}  // namespace

Span join(Span a, Span b) {
  if (!a.known()) return b;
  if (!b.known() || !(a.file == b.file)) return a;
  return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

File::File(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_starts_.push_back(static_cast<uint32_t>(i + 1));
  plain_ = std::ranges::all_of(text_, [](char c) { return static_cast<uint8_t>(c) < 0x80; });
}

LineCol File::position(uint32_t offset) const {
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = static_cast<uint32_t>(after - line_starts_.begin());
  const uint32_t begin = line_starts_[line - 1];
  if (plain_) return {line, offset - begin + 1};
  return {line, display_width(std::string_view(text_).substr(begin, offset - begin)) + 1};
}

LineCol File::last_position(Span span) const {
  if (span.end <= span.begin) return position(span.begin);
  const LineCol behind = position(span.end);
  return behind.col > 1 ? LineCol{behind.line, behind.col - 1} : position(span.end - 1);
}

std::string_view File::line(uint32_t number) const {
  const uint32_t begin = line_starts_.at(number - 1);
  uint32_t end =
      number < line_starts_.size() ? line_starts_[number] - 1 : static_cast<uint32_t>(text_.size());
  if (end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

FileId SourceMap::add(std::string name, std::string text) {
  files_.emplace_back(std::move(name), std::move(text));
  return {static_cast<uint32_t>(files_.size() - 1)};
}

Result<FileId> SourceMap::load(const std::string& path) {
  const auto provided = provided_.find(path);
  Result<std::string> text =
      provided != provided_.end() ? Result<std::string>(provided->second) : read_file(path);
  if (!text) return text.failure();
  if (text->size() > kMaxFileBytes) return Failure(fmt::format("`{}` is larger than 1 GiB", path));
  if (const size_t bad = first_invalid_utf8(*text); bad != std::string_view::npos) {
    const size_t line = 1 + static_cast<size_t>(std::count(
                                text->begin(), text->begin() + static_cast<ptrdiff_t>(bad), '\n'));
    return Failure(fmt::format(
        "`{}` is not UTF-8 text: byte {} (line {}) cannot be decoded; save the file as UTF-8", path,
        bad, line));
  }
  return add(path, std::move(*text));
}

void SourceMap::provide(std::string path, std::string text) {
  provided_.insert_or_assign(std::move(path), std::move(text));
}

std::string SourceMap::describe(Span span) const {
  if (!span.known()) return "<unknown>";
  const File& f = file(span.file);
  const LineCol begin = f.position(span.begin);
  const LineCol end = f.position(span.end);
  const std::string at = fmt::format("{}:{}:{}", f.name(), begin.line, begin.col);
  if (end.line > begin.line) return fmt::format("{}-{}:{}", at, end.line, end.col);
  return end.col > begin.col + 1 ? fmt::format("{}-{}", at, end.col) : at;
}

std::string SourceMap::describe_range(Span span) const {
  if (!span.known()) return "<unknown>";
  const File& f = file(span.file);
  const LineCol begin = f.position(span.begin);
  const LineCol end = f.last_position(span);
  return fmt::format("{}:{}:{}-{}:{}", f.name(), begin.line, begin.col, end.line, end.col);
}

std::string_view SourceMap::text(Span span) const {
  if (!span.known()) return {};
  return file(span.file).text().substr(span.begin, span.end - span.begin);
}

}  // namespace skald::source
