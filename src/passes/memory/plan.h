// SPDX-License-Identifier: Apache-2.0
// The planner of one function's memory; see plan.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/builder.h"
#include "core/program.h"
#include "passes/memory/origins.h"

namespace skald::passes {

class Planner {
 public:
  explicit Planner(core::Program& prog) : prog_(prog) {}
  void plan_function(core::Function& fn);

 private:
  using Results = std::vector<core::Operand>;

  // Plans all statements; `end` may add some and gives the final results.
  void plan_body(core::Body& body,
                 const std::function<Results(core::Builder&, const Results&)>& end);
  void plan_lambda(core::Lambda& fn);
  void plan_stmt(core::Builder& out, core::Stmt stmt);
  void branch(core::Builder& out, core::Stmt stmt);
  void loop(core::Builder& out, core::Stmt stmt);
  void call(core::Builder& out, core::Stmt stmt);
  void kernel(core::Builder& out, core::Stmt stmt);
  void reshape(core::Builder& out, core::Stmt stmt);
  std::optional<core::MemLoc> view_place(core::Builder& out, const core::Stmt& stmt);

  const core::MemLoc& place(core::Name array) const;
  void put(core::Param& param, core::MemLoc loc);
  core::Operand saturating_mul(core::Builder& out, const core::Operand& a, const core::Operand& b);
  // A new block large enough for a dense array of this type.
  core::MemLoc allocate(core::Builder& out, const core::Type& type, std::string_view base);
  // One stride per dimension, also for dense arrays.
  std::vector<core::Operand> strides(core::Builder& out, core::Name array, const core::Type& type);
  core::MemLoc slice_place(core::Builder& out, core::Name array,
                           const std::vector<core::DimSlice>& slice);
  core::Name whole_block(core::Builder& out, core::Name array);
  Results with_blocks(core::Builder& out, const Results& values,
                      const std::function<bool(size_t)>& wanted);
  std::vector<core::Param> pattern_with_blocks(std::vector<core::Param> pat,
                                               const std::function<bool(size_t)>& wanted,
                                               const std::function<core::MemLoc(size_t)>& known);

  core::Program& prog_;
  const Origins* origins_ = nullptr;
  std::unordered_map<core::Name, core::MemLoc> places_;
  std::unordered_map<core::Name, core::Type> types_;
};

}  // namespace skald::passes
