// SPDX-License-Identifier: Apache-2.0
// The solved sizes into the annotations of the AST.
#pragma once

#include <unordered_map>
#include <vector>

#include "frontend/futhark/check/sizes/solve/size_step.h"
#include "frontend/futhark/check/sizes/walk/binding_sizes.h"

namespace skald::futhark {

class FinalSizes {
 public:
  explicit FinalSizes(SizeStep& s)
      : d_(s.d),
        ctx_(s.d.ctx),
        f_(s.d.ctx.f),
        uni_(s.d.uni),
        report_(s.d.report),
        table_(s.table),
        scope_(s.scope),
        pending_(s.table.pending_insts()) {}

  void finish(const FunParts& parts, SizedFunction& def);
  void exp(Exp& e);

 private:
  void pattern(Pat& p);
  void instances(std::vector<TypeInst>& inst);
  void check_size_arguments(const EVar& v, Span span);
  const Type* type(const Type* t, std::vector<VName>* ext = nullptr);
  const Exp* size(const Exp* e);

  DefState& d_;
  Context& ctx_;
  TypeFactory& f_;
  Unifier& uni_;
  Reporter& report_;
  SizeTable& table_;
  SizeScope& scope_;
  PendingSizes pending_;
  std::unordered_map<const Exp*, const Exp*> finished_;
};

}  // namespace skald::futhark
