// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/kernel_unit.h"

#include <numeric>
#include <set>

namespace skald::runtime {

std::string KernelTexts::source(std::span<const int32_t> numbers) const {
  std::set<int32_t> needed;
  for (const int32_t number : numbers) {
    const std::vector<int32_t>& own = units[static_cast<size_t>(number)].pieces;
    needed.insert(own.begin(), own.end());
  }
  std::string text;
  for (const int32_t piece : needed) text += pieces[static_cast<size_t>(piece)];
  for (const int32_t number : numbers) text += '\n' + units[static_cast<size_t>(number)].text;
  return text;
}

std::string KernelTexts::source() const {
  std::vector<int32_t> all(units.size());
  std::iota(all.begin(), all.end(), 0);
  return source(all);
}

}  // namespace skald::runtime
