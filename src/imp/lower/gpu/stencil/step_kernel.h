// SPDX-License-Identifier: Apache-2.0
// Several time steps of a stencil of two dimensions in one launch.
//
// A group goes down a strip of columns, row by row.  A thread has four neighbouring columns of it
// and, of each step but the last, the last three rows in registers, with a column more on either
// side.  When row q has come from memory, step t makes its row q-2t from three rows of step t-1;
// these were ready a row ago, so that only what threads tell their neighbours about a row goes
// through the memory of the group, and one barrier a row is enough:
//
//   for each row q:  store the row that the last step has made before
//                    take from the neighbours what they have made before
//                    for steps T … 1:  make row q-2t; tell the neighbours its ends
//                    take row q, which all have brought; bring row q+1; fetch row q+2
//                    barrier
//
// Strips and their parts overlap: what is made too much at their edges is not used.  Nor is what
// lies outside of the array; points at its border read nothing from there, or the program would be
// wrong.
#pragma once

#include <vector>

#include "imp/lower/gpu/stencil/stencil.h"

namespace skald::imp {

class StepKernel {
 public:
  static constexpr int64_t kThreads = 64, kColumns = 4, kWidth = kThreads * kColumns, kHalo = 8;
  static constexpr int64_t kOfStrip = kWidth - 2 * kHalo;  // columns of results

  // `from` is read, `to` written; both are dense.
  StepKernel(FunctionLowering& fn, const core::Kernel& kernel, Stencil stencil, int64_t steps)
      : fn_(fn), kernel_(kernel), stencil_(std::move(stencil)), steps_(steps) {}

  // Rows of results that a group makes.
  int64_t rows() const;
  Operand count_groups(Code& code, const Operand& n, const Operand& m);
  void launch(Code& code, const ArrayPlace& from, const ArrayPlace& to, const Operand& n,
              const Operand& m);

 private:
  void body(Code& code, Name group, Name thread);
  void make_room(Code& code);
  void find_place(Code& code, Name group, Name thread);
  // Loads a row for later; puts it where all can take it.
  void fetch(Code& code, const Operand& row);
  void bring(Code& code, const Operand& copy);
  void round(Code& code, const Operand& number, const Operand& phase);
  void store_last(Code& code, const Operand& row, const Operand& copy);
  void ask_neighbours(Code& code, const Operand& copy);
  void step(Code& code, int64_t t, const Operand& row, const Operand& copy);
  void take_row(Code& code, const Operand& copy);
  // Where in the registers of a step the row is that came `before` rows before the newest.
  Operand row_place(Code& code, int64_t before) const;

  FunctionLowering& fn_;
  const core::Kernel& kernel_;
  const Stencil stencil_;
  const int64_t steps_;
  const ArrayPlace* from_ = nullptr;
  const ArrayPlace* to_ = nullptr;
  Operand n_ = const_i64(0), m_ = const_i64(0), strips_ = const_i64(0);
  Operand thread_ = const_i64(0), left_ = const_i64(0), right_ = const_i64(0);
  Operand first_row_ = const_i64(0), first_column_ = const_i64(0), own_column_ = const_i64(0);
  std::vector<Operand> slots_;  // (phase + k) mod 3
  std::vector<Name> rows_;      // by step: three rows of kColumns + 2 values, in registers
  std::vector<Name> ends_;      // by step: what neighbours are told
  Name fetched_ = {}, brought_ = {}, made_ = {}, results_ = {};
};

}  // namespace skald::imp
