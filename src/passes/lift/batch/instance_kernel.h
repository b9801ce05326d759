// SPDX-License-Identifier: Apache-2.0
// A kernel with one point for each instance of a batch, under construction.
#pragma once

#include <string_view>
#include <vector>

#include "core/edit/builder.h"

namespace skald::passes::lift {

struct InstanceKernel {
  InstanceKernel(core::Program& program, const core::Operand& width, core::Loc loc);

  // One row for each instance.
  void give(const core::Type& row, const core::Operand& value);
  // `length` rows for each instance, from row `start` on of an array of `total` rows that `out`
  // makes.
  struct Rows {
    core::Operand start, length, value;
  };
  void give_rows(core::Builder& out, const core::Type& row, const core::Operand& total,
                 const Rows& rows);
  // A scan or a reduction of one scalar over all instances.
  void combine(core::Sink::Kind kind, core::Operator op, const core::Operand& value);
  // The kernel as a statement of `out`; gives its results.
  std::vector<core::Name> finish(core::Builder& out, std::string_view base);

  core::Program& prog;
  core::Kernel kernel;
  core::Name s;  // the instance
  core::Builder body;
  std::vector<core::Operand> given;
  std::vector<core::Type> results;
};

}  // namespace skald::passes::lift
