// SPDX-License-Identifier: Apache-2.0
// The script language of test inputs, as a tree.
//
//   exp   ::= let pat = exp in exp  |  f atom…  |  atom
//   atom  ::= number | "string" | f | x | x[exp, …] | (exp, …) | [exp, …] | {x = exp, …}
//           | empty([0]i32) | atom.field
//   pat   ::= x | (x, …)        f ::= name | $name
//
// `in` may be left out before another `let`; `--` starts a comment.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/values/literal.h"
#include "runtime/values/value.h"
#include "support/result.h"

namespace skald::driver {

struct ScriptExp {
  enum Kind : uint8_t {
    kLiteral,  // `literal`
    kValue,    // `value`: an empty array
    kString,   // `text`
    kCall,     // `text` applied to `parts`; without parts a variable or an entry point
    kBuiltin,  // like kCall; `text` without its `$`
    kIndex,    // parts[0] is the array, the others the indices
    kTuple,    // `parts`
    kArray,    // `parts`
    kRecord,   // `names` and `parts`
    kProject,  // field `text` of parts[0]
    kLet,      // `names` (one, or those of a tuple pattern), parts[0] in parts[1]
  } kind = kTuple;
  std::string text = {};
  runtime::Literal literal = {};
  runtime::Value value = {};
  std::vector<std::string> names = {};
  bool tuple_pattern = false;
  std::vector<ScriptExp> parts = {};
};

// Fails with a sentence that names the place by line and column.
Result<ScriptExp> parse_script(std::string_view text);

}  // namespace skald::driver
