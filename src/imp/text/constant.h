// SPDX-License-Identifier: Apache-2.0
// The text of constants in imp: 3i64, true, 1.5f32, inff64, nanf32, bits(0x7fc1)f16 for other NaNs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/ir/type.h"

namespace skald::imp {

std::string constant_text(const core::Const& c);
std::optional<core::Const> constant_from_text(std::string_view text);

}  // namespace skald::imp
