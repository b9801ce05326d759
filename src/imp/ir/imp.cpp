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

std::string_view shuffle_name(ShuffleKind kind) {
  switch (kind) {
    case ShuffleKind::kUp: return "shuffle_up";
    case ShuffleKind::kDown: return "shuffle_down";
    case ShuffleKind::kXor: return "shuffle_xor";
    default: return "shuffle_index";
  }
}

int64_t shuffle_source(ShuffleKind kind, int64_t own, int64_t lane) {
  switch (kind) {
    case ShuffleKind::kUp: return own < lane ? own : own - lane;
    case ShuffleKind::kDown: return own + lane < kWarpThreads ? own + lane : own;
    case ShuffleKind::kXor: return (own ^ lane) & (kWarpThreads - 1);
    default: return lane & (kWarpThreads - 1);
  }
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
