// SPDX-License-Identifier: Apache-2.0
// The chunks of a kernel with several kinds of sinks.
#pragma once

#include <vector>

#include "imp/lower/kernel/writer.h"

namespace skald::imp {

// How such a kernel treats its histograms.
enum class Bins : uint8_t { kCopied, kAtomic, kInOrder };

// By sink: what a chunk works on, or what remains of all chunks.
struct Gathered {
  struct Of {
    Accumulators acc = {};              // kReduce, kScan
    std::vector<Name> next = {};        // kPartition: by class, the next free place, or the total
    std::vector<ArrayPlace> bins = {};  // kHist
  };
  std::vector<Of> sinks = {};
};

// All points in chunks of `size`; what remains of them goes to `into`.
void write_mixed_chunks(KernelWriter& kernel, Code& code, Bins bins, const Operand& size,
                        const Gathered& into);

}  // namespace skald::imp
