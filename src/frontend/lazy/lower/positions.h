// SPDX-License-Identifier: Apache-2.0
// Positions in arrays, and where a view takes an element from.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/edit/builder.h"
#include "frontend/lazy/lower/affine.h"
#include "frontend/lazy/lower/complex_ops.h"
#include "frontend/lazy/lower/lower.h"

namespace skald::lazy {

// A body under construction: what was computed in it, or in those around it, is not computed again.
struct Scope {
  explicit Scope(core::Program& prog, Scope* outer_scope = nullptr) : b(prog), outer(outer_scope) {}
  core::Builder b;
  Scope* outer;
  std::unordered_map<std::string, Parts> known;

  const Parts* find(const std::string& key) const {
    for (const Scope* scope = this; scope; scope = scope->outer) {
      const auto it = scope->known.find(key);
      if (it != scope->known.end()) return &it->second;
    }
    return nullptr;
  }
};

class Positions {
 public:
  using Shape = std::vector<PlanNumber>;

 protected:
  core::Operand number(const PlanNumber& n) const;
  Affine position(const PlanNumber& n) const;
  core::Operand operand(Scope& scope, const Affine& affine);
  std::vector<core::Operand> sizes(const Shape& shape) const;
  // Of an array in one piece.
  core::Type array_type(DType type, const Shape& shape) const;
  // Where a view has its element `at`: by axes of the source, or of all that it lies in.
  Indices source_indices(Scope& scope, const PlanInput& input, const Indices& at,
                         size_t source_rank);
  Affine flat_position(Scope& scope, const PlanInput& input, const Indices& at);
  core::Operand compared(Scope& scope, core::CmpOpKind op, const Affine& at,
                         const core::Operand& with);
  // `good` ? there : here
  Affine chosen(Scope& scope, const core::Operand& good, const Affine& there, const Affine& here);

  // Numbers of the plan that are known when it runs.
  std::vector<core::Name> symbols_;
};

}  // namespace skald::lazy
