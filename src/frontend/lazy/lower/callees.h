// SPDX-License-Identifier: Apache-2.0
// Functions that plans may call: entry points of loaded programs, recorded functions, derivatives.
//
// They are kept as core, stage SOACS.  A plan gets a copy of their code (link.cpp), so that the
// middle end inlines it and fuses it with what is around the call.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/program.h"

namespace skald::lazy {

struct Callee {
  std::shared_ptr<const core::Program> program;
  std::string function;
  // So many first parameters are numbers that the caller computes from shapes, or has in a plan.
  int sizes = 0;

  const core::Function& fn() const { return *program->find(function); }
};

// The function of that number (NodeKind::kCall).
using FindCallee = std::function<const Callee&(int64_t id)>;

// Brings functions of other programs into one; each only once.
class Linker {
 public:
  explicit Linker(core::Program& into) : into_(into) {}
  // With all that it calls.  The name it has here.
  std::string link(const std::shared_ptr<const core::Program>& program, const std::string& name);

 private:
  core::Loc place(const core::Program& from, core::Loc loc);
  void adjust(const std::shared_ptr<const core::Program>& from, core::Body& body);

  core::Program& into_;
  std::map<std::pair<const core::Program*, std::string>, std::string> known_;
  std::map<const core::Program*, size_t> programs_;
};

// ---- Derivatives.  Parameters are counted behind the sizes.

// Of a function with parameters p and results r, with respect to the parameters `active`:
// parameters p, then cotangents of the results `seeded`; results r, then the cotangents of the
// active parameters.
Callee reverse_derivative(const Callee& of, const std::vector<int>& active,
                          const std::vector<int>& seeded);
// Parameters p, then tangents of the active ones; results r, then tangents of the results `wanted`.
Callee forward_derivative(const Callee& of, const std::vector<int>& active,
                          const std::vector<int>& wanted);
// Parameters p; results: for each of the results `wanted` its derivatives with respect to each
// element of one parameter, as an array whose first axes are those of the parameter.
Callee jacobian(const Callee& of, int active, const std::vector<int>& wanted);

}  // namespace skald::lazy
