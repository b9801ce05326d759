// SPDX-License-Identifier: Apache-2.0
// Loops that most lanes have left: a vector takes as long for one lane as for all of them.
//
//   lanes that go on   8  8  7  5  3  2 │ each of the last two alone, as scalar code
//
// How many are few depends on what a round costs in vectors and as scalar code.  Only where both
// give the same bits: which lanes are the last ones depends on where groups begin.
#include <algorithm>
#include <cmath>

#include "core/scalar/operator_class.h"
#include "imp/ir/visit.h"
#include "imp/passes/vectorise/vectorise.h"

namespace skald::imp {

namespace {

// Larger loops would take too long to compile twice.
constexpr int kMostInRound = 100;

// Functions of floats differ in their last bits.
bool may_differ(const Exp& exp) {
  if (const auto* e = std::get_if<core::BinOp>(&exp))
    return is_float(e->type) && (core::is_function(e->op) ||
                                 (core::is_division(e->op) && e->op != core::BinOpKind::kDiv));
  const auto* e = std::get_if<core::UnOp>(&exp);
  return e != nullptr && core::is_function(e->op, e->type);
}

bool divides_integers(const Exp& exp) {
  const auto* e = std::get_if<core::BinOp>(&exp);
  return e != nullptr && is_int(e->type) && core::as_const(e->rhs) == nullptr &&
         core::is_division(e->op);
}

// What a round costs, in simple operations.
class RoundCost {
 public:
  RoundCost(const LanesAnalysis& analysis, int lanes, int register_bytes)
      : analysis_(analysis), lanes_(lanes), register_bytes_(register_bytes) {}

  // False if single lanes cannot run it.
  bool add(const Body& body) {
    return std::ranges::all_of(body.stmts, [&](const Stmt& stmt) { return add(stmt); });
  }
  double in_vectors() const { return vector_; }
  double alone() const { return scalar_; }

 private:
  bool add(const Stmt& stmt);
  double registers(Prim type) const {
    return std::ceil(static_cast<double>(lanes_) * prim_size(type) / register_bytes_);
  }

  const LanesAnalysis& analysis_;
  int lanes_, register_bytes_;
  int statements_ = 0;
  double vector_ = 0, scalar_ = 0;
};

bool RoundCost::add(const Stmt& stmt) {
  constexpr double kLoadOfLane = 2;
  if (++statements_ > kMostInRound) return false;
  if (const auto* n = as<Let>(stmt)) {
    if (may_differ(n->exp)) return false;
    const bool division = divides_integers(n->exp);
    const machine::OperatorCost& cost = machine::cost_of(core::operator_class(n->exp));
    scalar_ += division ? cost.waiting : 1;
    if (analysis_.shape(n->name) != Shape::kVarying)
      vector_ += division ? cost.waiting : 1;
    else
      // One after the other; they do not wait for each other.
      vector_ += division ? cost.scalar * lanes_ : registers(n->type);
    return true;
  }
  if (const auto* n = as<Load>(stmt)) {
    scalar_ += 1;
    vector_ += analysis_.is_uniform(n->index)      ? 1
               : analysis_.is_contiguous(n->index) ? registers(n->type)
                                                   : kLoadOfLane * lanes_;
    return !analysis_.is_private(n->block);
  }
  const bool nested = as<If>(stmt) != nullptr || as<While>(stmt) != nullptr;
  if (!nested && as<Var>(stmt) == nullptr && as<Assign>(stmt) == nullptr &&
      as<Check>(stmt) == nullptr)
    return false;
  bool fine = true;
  for_each_body(stmt, [&](const Body& inner) { fine = fine && add(inner); });
  return fine;
}

}  // namespace

int stragglers(const Body& round, const LanesAnalysis& analysis, int lanes, int register_bytes) {
  // A lane alone waits for its own results.
  constexpr double kWaiting = 0.75;
  RoundCost cost(analysis, lanes, register_bytes);
  if (!cost.add(round) || cost.alone() == 0) return 0;
  const int few = static_cast<int>(kWaiting * cost.in_vectors() / cost.alone());
  return std::min(few, std::max(1, lanes / 2));
}

}  // namespace skald::imp
