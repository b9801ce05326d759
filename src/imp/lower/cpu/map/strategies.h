// SPDX-License-Identifier: Apache-2.0
// Kernels that only store what they compute.
#pragma once

#include <span>

#include "imp/lower/kernel/strategy.h"

namespace skald::imp {

std::span<const Strategy> map_strategies();

}  // namespace skald::imp
