// SPDX-License-Identifier: Apache-2.0
// Which nests are like a matrix product: for every (i, j) a loop over k combines values that depend
// on (i, k) with values that depend on (j, k).
//
// Two forms of kernels have this shape: a reduction over the last of at least three dimensions, and
// a map over at least two with a counted loop in its thunk.
//
// And which are like the forces between bodies: for every i a loop over k combines values that
// depend on i with values that depend on k.  Then there is no j, and one dimension less.
#pragma once

#include <optional>
#include <vector>

#include "core/edit/rename.h"
#include "core/ir/program.h"

namespace skald::imp {

struct TilePlan {
  using Stmts = std::vector<const core::Stmt*>;
  struct Accumulator {
    core::Name param;  // its name in `inside`
    core::Prim type;
    core::Operand init, next;
    core::Name result;  // its name in `after`; none in a reduction
  };
  // A value that is computed once for many points and kept in a panel.
  struct Packed {
    core::Name name;
    core::Prim type;
  };

  // Is i the last of several dimensions that are rows together?
  bool rows_together = false;
  // Which dimension i is.
  size_t row = 0;
  // Statements at (i, j) before the loop over k, inside it, and after it.
  Stmts before, inside, after;
  std::vector<Accumulator> accs;
  core::Name i = {}, j = {}, k = {};
  // May the values be combined in any order, and be rounded less often?
  bool is_reduction = true;
  core::Prim k_type = core::Prim::kI64;
  core::Operand bound = core::const_i64(0);
  // Parameters of operators, which stand for values of the thunk.
  core::Substitution same = {};
  // What goes into the panels of rows (i, k) and of columns (j, k), and the statements for it.
  // Without j: values that depend on i only, and on k only.
  std::vector<Packed> row_values, column_values;
  Stmts row_stmts, column_stmts;
  // What is left for every (i, j, k).
  Stmts point_stmts;
};

std::optional<TilePlan> plan_tiles(const core::Kernel& kernel);
// The same with another dimension than the last one before j as rows: products of many pairs of
// matrices whose number comes between rows and columns.
std::optional<TilePlan> plan_tiles_of_outer_rows(const core::Kernel& kernel);
// The same with all dimensions before j as rows: values of columns must not depend on them.
std::optional<TilePlan> plan_tiles_of_all_rows(const core::Kernel& kernel);
std::optional<TilePlan> plan_without_columns(const core::Kernel& kernel);

}  // namespace skald::imp
