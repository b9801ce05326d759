// SPDX-License-Identifier: Apache-2.0
// Perfect nests: a map whose body is one SOAC becomes one index space.
#pragma once

#include <vector>

#include "core/edit/builder.h"
#include "core/ir/program.h"

namespace skald::passes {

// A SOAC over one or more dimensions, in terms of indices.
struct Nest {
  std::vector<core::Operand> dims;
  // Parameters: one index per dimension.  Results as in Soac::fn, for one point; the code is
  // sequential.
  core::Lambda pull;
  std::vector<core::Operator> scans, reduces;
  std::vector<core::Lambda> post;
};

// More statements than this are not repeated at every point of an inner level.
constexpr size_t kMaxRepeated = 6;

// The same where index arithmetic and views, of which a compiler makes little, count as a quarter.
constexpr size_t kRepeatUnit = 4;
size_t repeat_cost(const core::Stmt& stmt);

// The dimensions that collect_nest would take, and the SOAC of the innermost.
struct NestShape {
  std::vector<core::Operand> dims;
  const core::Soac* leaf;
};
NestShape nest_shape(const core::Soac& soac);

// Gives up the post-bodies of SOACs without scans, everywhere inside: what follows expects none.
void fold_posts(core::Body& body);

// One level down: adds the code of a map's body, for these rows, to `body`, all but the last
// statement, and gives back the SOAC that that statement is.
core::Soac last_soac(core::Builder& body, core::Lambda fn, const std::vector<core::Operand>& rows);

// Takes as many dimensions as the nest allows; at least one.
Nest collect_nest(core::Soac soac, core::Program& prog, core::Loc loc);

}  // namespace skald::passes
