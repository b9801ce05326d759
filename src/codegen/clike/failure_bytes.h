// SPDX-License-Identifier: Apache-2.0
// The messages of failing checks as bytes, for caches.
#pragma once

#include <vector>

#include "codegen/clike/failure.h"
#include "support/bytes.h"

namespace skald::clike {

void write_failures(ByteWriter& out, const std::vector<FailureMessage>& failures);
std::vector<FailureMessage> read_failures(ByteReader& in);

}  // namespace skald::clike
