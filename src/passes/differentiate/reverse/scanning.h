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

// The same for each of `width` indices.
std::vector<Name> before_rows(const Operand& width, const std::vector<Name>& scanned,
                              const std::vector<Operand>& neutral, Emit& out);

// A slice that turns an array round.
std::vector<DimSlice> reversed(const Operand& count, Emit& out);
// The operator for arrays that were turned round: operands change sides.
Operator turned_operator(Session& session, const Operator& op);

// Scans that begin anew where a flag is set; `flags` is an array of bools.
std::vector<Name> segmented_scan(const Operand& width, const Operator& op, Name flags,
                                 const std::vector<Name>& inputs, Emit& out);

}  // namespace skald::passes::ad
