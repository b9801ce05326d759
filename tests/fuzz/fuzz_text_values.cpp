// SPDX-License-Identifier: Apache-2.0
// Any bytes → values, as a program's input.  With the first byte a type is expected.
#include "fuzz/value_target.h"

using namespace skald;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  fuzz::read_everything(text);
  const auto type = static_cast<Prim>(data[0] % 12);
  (void)runtime::ValueReader(text).read(type, data[0] / 12 % 4);
  return 0;
}
