// SPDX-License-Identifier: Apache-2.0
#include "imp/imp.h"

namespace skald::imp {

Body::Body() = default;
Body::Body(std::vector<Stmt> s) : stmts(std::move(s)) {}
Body::Body(Body&&) noexcept = default;
Body& Body::operator=(Body&&) noexcept = default;
Body::~Body() = default;

const Function* Program::find(std::string_view name) const {
  for (const Function& fn : functions)
    if (fn.name == name) return &fn;
  return nullptr;
}

}  // namespace skald::imp
