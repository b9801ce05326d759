// SPDX-License-Identifier: Apache-2.0
#include "passes/extract/sequential_variants.h"

#include <algorithm>
#include <vector>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/kernels/sequentialise.h"
#include "support/bug.h"

namespace skald::passes {

using namespace core;

namespace {

// The names of all functions called somewhere below a body.
void called_functions(const Body& body, std::vector<std::string>& out) {
  for (const Stmt& stmt : body.stmts) {
    if (const Call* call = as<Call>(stmt.exp)) out.push_back(call->fn);
    for_each_body(stmt.exp, [&](const Body& inner) { called_functions(inner, out); });
  }
}

bool only_scalars(const Body& body) {
  bool scalars = true;
  for (const Stmt& stmt : body.stmts) {
    for (const Param& p : stmt.pat)
      scalars = scalars && (p.type.is_scalar() || p.type.kind == Type::kToken);
    for_each_param(stmt.exp, [&](const Param& p) { scalars = scalars && p.type.is_scalar(); });
    for_each_body(stmt.exp, [&](const Body& inner) { scalars = scalars && only_scalars(inner); });
  }
  return scalars;
}

// Calls of sequential variants of the functions in `shared` become calls of the functions.
void share_functions(Body& body, const std::unordered_set<std::string>& shared) {
  for (Stmt& stmt : body.stmts) {
    if (Call* call = as<Call>(stmt.exp); call != nullptr && call->fn.ends_with("_seq"))
      if (const std::string base = call->fn.substr(0, call->fn.size() - 4); shared.contains(base))
        call->fn = base;
    for_each_body(stmt.exp, [&](Body& inner) { share_functions(inner, shared); });
  }
}

}  // namespace

std::unordered_set<std::string> scalar_functions(const Program& prog) {
  std::unordered_set<std::string> found;
  for (const Function& fn : prog.functions) {
    const auto is_scalar = [](const auto& p) { return p.type.is_scalar(); };
    if (std::ranges::all_of(fn.params, is_scalar) && std::ranges::all_of(fn.results, is_scalar) &&
        only_scalars(fn.body))
      found.insert(fn.name);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const Function& fn : prog.functions) {
      if (!found.contains(fn.name)) continue;
      std::vector<std::string> called;
      called_functions(fn.body, called);
      if (std::ranges::all_of(called, [&](const std::string& f) { return found.contains(f); }))
        continue;
      found.erase(fn.name);
      changed = true;
    }
  }
  return found;
}

void add_sequential_variants(Program& prog, std::unordered_map<std::string, Function> originals,
                             const std::unordered_set<std::string>& shared) {
  std::vector<std::string> work;
  for (Function& fn : prog.functions) {
    share_functions(fn.body, shared);
    called_functions(fn.body, work);
  }
  while (!work.empty()) {
    const std::string name = std::move(work.back());
    work.pop_back();
    if (prog.find(name) != nullptr) continue;
    SKALD_CHECK(name.ends_with("_seq"), "a call of the unknown function {}", name);
    const auto original = originals.find(name.substr(0, name.size() - 4));
    SKALD_CHECK(original != originals.end(), "a call of the unknown function {}", name);
    Function variant = copy_with_fresh_names(original->second, prog.names);
    variant.name = name;
    variant.entry.reset();
    sequentialise(variant.body, prog);
    share_functions(variant.body, shared);
    called_functions(variant.body, work);
    prog.functions.push_back(std::move(variant));
  }
}

}  // namespace skald::passes
