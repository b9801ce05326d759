// SPDX-License-Identifier: Apache-2.0
// What the parts of the size step work with.
#pragma once

#include "frontend/futhark/check/sizes/solve/fresh_sizes.h"
#include "frontend/futhark/check/sizes/solve/size_scope.h"
#include "frontend/futhark/check/sizes/solve/size_unifier.h"

namespace skald::futhark {

struct SizeStep {
  explicit SizeStep(DefState& def)
      : d(def),
        table(d.ctx.f),
        words(d.ctx, table),
        messages(d.report, d.ctx.f, table, words),
        unifier(d.ctx, d.report, table, words, messages),
        fresh(d, table),
        scope(d.ctx, table) {}
  SizeStep(const SizeStep&) = delete;
  SizeStep& operator=(const SizeStep&) = delete;

  DefState& d;
  SizeTable table;
  SizeWords words;
  SizeMessages messages;
  SizeUnifier unifier;
  FreshSizes fresh;
  SizeScope scope;
};

}  // namespace skald::futhark
