// SPDX-License-Identifier: Apache-2.0
// Nodes of the core IR (exp.h) for derivatives.  The pass `differentiate` replaces all of them, so
// nothing after it knows about them.
//
// A tangent or cotangent has the type of its value.  Those of booleans say nothing: they are
// ignored where they are given, and false where they are a result.  A function may use names from
// outside, which count as constants.
#pragma once

#include <string_view>
#include <tuple>
#include <vector>

#include "core/ir/body.h"

namespace skald::core {

// Forward mode.  Gives fn(args), then the derivative of fn at args times `tangents`, which has the
// types of the results.
struct Jvp {
  static constexpr std::string_view kName = "jvp";
  Lambda fn;
  std::vector<Operand> args, tangents;
  static auto fields(auto& self) { return std::tie(self.fn, self.args, self.tangents); }
};
// Reverse mode.  Gives fn(args), then `cotangents` (which have the types of the results) times the
// derivative of fn at args, which has the types of the arguments.
struct Vjp {
  static constexpr std::string_view kName = "vjp";
  Lambda fn;
  std::vector<Operand> args, cotangents;
  static auto fields(auto& self) { return std::tie(self.fn, self.args, self.cotangents); }
};
// Gives fn(args).  In reverse mode `rule`, a function of the results and their cotangents, gives
// the cotangents of the arguments; other names that `fn` uses count as constants then.  In forward
// mode the rule means nothing.
struct WithVjp {
  static constexpr std::string_view kName = "with_vjp";
  Lambda fn, rule;
  std::vector<Operand> args;
  static auto fields(auto& self) { return std::tie(self.fn, self.rule, self.args); }
};

}  // namespace skald::core
