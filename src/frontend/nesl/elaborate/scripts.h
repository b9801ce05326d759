// SPDX-License-Identifier: Apache-2.0
// Forms that read, write or ask for the time: as scripts (frontend/script.h) whose steps compute or
// act.
//
// A value of a script is a Value whose parts are constants, the numbers of slots.  An expression
// that does not act is one entry point; others are taken apart.  Functions that act are functions
// of the script, one for each shape of the argument, and may call themselves.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "frontend/nesl/elaborate/elaborator.h"
#include "frontend/script.h"

namespace skald::nesl {

class Scripts {
 public:
  explicit Scripts(Elaborator& elab) : elab_(elab) {}

  void form(size_t number);
  // Hands the script to the program, if there is one.
  void finish();

 private:
  using Named = std::pair<std::string, Value>;
  struct Instance {
    std::string name;
    ShapeRef result;
  };

  Effects effects_of(const Exp& exp);
  Value exp(const Exp& exp);
  Value branch(const Exp& exp, const If& choice);
  Value timed(const Time& time);
  [[noreturn]] void refuse_inside_each(const Exp& exp);
  // With the values of the parts that act.
  Value combined(const Exp& exp);
  Value call(const Value& fn, const Value& arg, Span span);
  Value call_lambda(const Value& fn, const Value& arg);
  Value call_function(int global, const Value& arg, Span span);
  void make_function(int global, const Value& arg, Instance& made);
  Value operation(std::string name, const Value& arg, ShapeRef result);
  // One entry point that computes `make` from these values.
  Value computed(const std::vector<Named>& inputs, const Effects& effects,
                 const std::function<Value()>& make);
  void load_values(const Effects& effects);

  Value new_slots(ShapeRef shape);
  void copy(const Value& from, const Value& to);
  static std::vector<int> slots_of(const Value& value);
  frontend::ScriptStep& add(frontend::ScriptStep step);

  Elaborator& elab_;
  frontend::Script script_;
  std::map<std::string, Instance> instances_;
  int entries_ = 0;
  // Of the function that is being made.
  int slots_ = 0;
  std::vector<frontend::ScriptStep>* steps_ = nullptr;
};

}  // namespace skald::nesl
