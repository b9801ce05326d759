// SPDX-License-Identifier: Apache-2.0
// Functions of core: those too large or too recursive to be inlined, and constants.
//
// A core function's parameters are first the sizes that occur in the shapes of the arguments, then
// the leaves of the arguments, then whatever its closure arguments captured (found as the free
// names of the finished body).  Results likewise: sizes that are first known at the end, then
// leaves.
//
//   core_functions.cpp  building one
//   function_calls.cpp  which instance of a function a call needs, and the call
//   constants.cpp       functions without parameters that are computed once
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/futhark/elaborate/types/types.h"

namespace skald::futhark::elab {

// A function of core as its callers see it.
struct CoreFn {
  std::string name = {};
  bool running = false;
  // While `running`: the result as declared, if a recursive call asked for it.
  RepPtr declared = {};
  std::vector<Name> size_params = {};
  std::vector<core::Param> leaf_params = {};
  std::vector<Operand> captured = {};
  RepPtr result = {};  // sizes in terms of parameters and of `result_sizes`
  std::vector<Name> result_sizes = {};
  bool inlined = false;  // turned out to have a static result
  bool generic = false;  // constant sizes of arguments are parameters, too
};

// Ends a function: its results, in the shape that was declared if one was, and its statements.
void finish_function(Code& code, core::Function& fn, CoreFn& info, Block body,
                     const std::vector<bool>& unique);

class CoreFunctions {
 public:
  CoreFunctions(Code& code, KnownIds& ids, Types& types, Evaluator& evaluator)
      : code_(code), ids_(ids), types_(types), evaluator_(evaluator) {}

  // Should this call be one in core?
  bool wants_function(const Closure& c, const std::vector<ValuePtr>& args);
  // Null if the function has to be inlined after all.
  ValuePtr call(const Closure& c, const Env& env, const std::vector<ValuePtr>& args,
                const Use& use);
  // A definition without parameters.
  ValuePtr constant(const Lazy& lazy, const std::vector<TypeInst>& inst, const Use& use);
  // Inlining the function made this many names.
  void note_inlined(const DVal& def, size_t cost);
  // No function of core will have this name.
  void reserve_name(const std::string& name) { names_used_[name] = 1; }

 private:
  std::string function_name(const std::string& base);
  bool build(const Closure& c, const Env& env, const std::vector<ValuePtr>& args, CoreFn& info);
  std::vector<ValuePtr> make_params(const DVal& def, const std::vector<ValuePtr>& args,
                                    CoreFn& info, std::vector<core::Param>& params);
  void pass_captured(core::Function& fn, CoreFn& info);
  Env settle_instance(const Closure& c, Env env, const std::vector<ValuePtr>& args,
                      std::string& key);
  void declare_result(const DVal& def, const Env& env, const std::vector<ValuePtr>& params,
                      CoreFn& info);
  ValuePtr instantiate_call(const CoreFn& info, const std::vector<Operand>& sizes,
                            const std::vector<Operand>& leaves);

  Code& code_;
  KnownIds& ids_;
  Types& types_;
  Evaluator& evaluator_;
  std::unordered_map<const DVal*, size_t> inline_cost_;
  std::unordered_map<const DVal*, bool> recursive_;
  std::unordered_map<std::string, CoreFn> functions_;  // by what identifies an instance
  std::unordered_map<const DVal*, int> running_;       // instances under construction
  std::vector<Env> kept_;                              // environments whose addresses are in keys
  std::unordered_map<std::string, int> names_used_;
};

}  // namespace skald::futhark::elab
