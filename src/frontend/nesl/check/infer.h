// SPDX-License-Identifier: Apache-2.0
// Inference of the types of expressions (infer.cpp) and of forms (forms.cpp).
//
// After a mistake an expression has a fresh variable as its type, so that one mistake gives one
// message.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/nesl/check/checked.h"
#include "source/diagnostic.h"

namespace skald::nesl {

class Inference {
 public:
  Inference(CheckedProgram& program, source::Diagnostics& diagnostics)
      : program_(program), types_(program.types), diagnostics_(diagnostics) {}

  void form(const Form& form, bool is_library);
  // Functions that were declared and never defined.
  void finish();

 private:
  using Variables = std::map<std::string, TypeRef>;  // type variables of a signature

  // Forms.
  void function_form(const FunctionDef& def, bool is_library);
  void define_defaults(const FunctionDef& def, bool is_library);
  void datatype_form(const DatatypeDef& def, bool is_library);
  void binding_form(const Binding& binding, Span span, bool is_library);
  void check_signature(const FunctionDef& def, TypeRef type, const Variables& variables);
  int declared(const FunctionDef& def, bool is_library);
  int add_global(Global global);

  // Types as written.
  TypeRef written(const TypeExp& type, Variables& variables, bool may_add);
  TypeRef written(const Signature& signature, Variables& variables);

  // Expressions.
  TypeRef infer(const Exp& exp);
  TypeRef variable(const Exp& exp, const Var& var);
  TypeRef apply(const Exp& exp, const Apply& apply);
  TypeRef of_bearable_size(const Exp& exp, TypeRef type);
  const Exp* with_defaults(const Exp& exp, const Apply& apply);
  TypeRef each(const Each& each);
  TypeRef sequence(const SequenceLit& sequence);
  void expect(const Exp& exp, TypeRef wanted, std::string_view why);
  void wrong_argument(const Exp& exp, const Apply& apply, TypeRef param, TypeRef arg);
  void unknown_name(const Exp& exp, const std::string& name);
  // The types of what the pattern binds become local names until `leave`.
  TypeRef bind(const Pattern& pattern);
  void check_repeated(const Pattern& pattern);
  void leave(const Pattern& pattern);
  const TypeRef* local(const std::string& name) const;

  CheckedProgram& program_;
  Types& types_;
  source::Diagnostics& diagnostics_;
  std::map<std::string, std::vector<TypeRef>> locals_;
  std::map<std::string, int> names_, library_;  // of globals
  int current_ = -1;                            // the function whose body this is
};

// Splits a tuple into `count` parts or fewer; 0 means all.
size_t tuple_length(TypeRef type);

}  // namespace skald::nesl
