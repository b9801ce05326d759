// SPDX-License-Identifier: Apache-2.0
// Kinds of statements and functions.
#include "passes/lift/program/facts.h"

#include <algorithm>
#include <functional>

#include "core/edit/free_names.h"
#include "core/ir/visit.h"
#include "support/bug.h"

namespace skald::passes::lift {

using namespace core;

namespace {

// The functions that a body calls.
void add_callees(const Body& body, std::unordered_set<std::string>& callees) {
  for (const Stmt& stmt : body.stmts) {
    if (const Call* call = as<Call>(stmt.exp)) callees.insert(call->fn);
    for_each_body(stmt.exp, [&](const Body& inner) { add_callees(inner, callees); });
  }
}

bool has_loop(const Body& body) {
  for (const Stmt& stmt : body.stmts) {
    if (as<If>(stmt.exp) == nullptr) {
      bool found = false;
      for_each_body(stmt.exp, [&](const Body&) { found = true; });
      if (found) return true;
      continue;
    }
    bool inside = false;
    for_each_body(stmt.exp, [&](const Body& inner) { inside = inside || has_loop(inner); });
    if (inside) return true;
  }
  return false;
}

}  // namespace

int calls_of(const Body& body, const std::string& fn) {
  int count = 0;
  for (const Stmt& stmt : body.stmts) {
    if (const Call* call = as<Call>(stmt.exp); call != nullptr && call->fn == fn) ++count;
    int inside = 0;
    for_each_body(stmt.exp, [&](const Body& inner) {
      // Only one side of a branch runs; what is inside a SOAC runs many times.
      const int here = calls_of(inner, fn);
      inside =
          as<If>(stmt.exp) != nullptr
              ? std::max(inside, here)
              : inside + (here > 0 && as<Loop>(stmt.exp) == nullptr ? std::max(here, 2) : here);
    });
    count += inside;
  }
  return count;
}

Facts::Facts(const Program& prog, const Device& device, const Functions& originals)
    : names_(prog.names), device_(device), originals_(originals) {
  const auto collect = [&](const Function& fn) {
    for (const Param& p : fn.params) note(p);
    note(fn.body);
    add_callees(fn.body, callees_[fn.name]);
  };
  for (const Function& fn : prog.functions) collect(fn);
  for (const auto& [name, fn] : originals) collect(fn);
  accs_.find_kinds(prog, originals);
  find_recursion();
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [name, fn] : originals) {
      if (parallel_.contains(name)) continue;
      // On a device a thread cannot write to accumulators, which only kernels do.
      const bool writes =
          device_.groups && recursive_.contains(name) &&
          std::ranges::any_of(fn.params, [](const Param& p) { return p.type.kind == Type::kAcc; });
      if (!writes && !needs_lifting(fn.body)) continue;
      parallel_.insert(name);
      changed = true;
    }
  }
}

// Functions may only call themselves, but a longer circle would do no harm.
void Facts::find_recursion() {
  for (const auto& [name, fn] : originals_) {
    std::unordered_set<std::string> reached;
    std::vector<std::string> work(callees_[name].begin(), callees_[name].end());
    while (!work.empty()) {
      const std::string at = std::move(work.back());
      work.pop_back();
      if (!reached.insert(at).second) continue;
      for (const std::string& next : callees_[at]) work.push_back(next);
    }
    if (reached.contains(name)) {
      recursive_.insert(name);
      if (calls_of(fn.body, name) > 1) tree_recursive_.insert(name);
    }
  }
}

void Facts::note(const Param& p) {
  types_.insert_or_assign(p.name, p.type);
  if (p.type.is_array()) ranks_.insert_or_assign(p.name, p.type.rank());
}

void Facts::note(const Body& body) {
  for (const Stmt& stmt : body.stmts) note(stmt);
}

void Facts::note(const Stmt& stmt) {
  for (const Param& p : stmt.pat) note(p);
  for_each_param(stmt.exp, [&](const Param& p) { note(p); });
  if (const auto* rep = as<Replicate>(stmt.exp)) replicates_[stmt.pat[0].name] = *rep;
  accs_.note_inside(stmt);
  for_each_body(stmt.exp, [&](const Body& inner) { note(inner); });
  accs_.note_results(stmt, types_);
}

const Type& Facts::type_of(Name name) const {
  const auto found = types_.find(name);
  SKALD_CHECK(found != types_.end(), "no type of {}", names_.text(name));
  return found->second;
}

// How many batches the calls of `fn` in a body are, one after the other.
static int batches_of_calls(const Body& body, const std::string& fn) {
  std::unordered_map<Name, int> before;
  int batches = 0;
  for (const Stmt& stmt : body.stmts) {
    int here = 0;
    for (const Name name : free_names(stmt))
      if (const auto used = before.find(name); used != before.end())
        here = std::max(here, used->second);
    if (const Call* call = as<Call>(stmt.exp); call != nullptr && call->fn == fn) ++here;
    const int rounds = as<Loop>(stmt.exp) != nullptr ? 2 : 1;
    for_each_body(stmt.exp,
                  [&](const Body& inner) { here += rounds * batches_of_calls(inner, fn); });
    for (const Param& p : stmt.pat) before[p.name] = here;
    batches = std::max(batches, here);
  }
  return batches;
}

bool Facts::calls_run_together(const std::string& fn) const {
  return batches_of_calls(original(fn).body, fn) <= 1;
}

bool Facts::needs_lifting(const Stmt& stmt) const {
  if (stmt.hints.sequential) return false;
  if (analysis::is_parallel(stmt)) return true;
  if (const auto* part = as<Partition>(stmt.exp)) {
    const Const* known = as_const(part->width);
    return known == nullptr || int_value(*known) >= 32;
  }
  if (const auto* call = as<Call>(stmt.exp)) return parallel_.contains(call->fn);
  if (as<If>(stmt.exp) == nullptr && as<Loop>(stmt.exp) == nullptr &&
      as<Soac>(stmt.exp) == nullptr && as<WithAcc>(stmt.exp) == nullptr)
    return false;
  bool found = false;
  for_each_body(stmt.exp, [&](const Body& inner) { found = found || needs_lifting(inner); });
  return found;
}

bool Facts::needs_lifting(const Body& body) const {
  return std::ranges::any_of(body.stmts, [&](const Stmt& s) { return needs_lifting(s); });
}

bool Facts::is_code(const Stmt& stmt, const Names& consumed) const {
  for (const Name name : free_names(stmt))
    if (consumed.contains(name)) return false;
  for (const Param& p : stmt.pat)
    if (consumed.contains(p.name)) return false;
  if (as<Iota>(stmt.exp) != nullptr) return true;
  if (const auto* rep = as<Replicate>(stmt.exp); rep != nullptr && rep->shape.size() == 1)
    return true;
  // A checked read is stored rather than checked again.
  const bool read = as<Index>(stmt.exp) != nullptr && stmt.pat[0].type.is_scalar();
  return analysis::is_repeatable(stmt, ranks_) && !(read && !stmt.tokens.empty());
}

bool Facts::is_irregular(const Body& body, Names& local) const {
  const auto is_local = [&](const Operand& o) {
    const Name* name = as_name(o);
    return name != nullptr && local.contains(*name);
  };
  for (const Stmt& stmt : body.stmts) {
    for (const Param& p : stmt.pat) local.insert(p.name);
    if (!needs_lifting(stmt)) continue;
    if (as<Partition>(stmt.exp) != nullptr || as<Call>(stmt.exp) != nullptr) return true;
    if (const auto* soac = as<Soac>(stmt.exp); soac != nullptr && is_local(soac->width))
      return true;
    if (const auto* hist = as<Hist>(stmt.exp); hist != nullptr && is_local(hist->width))
      return true;
    if (const auto* node = as<Scatter>(stmt.exp); node != nullptr && is_local(node->width))
      return true;
    if (const auto* branch = as<If>(stmt.exp); branch != nullptr && is_local(branch->cond))
      return true;
    if (const auto* loop = as<Loop>(stmt.exp)) {
      if (loop->form == Loop::kWhile || is_local(loop->bound)) return true;
      local.insert(loop->var.name);
      for (const LoopParam& p : loop->params) local.insert(p.param.name);
    }
    if (const auto* soac = as<Soac>(stmt.exp))
      for (const Param& p : soac->fn.params) local.insert(p.name);
    bool found = false;
    for_each_body(stmt.exp,
                  [&](const Body& inner) { found = found || is_irregular(inner, local); });
    if (found) return true;
  }
  return false;
}

bool Facts::is_irregular_nest(const Soac& map) const {
  Names local;
  for (const Param& p : map.fn.params) local.insert(p.name);
  return is_irregular(map.fn.body, local);
}

bool Facts::must_lift(const Lambda& fn) const {
  if (!device_.own_space) return false;
  bool found = false;
  const std::function<void(const Body&)> look = [&](const Body& body) {
    for (const Stmt& stmt : body.stmts) {
      if (const Call* call = as<Call>(stmt.exp))
        found = found || (recursive_.contains(call->fn) && parallel_.contains(call->fn));
      for_each_body(stmt.exp, look);
    }
  };
  look(fn.body);
  return found;
}

// The side of a branch that ends the recursion does not count: it sees few elements.
bool Facts::is_linear(const Body& body, const std::string& fn) const {
  for (const Stmt& stmt : body.stmts) {
    if (const Call* call = as<Call>(stmt.exp)) {
      if (call->fn != fn && parallel_.contains(call->fn)) return false;
      continue;
    }
    bool recursive = false, linear = true;
    for_each_body(stmt.exp, [&](const Body& inner) { recursive |= calls_of(inner, fn) > 0; });
    const bool branch = as<If>(stmt.exp) != nullptr;
    for_each_body(stmt.exp, [&](const Body& inner) {
      const bool ends = recursive && calls_of(inner, fn) == 0;
      linear = linear && (branch ? ends || is_linear(inner, fn) : !recursive && !has_loop(inner));
    });
    if (!linear) return false;
  }
  return true;
}

}  // namespace skald::passes::lift
