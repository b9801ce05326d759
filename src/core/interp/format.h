// SPDX-License-Identifier: Apache-2.0
// Values as text, for messages and #[trace]; the words of some messages.
#pragma once

#include <fmt/format.h>

#include <string>

#include "core/interp/code/array.h"

namespace skald::core::interp {

// "3", "true", "1.5", without the type.
std::string format_scalar(Prim type, uint64_t bits);
// "3i32", "[[true, false]]", "empty([0][2]f32)".
std::string format_typed(Prim type, uint64_t bits);
std::string format_array(const Array& array);

// What is said when there is no memory, or a limit that the user has set is reached; the same on
// every back end.  Sizes that do not fit are the largest number (passes/memory/plan.cpp).
inline std::string bytes_asked_for(int64_t bytes) {
  return fmt::format("{}{}", bytes == INT64_MAX ? "more than " : "", bytes);
}
inline std::string out_of_memory_message(int64_t asked_for) {
  return fmt::format("Out of memory: the program asked for {} bytes.", bytes_asked_for(asked_for));
}
inline std::string memory_limit_message(int64_t allowed, int64_t asked_for) {
  return fmt::format("Memory limit of {} bytes reached: the program asked for {} more.", allowed,
                     bytes_asked_for(asked_for));
}
inline std::string time_limit_message(double seconds) {
  return fmt::format("Time limit of {} seconds reached.", seconds);
}
inline std::string stack_limit_message(int64_t allowed) {
  return fmt::format("Stack limit of {} bytes reached: the recursion is too deep.", allowed);
}

}  // namespace skald::core::interp
