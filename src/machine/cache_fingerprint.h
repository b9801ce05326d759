// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace skald::machine {

// Differs where this_machines_caches differs in size.  For the keys of compiled code: every start
// of a compiled program asks, and looking all caches up takes half a millisecond.
std::string cache_fingerprint();

}  // namespace skald::machine
