// SPDX-License-Identifier: Apache-2.0
// Which variables a value may share memory with, for every part of the value.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/futhark/check/base/type_ops.h"

namespace skald::futhark {

// A part of a variable.  `out_of_scope`: its name is no longer in force; consuming the value is
// then nobody's business, but using a consumed one is.
struct Alias {
  uint32_t var = 0;
  std::string path = {};
  bool out_of_scope = false;
  friend auto operator<=>(const Alias&, const Alias&) = default;
};
using AliasSet = std::vector<Alias>;  // sorted

AliasSet merge(const AliasSet& a, const AliasSet& b);
bool overlap(const AliasSet& a, const AliasSet& b);

struct Aliases;
using AliasesPtr = std::shared_ptr<const Aliases>;

// The shape of a type with alias sets at arrays, named types and functions.
struct Aliases {
  enum Kind : uint8_t { kNone, kLeaf, kFun, kRecord, kSum } kind = kNone;
  AliasSet set = {};           // kLeaf, kFun: what the function's closure holds
  const Type* type = nullptr;  // kFun: the arrow; kLeaf: the type
  bool opaque = false;         // kLeaf of a named type
  std::vector<std::pair<std::string, AliasesPtr>> fields = {};
  std::vector<std::pair<std::string, std::vector<AliasesPtr>>> constrs = {};
};

// The same aliases at every part.
AliasesPtr aliases_everywhere(const Type* t, const AliasSet& set);
// Every part is aliased to that part of the variable.
AliasesPtr self_aliases(const Type* t, uint32_t var, const std::string& path = "");
AliasesPtr insert_self(const AliasesPtr& a, uint32_t var, const std::string& path = "");
AliasesPtr insert_everywhere(const AliasesPtr& a, const Alias& alias);
// All of them; `functions`: including those of closures.
AliasSet all_aliases(const AliasesPtr& a, bool functions = true);
AliasesPtr combine(const AliasesPtr& a, const AliasesPtr& b);
AliasesPtr map_sets(const AliasesPtr& a, const std::function<AliasSet(const AliasSet&)>& f);
AliasesPtr field_of(const AliasesPtr& a, const std::string& name);
// The result of a function with that result type, applied to an argument.
AliasesPtr result_aliases(const AliasSet& app, const Type* result, bool consumes,
                          const AliasesPtr& arg);

// The names are no longer in scope.
AliasesPtr leave(const AliasesPtr& a, const std::vector<uint32_t>& names);

}  // namespace skald::futhark
