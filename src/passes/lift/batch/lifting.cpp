// SPDX-License-Identifier: Apache-2.0
// Refusing, and accumulators by their roots.
#include "passes/lift/batch/lifting.h"

#include <fmt/format.h>

#include "support/bug.h"

namespace skald::passes::lift {

using namespace core;

void Lifting::refuse(std::string_view why) {
  if (!refused && ctx.explains()) ctx.explain(fmt::format("not lifted: {}", why));
  refused = true;
}

HostAcc& Lifting::host_acc(const Operand& acc) {
  const auto found = accs.find(facts.accs().root_of(acc));
  SKALD_CHECK(found != accs.end(), "an accumulator comes from nowhere");
  return found->second;
}

}  // namespace skald::passes::lift
