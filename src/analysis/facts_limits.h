// SPDX-License-Identifier: Apache-2.0
// How far facts.cpp and facts_proofs.cpp look.
#pragma once

#include <cstdint>

namespace skald::analysis::limits {

// No array has more elements than this.
inline constexpr int64_t kHuge = int64_t{1} << 60;
// Constants up to this may be added to what is below kHuge.
inline constexpr int64_t kSmall = int64_t{1} << 32;
// Sums of bounds stay between plus and minus this; two of them never wrap.
inline constexpr int64_t kLimit = int64_t{1} << 61;
inline constexpr int kMaxChain = 5;
inline constexpr int kMaxSteps = 200;
inline constexpr int kMaxDepth = 12;

}  // namespace skald::analysis::limits
