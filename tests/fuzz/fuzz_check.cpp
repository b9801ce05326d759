// SPDX-License-Identifier: Apache-2.0
// Any bytes → a checked program or messages.  The prelude is read once for many programs: under the
// sanitizers that takes much longer than a small program does.
#include <memory>

#include "frontend/futhark/check/check.h"
#include "fuzz/fuzz.h"

using namespace skald;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A checker keeps something of every program.
  constexpr int kProgramsPerChecker = 500;
  static std::unique_ptr<futhark::Checker> checker;
  static int programs = 0;
  fuzz::on_one_large_stack([&] {
    if (programs++ % kProgramsPerChecker == 0) {
      checker.reset();
      checker = std::make_unique<futhark::Checker>();
    }
    checker->check("fuzz.fut", std::string(fuzz::text_of(data, size)));
    fuzz::draw_all(checker->diagnostics(), checker->sources());
  });
  return 0;
}
