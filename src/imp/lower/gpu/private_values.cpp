// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/private_values.h"

#include <algorithm>

#include "core/ir/visit.h"

namespace skald::imp {

namespace {

// Of the registers of a thread, for these values.
constexpr int64_t kPrivateBytes = 96;
constexpr size_t kMostStraightStatements = 48;
// Of points that load nothing, as random numbers made from a counter, so many at once: each is one
// long chain, and what does not depend on the point is computed once for all.
constexpr int64_t kChainsAtOnce = 4;
constexpr size_t kMostChainStatements = 384;

}  // namespace

PrivateValues::PrivateValues(Code& code, const KernelWriter& kernel, int64_t points) {
  for (const core::Ret& ret : kernel.node.pull.results) {
    types_.push_back(ret.type.elem);
    blocks_.push_back(
        code.alloc(Space::kPrivate, const_i64(points * prim_size(ret.type.elem)), "kept"));
  }
}

bool is_made_of_chains(const KernelWriter& kernel) {
  const std::vector<core::Stmt>& stmts = kernel.node.pull.body.stmts;
  return kernel.facts.straight && stmts.size() <= kMostChainStatements &&
         std::ranges::none_of(stmts, [](const core::Stmt& stmt) {
           return core::as<core::Index>(stmt.exp) != nullptr;
         });
}

int64_t PrivateValues::most_points(const KernelWriter& kernel, int64_t wanted) {
  if (!kernel.facts.straight) return 1;
  if (kernel.node.pull.body.stmts.size() > kMostStraightStatements) {
    if (!is_made_of_chains(kernel)) return 1;
    wanted = std::min(wanted, kChainsAtOnce);
  }
  int64_t bytes = 0;
  // Narrow values take whole registers.
  for (const core::Ret& ret : kernel.node.pull.results)
    bytes += std::max<int64_t>(prim_size(ret.type.elem), 4);
  return std::clamp<int64_t>(kPrivateBytes / std::max<int64_t>(bytes, 1), 1, wanted);
}

void PrivateValues::store(Code& code, const Operand& point,
                          const std::vector<Operand>& values) const {
  for (size_t k = 0; k < blocks_.size(); ++k)
    code.add(Store{types_[k], blocks_[k], point, values[k]});
}

std::vector<Operand> PrivateValues::load(Code& code, const Operand& point) const {
  std::vector<Operand> values;
  for (size_t k = 0; k < blocks_.size(); ++k)
    values.push_back(code.load(types_[k], blocks_[k], point, "kept"));
  return values;
}

}  // namespace skald::imp
