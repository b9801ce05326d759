// SPDX-License-Identifier: Apache-2.0
// Random statements, appended to the body under construction.  Each may do nothing, if what it
// needs is not at hand.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/random/scope.h"

namespace skald::core::random {

// Some statement of any kind; and up to so many.
void statement(Scope& scope);
void statements(Scope& scope, int count);
// A lambda whose results are of the types `first`, then some chosen from what its body computes.
Lambda some_lambda(Scope& scope, std::vector<Param> params, int results,
                   const std::vector<Type>& first = {});

// ---- generate_arrays.cpp
void scalar_stmt(Scope& scope);
void new_array_stmt(Scope& scope);
void view_stmt(Scope& scope);
void index_stmt(Scope& scope);
void slice_stmt(Scope& scope);
void flat_stmt(Scope& scope);
void update_stmt(Scope& scope);
void concat_stmt(Scope& scope);

// ---- generate_control.cpp
Name check(Scope& scope, Operand cond, std::string words);
void check_stmt(Scope& scope);
void if_stmt(Scope& scope);
void for_stmt(Scope& scope);
void growing_loop_stmt(Scope& scope);
void while_stmt(Scope& scope);
void call_stmt(Scope& scope);

// ---- generate_soacs.cpp
struct TypedOperator {
  Operator op;
  std::vector<Type> types;
};
TypedOperator simple_operator(Scope& scope, Prim type, bool must_commute);
// A width with arrays of that many rows.  The parameters are not in scope yet.
struct Rows {
  Operand width;
  std::vector<Name> inputs;
  std::vector<Param> params;
};
std::optional<Rows> some_rows(Scope& scope, int max_inputs);
void map_stmt(Scope& scope);
void soac_stmt(Scope& scope);
void hist_stmt(Scope& scope);
void scatter_stmt(Scope& scope);
void partition_stmt(Scope& scope);
void flatmap_stmt(Scope& scope);

// ---- generate_accs.cpp
void with_acc_stmt(Scope& scope);

}  // namespace skald::core::random
