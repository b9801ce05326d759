// SPDX-License-Identifier: Apache-2.0
// New sizes for types that have none: those that the unsized step found, and those of names.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/futhark/check/infer/def_state.h"
#include "frontend/futhark/check/sizes/solve/size_table.h"

namespace skald::futhark {

class FreshSizes {
 public:
  FreshSizes(DefState& d, SizeTable& table) : d_(d), f_(d.ctx.f), uni_(d.uni), table_(table) {}

  // The unsized type with sizes that `make` gives, everywhere.
  const Type* everywhere(const Type* unsized, const std::function<Size()>& make, Span span);
  // The same with instantiated sizes; `absorbable`: that may turn out to be existential.
  const Type* replace_metas(const Type* unsized, Span span, bool absorbable);
  const Type* instantiate(const std::vector<TParam>& params, const Type* scheme,
                          std::vector<TypeInst>& inst, const std::string& name, Span span);
  // The type of a name where it is used.
  const Type* of_name(const void* node, const QualName& name, std::vector<TypeInst>& inst,
                      const Type* unsized, Span span);

 private:
  const Type* replace_metas_in(const Type* t, Span span, bool absorbable,
                               std::unordered_map<uint32_t, const Type*>& seen);

  DefState& d_;
  TypeFactory& f_;
  Unifier& uni_;
  SizeTable& table_;
};

}  // namespace skald::futhark
