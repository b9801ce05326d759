// SPDX-License-Identifier: Apache-2.0
// What is the same for a whole group of lanes though it need not be for all of the loop, and can be
// told before the group runs.
#include "imp/ir/visit.h"
#include "imp/simd/lanes_analysis.h"

namespace skald::imp {

namespace {

constexpr int kMostSteps = 6;

bool is_sum_or_product(BinOpKind op) {
  return op == BinOpKind::kAdd || op == BinOpKind::kSub || op == BinOpKind::kMul;
}

bool is_clamp(const core::BinOp& e) {
  return (e.op == BinOpKind::kMin || e.op == BinOpKind::kMax) && is_signed_int(e.type) &&
         prim_size(e.type) >= 4;
}

bool is_extension(const core::Convert& e) {
  return is_int(e.from) && is_int(e.to) && prim_size(e.from) < prim_size(e.to);
}

}  // namespace

const Exp* LanesAnalysis::definition(Name name) const {
  const auto found = definitions_.find(name);
  return found == definitions_.end() ? nullptr : found->second;
}

const Operand* LanesAnalysis::linear_side(const Let& let) const {
  const auto found = borders_.find(let.name);
  if (found == borders_.end() || found->second == Border::kCompares) return nullptr;
  if (found->second == Border::kExtends) return &std::get<core::Convert>(let.exp).arg;
  const auto& e = std::get<core::BinOp>(let.exp);
  return shape(e.lhs) == Shape::kUniform ? &e.rhs : &e.lhs;
}

// Can it be computed before the body runs, from what is outside and the loop's variable?
bool LanesAnalysis::known_before(const Operand& operand, int depth) const {
  const Name* name = core::as_name(operand);
  if (name == nullptr || *name == loop_var_ || !bound_.contains(*name)) return true;
  const Exp* exp = definition(*name);
  if (exp == nullptr || depth == 0) return false;
  if (const auto* e = std::get_if<core::Value>(exp)) return known_before(e->arg, depth - 1);
  if (const auto* e = std::get_if<core::Bitcast>(exp)) return known_before(e->arg, depth - 1);
  if (const auto* e = std::get_if<core::Convert>(exp)) return known_before(e->arg, depth - 1);
  const auto* e = std::get_if<core::BinOp>(exp);
  return e != nullptr && (is_sum_or_product(e->op) || is_clamp(*e)) &&
         known_before(e->lhs, depth - 1) && known_before(e->rhs, depth - 1);
}

// Names from which indices of loads are computed in steps that keep them linear.
std::unordered_set<Name> LanesAnalysis::used_as_index() const {
  std::unordered_set<Name> used;
  const auto use = [&](const Operand& operand) {
    if (const Name* name = core::as_name(operand)) used.insert(*name);
  };
  for (const Load* load : loads_)
    if (!is_private(load->block)) use(load->index);
  for (auto let = lets_.rbegin(); let != lets_.rend(); ++let) {
    if (!used.contains((*let)->name)) continue;
    if (const auto* e = std::get_if<core::BinOp>(&(*let)->exp);
        e != nullptr && (is_sum_or_product(e->op) || is_clamp(*e))) {
      use(e->lhs);
      use(e->rhs);
    }
    if (const auto* e = std::get_if<core::Convert>(&(*let)->exp)) use(e->arg);
    if (const auto* e = std::get_if<core::Value>(&(*let)->exp)) use(e->arg);
  }
  return used;
}

std::vector<Border> LanesAnalysis::borders() const {
  constexpr size_t kMostBorders = 32;
  std::vector<Border> found;
  const std::unordered_set<Name> indices = used_as_index();
  // 1: the left side is linear and the other one uniform, 2: the right side.  0: neither.
  const auto linear_side_of = [&](const Operand& lhs, const Operand& rhs) {
    const Value a = value(lhs), b = value(rhs);
    const bool left = a.shape == Shape::kLinear && a.stride == 1 && b.shape == Shape::kUniform;
    const bool right = b.shape == Shape::kLinear && b.stride == 1 && a.shape == Shape::kUniform;
    if (!left && !right) return 0;
    if (!known_before(lhs, kMostSteps) || !known_before(rhs, kMostSteps)) return 0;
    return left ? 1 : 2;
  };
  for (const Let* let : lets_) {
    int side = 0;
    if (const auto* e = std::get_if<core::Convert>(&let->exp)) {
      if (is_extension(*e) && is_contiguous(e->arg) && known_before(e->arg, kMostSteps)) side = 1;
    } else if (const auto* e = std::get_if<core::BinOp>(&let->exp)) {
      if (is_clamp(*e) && indices.contains(let->name)) side = linear_side_of(e->lhs, e->rhs);
    } else if (const auto* e = std::get_if<core::CmpOp>(&let->exp)) {
      if (is_int(e->type)) side = linear_side_of(e->lhs, e->rhs);
    }
    if (side != 0) found.push_back(make_border(let->name, let->exp, /*linear_left=*/side == 1));
  }
  if (found.size() > kMostBorders) found.clear();
  return found;
}

}  // namespace skald::imp
