// SPDX-License-Identifier: Apache-2.0
// How much an iteration of a simd loop does, in lanes and as scalar code.
#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/scalar/operator_class.h"
#include "imp/ir/visit.h"
#include "imp/simd/lanes_analysis.h"
#include "imp/simd/searches.h"

namespace skald::imp {

namespace {

// Work in loops of unknown length counts this much more.
constexpr double kLoopWeight = 16;

int log2_size(Prim type) {
  switch (prim_size(type)) {
    case 1: return 0;
    case 2: return 1;
    case 4: return 2;
    default: return 3;
  }
}

// In simple operations; `per_lane` says that vectors do not help.
struct LaneCost {
  double cost = 1;
  bool per_lane = false;
  // Out of the vector and back.
  double moves = 3;
  // Only some machines have a vector form, of this cost.
  bool is_long = false;
  double long_cost = 1;
};

// Two operands out of the vector, and what makes quotients exact in vectors.
constexpr double kDivisionMoves = 5;
// A check that many iterations share a branch for (codegen/cpu/emit/side_by_side.cpp).
constexpr double kCheck = 0.25;

// Functions that no library has for vectors.
bool is_scalar_function(const core::BinOp& e) {
  return (e.op == BinOpKind::kPow && !is_float(e.type)) || e.op == BinOpKind::kAtan2Pi ||
         e.op == BinOpKind::kNextafter || e.op == BinOpKind::kLdexp;
}

bool divides_long_by_power_of_two(const Exp& exp) {
  const auto* e = std::get_if<core::BinOp>(&exp);
  if (e == nullptr || !core::is_division(e->op) || !is_int(e->type) || prim_size(e->type) < 8)
    return false;
  const Const* divisor = core::as_const(e->rhs);
  return divisor != nullptr && std::has_single_bit(divisor->bits);
}
// The sign is added, so that quotients of negative numbers round towards zero.
constexpr double kShifts = 3;

// Where vectors have an operator of 32 bits, one register of it costs about as much as one scalar;
// so `cost` is for both.
LaneCost lane_cost(const Exp& exp) {
  if (divides_long_by_power_of_two(exp))
    return {.cost = kShifts, .is_long = true, .long_cost = kShifts};
  LaneCost result{.cost = static_cast<double>(machine::cost_of(core::operator_class(exp)).scalar)};
  if (const auto* e = std::get_if<core::BinOp>(&exp)) {
    result.per_lane = is_scalar_function(*e);
    // It is a product, of which the upper half is needed, or a division of floats
    // (codegen/cpu/operators/vector_division.cpp); NEON has no product of 64 bits, and neither has
    // AVX2.
    if (core::is_division(e->op) && is_int(e->type) && prim_size(e->type) == 8) {
      result.moves = core::as_const(e->rhs) == nullptr ? kDivisionMoves : 3;
      result.is_long = true;
      result.long_cost = machine::cost_of(core::OperatorClass::kLongDivision).vector;
    } else if (e->op == BinOpKind::kMul) {
      result.is_long = e->type == Prim::kI64 || e->type == Prim::kU64;
    }
  }
  if (const auto* e = std::get_if<core::Convert>(&exp)) {
    // 64-bit integers and 32-bit floats convert one by one on most machines.
    const bool mixed =
        is_float(e->from) != is_float(e->to) && prim_size(e->from) != prim_size(e->to);
    result.is_long = mixed && std::max(prim_size(e->from), prim_size(e->to)) == 8;
  }
  return result;
}

// What an index is the sum of, as far as it is computed in the loop itself.
struct Sum {
  std::vector<uint32_t> names;
  int64_t constant = 0;
};

void add_terms(const Operand& operand, const std::unordered_map<Name, const Exp*>& made, Sum& sum) {
  if (const Const* c = core::as_const(operand)) {
    sum.constant += core::int_value(*c);
    return;
  }
  const Name name = *core::as_name(operand);
  const auto found = made.find(name);
  const Exp* exp = found == made.end() ? nullptr : found->second;
  if (const auto* e = exp == nullptr ? nullptr : std::get_if<core::Value>(exp))
    return add_terms(e->arg, made, sum);
  const auto* e = exp == nullptr ? nullptr : std::get_if<core::BinOp>(exp);
  if (e != nullptr && e->op == BinOpKind::kAdd) {
    add_terms(e->lhs, made, sum);
    return add_terms(e->rhs, made, sum);
  }
  if (e != nullptr && e->op == BinOpKind::kSub && core::as_const(e->rhs) != nullptr) {
    sum.constant -= core::int_value(*core::as_const(e->rhs));
    return add_terms(e->lhs, made, sum);
  }
  sum.names.push_back(name.id);
}

// Does an iteration read a float that one before it has stored, at a constant distance?
bool waits_for_itself(const For& loop) {
  std::unordered_map<Name, const Exp*> made;
  for (const Stmt& stmt : loop.body.stmts)
    if (const auto* let = as<Let>(stmt)) made[let->name] = &let->exp;
  const auto sum_of = [&](const Operand& index) {
    Sum sum;
    add_terms(index, made, sum);
    std::sort(sum.names.begin(), sum.names.end());
    return sum;
  };
  for (const Stmt& stmt : loop.body.stmts) {
    const auto* store = as<Store>(stmt);
    if (store == nullptr || !is_float(store->type)) continue;
    const Sum to = sum_of(store->index);
    for (const Stmt& other : loop.body.stmts) {
      const auto* load = as<Load>(other);
      if (load == nullptr || !(load->block == store->block)) continue;
      const Sum from = sum_of(load->index);
      if (from.names == to.names && from.constant != to.constant) return true;
    }
  }
  return false;
}

// Could scalar code run this loop in vectors of its own, because it goes along the memory and
// carries nothing from one iteration to the next?
bool runs_along_memory(const For& loop) {
  bool innermost = true;
  for (const Stmt& stmt : loop.body.stmts)
    if (as<For>(stmt) != nullptr || as<While>(stmt) != nullptr) innermost = false;
  if (!innermost) return false;
  const LanesAnalysis inside(loop);
  return inside.obstacle().empty() && !inside.has_check() && inside.work().per_lane == 0 &&
         inside.work().long_lane == 0;
}

// Where a statement is, as far as its cost is concerned.
struct WorkPlace {
  double weight = 1;
  double scalar = 1;  // of the work, what remains of it in scalar code
  bool divergent = false;
  bool in_branch = false;  // of a divergent `if`
};

class WorkMeter {
 public:
  WorkMeter(const For& loop, const LanesAnalysis& analysis, LaneWork& work)
      : loop_(loop), analysis_(analysis), work_(work) {
    if (analysis.has_check()) find_needed(loop.body);
    measure(loop.body, {});
  }

 private:
  void measure(const Body& body, const WorkPlace& place);
  void stmt(const Stmt& stmt, const WorkPlace& place);
  void let(const Let& n, const WorkPlace& place);
  void access(Name block, Prim type, const Operand& index, bool is_load, const WorkPlace& place);
  void scattered(Name block, Prim type, const Operand& index, bool is_load, const WorkPlace& place);
  void collect(const Collect& n, const WorkPlace& place);
  WorkPlace inside(const Stmt& stmt, const WorkPlace& place);
  void vector_work(Prim type, double cost, const WorkPlace& place);
  double& varying(Prim type) { return work_.varying[static_cast<size_t>(log2_size(type))]; }
  void find_needed(const Body& body);
  bool is_new_row(Name block, const Operand& index, bool is_load);
  std::optional<Prim> laned_piece(const Stmt& stmt) const;
  bool diverges(const Stmt& stmt) const;

  const For& loop_;
  const LanesAnalysis& analysis_;
  LaneWork& work_;
  std::unordered_set<Name> needed_;       // for more than checks
  std::unordered_set<std::string> rows_;  // that are loaded from, see is_new_row
};

bool WorkMeter::diverges(const Stmt& stmt) const {
  if (const auto* n = as<If>(stmt)) return analysis_.is_divergent(n);
  if (const auto* n = as<For>(stmt)) return analysis_.is_divergent(n);
  const auto* n = as<While>(stmt);
  return n != nullptr && analysis_.is_divergent(n);
}

// Bools that only checks use are cheap: scalar code has a branch for several iterations at once.
void WorkMeter::find_needed(const Body& body) {
  for (auto stmt = body.stmts.rbegin(); stmt != body.stmts.rend(); ++stmt) {
    for_each_body(*stmt, [&](const Body& inner) { find_needed(inner); });
    if (as<Check>(*stmt) != nullptr) continue;
    const auto* let = as<Let>(*stmt);
    if (let != nullptr && let->type == Prim::kBool && !needed_.contains(let->name)) continue;
    for_each_use(*stmt, [&](const Operand& operand) {
      if (const Name* name = core::as_name(operand)) needed_.insert(*name);
    });
  }
}

// Loads of neighbours, as in a stencil, find what the first of them brought into the cache.  They
// are in the same row if their indices are sums of the same terms, apart from small constants and
// from what is chosen at a border.
bool WorkMeter::is_new_row(Name block, const Operand& index, bool is_load) {
  if (!is_load) return true;
  constexpr int64_t kNear = 64;
  constexpr int kMostSteps = 32;
  std::vector<std::string> terms;
  int steps = 0;
  const auto text = [](const Operand& operand) {
    const Name* name = core::as_name(operand);
    return name != nullptr ? "n" + std::to_string(name->id)
                           : std::to_string(core::int_value(*core::as_const(operand)));
  };
  const auto collect = [&](const auto& self, const Operand& operand) -> void {
    const Name* name = core::as_name(operand);
    if (name == nullptr) {
      const int64_t value = core::int_value(*core::as_const(operand));
      if (value >= kNear || value <= -kNear) terms.push_back(text(operand));
      return;
    }
    const Exp* exp = ++steps < kMostSteps ? analysis_.definition(*name) : nullptr;
    if (exp == nullptr) return terms.push_back(text(operand));
    if (std::holds_alternative<core::Select>(*exp)) return;
    const auto* e = std::get_if<core::BinOp>(exp);
    const bool sum = e != nullptr && (e->op == BinOpKind::kAdd || e->op == BinOpKind::kSub);
    if (sum) {
      self(self, e->lhs);
      return self(self, e->rhs);
    }
    const bool product = e != nullptr && e->op == BinOpKind::kMul;
    terms.push_back(product ? text(e->lhs) + "*" + text(e->rhs) : text(operand));
  };
  collect(collect, index);
  std::ranges::sort(terms);
  std::string row = std::to_string(block.id);
  for (const std::string& term : terms) row += " " + term;
  return rows_.insert(row).second;
}

// The elements of a piece of private arrays, all of it or one end, that all lanes fill or copy
// together; none if the statement does something else.
std::optional<Prim> WorkMeter::laned_piece(const Stmt& stmt) const {
  if (const auto* n = as<Fill>(stmt))
    return analysis_.is_private(n->block) ? std::optional(analysis_.element_type(n->block))
                                          : std::nullopt;
  const auto* n = as<CopyBytes>(stmt);
  if (n == nullptr || (!analysis_.is_private(n->dest) && !analysis_.is_private(n->src)))
    return std::nullopt;
  const auto fits = [&](Name block, const Operand& offset) {
    return analysis_.is_private(block) ? analysis_.is_uniform(offset)
                                       : analysis_.shape(offset) == Shape::kLinear;
  };
  if (!fits(n->dest, n->dest_offset) || !fits(n->src, n->src_offset)) return std::nullopt;
  return analysis_.element_type(analysis_.is_private(n->dest) ? n->dest : n->src);
}

void WorkMeter::vector_work(Prim type, double cost, const WorkPlace& place) {
  // Masks are as wide as most of what they mask.
  double& work = type == Prim::kBool ? work_.bools : varying(type);
  work += cost * place.weight;
  work_.scalar += cost * place.weight * place.scalar;
}

void WorkMeter::access(Name block, Prim type, const Operand& index, bool is_load,
                       const WorkPlace& place) {
  const double weight = place.weight;
  const bool own = analysis_.is_private(block);
  const bool simple = own ? analysis_.is_uniform(index) : analysis_.is_contiguous(index);
  if (simple) {
    // What is as small as a loop of constant length stays in registers: accumulators.
    const bool constant =
        core::as_const(loop_.begin) != nullptr && core::as_const(loop_.end) != nullptr;
    const bool in_registers = constant && index == Operand{loop_.var};
    if (!own && !in_registers && is_new_row(block, index, is_load))
      work_.accesses += weight * prim_size(type);
    return vector_work(type == Prim::kBool ? Prim::kI8 : type, 1, place);
  }
  work_.scalar += weight * place.scalar;
  // Vector accesses, and picking the elements out of the registers.
  if (const int64_t step = analysis_.stride(index);
      !own && !place.divergent && is_small_stride(step) && (is_load || step == -1)) {
    varying(type) += static_cast<double>(2 * std::abs(step)) * weight;
    // All components of a pixel are in the same lines.
    if (is_new_row(block, index, is_load))
      work_.accesses += static_cast<double>(std::abs(step)) * weight * prim_size(type);
    return;
  }
  if (analysis_.is_uniform(index))
    work_.uniform += weight;
  else
    scattered(block, type, index, is_load, place);
}

void WorkMeter::scattered(Name block, Prim type, const Operand& index, bool is_load,
                          const WorkPlace& place) {
  // An address, the access, and moving the element to or from its lane; a branch where the lane
  // may be inactive.
  constexpr double kEachLane = 5, kEachActiveLane = 8;
  const double each = (place.divergent ? kEachActiveLane : kEachLane) * place.weight;
  if (!analysis_.is_gather(block, type, index)) {
    work_.per_lane += each;
    return;
  }
  // The machine does it lane by lane all the same, unless the lanes turn out to be neighbours.
  // In a branch scalar code does it only for the points that get there.
  constexpr double kGather = 3, kGatherInLoop = 4, kGatherInBranch = 5;
  constexpr double kScatter = 5, kShared = 2.5;
  work_.gather_lane += each;
  work_.gather_instruction += (analysis_.is_shared_index(index) ? kShared
                               : !is_load                       ? kScatter
                               : place.in_branch                ? kGatherInBranch
                               : place.divergent                ? kGatherInLoop
                                                                : kGather) *
                              place.weight;
}

void WorkMeter::let(const Let& n, const WorkPlace& place) {
  const double weight = place.weight;
  const LaneCost cost = lane_cost(n.exp);
  work_.has_function =
      work_.has_function || core::operator_class(n.exp) == core::OperatorClass::kFunction;
  if (analysis_.shape(n.name) != Shape::kVarying) {
    work_.uniform += weight;
    work_.scalar += weight * place.scalar;
  } else if (cost.is_long) {
    work_.long_vector += cost.long_cost * weight;
    work_.operations += cost.long_cost * weight;
    work_.computed += cost.long_cost * weight * 8;
    work_.long_lane += (cost.cost + cost.moves) * weight;
    work_.scalar += cost.cost * weight * place.scalar;
  } else if (cost.per_lane) {
    work_.per_lane += (cost.cost + cost.moves) * weight;
    work_.scalar += cost.cost * weight * place.scalar;
  } else if (analysis_.has_check() && n.type == Prim::kBool && !needed_.contains(n.name)) {
    work_.uniform += kCheck * weight;
    work_.scalar += kCheck * weight * place.scalar;
  } else if (std::get_if<core::Value>(&n.exp) == nullptr) {
    const auto* compared = std::get_if<core::CmpOp>(&n.exp);
    const Prim type = compared != nullptr ? compared->type : n.type;
    vector_work(type, cost.cost, place);
    work_.operations += cost.cost * weight;
    if (type != Prim::kBool) work_.computed += cost.cost * weight * prim_size(type);
  }
}

void WorkMeter::collect(const Collect& n, const WorkPlace& place) {
  const double weight = place.weight;
  work_.uniform += weight;
  work_.scalar += 2 * weight * place.scalar;
  for (const Collected& each : n.members) {
    // To the front of the register, how many there are, and the store.
    constexpr double kTogether = 4;
    varying(each.type) += kTogether * weight;
    work_.operations += kTogether * weight;
    work_.computed += kTogether * weight * prim_size(each.type);
    work_.collected += weight;
    work_.scalar += weight * place.scalar;
  }
}

void WorkMeter::stmt(const Stmt& stmt, const WorkPlace& place) {
  const double weight = place.weight;
  if (const auto* n = as<Let>(stmt)) {
    let(*n, place);
  } else if (const auto* n = as<Load>(stmt)) {
    access(n->block, n->type, n->index, true, place);
  } else if (const auto* n = as<Store>(stmt)) {
    access(n->block, n->type, n->index, false, place);
  } else if (const auto* n = as<Earlier>(stmt)) {
    vector_work(n->type, 1, place);
    work_.operations += weight;
    if (n->type != Prim::kBool) work_.computed += weight * prim_size(n->type);
  } else if (const std::optional<Prim> type = laned_piece(stmt); type && !place.divergent) {
    // In all lanes at once; rows outside are transposed.
    constexpr double kTransposition = 6, kInVectors = 0.25;
    varying(*type) += (as<Fill>(stmt) != nullptr ? 1 : kTransposition) * kLoopWeight * weight;
    work_.scalar += kInVectors * kLoopWeight * weight * place.scalar;
  } else if (const auto* n = as<Collect>(stmt)) {
    collect(*n, place);
  } else if (as<CopyBytes>(stmt) != nullptr || as<Fill>(stmt) != nullptr) {
    // One call, or element by element in every lane.
    work_.per_lane += 4 * kLoopWeight * weight;
    work_.scalar += kLoopWeight * weight * place.scalar;
  } else if (as<Check>(stmt) != nullptr) {
    work_.scalar += kCheck * weight * place.scalar;
    work_.uniform += weight;
  } else {
    work_.scalar += weight * place.scalar;
    work_.uniform += weight;
  }
}

WorkPlace WorkMeter::inside(const Stmt& stmt, const WorkPlace& place) {
  WorkPlace inner = place;
  const auto* loop = as<For>(stmt);
  if (loop != nullptr || as<While>(stmt) != nullptr)
    inner.weight = std::min(place.weight * kLoopWeight, 1e6);
  inner.divergent = place.divergent || diverges(stmt);
  // Lanes that differ go both ways, scalar code goes one.
  if (as<If>(stmt) != nullptr && diverges(stmt)) {
    inner.scalar *= 0.5;
    inner.in_branch = true;
  }
  // A chain of operations that wait for each other takes so much longer than as many others; lanes
  // have several at a time.
  constexpr double kInVectors = 0.25, kWaiting = 3;
  const auto* rounds = as<While>(stmt);
  const bool search = rounds != nullptr && is_search(rounds->body);
  work_.has_search = work_.has_search || search;
  if (search || (loop != nullptr && waits_for_itself(*loop)))
    inner.scalar *= kWaiting;
  else if (loop != nullptr && runs_along_memory(*loop))
    inner.scalar *= kInVectors;
  return inner;
}

void WorkMeter::measure(const Body& body, const WorkPlace& place) {
  for (const Stmt& s : body.stmts) {
    stmt(s, place);
    const WorkPlace inner = inside(s, place);
    for_each_body(s, [&](const Body& b) { measure(b, inner); });
  }
}

}  // namespace

void measure_work(const For& loop, const LanesAnalysis& analysis, LaneWork& work) {
  WorkMeter(loop, analysis, work);
}

// Such as some machines have an instruction for.
bool LanesAnalysis::is_gather(Name block, Prim type, const Operand& index) const {
  return !is_private(block) && shape(index) == Shape::kVarying && prim_size(type) >= 4;
}

// The index without what is the same in all lanes.
Name LanesAnalysis::root_of(const Operand& index) const {
  Name name = *core::as_name(index);
  for (;;) {
    const Exp* exp = definition(name);
    const auto* e = exp == nullptr ? nullptr : std::get_if<core::BinOp>(exp);
    if (e == nullptr || (e->op != BinOpKind::kAdd && e->op != BinOpKind::kSub)) return name;
    if (is_uniform(e->rhs))
      name = *core::as_name(e->lhs);
    else if (is_uniform(e->lhs) && e->op == BinOpKind::kAdd)
      name = *core::as_name(e->rhs);
    else
      return name;
  }
}

void LanesAnalysis::count_gathers(const Body& body) {
  for (const Stmt& stmt : body.stmts) {
    const auto* load = as<Load>(stmt);
    const auto* store = as<Store>(stmt);
    if (load != nullptr && is_gather(load->block, load->type, load->index))
      ++gathers_[root_of(load->index)];
    if (store != nullptr && is_gather(store->block, store->type, store->index))
      ++gathers_[root_of(store->index)];
    for_each_body(stmt, [&](const Body& inner) { count_gathers(inner); });
  }
}

bool LanesAnalysis::is_shared_index(const Operand& index) const {
  if (shape(index) != Shape::kVarying) return false;
  const auto found = gathers_.find(root_of(index));
  return found != gathers_.end() && found->second > 1;
}

}  // namespace skald::imp
