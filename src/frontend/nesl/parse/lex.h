// SPDX-License-Identifier: Apache-2.0
// The words of a NESL file.
#pragma once

#include <string>
#include <vector>

#include "source/diagnostic.h"
#include "source/source.h"

namespace skald::nesl {

struct Token {
  enum Kind : uint8_t { kName, kSymbol, kInt, kFloat, kChar, kString, kEnd };
  Kind kind = kEnd;
  // Names and symbols as they are compared, names in lower case; what a string means; the digits.
  std::string text;
  source::Span span;
};

// All tokens, the last one of kind kEnd.  Mistakes go into the diagnostics and are left out.
std::vector<Token> lex(source::FileId file, const source::SourceMap& sources,
                       source::Diagnostics& diagnostics);

}  // namespace skald::nesl
