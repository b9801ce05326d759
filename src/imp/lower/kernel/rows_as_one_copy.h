// SPDX-License-Identifier: Apache-2.0
// Kernels of which each point gives back a view of its row: all points together copy one view of
// the whole array, which is copied as `transpose` is.
//
//   kernel(flat(n), \i -> rearrange((1, 0), xss[i]))     copy(rearrange((0, 2, 1), xss))
#pragma once

#include <optional>

#include "imp/lower/kernel/writer.h"

namespace skald::imp {

// The view that all points together copy to the only result; nothing if they do something else.
// Adds what the strides need.
std::optional<ArrayPlace> find_one_copy(KernelWriter& kernel, Code& code);

}  // namespace skald::imp
