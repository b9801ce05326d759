// SPDX-License-Identifier: Apache-2.0
// The third step of checking a definition: uniqueness and consumption.
//
// Follows the flow of evaluation with an environment of aliases.  What is consumed may not be used
// afterwards under any name; only what nobody else can see may be consumed.  Uniqueness of results
// without annotation is found here, as are the loop parameters that are consumed.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/futhark/check/consume/aliases.h"
#include "frontend/futhark/check/infer/infer.h"

namespace skald::futhark {

// The function type `t` with another result after its first `params` parameters.
const Type* with_result(TypeFactory& f, const Type* t, size_t params, const Type* result);

class Consume {
 public:
  explicit Consume(DefState& d) : d_(d), ctx_(d.ctx), f_(d.ctx.f), report_(d.report) {}

  // Returns the result type, unique where that was found.
  const Type* definition(const FunParts& parts, const Type* result);

 private:
  struct Entry {
    AliasesPtr aliases;
    bool consumable = false;
    uint32_t order = 0;  // of binding
  };
  using Consumed = std::map<uint32_t, Span>;

  // consume.cpp
  AliasesPtr exp(Exp& e);
  AliasesPtr exp_node(Exp& e);
  AliasesPtr path(const EVar& x, const Exp& e);
  AliasesPtr record(ERecord& x, const Type* type);
  AliasesPtr match(EMatch& x, Exp& e);
  AliasesPtr var(uint32_t id, const Type* t, Span span);
  AliasesPtr branches(Exp& e, const std::vector<std::function<AliasesPtr()>>& parts);
  void children(Exp& e);
  void use(const AliasSet& set, Span span);
  void consume(const AliasSet& set, Span span);
  Consumed contain(const std::function<void()>& f);
  void add_consumed(const Consumed& c) { consumed_.insert(c.begin(), c.end()); }
  void bind(uint32_t id, AliasesPtr aliases, bool consumable);
  void bind_pattern(const Pat& p, const AliasesPtr& value);
  void bind_param(const Pat& p, bool force_observe = false);
  AliasesPtr leave(const AliasesPtr& a, const std::vector<uint32_t>& names);
  std::vector<uint32_t> names_of(const Pat& p);
  std::string describe(uint32_t id);
  std::string name_of(uint32_t id);
  std::string use_hint(uint32_t id);
  void not_consumable(uint32_t id, const AliasSet& set, Span span);
  // consume_apply.cpp
  AliasesPtr apply(EApply& e, Span span);
  AliasesPtr binary(EBinary& e, const Type* type, Span span);
  AliasesPtr argument(const std::vector<std::pair<const Exp*, AliasesPtr>>& previous,
                      const std::function<bool(const Type*)>& consumes, bool any_consumed, Exp& e,
                      const Type* param);
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
  void check_return(const std::vector<Ptr<Pat>>& params, const Type* result, const AliasesPtr& body,
                    Span span);
  void check_globals(const std::vector<Ptr<Pat>>& params, const AliasesPtr& body, Span span);
  const Type* infer_unique(const std::vector<Ptr<Pat>>& params, const Type* result,
                           const AliasesPtr& body);
  static std::vector<uint32_t> names_in(const Exp& e);
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
  std::unordered_map<uint32_t, Entry> env_;
  std::unordered_map<uint32_t, std::string> names_;  // of variables
  // Artificial variables: what they are.
  struct Artificial {
    Span span;
    bool is_loop = false;
    std::string function = {};  // that was applied; empty if it has no name
  };
  std::unordered_map<uint32_t, Artificial> results_;
  uint32_t order_ = 0;
  uint32_t barrier_ = 0;  // what was bound before may not be consumed
  Consumed consumed_;
  IdSet forgiven_;  // what was reported already
};

}  // namespace skald::futhark
