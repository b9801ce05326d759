// SPDX-License-Identifier: Apache-2.0
#include "frontend/nesl/ast/ast.h"

namespace skald::nesl {

namespace {

void collect_names(const Pattern& pattern, std::vector<std::string>& names) {
  if (const auto* var = std::get_if<PatternVar>(&pattern.node)) names.push_back(var->name);
  if (const auto* pair = std::get_if<PatternPair>(&pattern.node)) {
    collect_names(*pair->first, names);
    collect_names(*pair->second, names);
  }
  if (const auto* record = std::get_if<PatternRecord>(&pattern.node))
    collect_names(*record->inner, names);
}

struct ChildVisitor {
  const std::function<void(const Exp&)>& visit;

  void each(std::initializer_list<const Exp*> children) const {
    for (const Exp* child : children)
      if (child != nullptr) visit(*child);
  }
  void operator()(const Apply& e) const { each({e.fn.get(), e.arg.get()}); }
  void operator()(const Pair& e) const { each({e.first.get(), e.second.get()}); }
  void operator()(const If& e) const { each({e.cond.get(), e.then.get(), e.otherwise.get()}); }
  void operator()(const Let& e) const { each({e.value.get(), e.body.get()}); }
  void operator()(const Lambda& e) const { each({e.body.get()}); }
  void operator()(const Each& e) const {
    for (const Source& source : e.sources) visit(*source.sequence);
    each({e.filter.get(), e.body.get()});
  }
  void operator()(const SequenceLit& e) const {
    for (const ExpPtr& element : e.elements) visit(*element);
  }
  void operator()(const Range& e) const { each({e.start.get(), e.end.get(), e.stride.get()}); }
  void operator()(const Time& e) const { each({e.value.get()}); }
  void operator()(const Named& e) const { each({e.value.get()}); }
  void operator()(const Borrowed& e) const { visit(*e.exp); }
  void operator()(const auto& leaf) const { static_cast<void>(leaf); }
};

}  // namespace

void for_each_child(const Exp& exp, const std::function<void(const Exp&)>& visit) {
  std::visit(ChildVisitor{visit}, exp.node);
}

std::vector<std::string> bound_names(const Pattern& pattern) {
  std::vector<std::string> names;
  collect_names(pattern, names);
  return names;
}

}  // namespace skald::nesl
