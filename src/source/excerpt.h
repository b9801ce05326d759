// SPDX-License-Identifier: Apache-2.0
// The lines of source that a diagnostic is about, with its labels drawn below them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "source/diagnostic.h"

namespace skald::source {

// What is written around coloured parts; all empty without colours.
struct Palette {
  std::string_view head, bold, dim, mark, reset;
};

// Columns left of the bar, unless numbers of lines have more than four digits.
inline constexpr size_t kLeastMargin = 5;

// Draws the labels that lie in `file`.  The first of all labels is marked with ^, others with -.
// Gives the columns left of the bar.
size_t draw_excerpt(std::string& out, const std::vector<Label>& labels, const File& file, FileId id,
                    const Palette& palette);

}  // namespace skald::source
