// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "passes/differentiate/base/session.h"

namespace skald::passes::ad {

// Makes loops in loops of those loops whose tapes would take more than session.tape_memory bytes.
void limit_tapes(Session& session, Body& body);

}  // namespace skald::passes::ad
