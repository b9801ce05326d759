// SPDX-License-Identifier: Apache-2.0
// Any bytes → a checked program of NESL or messages.
#include "frontend/nesl/check/check.h"
#include "fuzz/fuzz.h"

using namespace skald;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  source::SourceMap sources;
  source::Diagnostics diagnostics;
  sources.provide("fuzz.nesl", std::string(fuzz::text_of(data, size)));
  (void)nesl::check_program("fuzz.nesl", sources, diagnostics);
  fuzz::draw_all(diagnostics, sources);
  return 0;
}
