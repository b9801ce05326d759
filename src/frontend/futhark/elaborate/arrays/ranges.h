// SPDX-License-Identifier: Apache-2.0
// Ranges: a..b...c, a..b..<c, a..b..>c.  Lengths and steps are computed in i64.
#pragma once

#include <optional>

#include "frontend/futhark/elaborate/code/code.h"

namespace skald::futhark::elab {

struct Range {
  const ERange& written;
  Prim type;
  Operand start;
  std::optional<Operand> second;
  Operand end;
};
ValuePtr range_value(Code& code, const Range& range);

}  // namespace skald::futhark::elab
