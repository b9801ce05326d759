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
  for (const int32_t number : numbers)
    if (const KernelUnit& unit = units[static_cast<size_t>(number)]; unit.same_as < 0)
      text += '\n' + unit.text;
  return text;
}

std::string KernelTexts::source_without_name(int32_t number) const {
  const std::string& name = units[static_cast<size_t>(number)].name;
  std::string text = source(std::span(&number, 1));
  // The text of the unit comes last, and has its name in its first line.
  const size_t own = text.size() - units[static_cast<size_t>(number)].text.size();
  if (const size_t at = text.find(name, own); at != std::string::npos) text.erase(at, name.size());
  return text;
}

std::string KernelTexts::source() const {
  std::vector<int32_t> all(units.size());
  std::iota(all.begin(), all.end(), 0);
  return source(all);
}

}  // namespace skald::runtime
