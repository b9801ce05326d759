// SPDX-License-Identifier: Apache-2.0
// Sizes that leave the scope of a name.
#pragma once

#include <functional>
#include <vector>

#include "frontend/futhark/check/base/context.h"
#include "frontend/futhark/check/sizes/solve/size_table.h"

namespace skald::futhark {

class SizeScope {
 public:
  SizeScope(Context& ctx, SizeTable& table) : ctx_(ctx), f_(ctx.f), table_(table) {}

  using Killer = std::function<uint32_t(const Exp&)>;  // an id that makes the size unusable, or 0
  // Unusable sizes become unknown ones, which are added to `ext`.
  const Type* free_killed(const Type* t, Span span, const Killer& killer, std::vector<VName>& ext);
  // The names are no longer in scope.
  const Type* unscope(const Type* t, Span span, const IdSet& gone, std::vector<VName>& ext);
  // Expressions over sizes that nothing in the type shows.
  const Type* unscope_unknown(const Type* t);

 private:
  Context& ctx_;
  TypeFactory& f_;
  SizeTable& table_;
};

// Sizes that a value of the type gives, and those that its parameters need.
void find_produced(const Type* type, IdSet& produced, IdSet& needed);

}  // namespace skald::futhark
