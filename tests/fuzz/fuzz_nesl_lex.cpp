// SPDX-License-Identifier: Apache-2.0
// Any bytes → words of NESL that cover the text in order.
#include "frontend/nesl/parse/lex.h"
#include "fuzz/fuzz.h"

using namespace skald;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  source::SourceMap sources;
  source::Diagnostics diagnostics;
  const source::FileId file = sources.add("fuzz.nesl", std::string(fuzz::text_of(data, size)));
  const std::vector<nesl::Token> tokens = nesl::lex(file, sources, diagnostics);
  uint32_t end = 0;
  for (const nesl::Token& token : tokens) {
    SKALD_CHECK(
        token.span.begin >= end && token.span.end >= token.span.begin && token.span.end <= size,
        "a word at {}-{} after {}", token.span.begin, token.span.end, end);
    end = token.span.end;
  }
  fuzz::draw_all(diagnostics, sources);
  return 0;
}
