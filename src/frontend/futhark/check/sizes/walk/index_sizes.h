// SPDX-License-Identifier: Apache-2.0
// Sizes of fields, slices and updates.
#pragma once

#include <string>
#include <vector>

#include "frontend/futhark/check/sizes/solve/size_step.h"

namespace skald::futhark {

class ExpSizes;

class IndexSizes {
 public:
  IndexSizes(SizeStep& s, ExpSizes& exps)
      : d_(s.d),
        ctx_(s.d.ctx),
        f_(s.d.ctx.f),
        uni_(s.d.uni),
        report_(s.d.report),
        table_(s.table),
        words_(s.words),
        unifier_(s.unifier),
        fresh_(s.fresh),
        scope_(s.scope),
        exps_(exps) {}

  const Type* project(const Type* t, const std::string& field);
  const Type* index(EIndex& e, Span span, std::vector<VName>& ext);
  const Type* update(EUpdate& e);
  const Type* let_with(ELetWith& e, Span span, std::vector<VName>& ext);
  const Type* path_section(EPathSection& e, const Type* unsized, Span span);

 private:
  enum class SliceMode : uint8_t { kKnown, kFlexible, kExistential };
  const Type* slice(const Type* array, std::vector<DimIndex>& dims, SliceMode mode, Span span,
                    std::vector<VName>& ext);
  void dims(std::vector<DimIndex>& dims);
  const Type* update_target(std::vector<PathStep>& path, const Type* src, Span span);
  const Type* update_fields(const std::vector<PathStep>& path, size_t at, const Type* src,
                            const Type* value, Span span);

  DefState& d_;
  Context& ctx_;
  TypeFactory& f_;
  Unifier& uni_;
  Reporter& report_;
  SizeTable& table_;
  SizeWords& words_;
  SizeUnifier& unifier_;
  FreshSizes& fresh_;
  SizeScope& scope_;
  ExpSizes& exps_;
};

}  // namespace skald::futhark
