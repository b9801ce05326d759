// SPDX-License-Identifier: Apache-2.0
// Statements in the order they stand, but for calls, which wait for each other.
#include "passes/lift/bodies.h"

#include <algorithm>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "passes/lift/accumulators/accumulators.h"
#include "passes/lift/batch/kernels.h"
#include "passes/lift/batch/segments.h"
#include "passes/lift/control/control.h"
#include "passes/lift/parallel/parallel.h"

namespace skald::passes::lift {

using namespace core;

BodyWalk::BodyWalk(Lifting& lifting, LiftedFunctions& functions, Batch& b, const Body& body)
    : lifting_(lifting), functions_(functions), b_(b), body_(body) {
  for (size_t i = 0; i < body.stmts.size(); ++i) {
    uses_.push_back(free_names(body.stmts[i]));
    for (const Name name : uses_[i]) users_[name].push_back(i);
  }
  for (const Operand& result : body.result)
    if (const Name* name = as_name(result)) users_[*name].push_back(body.stmts.size());
}

void BodyWalk::run() {
  std::vector<size_t> todo(body_.stmts.size());
  for (size_t i = 0; i < todo.size(); ++i) todo[i] = i;
  // Calls wait until all that does not depend on them is done: then they are one batch.
  while (!todo.empty() && !lifting_.refused) {
    std::vector<size_t> later;
    std::vector<const Stmt*> calls;
    Names blocked;
    for (const size_t i : todo) {
      if (lifting_.refused) return;
      const Stmt& stmt = body_.stmts[i];
      const bool waits =
          std::ranges::any_of(uses_[i], [&](Name name) { return blocked.contains(name); });
      const Call* call = as<Call>(stmt.exp);
      const bool is_call = !waits && call != nullptr && lifting_.facts.is_parallel(call->fn);
      // Writes that are combined need not wait for others.
      if (waits || is_call)
        for (const Param& p : stmt.pat)
          if (p.type.kind != Type::kAcc || !lifting_.facts.accs().combines(p.name))
            blocked.insert(p.name);
      if (waits)
        later.push_back(i);
      else if (is_call)
        calls.push_back(&stmt);
      else
        process(i);
    }
    flush();
    if (!lifting_.refused && !calls.empty()) functions_.run_calls(b_, calls);
    todo = std::move(later);
  }
}

void BodyWalk::process(size_t i) {
  const Stmt& stmt = body_.stmts[i];
  lifting_.loc = stmt.loc;
  lifting_.out->set_loc(lifting_.loc);
  if (gives_acc(stmt)) {
    if (as<Value>(stmt.exp) != nullptr || as<Opaque>(stmt.exp) != nullptr) return;
    flush();
    if (!lifting_.refused) lift_accumulation(lifting_, b_, stmt);
    return;
  }
  if (on_host(i)) return;
  if (lifting_.facts.is_code(stmt, lifting_.consumed)) {
    Lifted value;
    value.kind = Lifted::kCode;
    value.code = &stmt;
    for (const Param& p : stmt.pat) b_.bind(p.name, value);
    return;
  }
  if (reshape_segments(lifting_, b_, stmt)) return;
  const auto* concat = as<Concat>(stmt.exp);
  const bool joins = concat != nullptr && !b_.host_operand(concat->size).has_value();
  if (!lifting_.facts.needs_lifting(stmt) && !joins) return in_group(i);
  flush();
  if (!lifting_.refused && !in_kernels(stmt)) in_group(i);
}

bool BodyWalk::on_host(size_t i) {
  const Stmt& stmt = body_.stmts[i];
  const auto grouped = [&](Name name) {
    return std::ranges::any_of(group_, [&](size_t g) {
      return std::ranges::any_of(body_.stmts[g].pat,
                                 [&](const Param& p) { return p.name == name; });
    });
  };
  const bool host = std::ranges::all_of(uses_[i], [&](Name name) {
    return b_.host_operand(Operand{name}).has_value() && !grouped(name);
  });
  if (!host || !analysis::is_total(stmt)) return false;
  Substitution subst;
  for (const Name name : uses_[i])
    if (b_.find(name).value != nullptr) subst.emplace(name, *b_.host_operand(Operand{name}));
  Stmt copy = copy_with_fresh_names(stmt, lifting_.prog.names, subst);
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    Lifted value;
    value.host = copy.pat[k].name;
    b_.bind(stmt.pat[k].name, value);
    lifting_.facts.note_type(copy.pat[k].name, copy.pat[k].type);
  }
  lifting_.out->append(std::move(copy));
  return true;
}

bool BodyWalk::in_kernels(const Stmt& stmt) {
  if (const auto* soac = as<Soac>(stmt.exp)) return lift_soac(lifting_, b_, stmt, *soac);
  if (const auto* part = as<Partition>(stmt.exp)) return lift_partition(lifting_, b_, stmt, *part);
  if (const auto* node = as<Scatter>(stmt.exp)) return lift_scatter(lifting_, b_, stmt, *node);
  if (const auto* hist = as<Hist>(stmt.exp)) return lift_hist(lifting_, b_, stmt, *hist);
  if (const auto* with = as<WithAcc>(stmt.exp)) return lift_with_acc(lifting_, b_, stmt, *with);
  if (const auto* concat = as<Concat>(stmt.exp))
    return leave_pieces(stmt, *concat) || lift_concat(lifting_, b_, stmt, *concat);
  if (const auto* branch = as<If>(stmt.exp)) {
    lift_if(lifting_, b_, stmt, *branch);
    return true;
  }
  if (const auto* loop = as<Loop>(stmt.exp)) {
    lift_loop(lifting_, b_, stmt, *loop);
    return true;
  }
  return false;
}

// What a side of a branch gives is copied to where the branch wants it: it need not be joined
// before.
bool BodyWalk::leave_pieces(const Stmt& stmt, const Concat& concat) {
  if (lifting_.gives_pieces.body != &body_ || !lifting_.ctx.device().groups || concat.dim != 0 ||
      !checks_of(b_, stmt, concat.arrays).empty() ||
      users_[stmt.pat[0].name] != std::vector<size_t>{body_.stmts.size()} ||
      b_.form_of(stmt.pat[0].type) != Form::kSegments)
    return false;
  const auto result = std::ranges::find(body_.result, Operand{stmt.pat[0].name});
  if (!lifting_.gives_pieces.results[static_cast<size_t>(result - body_.result.begin())])
    return false;
  for (const Name array : concat.arrays)
    if (b_.find(array).value == nullptr || !has_view(lifting_, b_, array)) return false;
  Lifted value;
  value.kind = Lifted::kPieces;
  value.code = &stmt;
  b_.bind(stmt.pat[0].name, value);
  return true;
}

void BodyWalk::in_group(size_t i) {
  // Names of a group are not host values, although they are not known yet.
  for (const Param& p : body_.stmts[i].pat) b_.bind(p.name, in_rows({}));
  group_.push_back(i);
}

void BodyWalk::flush() {
  if (group_.empty() || lifting_.refused) return;
  const std::vector<size_t> group = std::move(group_);
  group_.clear();
  std::vector<const Stmt*> stmts;
  std::vector<Param> regular, irregular;
  for (const size_t i : group) {
    stmts.push_back(&body_.stmts[i]);
    for (const Param& p : body_.stmts[i].pat) {
      const std::vector<size_t>& users = users_[p.name];
      const bool outside = std::ranges::any_of(users, [&](size_t user) {
        return std::find(group.begin(), group.end(), user) == group.end();
      });
      if (!outside) continue;
      if (p.type.kind != Type::kArray) return lifting_.refuse("a value that cannot be stored");
      (b_.form_of(p.type) == Form::kRegular ? regular : irregular).push_back(p);
    }
  }
  // Statements of the group are read in place, not from placeholders.
  for (const Stmt* stmt : stmts)
    for (const Param& p : stmt->pat) b_.values.erase(p.name);
  if (!irregular.empty()) {
    // Sizes that the group computes come first.
    std::vector<Param> sizes;
    for (const Param& p : irregular)
      for (const Operand& dim : p.type.shape)
        for (const Stmt* stmt : stmts)
          for (const Param& bound : stmt->pat)
            if (dim == Operand{bound.name} &&
                std::ranges::none_of(sizes, [&](const Param& s) { return s.name == bound.name; }))
              sizes.push_back(bound);
    // And so does what code between these statements may need for the sizes.
    for (const Param& p : regular)
      if (std::ranges::none_of(sizes, [&](const Param& s) { return s.name == p.name; }))
        sizes.push_back(p);
    write_rows(lifting_, b_, stmts, sizes, {});
    regular.clear();
  }
  if (!lifting_.refused) write_rows(lifting_, b_, stmts, regular, irregular);
}

}  // namespace skald::passes::lift
