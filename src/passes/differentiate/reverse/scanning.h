// SPDX-License-Identifier: Apache-2.0
// Scans that rules are made of.
#pragma once

#include "passes/differentiate/base/session.h"

namespace skald::passes::ad {

// The scans of these arrays of `width` rows.
std::vector<Name> scan_with(const Operand& width, Operator op, const std::vector<Name>& inputs,
                            Emit& out);

// What is before an index in a scan: scanned[at-1], or the neutral elements.
std::vector<Operand> before_index(const std::vector<Name>& scanned,
                                  const std::vector<Operand>& neutral, const Operand& at,
                                  Emit& out);

}  // namespace skald::passes::ad
