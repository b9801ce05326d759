// SPDX-License-Identifier: Apache-2.0
// Evaluates a program with values whose shapes are known and whose numbers are not, and writes down
// the core code that computes the numbers.
//
// A function is elaborated once for each shape of its argument (calls.cpp).  Functions as values
// are part of shapes, so every call knows what it calls.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/nesl/check/checked.h"
#include "frontend/nesl/elaborate/effects.h"
#include "frontend/nesl/elaborate/values/code.h"
#include "frontend/nesl/elaborate/values/columns.h"
#include "source/diagnostic.h"

namespace skald::nesl {

// Thrown after a message, to end the form.
struct Refused {};

class Elaborator {
 public:
  Elaborator(CheckedProgram& checked, const source::SourceMap& sources,
             source::Diagnostics& diagnostics, core::Program& core)
      : checked_(checked), diagnostics_(diagnostics), code_(core, sources), effects_(checked) {}

  void forms();
  void entries();

  // For primitives.
  Code& code() { return code_; }
  core::Builder& builder() { return code_.builder(); }
  [[noreturn]] void refuse(Span span, std::string what);
  // Calls what is named so in the library.
  Value call_library(const std::string& name, const Value& arg, Span span);
  Value call_value(const Value& function, const Value& arg, Span span);
  Value string_constant(std::string_view text);
  // Both sides give values of one shape.
  Value branch(const Operand& cond, Span span, const std::function<Value()>& then,
               const std::function<Value()>& otherwise);
  // For code that neither prints nor takes random numbers, which may lie in maps.
  Value without_effects(const std::function<Value()>& make);
  Operand take_random();
  void set_seed(const Operand& seed) { seed_ = seed; }
  void print(const Value& text, Span span);

 private:
  friend class Scripts;
  using Locals = std::vector<std::pair<std::string, Value>>;
  // A function for one shape of its argument.
  struct Instance {
    std::string name;
    ShapeRef result;  // known once its code is made, or once it calls itself
    Effects effects;
    bool is_done = false;
  };

  // Expressions (exps.cpp).
  Value exp(const Exp& exp);
  Value variable(const Exp& exp, const Var& var);
  Value lambda(const Exp& exp, const Lambda& lambda);
  Value range(const Exp& exp, const Range& range);
  void bind(const Pattern& pattern, const Value& value);
  Value scoped(const std::function<Value()>& inside);

  // Apply-to-each (each.cpp).
  Value each(const Exp& exp, const Each& each);
  Value sources(const Each& each, Span span);
  Value kept(const Each& each, const Value& all, bool takes_random);
  Value kept_printing(const Each& each, const Value& all, bool takes_random, Value& output);
  Value one_by_one(const Each& each, const std::vector<Value>& elements);
  std::vector<Value> listed_elements(const Each& each, size_t count);
  void bind_sources(const Each& each, const Value& element);

  // Functions (calls.cpp).
  Value call_global(int global, const Value& arg, Span span);
  Value call_function(int global, const Value& arg, Span span);
  Instance& instance(int global, const ShapeRef& arg, const std::string& key, Span span);
  void make_instance(int global, const ShapeRef& arg, Instance& made);
  ShapeRef inferred_result(int global, const ShapeRef& arg, Span span);
  TypeRef type_of(const Shape& shape);
  ShapeRef shape_of(TypeRef type, Span span);
  ShapeRef written_shape(const TypeExp& type);

  // Forms (forms.cpp).
  void form(size_t number);
  void refuse_later_values(const CheckedForm& form);
  void entry(int global);
  bool may_be_entry(int global);
  const Value& value_of_form(int global);

  CheckedProgram& checked_;
  source::Diagnostics& diagnostics_;
  Code code_;
  EffectTable effects_;
  std::map<std::string, Instance> instances_;
  std::map<int, ShapeRef> value_shapes_;  // of globals
  std::map<std::string, int> library_;

  // Of the function that is being made.
  Locals locals_;
  std::map<int, Value> values_;        // of globals
  std::map<const Exp*, Value> given_;  // of expressions that a script has evaluated
  std::optional<Operand> seed_;
  std::optional<Value> output_;
};

// The seed of one element of an apply-to-each.
Operand mixed_seed(core::Builder& b, const Operand& seed, const Operand& index);
// Half as much work, for many elements.
Operand mixed_place(core::Builder& b, const Operand& bits, const Operand& place);

// The local names that an expression uses.
std::set<std::string> free_names(const Exp& exp, const CheckedProgram& checked);

}  // namespace skald::nesl
