// SPDX-License-Identifier: Apache-2.0
#include "imp/ir/imp.h"

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

std::string_view target_name(Target target) {
  return target == Target::kCpu ? "the cpu" : "a device";
}

bool can_scan_block(BinOpKind op, Prim type) {
  switch (op) {
    case BinOpKind::kAdd:
    case BinOpKind::kMul: return is_int(type) || type == Prim::kF32 || type == Prim::kF64;
    case BinOpKind::kMin:
    case BinOpKind::kMax:
    case BinOpKind::kAnd:
    case BinOpKind::kOr:
    case BinOpKind::kXor: return is_int(type);
    default: return false;
  }
}

}  // namespace skald::imp
