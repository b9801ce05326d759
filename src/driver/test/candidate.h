// SPDX-License-Identifier: Apache-2.0
// Candidates: arguments made up for an entry point, and smaller ones made of them.
//
// Sizes that have one name in the type of the entry point are equal in every candidate.
#pragma once

#include <functional>
#include <vector>

#include "driver/values/layout.h"
#include "runtime/values/random_value.h"

namespace skald::driver {

using Candidate = std::vector<runtime::Value>;

// Arrays have up to `size` elements in each dimension (fewer if there are many dimensions); numbers
// are from the whole range of their type, and often small.
Result<Candidate> random_candidate(const core::Function& entry, runtime::Random& random,
                                   int64_t size);

enum class ShrinkWhat : uint8_t { kShapes, kShapesAndNumbers };

// A smaller candidate that still fails, by removing elements and, if wanted, by numbers nearer to
// zero.  `fails` is called a few thousand times at most.
Candidate shrink_candidate(const core::Function& entry, Candidate candidate, ShrinkWhat what,
                           const std::function<bool(const Candidate&)>& fails);

}  // namespace skald::driver
