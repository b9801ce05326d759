// SPDX-License-Identifier: Apache-2.0
// Any bytes → an AST or messages.  An AST without messages can be printed.
#include "frontend/futhark/parse/parse.h"
#include "frontend/futhark/pretty/pretty.h"
#include "fuzz/fuzz.h"

using namespace skald;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::on_one_large_stack([&] {
    source::SourceMap sources;
    source::Diagnostics diagnostics;
    const source::FileId file = sources.add("fuzz.fut", std::string(fuzz::text_of(data, size)));
    const futhark::Program prog = futhark::parse_program(file, sources, diagnostics);
    if (!diagnostics.has_errors()) (void)futhark::pretty(prog);
    fuzz::draw_all(diagnostics, sources);
  });
  return 0;
}
