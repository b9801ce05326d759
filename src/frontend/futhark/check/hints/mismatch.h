// SPDX-License-Identifier: Apache-2.0
// A way out when an expression has one type and another is needed.
#pragma once

#include <string>

#include "frontend/futhark/check/base/context.h"

namespace skald::futhark {

struct Mismatch {
  // Without sizes; what is not known may still be inside.
  const Type* expected = nullptr;
  const Type* actual = nullptr;
  // The innermost parts of them that differ; null if not known.
  const Type* part_expected = nullptr;
  const Type* part_actual = nullptr;
  const Exp* value = nullptr;  // what has the actual type; may be null
};

// One sentence, or nothing.
std::string mismatch_hint(const Mismatch& m);

// "`f32.i64 n`": the expression as a value of another primitive type.
std::string conversion(Prim to, Prim from, const Exp* value);
// What to write instead of a literal with the suffix of another type; empty for other expressions.
std::string literal_hint(const Exp& value, Prim to);
// The expression as an argument, in parentheses if it needs them.
std::string text_of_argument(const Exp& value);
// "f32.i64 n", "map f32.i64 xs"; with "…" where the text would be too long.
std::string applied(const std::string& function, const Exp* value);

}  // namespace skald::futhark
