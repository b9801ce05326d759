// SPDX-License-Identifier: Apache-2.0
// One function on its way to imp: its statements and arrays, and what is known of its names.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/program.h"
#include "imp/ir/code.h"
#include "imp/ir/imp.h"
#include "imp/lower/common/arrays.h"
#include "imp/lower/common/block_flows.h"
#include "imp/lower/common/options.h"
#include "imp/lower/common/target.h"
#include "support/bug.h"

namespace skald::imp {

class FunctionLowering {
 public:
  FunctionLowering(Program& program, LoweringTarget& for_target,
                   const LowerOptions& lower_options = {})
      : prog(program), target(for_target), options(lower_options) {}

  Function lower(const core::Function& fn, FunctionKind kind = FunctionKind::kHost);

  // ---- stmts.cpp
  void body(Code& code, const core::Body& body);
  void stmt(Code& code, const core::Stmt& stmt);
  // Copies `fn` with fresh names, applied to `args`, into `code`.
  std::vector<Operand> apply(Code& code, const core::Lambda& fn, const std::vector<Operand>& args);
  // A loop in parts: its variables, its rounds as they are, what is assigned at the end of a round,
  // and its results.
  void begin_loop(Code& code, const core::Loop& node);
  void plain_rounds(Code& code, const core::Loop& node);
  void assign_next(Code& code, const core::Loop& node);
  void end_loop(const core::Stmt& stmt, const core::Loop& node);
  // What an operand or a block stands for here.
  Operand value(const Operand& operand) const;
  Name block(Name name) const;
  // Binds an array of a pattern to its place.
  void remember(const core::Param& param);
  const ArrayPlace& place(Name array) const;
  const ArrayPlace* find_place(Name array) const;  // null if it is not known yet

  // ---- arrays.cpp
  // False (and no code) if the statement is no node that makes, reads or changes an array.
  bool array_stmt(Code& code, const core::Stmt& stmt);
  // The part array[indices], fewer indices than the rank.
  ArrayPlace part(Code& code, const ArrayPlace& array, const std::vector<Operand>& indices);
  ArrayPlace slice(Code& code, const ArrayPlace& array, const std::vector<core::DimSlice>& slice);
  void copy(Code& code, const ArrayPlace& dest, const ArrayPlace& src);
  // dest[indices] = value, a scalar or an array.
  void store(Code& code, const ArrayPlace& dest, const std::vector<Operand>& indices,
             const Operand& value);
  void fill(Code& code, const ArrayPlace& dest, const Operand& value);
  // Code for a result that is so large that it is better written past the caches, and for others.
  void if_streamed(Code& code, const core::Type& result, const std::function<void(Code&)>& large,
                   const std::function<void(Code&)>& otherwise);

  Program& prog;
  LoweringTarget& target;
  LowerOptions options;
  std::unordered_map<Name, ArrayPlace> arrays = {};
  // Names that stand for another operand here: results of branches, thunk parameters.
  std::unordered_map<Name, Operand> alias = {};
  BlockFlows flows = {};
  // How many parallel loops we are in.
  int parallel_depth = 0;
  // Gets loops first, if it is there; false if a loop shall become a plain one.
  std::function<bool(Code&, const core::Stmt&)> special_loop = {};
  // What the histogram that is lowered next has to do first.
  const core::Stmt* late_fill = nullptr;
  // What has been explained already.
  std::unordered_set<std::string> explained = {};

 private:
  void trace(Code& code, const core::Stmt& stmt, const core::Opaque& node);
  bool scalar_stmt(Code& code, const core::Stmt& stmt);
  void memory_stmt(Code& code, const core::Stmt& stmt);
  void branch(Code& code, const core::Stmt& stmt, const core::If& node);
  void loop(Code& code, const core::Stmt& stmt, const core::Loop& node);
  void call(Code& code, const core::Stmt& stmt, const core::Call& node);
  // Where blocks that loops and branches hand on live, and memory that is needed for a moment.
  Space space_of(const core::Param& handed_on) const;
  Space temporary(core::Space space) const;

  void update(Code& code, const core::Update& node);
  void flat_update(Code& code, const core::FlatUpdate& node);
  void concat(Code& code, const ArrayPlace& dest, const core::Concat& node);
  void iota(Code& code, const ArrayPlace& dest, const core::Iota& node);
  void replicate(Code& code, const ArrayPlace& dest, const core::Replicate& node);
  void copy_overlapping(Code& code, const ArrayPlace& dest, const ArrayPlace& src);
  void copy_between_spaces(Code& code, const ArrayPlace& dest, const ArrayPlace& src);
  // The elements of a dense array in pieces `begin`, `count`: one inside kernels, several at a time
  // in host code.
  void in_pieces(Code& code, const core::Type& type,
                 const std::function<void(Code&, const Operand&, const Operand&)>& piece);
  // Calls `visit` with the indices of every element of an array of that space, row by row; in
  // parallel in host code.
  void for_each_index(Code& code, const std::vector<Operand>& shape, core::Space space,
                      const std::function<void(Code&, const std::vector<Operand>&)>& visit);
};

// While it lives, code of a kernel is written, or code of the host although we are in a kernel.
class InKernel {
 public:
  explicit InKernel(FunctionLowering& fn) : fn_(fn) { ++fn_.parallel_depth; }
  ~InKernel() { --fn_.parallel_depth; }
  InKernel(const InKernel&) = delete;
  InKernel& operator=(const InKernel&) = delete;

 private:
  FunctionLowering& fn_;
};
class OnHost {
 public:
  explicit OnHost(FunctionLowering& fn) : fn_(fn) { --fn_.parallel_depth; }
  ~OnHost() { ++fn_.parallel_depth; }
  OnHost(const OnHost&) = delete;
  OnHost& operator=(const OnHost&) = delete;

 private:
  FunctionLowering& fn_;
};

}  // namespace skald::imp
