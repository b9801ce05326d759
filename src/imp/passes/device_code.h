// SPDX-License-Identifier: Apache-2.0
// What runs on devices: the bodies of launches, and the functions that they call.
#pragma once

#include <vector>

#include "imp/ir/visit.h"

namespace skald::imp {

namespace detail {

template <class F>
void each_launch_body(Body& body, F& visit) {
  static const std::vector<Operand> kNoResults;
  for (Stmt& stmt : body.stmts) {
    if (auto* launch = as<Launch>(stmt))
      visit(launch->body, kNoResults);
    else
      for_each_body(stmt, [&](Body& inner) { each_launch_body(inner, visit); });
  }
}

}  // namespace detail

// visit(Body&, const std::vector<Operand>& results)
template <class F>
void for_each_device_body(Program& prog, F&& visit) {
  for (Function& fn : prog.functions) {
    if (fn.kind == FunctionKind::kDevice)
      visit(fn.body, fn.ret);
    else
      detail::each_launch_body(fn.body, visit);
  }
}

}  // namespace skald::imp
