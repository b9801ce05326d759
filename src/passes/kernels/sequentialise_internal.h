// SPDX-License-Identifier: Apache-2.0
// Shared by the files that turn SOACs into loops.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/edit/builder.h"
#include "core/ir/program.h"
#include "support/bug.h"

namespace skald::passes {

// What a loop does with an array that it carries: update it in place, or replace it by another one.
enum class Carry : uint8_t { kUpdated, kReplaced };

// A `for` loop under construction: declare what it carries, fill its body, finish it.
class LoopBuilder {
 public:
  LoopBuilder(core::Program& prog, const core::Operand& bound, core::Loc loc);
  // A loop parameter.
  core::Name carry(const core::Type& type, const core::Operand& init, std::string_view base,
                   Carry how = Carry::kUpdated);
  core::Operand index() const { return loop_.var.name; }
  core::Builder& body() { return body_; }
  const core::Type& type_of(core::Name carried) const {
    for (const core::LoopParam& p : loop_.params)
      if (p.param.name == carried) return p.param.type;
    SKALD_BUG("not a loop parameter");
  }
  // `results` are the next values of what is carried, in order; `pat` binds the last ones.
  // The loop runs after the checks that gave `tokens`.
  void finish(core::Builder& out, std::vector<core::Param> pat, std::vector<core::Operand> results,
              std::vector<core::Name> tokens);

 private:
  core::Program& prog_;
  core::Loop loop_;
  core::Builder body_;
};

// Row `i` of every input, named after the lambda's parameters; accumulators are passed as they are.
std::vector<core::Operand> read_rows(core::Builder& out, const std::vector<core::Name>& inputs,
                                     const std::vector<core::Param>& params,
                                     const core::Operand& i);

// target with [at] = value, where `array` is the target's type.
core::Operand write_row(core::Builder& out, const core::Type& array, core::Name target,
                        const std::vector<core::Operand>& at, const core::Operand& value);

// 0 <= index < size in every dimension.
core::Operand in_bounds(core::Builder& out, const std::vector<core::Operand>& indices,
                        const std::vector<core::Operand>& shape);

// if cond then update(targets) else targets; one result for each target.
std::vector<core::Operand> update_if(
    core::Builder& out, const core::Operand& cond, const std::vector<core::Type>& types,
    const std::vector<core::Name>& targets,
    const std::function<std::vector<core::Operand>(core::Builder&)>& update);

void sequentialise_soac(core::Builder& out, core::Stmt stmt);
void sequentialise_scatter(core::Builder& out, core::Stmt stmt);
void sequentialise_hist(core::Builder& out, core::Stmt stmt);
void sequentialise_partition(core::Builder& out, core::Stmt stmt);
void sequentialise_flatmap(core::Builder& out, core::Stmt stmt);

}  // namespace skald::passes
