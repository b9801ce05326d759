// SPDX-License-Identifier: Apache-2.0
// An interpreter of core at stage SOACS that differentiates by a tape instead of by a
// transformation: what the pass `differentiate` is compared with.  It knows only the derivatives of
// operators on numbers; loops, branches and combinators are whatever their elements went through.
//
// It is slow and takes memory for every operation, so it is for small programs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/interp/interp.h"
#include "core/ir/name_map.h"
#include "core/traced/tape.h"

namespace skald::core {

// Runs function `fn`, which may contain derivatives, as `interpret` would if the pass were not
// there.  An error: a check that failed, or an array without room.
struct TapeFacts {
  bool has_wild_slope = false, rounds_tangents = false;  // as Tape says it
};
Result<std::vector<ArrayValue>, RuntimeError> interpret_by_tape(const Program& prog,
                                                                std::string_view fn,
                                                                const std::vector<ArrayValue>& args,
                                                                TapeFacts* facts = nullptr);

namespace traced {

// A scalar, an array in row-major order, or an accumulator.
struct Val {
  std::vector<int64_t> shape = {};
  std::shared_ptr<std::vector<Num>> data = {};
  std::vector<std::shared_ptr<Val>> acc = {};  // the arrays of an accumulator
  const AccInput* acc_input = nullptr;

  int64_t count() const { return static_cast<int64_t>(data->size()); }
  Num& num() const { return (*data)[0]; }
};
using Vals = std::vector<Val>;

class Machine {
 public:
  explicit Machine(const Program& prog) : prog_(prog) {}
  Vals call(const Function& fn, Vals args);
  Tape& tape() { return tape_; }

 private:
  using Env = NameMap<Val>;

  Vals run(const Body& body, Env& env);
  Vals apply(const Lambda& fn, const Vals& args, Env& env);
  Vals evaluate(const Stmt& stmt, Env& env);
  std::optional<Val> scalar(const Exp& exp, Env& env);
  std::optional<Val> array(const Stmt& stmt, Env& env);
  Val index(const Index& e, Env& env);
  Val update(const Update& e, Env& env);
  Val flat(const FlatIndex& e, Env& env);
  Val flat_update(const FlatUpdate& e, Env& env);
  Val concat(const Concat& e, Env& env);
  Vals loop(const Loop& e, Env& env);
  Vals soac(const Soac& e, Env& env);
  Vals hist(const Hist& e, Env& env);
  Vals scatter(const Scatter& e, Env& env);
  Vals partition(const Partition& e, Env& env);
  Vals flatmap(const FlatMap& e, Env& env);
  Vals with_acc(const WithAcc& e, Env& env);
  Val update_acc(const UpdateAcc& e, Env& env);
  Vals forward(const Jvp& e, Env& env);
  Vals reverse(const Vjp& e, Env& env);
  Vals custom(const WithVjp& e, Env& env);

  Val value(const Operand& operand, const Env& env) const;
  int64_t size(const Operand& operand, const Env& env) const;
  // Rows i of the inputs.
  Vals rows(const std::vector<Name>& inputs, int64_t i, const Env& env) const;
  // All places of a slice, in row-major order.
  std::vector<int64_t> places(const Val& array, const std::vector<DimSlice>& slice,
                              std::vector<int64_t>& shape, const Env& env) const;
  void set(const Param& param, const Val& value, Env& env);

  const Program& prog_;
  Tape tape_;
  int depth_ = 0;
};

// What stops a run.
struct Stop {
  std::string message;
};

Val number(const Num& x);
Val row_of(const Val& array, int64_t i);
// An array of rows of one shape; `none` has that shape if there are no rows.
Val array_of_rows(const Vals& rows, const std::vector<int64_t>& row_shape);

}  // namespace traced

}  // namespace skald::core
