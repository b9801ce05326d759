// SPDX-License-Identifier: Apache-2.0
// Out of line because Stmt is complete only after Body.
#include "core/ir/exp.h"

namespace skald::core {

Body::Body() = default;
Body::Body(std::vector<Stmt> s, std::vector<Operand> r)
    : stmts(std::move(s)), result(std::move(r)) {}
Body::Body(Body&&) noexcept = default;
Body& Body::operator=(Body&&) noexcept = default;
Body::~Body() = default;

}  // namespace skald::core
