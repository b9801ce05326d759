// SPDX-License-Identifier: Apache-2.0
// Who owns what at a point of evaluation: which memory variables share, whether they may be
// consumed, and what has been consumed so far.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>

#include "frontend/futhark/check/base/context.h"
#include "frontend/futhark/check/consume/aliases.h"

namespace skald::futhark {

class Ownership {
 public:
  Ownership(Context& ctx, Reporter& report) : ctx_(ctx), report_(report) {}

  struct Entry {
    AliasesPtr aliases;
    bool consumable = false;
    uint32_t order = 0;  // of binding
  };
  using Consumed = std::map<uint32_t, Span>;

  void bind(uint32_t id, AliasesPtr aliases, bool consumable);
  // Null for what is bound outside of the definition.
  const Entry* find(uint32_t id) const;
  // How many have been bound.
  uint32_t order() const { return order_; }
  // What is bound by now may not be consumed until the barrier is what it was before.
  uint32_t raise_barrier() { return std::exchange(barrier_, order_); }
  void set_barrier(uint32_t barrier) { barrier_ = barrier; }

  // Names, for messages.
  void name(uint32_t id, const std::string& name) { names_.emplace(id, name); }
  // An artificial variable: what an application or a loop gives.
  struct Result {
    Span span;
    bool is_loop = false;
    std::string function = {};  // that was applied; empty if it has no name
  };
  uint32_t add_result(Result result);
  bool is_result(uint32_t id) const { return results_.contains(id); }
  // The name of a variable; empty for what has none.
  std::string name_of(uint32_t id) const;
  // "variable "xs"", "result of loop at …".
  std::string describe(uint32_t id) const;

  // Using and consuming what has been consumed is reported, as is consuming what others own.
  void use(const AliasSet& set, Span span);
  void consume(const AliasSet& set, Span span);
  // What the function consumes, as if it had not.
  Consumed contain(const std::function<void()>& f);
  void add_consumed(const Consumed& c) { consumed_.insert(c.begin(), c.end()); }

 private:
  std::string use_hint(uint32_t id) const;
  void not_consumable(uint32_t id, const AliasSet& set, Span span);

  Context& ctx_;
  Reporter& report_;
  std::unordered_map<uint32_t, Entry> owned_;
  std::unordered_map<uint32_t, std::string> names_;
  std::unordered_map<uint32_t, Result> results_;
  uint32_t order_ = 0;
  uint32_t barrier_ = 0;
  Consumed consumed_;
  IdSet forgiven_;  // what was reported already
};

}  // namespace skald::futhark
