// SPDX-License-Identifier: Apache-2.0
// Evaluates scripts: expressions over the entry points of one program.
//
// Numbers without suffix take the type of the parameter they are passed for.  A function of n
// parameters may be applied to one n-tuple.
#pragma once

#include <string>
#include <vector>

#include "compile/program/host_program.h"
#include "driver/script/parse.h"
#include "driver/values/layout.h"

namespace skald::driver {

class ScriptEvaluator {
 public:
  // File names in scripts are relative to `folder` ("" or with a slash at its end).
  ScriptEvaluator(const core::Program& prog, compile::HostProgram& program, std::string folder)
      : prog_(prog), program_(program), folder_(std::move(folder)) {}

  // A value with, for each leaf, whether its type is still open.
  struct Value {
    StructuredValue value;
    std::vector<bool> open;
  };
  struct Variable {
    std::string name;
    Value value;
  };

  // The arguments that a script gives for `entry`: a tuple is spread over the parameters.
  Result<std::vector<runtime::Value>> arguments(std::string_view script,
                                                const core::Function& entry);

  Result<Value> evaluate(const ScriptExp& exp);
  // Applies an entry point; arguments must match its parameters.
  Result<Value> call(const core::Function& entry, std::vector<Value> args);

 private:
  Result<std::vector<runtime::Value>> convert_all(const core::Function& entry,
                                                  std::vector<Value> args);
  Result<std::vector<Value>> evaluate_all(const std::vector<ScriptExp>& exps);
  Result<Value> evaluate_call(const ScriptExp& exp);
  Result<Value> evaluate_builtin(const ScriptExp& exp);
  Result<Value> evaluate_index(const ScriptExp& exp);
  Result<Value> evaluate_array(const ScriptExp& exp);
  Result<Value> evaluate_let(const ScriptExp& exp);
  Result<Value> restore(const std::string& type, const std::string& file);

  const core::Program& prog_;
  compile::HostProgram& program_;
  std::string folder_;
  std::vector<Variable> variables_;
};

}  // namespace skald::driver
