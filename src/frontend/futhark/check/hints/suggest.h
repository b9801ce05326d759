// SPDX-License-Identifier: Apache-2.0
// What the user may have meant.
#pragma once

#include <string>
#include <string_view>

#include "support/nearest.h"

namespace skald::futhark {

// "did you mean `sequential`?" for an attribute that nobody knows but that looks like a known one.
std::string attribute_hint(const std::string& name);

// What people who know other languages call something; empty for other words.
std::string known_elsewhere_as_value(std::string_view name);
std::string known_elsewhere_as_type(std::string_view name);

}  // namespace skald::futhark
