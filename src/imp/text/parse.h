// SPDX-License-Identifier: Apache-2.0
// Text as imp/text/print.h writes it → imp.  The result is not verified.
// A program that launches something, or has memory or functions of a device, is for a device.
#pragma once

#include <string_view>

#include "imp/ir/imp.h"
#include "support/result.h"

namespace skald::imp {

// The error is one line, "line:column: what".
Result<Program> parse(std::string_view text);

}  // namespace skald::imp
