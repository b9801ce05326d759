// SPDX-License-Identifier: Apache-2.0
// The rule of the language behind each mistake, for the `why` of its message.
#pragma once

#include <string>
#include <string_view>

namespace skald::futhark {

// One sentence without a full stop; empty if the message says all there is to say.
std::string rule_of(std::string_view code);

}  // namespace skald::futhark
