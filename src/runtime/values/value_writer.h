// SPDX-License-Identifier: Apache-2.0
// Writes values in Futhark's text and binary formats, as its compiled programs do (the formats are
// described in value_reader.h).  What is written can be read back to the same value.
//
//   [[1i32, 2i32], [3i32, 4i32]]      0.100000001f32      empty([0][2]f64)
#pragma once

#include <string>

#include "runtime/values/output.h"
#include "runtime/values/value.h"

namespace skald::runtime {

// One value, without a newline.  Floats have 9 (f16, f32) or 17 (f64) significant digits.
void write_text(Output& out, const Value& value);
void write_binary(Output& out, const Value& value);

// A scalar of `type` as write_text does it.
std::string scalar_text(Prim type, uint64_t bits);
// The value as write_text does it, cut to about `limit` characters, with "…" where it is.
std::string value_text(const Value& value, size_t limit = std::string::npos);

}  // namespace skald::runtime
