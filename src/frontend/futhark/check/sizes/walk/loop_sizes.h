// SPDX-License-Identifier: Apache-2.0
// Sizes of loops.
//
// A loop is like a function applied to its own results.  Every size of the initial value is
// replaced by a fresh variable and the body checked; comparing the parameter with the body's result
// tells which of these sizes stay what they were initially and which may change.  The latter become
// sizes of the loop (ELoop::size_params) and are unknown in its result.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "frontend/futhark/check/sizes/walk/pattern_sizes.h"

namespace skald::futhark {

class LoopSizes {
 public:
  LoopSizes(SizeStep& s, ExpSizes& exps, PatternSizes& patterns)
      : d_(s.d),
        ctx_(s.d.ctx),
        f_(s.d.ctx.f),
        report_(s.d.report),
        table_(s.table),
        words_(s.words),
        unifier_(s.unifier),
        exps_(exps),
        patterns_(patterns) {}

  const Type* loop(ELoop& e, Span span, std::vector<VName>& ext);

 private:
  struct Loop;
  struct Produced;
  using ProducedSizes = std::unordered_map<uint32_t, Produced>;

  // Returns false after a mistake.
  bool loop_body(ELoop& e, Loop& loop, Span span);
  ProducedSizes sizes_of_body(const Loop& loop, const Type* body);
  const Exp* initial_size(const Loop& loop, uint32_t id);
  static IdSet variant_sizes(const ProducedSizes& how);
  void settle_loop(ELoop& e, Loop& loop, const ProducedSizes& how, const IdSet& variant);
  const Type* refresh(const Type* t, const std::vector<uint32_t>& ids, bool distinct,
                      const std::function<VName()>& make, std::vector<VName>* made);
  void report_hidden_size(const ELoop& e, const Loop& loop, const Type* param, const SizeVar& made);
  void report_escape(const ELoop& e, uint32_t changing, int level, Span span);

  DefState& d_;
  Context& ctx_;
  TypeFactory& f_;
  Reporter& report_;
  SizeTable& table_;
  SizeWords& words_;
  SizeUnifier& unifier_;
  ExpSizes& exps_;
  PatternSizes& patterns_;
};

}  // namespace skald::futhark
