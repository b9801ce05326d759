// SPDX-License-Identifier: Apache-2.0
// The rule of the language behind each mistake, for the `why` of its message.
#pragma once

#include <string>
#include <string_view>

namespace skald::futhark {

// One sentence without a full stop; empty if the message says all there is to say.
std::string rule_of(std::string_view code);
// What to do, in general; empty if that depends on the program.
std::string way_out_of(std::string_view code);
// A plain sentence for messages that begin with a type; may be empty.
std::string headline_of(std::string_view code);

}  // namespace skald::futhark
