// SPDX-License-Identifier: Apache-2.0
// The names of a definition: what binds them, and what they stand for where they are used.
#pragma once

#include <vector>

#include "frontend/futhark/check/hints/name_hints.h"
#include "frontend/futhark/check/infer/def_state.h"

namespace skald::futhark {

class LocalNames {
 public:
  explicit LocalNames(DefState& d)
      : d_(d), ctx_(d.ctx), f_(d.ctx.f), names_(d.names), uni_(d.uni), report_(d.report) {}

  void bind_value(Ident& name, const Type* type);
  // Creates and binds entries for type and size parameters.
  std::vector<TParam> bind_tparams(std::vector<TypeParam>& tparams);
  void check_duplicates(const std::vector<TypeParam>& tparams, const std::vector<const Pat*>& pats);

  // The entry of a name, noted for that node; null if there is none.
  ValEntry* lookup(const QualName& name, const void* node, Span span);
  // Gives the type of what has none.
  const Type* unknown(NameKind kind, const QualName& name, Span span);
  const Type* instantiate(ValEntry* entry, const QualName& name, std::vector<TypeInst>& inst,
                          Span span);
  const Type* operator_type(const QualName& op, const void* node, uint32_t& id,
                            std::vector<TypeInst>& inst, Span span);

  // The expression at hand is a size in a type.
  bool in_size = false;

 private:
  DefState& d_;
  Context& ctx_;
  TypeFactory& f_;
  Names& names_;
  Unifier& uni_;
  Reporter& report_;
};

}  // namespace skald::futhark
