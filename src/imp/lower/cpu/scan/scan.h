// SPDX-License-Identifier: Apache-2.0
// Inclusive scans of ranges and segments: what several skeletons use.  How points are scanned
// (in registers, in lanes, in streams, one by one) is a fact of the kernel: kernel/scan_facts.h.
#pragma once

#include <optional>
#include <vector>

#include "imp/lower/kernel/strategy.h"

namespace skald::imp {

// ---- points.cpp
// Advances the scans by one point.  With `write`, stores the outputs and feeds the reductions,
// whose accumulators follow those of the scans.
void scan_point(KernelWriter& kernel, Code& code, const std::vector<Operand>& indices,
                const std::vector<Accumulators>& accs, bool write);
// Stores the scanned values and those of outputs, or what the post-function makes of them; gives
// back what was made.
std::vector<Operand> scan_outputs(KernelWriter& kernel, Code& code,
                                  const std::vector<Operand>& indices,
                                  std::vector<Operand> outputs);
// The values of a scan at `place` of their blocks.
std::vector<Operand> load_scanned(Code& code, const core::Operator& op,
                                  const std::vector<Name>& blocks, const Operand& place);
void store_scanned(Code& code, const core::Operator& op, const std::vector<Name>& blocks,
                   const Operand& place, const std::vector<Operand>& values);
// Blocks with what comes before a segment: the neutral elements.
std::vector<std::vector<Name>> start_carry(KernelWriter& kernel, Code& code);
// The totals of the points begin … end-1.
void scan_totals(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
                 const Operand& begin, const Operand& end, const std::vector<Accumulators>& accs);

// ---- chunks.cpp
// Scans one segment of n points in chunks, in one pass over memory.  Its reductions are added to
// `reduced`.
void scan_in_chunks(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
                    const Operand& n, const std::vector<Accumulators>& reduced);

// ---- pieces.cpp
// In vectors: the points begin … end-1, from what the blocks `carry` hold.  Reductions, late ones
// too, go to `reduced`.
void scan_pieces(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
                 const Operand& begin, const Operand& end,
                 const std::vector<std::vector<Name>>& carry,
                 const std::vector<Accumulators>& reduced);
// A whole segment.
void scan_row_in_pieces(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
                        const Operand& length);

// ---- lanes.cpp
void lane_totals(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
                 const Operand& begin, const Operand& end, const std::vector<Accumulators>& accs);
// Like scan_pieces.
void scan_in_lanes(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
                   const Operand& begin, const Operand& end,
                   const std::vector<std::vector<Name>>& carry,
                   const std::vector<Accumulators>& reduced);

// ---- rows_in_registers.cpp
WhyNot why_no_rows_in_registers(KernelWriter& kernel);
void scan_rows_in_registers(KernelWriter& kernel, Code& code);

}  // namespace skald::imp
