// SPDX-License-Identifier: Apache-2.0
// Nodes of the core IR (exp.h) for checks, branches, loops, calls and derivatives.
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "core/ir/body.h"

namespace skald::core {

// Part of an error message: text, or the value of an operand.
using MessagePart = std::variant<std::string, Operand>;

// Gives a token if `cond` holds; otherwise stops the program with the message and the statement's
// source position.
struct Assert {
  static constexpr std::string_view kName = "assert";
  Operand cond;
  std::vector<MessagePart> message;
  static auto fields(auto& self) { return std::tie(self.cond, self.message); }
};
struct If {
  static constexpr std::string_view kName = "if";
  Operand cond;
  Body then_body, else_body;
  static auto fields(auto& self) { return std::tie(self.cond, self.then_body, self.else_body); }
};
// A loop parameter and its initial value.
struct LoopParam {
  Param param;
  Operand init;
  static auto fields(auto& self) { return std::tie(self.param, self.init); }
};
// Runs `body` with the parameters, whose results are the parameters of the next round; gives the
// last ones.  kFor: `var` counts 0 … bound-1 in `var_type`.  kWhile: runs while `cond` — a boolean
// loop parameter — holds.  The types of parameters may mention other (i64) parameters: sizes that
// change.
struct Loop {
  static constexpr std::string_view kName = "loop";
  enum Form : uint8_t { kFor, kWhile };
  Form form = kFor;
  std::vector<LoopParam> params;
  Param var = {};                // kFor
  Operand bound = const_i64(0);  // kFor
  Name cond = {};                // kWhile
  Body body;
  static auto fields(auto& self) {
    return std::tie(self.form, self.params, self.var, self.bound, self.cond, self.body);
  }
};
// Calls a function of the program, perhaps the one we are in.
struct Call {
  static constexpr std::string_view kName = "call";
  std::string fn;
  std::vector<Operand> args;
  static auto fields(auto& self) { return std::tie(self.fn, self.args); }
};

// ---- derivatives
//
// The pass `differentiate` replaces all of them, so nothing after it knows about them.  A tangent
// or cotangent has the type of its value.  Those of booleans say nothing: they are ignored where
// they are given, and false where they are a result.  A function may use names from outside, which
// count as constants.

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
