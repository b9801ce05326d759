// SPDX-License-Identifier: Apache-2.0
// What a function may return, and what of it belongs to the caller alone.
#pragma once

#include <vector>

#include "frontend/futhark/check/consume/ownership.h"

namespace skald::futhark {

class ReturnRules {
 public:
  ReturnRules(TypeFactory& f, Reporter& report, const Ownership& owned)
      : f_(f), report_(report), owned_(owned) {}

  // Unique parts share memory neither with other parts nor with what is only lent.
  void check_parts(const std::vector<Ptr<Pat>>& params, const Type* result, const AliasesPtr& body,
                   Span span);
  // A function does not return memory of global values.
  void check_globals(const std::vector<Ptr<Pat>>& params, const AliasesPtr& body, Span span);
  // The type with those parts unique that nothing else shares.
  const Type* with_unique_parts(const std::vector<Ptr<Pat>>& params, const Type* result,
                                const AliasesPtr& body);

 private:
  TypeFactory& f_;
  Reporter& report_;
  const Ownership& owned_;
};

}  // namespace skald::futhark
