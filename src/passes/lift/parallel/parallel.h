// SPDX-License-Identifier: Apache-2.0
// Parallel statements inside a batch: a few kernels for all instances.
//
// Each gives false, and leaves things as they were, if it does not know how; then the statement
// runs in one thread per instance.
#pragma once

#include "passes/lift/batch/point.h"

namespace skald::passes::lift {

bool lift_soac(Lifting& lifting, Batch& b, const core::Stmt& stmt, const core::Soac& soac);
bool lift_partition(Lifting& lifting, Batch& b, const core::Stmt& stmt,
                    const core::Partition& part);
bool lift_concat(Lifting& lifting, Batch& b, const core::Stmt& stmt, const core::Concat& concat);
bool lift_scatter(Lifting& lifting, Batch& b, const core::Stmt& stmt, const core::Scatter& scatter);
bool lift_hist(Lifting& lifting, Batch& b, const core::Stmt& stmt, const core::Hist& hist);

// The elements of all instances become a batch, in which the function of the SOAC is lifted.
bool lift_nested(Lifting& lifting, Batch& b, const core::Stmt& stmt, const core::Soac& soac);
// A kernel over segments with histograms, for devices whose groups need a flat domain for them, or
// if it has other sinks too: it stores the values that the sinks take; they get them from there.
core::Kernel on_flat_domain(Lifting& lifting, core::Kernel kernel, const Space& space);

}  // namespace skald::passes::lift
