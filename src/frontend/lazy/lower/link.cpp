// SPDX-License-Identifier: Apache-2.0
// Copying functions from one core program into another.
#include "core/edit/rename.h"
#include "core/ir/fields.h"
#include "frontend/lazy/lower/callees.h"

namespace skald::lazy {

using namespace core;

namespace {

// Names of the other program get new ones here with the same bases.
struct LinkFreshener {
  const NameTable& from;
  NameTable& into;
  Substitution& subst;
  void bind(Name name) { subst[name] = into.fresh(from.base(name)); }
  void use(const Operand&) {}
  void use(Name) {}
};

struct LinkCloner {
  const Substitution& subst;
  Name name(Name old) { return old ? *std::get_if<Name>(&subst.at(old)) : old; }
  Operand operand(Name old) { return old ? subst.at(old) : Operand{old}; }
};

}  // namespace

Loc Linker::place(const Program& from, Loc loc) {
  if (loc.index == 0) return loc;
  const LocTable::Entry& entry = from.locs[loc];
  return into_.locs.add(entry.text, place(from, entry.caller), entry.function);
}

void Linker::adjust(const std::shared_ptr<const Program>& from, Body& body) {
  for (Stmt& stmt : body.stmts) {
    stmt.loc = place(*from, stmt.loc);
    if (auto* call = std::get_if<Call>(&stmt.exp)) call->fn = link(from, call->fn);
    for_each_body(stmt.exp, [&](Body& inner) { adjust(from, inner); });
  }
}

std::string Linker::link(const std::shared_ptr<const Program>& program, const std::string& name) {
  const auto [known, is_new] = known_.try_emplace({program.get(), name});
  if (!is_new) return known->second;
  const size_t number = programs_.try_emplace(program.get(), programs_.size() + 1).first->second;
  const std::string own = known->second = name + "_of_" + std::to_string(number);
  const Function& original = *program->find(name);
  Substitution subst;
  LinkFreshener freshener{program->names, into_.names, subst};
  detail::walk_deep(original, freshener);
  LinkCloner cloner{subst};
  Function copy = detail::clone_deep(original, cloner);
  copy.name = own;
  copy.entry.reset();
  copy.hints = original.hints;
  copy.loc = place(*program, original.loc);
  adjust(program, copy.body);
  into_.functions.push_back(std::move(copy));
  return own;
}

}  // namespace skald::lazy
