// SPDX-License-Identifier: Apache-2.0
// How much room text takes on a terminal, and text that does nothing else to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skald::source {

// The character that begins at `at`, which moves behind it.  A byte that is not UTF-8 is U+FFFD.
char32_t next_character(std::string_view text, size_t& at);

// Columns: 0 for what is drawn over the character before, 2 for wide ones.  A tab counts as one.
uint32_t character_width(char32_t c);
uint32_t display_width(std::string_view text);

// The text with a blank for every tab and a visible sign, one column wide, for every character that
// would move the cursor, change colours or the direction of writing.  Line breaks stay.
std::string printable(std::string_view text);

}  // namespace skald::source
