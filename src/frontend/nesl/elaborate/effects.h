// SPDX-License-Identifier: Apache-2.0
// What code needs besides its arguments: values of forms, random numbers, the output.
#pragma once

#include <map>
#include <set>
#include <string>

#include "frontend/nesl/check/checked.h"
#include "frontend/nesl/elaborate/values/shape.h"

namespace skald::nesl {

struct Effects {
  std::set<int> values;  // globals of kind kValue
  bool random = false;   // takes random numbers: the seed goes in and comes out
  bool prints = false;   // the output goes in and comes out
  bool acts = false;     // reads, writes, asks for the time: only scripts do that (scripts.h)
  void add(const Effects& other);
};

// Primitives that are operations of scripts.
bool is_operation(const std::string& primitive);

class EffectTable {
 public:
  explicit EffectTable(const CheckedProgram& program) : program_(program) {}

  // Of an expression, and of all functions that it names.
  Effects of(const Exp& exp);
  Effects of_global(int global);
  // Of calling the functions that a value holds.
  Effects of_shape(const Shape& shape);
  // Whoever uses this value of a form may call the functions that it holds.
  void value_has(int global, const Shape& shape);

 private:
  void walk(const Exp& exp, std::set<int>& functions, Effects& effects);
  void walk_global(int global, std::set<int>& functions, Effects& effects);

  const CheckedProgram& program_;
  std::map<int, Effects> known_;
  std::map<int, Effects> held_;  // by values of forms
};

}  // namespace skald::nesl
