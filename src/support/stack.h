// SPDX-License-Identifier: Apache-2.0
// Room for recursion over trees that are as high as the user's program is long.
#pragma once

#include <cstddef>
#include <functional>

namespace skald {

// Enough for trees of the height that the parsers allow.  Only what is used becomes memory.
inline constexpr size_t kLargeStack = size_t{2} << 30;

// Calls f on a stack of kLargeStack bytes, or as much as the system gives, and waits for it.
// Inside of such a call, f is simply called.  What f throws comes out of here.
void on_large_stack(const std::function<void()>& f);

// From now on, a stack of on_large_stack that is full ends the process with a message.  For
// programs that are ours alone: it takes the signal for bad addresses.
void report_full_stacks();

}  // namespace skald
