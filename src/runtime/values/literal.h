// SPDX-License-Identifier: Apache-2.0
// One scalar of the text value format: `-12`, `0xff_u8`, `1.5e3f32`, `f64.nan`, `true`.  First its
// form is recognised, then it is converted to the type that its suffix or its context asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/prim.h"
#include "support/result.h"

namespace skald::runtime {

struct Literal {
  enum class Kind : uint8_t { kBool, kInt, kFloat };
  Kind kind = Kind::kInt;
  bool negative = false;
  // kBool and kInt.  `overflows`: the number needs more than 64 bits.
  uint64_t magnitude = 0;
  bool overflows = false;
  int base = 10;
  // kFloat, and kInt in base 10: the digits without sign, suffix and underscores; "nan"; "inf".
  std::string digits;
  std::optional<Prim> suffix;

  // The type without context: the suffix, else i32, f64 or bool.
  Prim natural_type() const;
};

// `token` is the whole literal.  Fails with what is wrong with it.
Result<Literal> parse_literal(std::string_view token);

// The bits of the literal as a `type`, zero-extended.  Fails, with the reason, if its suffix is
// another type, if it has a fraction and `type` is an integer type, or if it does not fit. Suffixed
// integers wrap around, as they do in source text: 257u8 is 1.
Result<uint64_t> convert_literal(const Literal& literal, Prim type);

}  // namespace skald::runtime
