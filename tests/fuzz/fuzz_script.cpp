// SPDX-License-Identifier: Apache-2.0
// Any bytes → a test block, a script, a layout; or a message.
#include "driver/script/parse.h"
#include "driver/test/spec.h"
#include "driver/values/layout.h"
#include "fuzz/fuzz.h"

using namespace skald;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  (void)driver::parse_script(text);
  (void)driver::parse_test_spec(text);
  if (const Result<driver::Layout> layout = driver::parse_layout(text)) {
    (void)driver::leaf_types(*layout);
    (void)driver::layout_text(*layout);
  }
  return 0;
}
