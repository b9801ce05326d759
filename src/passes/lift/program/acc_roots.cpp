// SPDX-License-Identifier: Apache-2.0
// Roots are followed from statement to statement, kinds from call to call.
#include "passes/lift/program/acc_roots.h"

#include "core/ir/visit.h"

namespace skald::passes::lift {

using namespace core;

bool gives_acc(const Stmt& stmt) {
  for (const Param& p : stmt.pat)
    if (p.type.kind == Type::kAcc) return true;
  return false;
}

void AccRoots::note_inside(const Stmt& stmt) {
  if (const auto* with = as<WithAcc>(stmt.exp)) {
    for (size_t k = 0; k < with->inputs.size(); ++k) {
      const Name param = with->fn.params[k].name;
      roots_.insert_or_assign(param, param);
      kinds_.insert_or_assign(
          param, with->inputs[k].op.empty() ? AccKind::kOverwrites : AccKind::kCombines);
    }
  } else if (const auto* soac = as<Soac>(stmt.exp)) {
    for (size_t k = 0; k < soac->inputs.size(); ++k)
      if (soac->fn.params[k].type.kind == Type::kAcc)
        roots_.insert_or_assign(soac->fn.params[k].name, root_of(soac->inputs[k]));
  } else if (const auto* loop = as<Loop>(stmt.exp)) {
    for (const LoopParam& p : loop->params)
      if (p.param.type.kind == Type::kAcc) roots_.insert_or_assign(p.param.name, root_of(p.init));
  }
}

void AccRoots::note_results(const Stmt& stmt, const Types& types) {
  if (!gives_acc(stmt)) return;
  const auto from = [&](size_t k, const Operand& acc) {
    if (stmt.pat[k].type.kind == Type::kAcc)
      roots_.insert_or_assign(stmt.pat[k].name, root_of(acc));
  };
  if (const auto* update = as<UpdateAcc>(stmt.exp)) return from(0, update->acc);
  if (const auto* value = as<Value>(stmt.exp)) return from(0, value->arg);
  if (const auto* opaque = as<Opaque>(stmt.exp)) return from(0, opaque->arg);
  if (const auto* call = as<Call>(stmt.exp)) {
    std::vector<Name> given;
    for (const Operand& arg : call->args)
      if (const Name* name = as_name(arg); name != nullptr && types.at(*name).kind == Type::kAcc)
        given.push_back(root_of(arg));
    // Functions give back the accumulators they take, in order.
    size_t next = 0;
    for (size_t k = 0; k < stmt.pat.size() && next < given.size(); ++k)
      if (stmt.pat[k].type.kind == Type::kAcc) from(k, given[next++]);
    calls_.emplace_back(call->fn, std::move(given));
    return;
  }
  for (size_t k = 0; k < stmt.pat.size(); ++k) {
    if (stmt.pat[k].type.kind != Type::kAcc) continue;
    if (const auto* branch = as<If>(stmt.exp)) from(k, branch->then_body.result[k]);
    if (const auto* loop = as<Loop>(stmt.exp)) from(k, loop->params[k].init);
    if (const auto* soac = as<Soac>(stmt.exp); soac != nullptr && soac->is_map())
      from(k, soac->fn.body.result[k]);
  }
}

Name AccRoots::root_of(const Operand& acc) const {
  const Name name = std::get<Name>(acc);
  const auto found = roots_.find(name);
  return found == roots_.end() ? name : found->second;
}

AccKind AccRoots::kind_of(Name acc) const {
  const auto found = kinds_.find(root_of(acc));
  return found == kinds_.end() ? AccKind::kNone : found->second;
}

// What a call gives to the parameters of a function.
bool AccRoots::join(const Function* fn, const std::vector<Name>& given) {
  bool changed = false;
  size_t next = 0;
  if (fn == nullptr) return false;
  for (const Param& p : fn->params) {
    if (p.type.kind != Type::kAcc || next == given.size()) continue;
    const AccKind more = kinds_[given[next++]];
    AccKind& kind = kinds_[p.name];
    if (more == AccKind::kNone || more == kind || kind == AccKind::kEither) continue;
    kind = kind == AccKind::kNone ? more : AccKind::kEither;
    changed = true;
  }
  return changed;
}

void AccRoots::find_kinds(const Program& prog,
                          const std::unordered_map<std::string, Function>& originals) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [name, given] : calls_) {
      const auto original = originals.find(name);
      const bool here = join(prog.find(name), given);
      const bool there = join(original == originals.end() ? nullptr : &original->second, given);
      changed = changed || here || there;
    }
  }
}

}  // namespace skald::passes::lift
