// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/consume/ownership.h"

namespace skald::futhark {

std::string Ownership::describe(uint32_t id) const {
  if (auto it = results_.find(id); it != results_.end()) {
    const Result& result = it->second;
    const std::string at = ctx_.where(result.span);
    if (result.is_loop) return "result of loop at " + at;
    return result.function.empty()
               ? "result of application at " + at
               : "result of applying " + quote(result.function) + " (at " + at + ")";
  }
  if (auto it = names_.find(id); it != names_.end()) return "variable " + quote(it->second);
  return "variable";
}

std::string Ownership::name_of(uint32_t id) const {
  if (results_.contains(id)) return {};
  auto it = names_.find(id);
  return it == names_.end() ? std::string() : it->second;
}

std::string Ownership::use_hint(uint32_t id) const {
  const std::string name = name_of(id);
  if (name.empty()) return "consume a copy instead: `copy` makes a value that nothing else shares";
  return "consume a copy instead, with `copy " + name +
         "`; or go on with the new value instead of `" + name + "`";
}

void Ownership::not_consumable(uint32_t id, const AliasSet& set, Span span) {
  if (!forgiven_.insert(id).second) return;
  std::vector<source::Label> labels;
  const std::string name = name_of(id);
  std::string hint =
      name.empty() ? "consume a copy: `copy (…)`" : "consume a copy: `copy " + name + "`";
  auto at = ctx_.bound_at.find(id);
  auto it = owned_.find(id);
  const bool is_parameter = it != owned_.end() && !it->second.consumable;
  // What was written may be another name for it.
  uint32_t written = id;
  for (const Alias& a : set)
    if (auto other = owned_.find(a.var); other != owned_.end() && !name_of(a.var).empty() &&
                                         it != owned_.end() &&
                                         other->second.order > it->second.order)
      written = a.var;
  if (written != id) {
    if (at != ctx_.bound_at.end()) labels.push_back({at->second, "it may share memory with this"});
    return report_.error("not-consumable", span,
                         "Consuming " + describe(id) + ", which is not consumable.",
                         std::move(labels),
                         "consume a copy: `copy " + name_of(written) + "`; `" + name_of(written) +
                             "` may share its memory with `" + name + "`");
  }
  if (at != ctx_.bound_at.end() && !name.empty()) {
    if (is_parameter) {
      labels.push_back({at->second, "a parameter without `*` is only lent"});
      hint += "; or take it away from the caller, with `*` before the type of `" + name + "`";
    } else {
      labels.push_back({at->second, "bound outside of the function or loop that consumes it"});
    }
  }
  report_.error("not-consumable", span, "Consuming " + describe(id) + ", which is not consumable.",
                std::move(labels), std::move(hint));
}

void Ownership::bind(uint32_t id, AliasesPtr aliases, bool consumable) {
  owned_[id] = {std::move(aliases), consumable, ++order_};
}

void Ownership::use(const AliasSet& set, Span span) {
  for (const Alias& a : set) {
    auto it = consumed_.find(a.var);
    if (it == consumed_.end() || forgiven_.contains(a.var)) continue;
    report_.error("use-after-consume", span,
                  (name_of(a.var).empty() ? "this" : quote(name_of(a.var))) +
                      " is used after it was consumed\nUsing " + describe(a.var) +
                      ", but this was consumed at " + ctx_.where(it->second) +
                      ".  (Possibly through aliases.)",
                  {{it->second, "consumed here"}}, use_hint(a.var));
    forgiven_.insert(a.var);
  }
}

void Ownership::consume(const AliasSet& set, Span span) {
  for (const Alias& a : set) {
    if (a.out_of_scope) continue;
    auto it = owned_.find(a.var);
    if (it == owned_.end() || !it->second.consumable || it->second.order <= barrier_)
      not_consumable(a.var, set, span);
  }
  use(set, span);
  for (const Alias& a : set) consumed_.emplace(a.var, span);
}

Ownership::Consumed Ownership::contain(const std::function<void()>& f) {
  const Consumed before = consumed_;
  f();
  Consumed fresh;
  for (const auto& [id, span] : consumed_)
    if (!before.contains(id)) fresh.emplace(id, span);
  consumed_ = before;
  return fresh;
}

uint32_t Ownership::add_result(Result result) {
  const uint32_t id = ctx_.f.fresh_id();
  results_[id] = std::move(result);
  return id;
}

const Ownership::Entry* Ownership::find(uint32_t id) const {
  auto it = owned_.find(id);
  return it == owned_.end() ? nullptr : &it->second;
}

}  // namespace skald::futhark
