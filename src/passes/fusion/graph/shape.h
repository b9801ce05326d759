// SPDX-License-Identifier: Apache-2.0
// Describes one SOAC or kernel, and says what speaks against merging two.
#pragma once

#include <optional>
#include <string>

#include "passes/fusion/graph/node.h"

namespace skald::passes::fusion {

// Nothing if the statement is no SOAC, or a with_acc that is more than one map.
std::optional<NodeInfo> describe(const core::Stmt& stmt);

// Why `consumer` must not take the rows of `producer` directly, whatever else is in the cluster.
std::optional<std::string> why_not_vertical(const NodeInfo& producer, const NodeInfo& consumer);
// Why `other` must not be one SOAC with a map that writes to accumulators.
std::optional<std::string> why_not_with_accumulator(const NodeInfo& acc, const NodeInfo& other);
// Why two SOACs that read the same array must not be one.
std::optional<std::string> why_not_siblings(const NodeInfo& a, const NodeInfo& b);

// kernel_node.cpp: the same for kernels.
std::optional<NodeInfo> describe_kernel(const core::Stmt& stmt);
std::optional<std::string> why_not_vertical_kernels(const NodeInfo& producer,
                                                    const NodeInfo& consumer);
std::optional<std::string> why_not_sibling_kernels(const NodeInfo& a, const NodeInfo& b);
// The same points, or those of segments without their borders (rule 10).
bool same_domain(const core::Kernel& a, const core::Kernel& b);
// Is this a scalar read at the kernel's own index?  `index`: the parameters that are it.
bool is_own_read(const core::Stmt& stmt, const std::vector<core::Name>& index);
// The parameters of the thunk that together are the place in arrays over the domain.
std::vector<core::Name> own_index(const core::Kernel& kernel);

// Can the body run for a row that a filter has dropped?  It must be cheap, and must neither read
// arrays nor check anything.
bool is_speculatable(const core::Body& body);
bool takes_scalars(const core::Lambda& fn);
// May `other` be in one SOAC with `node`, which has operators on arrays?
bool stands_beside_rows(const NodeInfo& node, const NodeInfo& other);

}  // namespace skald::passes::fusion
