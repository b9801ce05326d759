// SPDX-License-Identifier: Apache-2.0
// Lines and marks.  A label on one line is underlined.  One that goes over several lines has a lane
// at the left, from its first line to its last:
//
//    3 | /   if x < 0
//    4 | |   then 0
//    5 | |   else n
//      | |________^ the branches differ
//
// A label that begins in the middle of its first line says where:
//
//    3 |     let y = f (x,
//      |  _____________^
//    4 | |           0)
//      | |____________^
#include "source/excerpt.h"

#include <algorithm>
#include <map>
#include <set>

#include "source/text_width.h"

namespace skald::source {

namespace {

// Longer lines are shown from around the first label only, so that a one-line file of 10 MB does
// not fill the screen.
constexpr uint32_t kMaxShownColumns = 160;
// Of a label that goes over more lines only the first three and the last two are shown.
constexpr uint32_t kMaxShownLines = 6;

struct Mark {
  LineCol begin, end;  // both belong to it
  bool primary = false;
  std::string text = {};
  size_t lane = 0;  // if it goes over several lines
  bool is_long() const { return end.line > begin.line; }
};

// The part of a line from column `from` on, at most kMaxShownColumns wide.
std::string cut_line(std::string_view line, uint32_t from) {
  uint32_t column = 1;
  size_t at = 0;
  while (at < line.size() && column < from) column += character_width(next_character(line, at));
  const size_t begin = at;
  uint32_t width = 0;
  while (at < line.size()) {
    size_t next = at;
    width += character_width(next_character(line, next));
    if (width > kMaxShownColumns) break;
    at = next;
  }
  // A wide character cut in two leaves a blank.
  return std::string(column - std::min(column, from), ' ') +
         printable(line.substr(begin, at - begin));
}

class Excerpt {
 public:
  Excerpt(const std::vector<Label>& labels, const File& file, FileId id, const Palette& palette)
      : file_(file), p_(palette) {
    for (size_t i = 0; i < labels.size(); ++i) {
      const Span span = labels[i].span;
      if (!span.known() || !(span.file == id)) continue;
      // What ends at a line break does not go over to the next line.
      marks_.push_back(
          {file.position(span.begin), file.last_position(span), i == 0, printable(labels[i].text)});
    }
    std::ranges::stable_sort(marks_, {}, [](const Mark& m) { return m.begin.line; });
    for (Mark& m : marks_) {
      if (m.is_long()) m.lane = lanes_++;
      choose_lines(m);
    }
    if (!lines_.empty())
      margin_ = std::max(kLeastMargin, std::to_string(*lines_.rbegin()).size() + 1);
  }

  // Columns left of the bar.
  size_t margin() const { return margin_; }

  void draw(std::string& out) {
    out_ = &out;
    row("", "", p_.dim);
    uint32_t previous = 0;
    for (uint32_t number : lines_) {
      if (previous != 0 && number > previous + 1) row(gutter(number, 0), "", p_.dim, " ...");
      previous = number;
      line(number);
    }
  }

 private:
  void choose_lines(const Mark& m) {
    const uint32_t first = m.begin.line, last = m.end.line;
    for (uint32_t l = first; l <= last; ++l) {
      if (last - first >= kMaxShownLines && l == first + 3) l = last - 1;
      lines_.insert(l);
    }
  }

  // The lanes to the left of a line, or of the row for marks below it.
  std::string gutter(uint32_t number, size_t below) const {
    std::string out(2 * lanes_, ' ');
    for (const Mark& m : marks_) {
      if (!m.is_long() || number < m.begin.line || number > m.end.line) continue;
      const bool first = number == m.begin.line;
      if (first && (below != 0 || begins_inside(m))) continue;
      out[2 * m.lane] = first ? '/' : '|';
    }
    return out;
  }

  bool begins_inside(const Mark& m) const {
    const std::string_view text = file_.line(m.begin.line);
    const size_t blank = std::min(text.find_first_not_of(" \t"), text.size());
    return m.begin.col > blank + 1;
  }

  static std::string trimmed(std::string text) {
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
  }

  void row(const std::string& lead, const std::string& text, std::string_view colour,
           std::string_view margin = "") {
    const std::string tail = trimmed(lead + text);
    *out_ += fmt::format("{}{:<{}}|{}", p_.dim, margin, margin_, p_.reset);
    if (!tail.empty()) *out_ += fmt::format(" {}{}{}", colour, tail, p_.reset);
    *out_ += '\n';
  }

  void line(uint32_t number) {
    const std::string_view text = file_.line(number);
    from_ = 1;
    if (display_width(text) > kMaxShownColumns)
      for (const Mark& m : marks_)
        if (m.begin.line == number && m.begin.col > kMaxShownColumns / 2) {
          from_ = m.begin.col - kMaxShownColumns / 2;
          break;
        }
    const std::string shown = trimmed(gutter(number, 0) + cut_line(text, from_));
    *out_ += fmt::format("{}{:>{}} |{}{}{}\n", p_.dim, number, margin_ - 1, p_.reset,
                         shown.empty() ? "" : " ", shown);
    for (const Mark& m : marks_) {
      const char sign = m.primary ? '^' : '-';
      if (!m.is_long() && m.begin.line == number) underline(m, sign);
      if (m.is_long() && m.begin.line == number && begins_inside(m)) opening(m, sign);
    }
    for (const Mark& m : marks_)
      if (m.is_long() && m.end.line == number) closing(m, m.primary ? '^' : '-');
  }

  std::string_view colour_of(const Mark& m) const { return m.primary ? p_.mark : p_.dim; }

  // From the column of the excerpt to that of the screen, which ends somewhere.
  size_t shown_column(uint32_t column) const {
    return std::min<size_t>(column < from_ ? 0 : column - from_, kMaxShownColumns);
  }

  void underline(const Mark& m, char sign) {
    const size_t begin = shown_column(m.begin.col);
    const size_t end = std::max(shown_column(m.end.col + 1), begin + 1);
    row(gutter(m.begin.line, 1) + std::string(begin, ' '),
        std::string(end - begin, sign) + (m.text.empty() ? "" : " ") + m.text, colour_of(m));
  }

  void opening(const Mark& m, char sign) {
    std::string lead = gutter(m.begin.line, 1).substr(0, 2 * m.lane) + " ";
    lead += std::string(2 * lanes_ - lead.size() + shown_column(m.begin.col), '_');
    row(lead, std::string(1, sign), colour_of(m));
  }

  void closing(const Mark& m, char sign) {
    std::string lead = gutter(m.end.line, 1).substr(0, 2 * m.lane) + "|";
    lead += std::string(2 * lanes_ - lead.size() + shown_column(m.end.col), '_');
    row(lead, std::string(1, sign) + (m.text.empty() ? "" : " ") + m.text, colour_of(m));
  }

  const File& file_;
  const Palette& p_;
  std::vector<Mark> marks_;
  std::set<uint32_t> lines_;
  size_t margin_ = kLeastMargin;
  size_t lanes_ = 0;
  uint32_t from_ = 1;  // the first column of the present line that is shown
  std::string* out_ = nullptr;
};

}  // namespace

size_t draw_excerpt(std::string& out, const std::vector<Label>& labels, const File& file, FileId id,
                    const Palette& palette) {
  Excerpt excerpt(labels, file, id, palette);
  excerpt.draw(out);
  return excerpt.margin();
}

}  // namespace skald::source
