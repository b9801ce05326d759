// SPDX-License-Identifier: Apache-2.0
// Words of the text form that the printer and the parser share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/ir/exp.h"

namespace skald::core::text {

// A letter or `_`, then letters, digits, `_` and `'`.
bool is_identifier(std::string_view text);

// "…" with escapes; every byte string can be read back, and what is printed is UTF-8.
std::string quote(std::string_view text);
// A word as it is if it is an identifier, else quoted.
std::string word(std::string_view text);

// Constants: 3i64, true, 1.5f32, -f64.inf, f32.nan, f16.bits(0x7e01).
std::string constant(const Const& c);
// The value of a literal `digits` of a type (sign, digits, perhaps a fraction and an exponent), or
// nothing if it is out of range or not of that form.
std::optional<Const> parse_number(std::string_view digits, Prim type);
// What prints as f32.nan.
Const canonical_nan(Prim type);
Const infinity(Prim type, bool negative);

std::string_view domain_name(Domain::Kind kind);  // "flat"
std::string_view sink_name(Sink::Kind kind);      // "reduce"
std::optional<Domain::Kind> domain_from_name(std::string_view name);
std::optional<Sink::Kind> sink_from_name(std::string_view name);

}  // namespace skald::core::text
