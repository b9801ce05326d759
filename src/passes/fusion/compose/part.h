// SPDX-License-Identifier: Apache-2.0
// A SOAC or kernel as the composer sees it: code for one point, and what becomes of its values.
//
// A kernel is so by itself.  A SOAC is one whose code gets rows of its inputs instead of an index,
// and whose scans, reductions, histograms and destinations are sinks.
#pragma once

#include <optional>
#include <vector>

#include "core/ir/program.h"

namespace skald::passes::fusion {

struct Part {
  std::optional<core::Domain> domain = {};  // of a kernel
  std::vector<core::Name> inputs = {};      // of a SOAC: its code gets one row of each
  // Gives the values of the sinks, in order.
  core::Lambda code = {};
  std::vector<core::Sink> sinks = {};
  // As in a kernel: gets what the scans and kOut sinks give.
  std::vector<core::Lambda> post = {};
  // In the order of a kernel's results.
  std::vector<core::Param> pat = {};
  // Of a flatmap: its sink is all that its code gives, its results are its own.
  std::optional<core::FlatMap> flat = {};
};

// Takes the statement apart: a SOAC other than with_acc, or a kernel.
Part part_of(core::Stmt stmt);

}  // namespace skald::passes::fusion
