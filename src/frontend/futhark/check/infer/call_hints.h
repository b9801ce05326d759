// SPDX-License-Identifier: Apache-2.0
// What is said about applications that do not fit: arguments too many, and ways out.
#pragma once

#include <string>

#include "frontend/futhark/check/infer/def_state.h"

namespace skald::futhark {

class CallHints {
 public:
  explicit CallHints(DefState& d) : d_(d), ctx_(d.ctx), uni_(d.uni), report_(d.report) {}

  Span user_definition(const Exp& fn);
  const Type* too_many_arguments(const EApply& e, size_t index, const Type* fn, Span span);
  std::string operand_hint(const EBinary& e, const Type* lhs, const Type* rhs);
  std::string call_hint(const EApply& e, size_t index, const Type* fn);

 private:
  static std::string fraction_hint(const Exp& literal, const Exp& other, Prim prim);
  static std::string text_of_call(const EApply& e, size_t count);

  DefState& d_;
  Context& ctx_;
  Unifier& uni_;
  Reporter& report_;
};

}  // namespace skald::futhark
