// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/common/target.h"

#include "support/bug.h"

namespace skald::imp {

bool LoweringTarget::loop(FunctionLowering&, Code&, const core::Stmt&, const core::Loop&) {
  return false;
}

bool LoweringTarget::can_fill_later(FunctionLowering&, const core::Stmt&, const core::Stmt&) {
  return false;
}

bool LoweringTarget::spreads(const FunctionLowering&, core::Space) const {
  return false;
}

void LoweringTarget::spread(FunctionLowering&, Code&, const Operand&, const Code::LoopBody&) {
  SKALD_BUG("a target without threads of its own");
}

void LoweringTarget::once(FunctionLowering&, Code& code, const std::function<void(Code&)>& body) {
  body(code);
}

bool LoweringTarget::has_whole_copies(const FunctionLowering&) const {
  return false;
}

std::string LoweringTarget::callee(const FunctionLowering&, const std::string& name) const {
  return name;
}

bool LoweringTarget::can_print(const FunctionLowering&) const {
  return true;
}

}  // namespace skald::imp
