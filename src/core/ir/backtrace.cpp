// SPDX-License-Identifier: Apache-2.0
#include "core/ir/backtrace.h"

#include <vector>

namespace skald::core {

std::string backtrace(const LocTable& locs, std::span<const Loc> places) {
  std::vector<Loc> chain;
  for (Loc place : places)
    for (; place.index != 0; place = locs[place].caller) chain.push_back(place);
  // A table of its own, because recursion repeats places.
  LocTable table;
  Loc caller;
  for (size_t k = chain.size(); k-- > 0;)
    caller = table.add(locs[chain[k]].text, caller, locs[chain[k]].function);
  return table.backtrace(caller);
}

}  // namespace skald::core
