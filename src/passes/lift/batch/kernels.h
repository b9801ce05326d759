// SPDX-License-Identifier: Apache-2.0
// Kernels for a batch: one point for each instance, or for each element of all instances.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "passes/lift/batch/point.h"

namespace skald::passes::lift {

// ---- a point for each instance (per_instance.cpp)

using PointCode = std::function<std::vector<core::Operand>(Point&)>;
// Arrays with what `make` gives for every instance.
std::vector<core::Name> per_instance(Lifting& lifting, Batch& b,
                                     const std::vector<core::Type>& types, const PointCode& make,
                                     std::string_view base);
// Where segments of these lengths begin, and how long they are altogether.
Batch::Segments scan_lengths(Lifting& lifting, Batch& b,
                             const std::function<core::Operand(Point&)>& length);
// An array with the value of every instance.
core::Name rows_of(Lifting& lifting, Batch& b, const core::Operand& value, const core::Type& type);
// Runs the statements for every instance and stores values: regular ones as rows, irregular ones
// one after another.
void write_rows(Lifting& lifting, Batch& b, const std::vector<const core::Stmt*>& stmts,
                const std::vector<core::Param>& regular, const std::vector<core::Param>& irregular);
// A few cheap statements are repeated at every element; of more, the scalars are stored.
void store_costly(Lifting& lifting, Batch& b, const Names& names);

// ---- a point for each element (spaces.cpp)

// `tokens`: the checks that must have passed before the width means anything.
Space space_of(Lifting& lifting, Batch& b, const core::Operand& width,
               const std::vector<core::Name>& tokens);
// All elements of segments that follow one another.
Space space_of(Lifting& lifting, const Batch::Segments& segments);
// The same points under fresh names.
Space with_indices(Lifting& lifting, Space space);
// The shape of what a kernel over the space stores.
std::vector<core::Operand> shape_of(const Space& space, const Batch& b);
core::Kernel open(const Space& space, const Batch& b);
void bind_output(Lifting& lifting, Batch& b, const core::Param& p, const Space& space,
                 core::Name array);
// The checks that a SOAC over these inputs waits for: its own and those of the slices it reads.
std::vector<core::Name> checks_of(const Batch& b, const core::Stmt& stmt,
                                  const std::vector<core::Name>& inputs);

// ---- operators (spaces.cpp)

// Does the operator mean the same for all instances, and work on scalars?  Then it can be one of a
// kernel.
bool is_free(const Batch& b, const core::Operator& op);
core::Operator free_operator(Lifting& lifting, const Batch& b, const core::Operator& op);
core::Operator combining(core::Program& prog, core::BinOpKind op, core::Prim type,
                         core::Operand neutral);

}  // namespace skald::passes::lift
