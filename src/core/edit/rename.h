// SPDX-License-Identifier: Apache-2.0
// Substitution and copying.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "core/ir/program.h"

namespace skald::core {

using Substitution = std::unordered_map<Name, Operand>;

// Replaces uses of names, at every depth, types included.  Binders are left alone: names are
// unique, so nothing can be captured.
void substitute(Body& body, const Substitution& subst);
void substitute(Exp& exp, const Substitution& subst);
void substitute(Stmt& stmt, const Substitution& subst);
void substitute(Lambda& fn, const Substitution& subst);
void substitute(Type& type, const Substitution& subst);
void substitute(Operand& operand, const Substitution& subst);

// Duplicates code.  Every name bound inside gets a fresh one; free names go through `subst`
// (copied, so it may be empty).
Body copy_with_fresh_names(const Body& body, NameTable& names, Substitution subst = {});
Lambda copy_with_fresh_names(const Lambda& fn, NameTable& names, Substitution subst = {});
Stmt copy_with_fresh_names(const Stmt& stmt, NameTable& names, Substitution& subst);
Exp copy_with_fresh_names(const Exp& exp, NameTable& names, Substitution subst = {});
Function copy_with_fresh_names(const Function& fn, NameTable& names);
// The whole program, with the same names.
Program clone(const Program& prog);

// Equal up to the choice of the names bound inside; free names must be the same.  Positions are
// ignored.
bool equal(const Program& a, const Program& b);
bool equal(const Lambda& a, const Lambda& b);
bool equal(const Body& a, const Body& b);
bool equal(const Exp& a, const Exp& b);
// Equal expressions have equal hashes (up to bound names).
uint64_t structural_hash(const Exp& exp);
uint64_t structural_hash(const Lambda& fn);
uint64_t structural_hash(const Program& prog);

}  // namespace skald::core
