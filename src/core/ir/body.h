// SPDX-License-Identifier: Apache-2.0
// Statements in a row, and functions without a name.
#pragma once

#include <tuple>
#include <vector>

#include "core/ir/type.h"

namespace skald::core {

struct Stmt;

// Straight-line code and the values it returns.  Move-only: two copies of a body would bind the
// same names twice.  Use `copy_with_fresh_names` (rename.h) to duplicate one.
struct Body {
  std::vector<Stmt> stmts;
  std::vector<Operand> result;

  Body();
  Body(std::vector<Stmt> s, std::vector<Operand> r);
  Body(Body&&) noexcept;
  Body& operator=(Body&&) noexcept;
  ~Body();
  static auto fields(auto& self) { return std::tie(self.stmts, self.result); }
};

struct Lambda {
  std::vector<Param> params;
  std::vector<Ret> results;
  Body body;
  static auto fields(auto& self) { return std::tie(self.params, self.results, self.body); }
};

}  // namespace skald::core
