// SPDX-License-Identifier: Apache-2.0
// The planner of one function's memory; see plan.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/memory_sharing.h"
#include "analysis/origins.h"
#include "core/edit/builder.h"
#include "core/ir/program.h"
#include "passes/memory/targets.h"
#include "passes/pass.h"

namespace skald::passes {

class Planner {
 public:
  Planner(core::Program& prog, PassContext& ctx) : prog_(prog), ctx_(ctx) {}
  void plan_function(core::Function& fn);

 private:
  using Results = std::vector<core::Operand>;

  // Plans all statements; `end` may add some and gives the final results.
  void plan_body(core::Body& body,
                 const std::function<Results(core::Builder&, const Results&)>& end,
                 const ResultTargets& targets = {});
  void plan_lambda(core::Lambda& fn);
  void plan_pull(core::Stmt& stmt, core::Kernel& kernel);
  void plan_stmt(core::Builder& out, core::Stmt stmt);
  void branch(core::Builder& out, core::Stmt stmt);
  void loop(core::Builder& out, core::Stmt stmt);
  void call(core::Builder& out, core::Stmt stmt);
  void kernel(core::Builder& out, core::Stmt stmt);
  void reshape(core::Builder& out, core::Stmt stmt);
  std::optional<core::MemLoc> view_place(core::Builder& out, const core::Stmt& stmt);

  static ResultTargets fill_blocks(const std::vector<bool>& wanted);
  const core::MemLoc& place(core::Name array) const;
  void put(core::Param& param, core::MemLoc loc);
  core::Operand saturating_mul(core::Builder& out, const core::Operand& a, const core::Operand& b);
  // A new block large enough for a dense array of this type.
  core::MemLoc allocate(core::Builder& out, const core::Type& type, std::string_view base);
  // One stride per dimension, also for dense arrays.
  std::vector<core::Operand> strides(core::Builder& out, core::Name array, const core::Type& type);
  core::MemLoc slice_place(core::Builder& out, core::Name array,
                           const std::vector<core::DimSlice>& slice);
  core::Name copied(core::Builder& out, core::Name array,
                    const std::function<core::MemLoc(const core::Type&)>& choose);
  core::Name whole_block(core::Builder& out, core::Name array);
  Results with_blocks(core::Builder& out, const Results& values,
                      const std::function<bool(size_t)>& wanted);
  std::vector<core::Param> pattern_with_blocks(std::vector<core::Param> pat,
                                               const std::function<bool(size_t)>& wanted,
                                               const std::function<core::MemLoc(size_t)>& known);

  // ---- build.cpp: arrays that are built where they would be copied to
  void note_scalars(const core::Body& body);
  void now_bound(const std::vector<core::Param>& params);
  std::optional<core::Operand> available(core::Builder& out, const core::Operand& operand,
                                         int depth = 0);
  // The place that the array shall be built in, if it is known by now.
  std::optional<core::MemLoc> target_place(core::Builder& out, core::Name array);
  std::optional<core::MemLoc> copied_to(core::Builder& out, const Target& target);
  bool place_ahead(core::Builder& out, const Target& target);
  core::MemLoc place_or_allocate(core::Builder& out, const core::Param& param);
  // The array itself if it is there, else a copy that is.
  core::Name at_place(core::Builder& out, core::Name array, const core::MemLoc& place);
  // The statement without the parts that are in place already.
  void concat(core::Builder& out, core::Stmt stmt);
  void array_lit(core::Builder& out, core::Stmt stmt);
  void write_parts(core::Builder& out, core::Stmt stmt, size_t count,
                   const std::function<core::Exp(core::Name, size_t)>& write);

  core::Program& prog_;
  PassContext& ctx_;
  const analysis::Origins* origins_ = nullptr;
  const analysis::MemorySharing* sharing_ = nullptr;
  std::unordered_map<core::Name, Target> targets_;
  // Which parts of an array are in place, by the name it gets when it is complete.
  std::unordered_map<core::Name, std::unordered_set<size_t>> built_;
  // Views whose arrays were laid out for them.
  std::unordered_map<core::Name, core::MemLoc> view_places_;
  std::unordered_set<core::Name> bound_;
  // How scalars are computed.
  std::unordered_map<core::Name, std::pair<core::Type, core::Exp>> scalars_;
  std::unordered_map<core::Name, core::MemLoc> places_;
  std::unordered_map<core::Name, core::Type> types_;
};

}  // namespace skald::passes
