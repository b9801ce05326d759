// SPDX-License-Identifier: Apache-2.0
// A definition as the steps of checking it see it, and what they know about it.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/futhark/check/base/context.h"
#include "frontend/futhark/check/infer/unify.h"

namespace skald::futhark {

// A type expression, understood.
struct TypeExpResult {
  const Type* type = nullptr;         // sized; sizes are the expressions of the AST
  std::vector<VName> anonymous = {};  // sizes written []
  std::vector<VName> exts = {};       // ?[n]., and those of abbreviations
  Liftedness lifted = Liftedness::kUnlifted;
  std::vector<Exp*> sizes = {};  // the size expressions inside, in order
};

// What the steps of one definition know about it.
struct DefState {
  DefState(Context& c, ScopePtr scope)
      : ctx(c), names(std::move(scope)), report(c), uni(c, report) {
    // Enough for most definitions.
    locals.reserve(20);
    refs.reserve(50);
  }
  Context& ctx;
  Names names;
  Reporter report;
  Unifier uni;
  std::unordered_map<const TypeExp*, TypeExpResult> type_exps = {};
  std::deque<ValEntry> local_vals = {};
  std::deque<TypeEntry> local_types = {};
  // Entries of local names by id, and of the names in implicit record fields.
  std::unordered_map<uint32_t, ValEntry*> locals = {};
  std::unordered_map<const Ident*, std::vector<TypeInst>> field_inst = {};
  // The entry that an occurrence of a name refers to (EVar, sections, operators, fields).
  std::unordered_map<const void*, ValEntry*> refs = {};
  std::unordered_map<const ELoop*, Ptr<Exp>> loop_init = {};
  // For liftedness: instantiations of type parameters.
  struct Inst {
    Span span;
    std::string name;
    Liftedness lifted;
    const Type* type;
  };
  std::vector<Inst> insts = {};
};

// A definition or local function, seen by the steps.
struct FunParts {
  Ident* name = nullptr;
  std::vector<TypeParam>* tparams = nullptr;
  std::vector<Ptr<Pat>>* params = nullptr;
  TypeExp* result = nullptr;
  Exp* body = nullptr;
  Span span = {};
};

}  // namespace skald::futhark
