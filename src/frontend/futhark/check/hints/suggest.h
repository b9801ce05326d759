// SPDX-License-Identifier: Apache-2.0
// Words that are nearly the same: what the user may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skald::futhark {

// How many letters must be changed, added, left out or exchanged with their neighbour to get from
// one word to the other; `limit` + 1 if there are more than `limit`.  Capitals count as half.
size_t edit_distance(std::string_view a, std::string_view b, size_t limit);

// Those of the words that are nearest to `name`, at most three, all equally near.  None if nothing
// is so near that it may have been meant.
std::vector<std::string> nearest(std::string_view name, const std::vector<std::string>& words);

// "`a`", "`a` or `b`", "`a`, `b` or `c`".
std::string one_of(const std::vector<std::string>& words);

// "did you mean `a` or `b`?"; empty without words.
std::string did_you_mean(const std::vector<std::string>& words);

// "did you mean `sequential`?" for an attribute that nobody knows but that looks like a known one.
std::string attribute_hint(const std::string& name);

// What people who know other languages call something; empty for other words.
std::string known_elsewhere_as_value(std::string_view name);
std::string known_elsewhere_as_type(std::string_view name);

}  // namespace skald::futhark
