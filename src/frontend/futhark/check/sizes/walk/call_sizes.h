// SPDX-License-Identifier: Apache-2.0
// Sizes of applications, operators and sections.
#pragma once

#include <string>
#include <vector>

#include "frontend/futhark/check/sizes/solve/size_step.h"

namespace skald::futhark {

class ExpSizes;

class CallSizes {
 public:
  CallSizes(SizeStep& s, ExpSizes& exps)
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

  const Type* apply(EApply& e, Span span, std::vector<VName>& ext);
  const Type* binary(EBinary& x, const Type* unsized, Exp& e);
  const Type* left_section(ELeftSection& e, const Type* unsized, Span span,
                           std::vector<VName>& ext);
  const Type* right_section(ERightSection& e, const Type* unsized, Span span,
                            std::vector<VName>& ext);

 private:
  const Type* op_type(const void* node, const QualName& op, std::vector<TypeInst>& inst, Span span);
  const Type* apply_one(const std::string& fname, const Type* fn, Exp& arg, Span span,
                        std::vector<VName>& ext);
  const Type* result_of(const Type* fn, const std::string& what, Span span,
                        std::vector<VName>& made);
  bool check_produced(const Type* to, const Exp& arg, const std::string& what, Span span,
                      const std::vector<VName>& made);
  const Type* with_argument(const Type* to, uint32_t param, Exp& arg, const std::string& what,
                            std::vector<VName>& made);
  const Type* without_huge_sizes(const Type* t, const std::string& what, Span span,
                                 std::vector<VName>& made);

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
