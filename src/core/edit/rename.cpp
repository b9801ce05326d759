// SPDX-License-Identifier: Apache-2.0
// Substitution, copying, free names.  Every name is bound once in a program, so binders can be
// collected first and scopes need no attention.
#include "core/edit/rename.h"

#include "core/edit/free_names.h"
#include "core/ir/fields.h"
#include "support/bug.h"

namespace skald::core {

namespace {

struct Substituter {
  const Substitution& subst;
  void bind(Name&) {}
  void use(Operand& operand) {
    const Name* name = as_name(operand);
    if (!name) return;
    if (auto found = subst.find(*name); found != subst.end()) operand = found->second;
  }
  void use(Name& name) {
    auto found = subst.find(name);
    if (found == subst.end()) return;
    const Name* other = as_name(found->second);
    SKALD_CHECK(other, "name {} replaced by a constant where a name is needed", name.id);
    name = *other;
  }
};

template <class T>
void substitute_in(T& code, const Substitution& subst) {
  if (subst.empty()) return;
  Substituter v{subst};
  detail::walk_deep(code, v);
}

// Extends the substitution by a fresh name for every binder.
struct Freshener {
  NameTable& names;
  Substitution& subst;
  void bind(Name name) { subst[name] = names.fresh_like(name); }
  void use(const Operand&) {}
  void use(Name) {}
};

struct Cloner {
  const Substitution& subst;
  Name name(Name old) {
    auto found = subst.find(old);
    if (found == subst.end()) return old;
    const Name* other = as_name(found->second);
    SKALD_CHECK(other, "name {} replaced by a constant where a name is needed", old.id);
    return *other;
  }
  Operand operand(Name old) {
    auto found = subst.find(old);
    return found == subst.end() ? Operand{old} : found->second;
  }
};

template <class T>
T copy(const T& code, NameTable& names, Substitution& subst) {
  Freshener freshener{names, subst};
  detail::walk_deep(code, freshener);
  Cloner cloner{subst};
  return detail::clone_deep(code, cloner);
}

struct NameCollector {
  NameSet used = {}, bound = {};
  void bind(Name name) { bound.insert(name); }
  void use(const Operand& operand) {
    if (const Name* name = as_name(operand); name && *name) used.insert(*name);
  }
  void use(Name name) { used.insert(name); }
};

template <class T>
NameSet free_in(const T& code) {
  NameCollector v;
  detail::walk_deep(code, v);
  if (v.bound.empty()) return std::move(v.used);
  NameSet free;
  for (const Name name : v.used)
    if (!v.bound.contains(name)) free.insert(name);
  return free;
}

}  // namespace

void substitute(Body& body, const Substitution& subst) {
  substitute_in(body, subst);
}
void substitute(Exp& exp, const Substitution& subst) {
  substitute_in(exp, subst);
}
void substitute(Stmt& stmt, const Substitution& subst) {
  substitute_in(stmt, subst);
}
void substitute(Lambda& fn, const Substitution& subst) {
  substitute_in(fn, subst);
}
void substitute(Type& type, const Substitution& subst) {
  substitute_in(type, subst);
}
void substitute(Operand& operand, const Substitution& subst) {
  substitute_in(operand, subst);
}

Body copy_with_fresh_names(const Body& body, NameTable& names, Substitution subst) {
  return copy(body, names, subst);
}
Lambda copy_with_fresh_names(const Lambda& fn, NameTable& names, Substitution subst) {
  return copy(fn, names, subst);
}
Stmt copy_with_fresh_names(const Stmt& stmt, NameTable& names, Substitution& subst) {
  return copy(stmt, names, subst);
}
Exp copy_with_fresh_names(const Exp& exp, NameTable& names, Substitution subst) {
  return copy(exp, names, subst);
}
Function copy_with_fresh_names(const Function& fn, NameTable& names) {
  Substitution subst;
  Function out = copy(fn, names, subst);
  out.name = fn.name;
  out.entry = fn.entry;
  out.hints = fn.hints;
  out.loc = fn.loc;
  return out;
}

Program clone(const Program& prog) {
  struct Identity {
    Name name(Name n) { return n; }
    Operand operand(Name n) { return n; }
  } identity;
  Program out;
  out.stage = prog.stage;
  out.names = prog.names;
  out.locs = prog.locs;
  for (const Function& fn : prog.functions) {
    Function& copy = out.functions.emplace_back(detail::clone_deep(fn, identity));
    copy.name = fn.name;
    copy.entry = fn.entry;
    copy.hints = fn.hints;
    copy.loc = fn.loc;
  }
  return out;
}

NameSet free_names(const Body& body) {
  return free_in(body);
}
NameSet free_names(const Lambda& fn) {
  return free_in(fn);
}
NameSet free_names(const Stmt& stmt) {
  return free_in(stmt);
}
NameSet free_names(const Exp& exp) {
  return free_in(exp);
}

}  // namespace skald::core
