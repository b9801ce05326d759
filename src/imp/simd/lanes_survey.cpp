// SPDX-License-Identifier: Apache-2.0
// What the body of a simd loop is made of: arrays of the lanes' own, what is written before checks.
#include "imp/ir/visit.h"
#include "imp/simd/lanes_analysis.h"

namespace skald::imp {

namespace {

// The blocks outside that a body writes.
void collect_writes(const Body& body, const LanesAnalysis& analysis,
                    std::unordered_set<Name>& written) {
  const auto write = [&](Name block) {
    if (!analysis.is_private(block)) written.insert(block);
  };
  for (const Stmt& stmt : body.stmts) {
    if (const auto* n = as<Store>(stmt)) write(n->block);
    if (const auto* n = as<Fill>(stmt)) write(n->block);
    if (const auto* n = as<CopyBytes>(stmt)) write(n->dest);
    if (const auto* n = as<Collect>(stmt))
      for (const Collected& each : n->members) write(each.block);
    for_each_body(stmt, [&](const Body& inner) { collect_writes(inner, analysis, written); });
  }
}

}  // namespace

void LanesAnalysis::touch(Name block, Prim type) {
  const auto found = private_.find(block);
  if (found == private_.end()) return;
  if (touched_.insert(block).second)
    found->second = type;
  else if (found->second != type)
    refuse("an array of a lane holds elements of different types");
}

// Arrays that are copied to each other must be laid out alike.
void LanesAnalysis::unify_copied_types() {
  for (bool again = true; again && obstacle_.empty();) {
    again = false;
    for (const auto& [a, b] : private_copies_) {
      const bool known_a = touched_.contains(a), known_b = touched_.contains(b);
      if (known_a == known_b && (!known_a || private_.at(a) == private_.at(b))) continue;
      touch(known_a ? b : a, private_.at(known_a ? a : b));
      again = true;
    }
  }
}

void LanesAnalysis::survey(const Body& body) {
  for (const Stmt& stmt : body.stmts) {
    ++work_.statements;
    for_each_binder(stmt, [&](Name name, const Type&, BinderScope) { bound_.insert(name); });
    if (const auto* let = as<Let>(stmt)) {
      lets_.push_back(let);
      definitions_.emplace(let->name, &let->exp);
    }
    if (const auto* load = as<Load>(stmt)) loads_.push_back(load);
    visit(stmt.node, [&](const auto& n) {
      using N = std::remove_cvref_t<decltype(n)>;
      if constexpr (std::is_same_v<N, Alloc>) {
        if (n.space != Space::kScratch) return refuse("it allocates on the heap");
        private_.emplace(n.name, Prim::kI8);
      } else if constexpr (std::is_same_v<N, Load> || std::is_same_v<N, Store> ||
                           std::is_same_v<N, Fill>) {
        touch(n.block, n.type);
        if constexpr (std::is_same_v<N, Load>) read_.insert(n.block);
      } else if constexpr (std::is_same_v<N, CopyBytes>) {
        if (n.overlap && (is_private(n.dest) || is_private(n.src)))
          refuse("it moves within an array of a lane");
        if (is_private(n.dest) && is_private(n.src)) private_copies_.emplace_back(n.dest, n.src);
        read_.insert(n.src);
      } else if constexpr (std::is_same_v<N, Earlier>) {
        if (!constant_ || !(n.index == Operand{loop_var_}) || is_private(n.block))
          refuse("it looks at iterations of another loop");
        ++shifted_;
      } else if constexpr (std::is_same_v<N, Collect>) {
        collected_.push_back(n.next);
        for (const Collected& each : n.members) touch(each.block, each.type);
      } else if constexpr (std::is_same_v<N, Check>) {
        if (!collected_.empty()) refuse("it collects elements before a check");
        has_check_ = true;
      } else if constexpr (std::is_same_v<N, For> || std::is_same_v<N, While>) {
        work_.has_loop = true;
        if constexpr (std::is_same_v<N, For>) find_exit(n);
      } else if constexpr (std::is_same_v<N, BlockVar>) {
        if (n.space != Space::kView || (n.init && !is_private(n.init)))
          return refuse("a name stands for different blocks");
        private_.emplace(n.name, Prim::kI8);
        if (n.init) private_copies_.emplace_back(n.name, n.init);
      } else if constexpr (std::is_same_v<N, BlockAssign>) {
        if (!is_private(n.var) || !is_private(n.value))
          return refuse("a name stands for different blocks");
        private_copies_.emplace_back(n.var, n.value);
      } else if constexpr (std::is_same_v<N, Call>) {
        refuse("it calls \"" + n.fn + "\"");
      } else if constexpr (!std::is_same_v<N, Let> && !std::is_same_v<N, Var> &&
                           !std::is_same_v<N, Assign> && !std::is_same_v<N, Tunable> &&
                           !std::is_same_v<N, If>) {
        refuse("it holds a statement that lanes cannot run");
      }
    });
    for_each_body(stmt, [&](const Body& inner) { survey(inner); });
  }
}

// Lanes look at each other's values where all of them are active.
void LanesAnalysis::survey_shifted(const Body& body) {
  size_t at_top = 0;
  for (const Stmt& stmt : body.stmts) at_top += as<Earlier>(stmt) != nullptr;
  if (at_top != shifted_) refuse("it looks at other iterations in a branch or loop");
}

// Lanes collect their elements together, so each place must be one of all iterations.
void LanesAnalysis::survey_collected(const Body& body) {
  size_t at_top = 0;
  for (const Stmt& stmt : body.stmts) at_top += as<Collect>(stmt) != nullptr;
  if (at_top != collected_.size()) refuse("it collects elements in a branch or loop");
  const auto uses = [&](const auto& self, const Body& inside, Name name) -> int {
    int found = 0;
    for (const Stmt& stmt : inside.stmts) {
      for_each_use(stmt, [&](const Operand& operand) { found += operand == Operand{name}; });
      for_each_body(stmt, [&](const Body& inner) { found += self(self, inner, name); });
    }
    return found;
  };
  for (const Name next : collected_)
    if (bound_.contains(next) || uses(uses, body, next) != 1)
      refuse("the place of collected elements has other uses");
}

void LanesAnalysis::find_exit(const For& loop) {
  const Name variable = early_exit(loop);
  // It must be a variable of the iteration's own.
  if (!variable || !bound_.contains(variable)) return;
  exits_.emplace(&loop, variable);
  for (const Stmt& stmt : loop.body.stmts)
    if (const auto* branch = as<If>(stmt); branch && is_before_assignment(loop, variable, *branch))
      taken_.insert(branch);
}

void LanesAnalysis::survey_order(const Body& body, std::unordered_set<Name> written) {
  for (const Stmt& stmt : body.stmts) {
    const std::unordered_set<Name> before = written;
    for_each_body(stmt, [&](const Body& inner) { collect_writes(inner, *this, written); });
    if (const auto* n = as<Store>(stmt); n && !is_private(n->block)) written.insert(n->block);
    if (const auto* n = as<Fill>(stmt); n && !is_private(n->block)) written.insert(n->block);
    if (const auto* n = as<CopyBytes>(stmt); n && !is_private(n->dest)) written.insert(n->dest);
    const bool loop = as<For>(stmt) != nullptr || as<While>(stmt) != nullptr;
    // The second time through a loop, what it writes has been written.
    for_each_body(stmt, [&](const Body& inner) { survey_order(inner, loop ? written : before); });
    if (as<Check>(stmt) != nullptr) written_before_check_.insert(written.begin(), written.end());
  }
}

}  // namespace skald::imp
