// SPDX-License-Identifier: Apache-2.0
// Values as text, for messages and #[trace].
#pragma once

#include <string>

#include "core/interp/array.h"

namespace skald::core::interp {

// "3", "true", "1.5", without the type.
std::string format_scalar(Prim type, uint64_t bits);
// "3i32", "[[true, false]]", "empty([0][2]f32)".
std::string format_typed(Prim type, uint64_t bits);
std::string format_array(const Array& array);

}  // namespace skald::core::interp
