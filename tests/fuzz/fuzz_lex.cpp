// SPDX-License-Identifier: Apache-2.0
// Any bytes → tokens that cover the text in order.
#include "frontend/futhark/parse/lex.h"
#include "fuzz/fuzz.h"

using namespace skald;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  source::SourceMap sources;
  source::Diagnostics diagnostics;
  const source::FileId file = sources.add("fuzz.fut", std::string(fuzz::text_of(data, size)));
  const std::vector<futhark::Token> tokens =
      futhark::lex(file, sources.file(file).text(), diagnostics);
  uint32_t end = 0;
  for (const futhark::Token& token : tokens) {
    SKALD_CHECK(token.begin >= end && token.end >= token.begin && token.end <= size,
                "a token at {}-{} after {}", token.begin, token.end, end);
    end = token.end;
  }
  fuzz::draw_all(diagnostics, sources);
  return 0;
}
