// SPDX-License-Identifier: Apache-2.0
#include "passes/fusion/graph/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "analysis/parallelism.h"
#include "core/ir/visit.h"

namespace skald::passes::fusion {

using namespace core;

namespace {

// Threads of a group that combine their totals.
constexpr size_t kGroupThreads = 256;

// Backwards: a scalar is alive from where it is bound to its last use.  `after`: names used after
// the body, which count as well.
size_t most_alive_before(const Body& body, std::unordered_set<Name> alive,
                         const std::unordered_set<Name>& bound_outside) {
  std::unordered_set<Name> bound = bound_outside;
  for (const Stmt& stmt : body.stmts)
    for (const Param& p : stmt.pat)
      if (p.type.is_scalar()) bound.insert(p.name);
  const auto use = [&](const Operand& o) {
    const Name* name = as_name(o);
    if (name != nullptr && bound.contains(*name)) alive.insert(*name);
  };
  size_t most = alive.size();
  for (size_t s = body.stmts.size(); s-- > 0;) {
    const Stmt& stmt = body.stmts[s];
    for (const Param& p : stmt.pat) alive.erase(p.name);
    for_each_operand(stmt.exp, use);
    if (as<If>(stmt.exp) != nullptr || as<Loop>(stmt.exp) != nullptr) {
      size_t inside = 0;
      for_each_body(stmt.exp, [&](const Body& inner) {
        std::unordered_set<Name> ends;
        for (const Operand& o : inner.result)
          if (const Name* name = as_name(o)) ends.insert(*name);
        inside = std::max(inside, most_alive_before(inner, ends, {}));
      });
      most = std::max(most, alive.size() + inside);
    }
    most = std::max(most, alive.size());
  }
  return most;
}

}  // namespace

size_t most_alive(const Body& body) {
  std::unordered_set<Name> given;
  for (const Operand& o : body.result)
    if (const Name* name = as_name(o)) given.insert(*name);
  const size_t most = most_alive_before(body, given, {});
  return most > given.size() ? most - given.size() : 0;
}

void Needs::fold(const Operator& op) {
  carried += op.neutral.size();
  statements += statement_count(op.fn.body);
  ++sinks;
  for (size_t k = 0; k < op.neutral.size() && k < op.fn.params.size(); ++k)
    group_bytes += static_cast<size_t>(prim_size(op.fn.params[k].type.elem));
}

void Budget::add(const Needs& needs) {
  all_.carried += needs.carried;
  all_.given += needs.given;
  all_.peak = std::max(all_.peak, needs.peak);
  all_.statements += needs.statements;
  all_.sinks += needs.sinks;
  all_.group_bytes += needs.group_bytes;
  largest_.statements = std::max(largest_.statements, needs.statements);
  largest_.sinks = std::max(largest_.sinks, needs.sinks);
  largest_.group_bytes = std::max(largest_.group_bytes, needs.group_bytes);
  registers_ = std::max(registers_, needs.registers());
}

void Budget::pass(bool stored) {
  if (all_.given > 0) --all_.given;
  if (!stored && all_.sinks > 0) --all_.sinks;
}

std::optional<std::string> Budget::exceeded() const {
  // Monsters: compile time, and caches of instructions and of places that are written.
  if (all_.statements > largest_.statements + static_cast<size_t>(device_.fused_statements) ||
      all_.sinks > largest_.sinks + static_cast<size_t>(device_.fused_sinks))
    return "the result would be too large";
  const size_t registers = all_.registers();
  if (registers > static_cast<size_t>(device_.registers) && registers > registers_)
    return fmt::format("the result would keep {} values at once, and {} fit the registers",
                       registers, device_.registers);
  const size_t bytes = all_.group_bytes * kGroupThreads;
  if (device_.groups && bytes > static_cast<size_t>(device_.group_memory) &&
      all_.group_bytes > largest_.group_bytes)
    return fmt::format("a group of threads would share {} bytes, and has {}", bytes,
                       device_.group_memory);
  return std::nullopt;
}

}  // namespace skald::passes::fusion
