// SPDX-License-Identifier: Apache-2.0
// What names and operators stand for.
#pragma once

#include <unordered_map>
#include <vector>

#include "frontend/futhark/ast/types.h"
#include "frontend/futhark/elaborate/functions/core_functions.h"
#include "frontend/futhark/elaborate/functions/modules.h"

namespace skald::futhark::elab {

class Names {
 public:
  Names(KnownIds& ids, Types& types, Modules& modules, CoreFunctions& functions)
      : ids_(ids), types_(types), modules_(modules), functions_(functions) {}

  // The value of a name as it was bound.  `projected`: how many parts of the name were fields.
  ValuePtr find(const QualName& name, uint32_t id, const Env& env, size_t* projected = nullptr);
  // What was bound as it is used here: constants are computed, functions instantiated.
  ValuePtr use(const ValuePtr& v, const std::vector<TypeInst>& inst, const Use& use);
  ValuePtr var(const Exp& e, const EVar& v, const Env& env);
  ValuePtr operator_value(const QualName& op, uint32_t id, const std::vector<TypeInst>& inst,
                          const Use& at);
  // An operator of the language itself.
  bool is_builtin(const QualName& op, uint32_t id, const Env& env);
  // The type of an operator, from where it stands: in the expression `node`.
  const Type* operator_type(const void* node, const Type* lhs, const Type* rhs, const Type* result);

 private:
  KnownIds& ids_;
  Types& types_;
  Modules& modules_;
  CoreFunctions& functions_;
  TypeArena made_types_;
  std::unordered_map<const void*, const Type*> operator_types_;  // by expression
};

}  // namespace skald::futhark::elab
