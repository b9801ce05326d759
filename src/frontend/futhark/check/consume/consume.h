// SPDX-License-Identifier: Apache-2.0
// The third step of checking a definition: uniqueness and consumption.
//
// Follows the flow of evaluation with an environment of aliases.  What is consumed may not be used
// afterwards under any name; only what nobody else can see may be consumed.  Uniqueness of results
// without annotation is found here, as are the loop parameters that are consumed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "frontend/futhark/check/consume/return_rules.h"
#include "frontend/futhark/check/infer/def_state.h"

namespace skald::futhark {

// The function type `t` with another result after its first `params` parameters.
const Type* with_result(TypeFactory& f, const Type* t, size_t params, const Type* result);

// The names that occur in an expression, in order.
std::vector<uint32_t> names_in(const Exp& e);

class Consume {
 public:
  explicit Consume(DefState& d)
      : d_(d),
        ctx_(d.ctx),
        f_(d.ctx.f),
        report_(d.report),
        owned_(d.ctx, d.report),
        returns_(d.ctx.f, d.report, owned_) {}

  // Returns the result type, unique where that was found.
  const Type* definition(const FunParts& parts, const Type* result);

 private:
  // consume.cpp
  AliasesPtr exp(Exp& e);
  AliasesPtr exp_node(Exp& e);
  AliasesPtr path(const EVar& x, const Exp& e);
  AliasesPtr record(ERecord& x, const Type* type);
  AliasesPtr match(EMatch& x, Exp& e);
  AliasesPtr var(uint32_t id, const Type* t, Span span);
  AliasesPtr branches(Exp& e, const std::vector<std::function<AliasesPtr()>>& parts);
  void children(Exp& e);
  void bind_pattern(const Pat& p, const AliasesPtr& value);
  void bind_param(const Pat& p, bool force_observe = false);
  std::vector<uint32_t> names_of(const Pat& p);
  // consume_apply.cpp
  AliasesPtr apply(EApply& e, Span span);
  AliasesPtr binary(EBinary& e, const Type* type, Span span);
  AliasesPtr argument(const std::vector<std::pair<const Exp*, AliasesPtr>>& previous, bool consumes,
                      Exp& e, const Type* param);
  AliasesPtr call(const std::string& fname, const AliasesPtr& fn,
                  const std::vector<AliasesPtr>& args, Span span);
  void consume_as_needed(const Type* param, bool all, const AliasesPtr& a, Span span);
  void no_self_aliases(const AliasesPtr& a, Span span);
  // consume_bind.cpp
  AliasesPtr let(ELet& e);
  AliasesPtr let_fun(ELetFun& e, Span span);
  AliasesPtr lambda(Exp& whole, ELambda& e);
  AliasesPtr let_with(ELetWith& e, Span span);
  AliasesPtr update(EUpdate& e, const Type* type, Span span);
  struct Function {
    const Type* result;
    AliasSet closure;
  };
  Function function(std::vector<Ptr<Pat>>& params, Exp& body, const Type* result, bool declared,
                    Span span);
  AliasSet closure_of(const Exp& e, uint32_t before);
  void overlap_check(const std::string& src, const AliasesPtr& src_aliases, const Exp& value,
                     const AliasesPtr& value_aliases);
  // consume_loop.cpp
  AliasesPtr loop(ELoop& e, const Type* type, Span span);
  void set_diets(Pat& p, const std::function<bool(uint32_t)>& consumed, bool written);
  void converge(ELoop& e, std::vector<uint32_t>& body_consumed, const AliasesPtr& body, Span span);
  void merge_return(Pat& p, const AliasesPtr& a, const std::vector<uint32_t>& params, Span span,
                    AliasSet& consumed, AliasSet& observed);

  DefState& d_;
  Context& ctx_;
  TypeFactory& f_;
  Reporter& report_;
  Ownership owned_;
  ReturnRules returns_;
};

}  // namespace skald::futhark
