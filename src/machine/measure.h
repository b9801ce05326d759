// SPDX-License-Identifier: Apache-2.0
// What only trying tells.  Takes about a second; nothing that compiles calls it.
#pragma once

#include "machine/processor.h"
#include "support/result.h"

namespace skald::machine {

// Reads more memory than the caches hold, on one core and then on all that may be used.  Fails if
// there is not enough memory.
Result<Bandwidth> measure_bandwidth(const Processor& processor);

}  // namespace skald::machine
