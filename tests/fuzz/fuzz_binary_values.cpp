// SPDX-License-Identifier: Apache-2.0
// Any bytes after the mark of the binary format → values.
#include "fuzz/value_target.h"

using namespace skald;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes = "b\x02";
  bytes.append(fuzz::text_of(data, size));
  fuzz::read_everything(bytes);
  return 0;
}
