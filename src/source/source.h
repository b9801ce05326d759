// SPDX-License-Identifier: Apache-2.0
// Source files and places in them.
//
// A Span is a half-open byte range in one file.  Files are owned by a SourceMap and never change
// after loading, so a Span stays meaningful for as long as the SourceMap lives.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace skald::source {

struct FileId {
  uint32_t index = 0;
  friend bool operator==(FileId, FileId) = default;
};

// Bytes [begin, end) of a file.  A default Span means "no place in the source".
struct Span {
  FileId file = {UINT32_MAX};
  uint32_t begin = 0, end = 0;
  bool known() const { return file.index != UINT32_MAX; }
  friend bool operator==(const Span&, const Span&) = default;
};

// The smallest span that covers both.
Span join(Span a, Span b);

// 1-based; columns are those of a terminal: a wide character takes two, a combining one none.
struct LineCol {
  uint32_t line = 1, col = 1;
};

class File {
 public:
  File(std::string name, std::string text);
  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  LineCol position(uint32_t offset) const;
  // The last column that belongs to a span of this file.
  LineCol last_position(Span span) const;
  // The text of a 1-based line, without its line break.
  std::string_view line(uint32_t number) const;
  uint32_t line_count() const { return static_cast<uint32_t>(line_starts_.size()); }

 private:
  std::string name_;
  std::string text_;
  std::vector<uint32_t> line_starts_;
  // Every byte is a character, and takes one column.
  bool plain_ = true;
};

class SourceMap {
 public:
  FileId add(std::string name, std::string text);
  // Reads a file.  Fails with one sentence if it is missing, a directory, unreadable, larger than
  // 1 GiB or not UTF-8.
  Result<FileId> load(const std::string& path);
  // From now on `load(path)` gives this text; no file is read.
  void provide(std::string path, std::string text);
  const File& file(FileId id) const { return files_.at(id.index); }
  size_t size() const { return files_.size(); }
  // "f.fut:3:5-9", "f.fut:3:5-4:2" (the column behind the end) or "f.fut:3:5"; "<unknown>".
  std::string describe(Span span) const;
  // As messages of running programs have it, with the last column that belongs to it:
  // "f.fut:3:5-3:8".
  std::string describe_range(Span span) const;
  std::string_view text(Span span) const;

 private:
  std::deque<File> files_;
  std::map<std::string, std::string> provided_;
};

}  // namespace skald::source
