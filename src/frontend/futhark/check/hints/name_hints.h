// SPDX-License-Identifier: Apache-2.0
// What to say about a name that stands for nothing: a similar one, one in a module, one that is
// defined further down.
#pragma once

#include <string>
#include <vector>

#include "frontend/futhark/check/base/context.h"

namespace skald::futhark {

enum class NameKind : uint8_t { kValue, kSize, kType, kModule, kModuleType };

struct NameHelp {
  std::string why = {}, hint = {};
  std::vector<source::Label> labels = {};
};

// Only called for mistakes: it looks at everything that is in scope.
NameHelp explain_unknown(const Context& ctx, const Names& names, NameKind kind,
                         const QualName& name);

// Attributes are for whoever knows them; one that looks like a known one is a slip.
void warn_unknown(Context& ctx, const Attr& attr);

}  // namespace skald::futhark
