// SPDX-License-Identifier: Apache-2.0
// The ways to scan the points of a chunk or a row, best first.  Facts hold which one was taken; the
// skeletons of cpu/scan write it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "imp/lower/kernel/facts.h"

namespace skald::imp {

struct ScanWay {
  std::string_view name;
  std::optional<std::string> (*why_not)(const KernelFacts& facts, const LowerOptions& options);
};

// scan/in-registers, scan/in-lanes, scan/in-streams, scan/one-by-one
std::span<const ScanWay> scan_ways();

}  // namespace skald::imp
