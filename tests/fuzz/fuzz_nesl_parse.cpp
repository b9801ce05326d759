// SPDX-License-Identifier: Apache-2.0
// Any bytes → forms of NESL or messages.
#include "frontend/nesl/parse/parse.h"
#include "fuzz/fuzz.h"

using namespace skald;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::on_one_large_stack([&] {
    source::SourceMap sources;
    source::Diagnostics diagnostics;
    const source::FileId file = sources.add("fuzz.nesl", std::string(fuzz::text_of(data, size)));
    (void)nesl::parse_program(file, sources, diagnostics);
    fuzz::draw_all(diagnostics, sources);
  });
  return 0;
}
