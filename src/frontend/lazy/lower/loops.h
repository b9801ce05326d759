// SPDX-License-Identifier: Apache-2.0
// What is around the body of a plan that is a loop.
#pragma once

#include <vector>

#include "core/edit/builder.h"
#include "frontend/lazy/plan.h"

namespace skald::lazy {

class LoopShell {
 public:
  LoopShell(const Plan& plan, core::Program& prog)
      : plan_(plan), prog_(prog), round_(prog.names.fresh("round")) {}
  // Of the arrays from which comes what differs from round to round: numbers first, then constants.
  std::vector<core::Type> table_types(const core::Operand& rounds) const;
  // Reads them at the beginning of the body.
  void read_tables(core::Builder& body, const std::vector<core::Name>& tables,
                   std::vector<core::Name>& symbols, std::vector<core::Name>& scalars) const;
  // The body sees what the round before made of an array from outside.
  void carry(size_t external, const core::Type& type, core::Operand& value);
  core::Body close(core::Body body, const core::Operand& rounds);

 private:
  const Plan& plan_;
  core::Program& prog_;
  core::Name round_;
  std::vector<core::LoopParam> params_;  // by output
};

}  // namespace skald::lazy
