// SPDX-License-Identifier: Apache-2.0
// Nodes that compute the same are one.
//
//   before   m = sum(x); d = x - m; … n = sum(x); e = x - n      (a mean, and that of a variance)
//   after    m = sum(x); d = x - m; … e = d
//
// Scalar code is shared later anyway; loops are cheaper not to be made.
#include <unordered_map>

#include "frontend/lazy/lower/lower.h"

namespace skald::lazy {

namespace {

bool is_same_input(const PlanInput& a, const PlanInput& b) {
  if (a.source != b.source || a.index != b.index || a.type != b.type || !is_same_view(a, b) ||
      a.parts.size() != b.parts.size())
    return false;
  for (size_t i = 0; i < a.parts.size(); ++i)
    if (!is_same_input(a.parts[i], b.parts[i])) return false;
  return true;
}

// Writes are versions of memory and calls are functions of others: they stay what they are.
bool is_pure(const PlanNode& node) {
  switch (node.kind) {
    case NodeKind::kElementwise:
    case NodeKind::kCast:
    case NodeKind::kFill:
    case NodeKind::kIota:
    case NodeKind::kReduce:
    case NodeKind::kScan:
    case NodeKind::kProduct: return true;
    default: return false;
  }
}

bool is_same(const PlanNode& a, const PlanNode& b) {
  if (a.kind != b.kind || a.op != b.op || a.type != b.type || a.compute_type != b.compute_type ||
      a.keeps_axes != b.keeps_axes || a.axes != b.axes || a.shape != b.shape ||
      a.target_shape != b.target_shape || a.inputs.size() != b.inputs.size())
    return false;
  for (size_t i = 0; i < a.inputs.size(); ++i)
    if (!is_same_input(a.inputs[i], b.inputs[i])) return false;
  return true;
}

uint64_t hash_of(const PlanNode& node) {
  uint64_t hash = static_cast<uint64_t>(node.kind) << 32 | node.op;
  for (const PlanInput& input : node.inputs) {
    const auto word = static_cast<uint64_t>(input.index) << 8 | static_cast<uint64_t>(input.source);
    hash = (hash ^ word) * 0x9fb21c651e98df25ULL;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

void merge_equal_nodes(Plan& plan) {
  std::vector<int64_t> instead(plan.nodes.size());
  std::unordered_multimap<uint64_t, size_t> seen;
  for (size_t n = 0; n < plan.nodes.size(); ++n) {
    PlanNode& node = plan.nodes[n];
    instead[n] = static_cast<int64_t>(n);
    for (PlanInput& input : node.inputs)
      if (input.source == SourceKind::kNode)
        input.index = instead[static_cast<size_t>(input.index)];
    if (!is_pure(node)) continue;
    const uint64_t hash = hash_of(node);
    const auto [begin, end] = seen.equal_range(hash);
    for (auto it = begin; it != end && instead[n] == static_cast<int64_t>(n); ++it)
      if (is_same(plan.nodes[it->second], node)) instead[n] = static_cast<int64_t>(it->second);
    if (instead[n] == static_cast<int64_t>(n)) seen.emplace(hash, n);
  }
}

}  // namespace skald::lazy
