// SPDX-License-Identifier: Apache-2.0
#include "core/text/token_cursor.h"

namespace skald::core::detail {

void TokenCursor::fail(const Token& token, std::string what) {
  if (!problem_) {
    if (token.kind == Token::kUnknown) what = token.value;
    problem_ = source::Diagnostic{
        .code = "core-syntax",
        .what = std::move(what),
        .labels = {{.span = {.file = file_, .begin = token.begin, .end = token.end}, .text = ""}}};
  }
  at_ = end_;
}

}  // namespace skald::core::detail
