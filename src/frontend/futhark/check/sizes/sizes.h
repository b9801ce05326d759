// SPDX-License-Identifier: Apache-2.0
// The second step of checking a definition: sizes.
//
// The unsized types are known; this walk gives every expression its sized type.  A size is an
// expression; those not known yet are variables in a table that unification fills in.  Where a size
// cannot be an expression in terms of what is in scope, a fresh unknown size is made and recorded
// in Exp::ext, where evaluation binds it.
//
// solve/ has what is known about sizes, and walk/ goes through the definition.
#pragma once

#include <vector>

#include "frontend/futhark/check/sizes/walk/exp_sizes.h"

namespace skald::futhark {

class Sizes {
 public:
  explicit Sizes(DefState& d) : s_(d), exps_(s_) {}

  // A definition at the level of modules; `tparams` has the type parameters that the unsized step
  // found too.  Annotations in the AST are final afterwards.
  SizedFunction definition(const FunParts& parts, ValEntry* self, std::vector<TParam> tparams);
  // A size expression on its own.
  void size_exp(Exp& e);
  // Is a value of the second scheme good where the first is expected?  `inst` says what the type
  // parameters of the second are.
  bool match_schemes(const std::vector<TParam>& spec_params, const Type* spec,
                     const std::vector<TParam>& params, const Type* type,
                     std::vector<TypeInst>& inst, const std::vector<VName>& flexible_sizes);

 private:
  void ambiguous_sizes();
  void report_ambiguous(uint32_t open);
  void warn_fixed_sizes(const FunParts& parts);

  SizeStep s_;
  ExpSizes exps_;
};

}  // namespace skald::futhark
