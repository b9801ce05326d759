// SPDX-License-Identifier: Apache-2.0
// Any bytes → a checked program of NESL or messages.  The library is read once for many programs:
// under the sanitizers that takes much longer than a small program does.
#include <memory>

#include "frontend/nesl/check/check.h"
#include "fuzz/fuzz.h"

using namespace skald;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // A checker keeps something of every program.
  constexpr int kProgramsPerChecker = 2000;
  static std::unique_ptr<nesl::Checker> checker;
  static int programs = 0;
  fuzz::on_one_large_stack([&] {
    if (programs++ % kProgramsPerChecker == 0) {
      checker.reset();
      checker = std::make_unique<nesl::Checker>();
    }
    checker->check("fuzz.nesl", std::string(fuzz::text_of(data, size)));
    fuzz::draw_all(checker->diagnostics(), checker->sources());
  });
  return 0;
}
