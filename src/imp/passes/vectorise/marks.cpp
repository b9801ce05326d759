// SPDX-License-Identifier: Apache-2.0
// The marks of the statements of a loop in lanes: what the analysis found out about them, and what
// follows for this machine.
#include <algorithm>

#include "core/scalar/operator_class.h"
#include "imp/ir/visit.h"
#include "imp/passes/vectorise/vectorise.h"

namespace skald::imp {

namespace {

class LaneMarker {
 public:
  LaneMarker(const LanesAnalysis& analysis, const LanePlan& plan,
             const machine::VectorRegisters& machine)
      : analysis_(analysis), plan_(plan), machine_(machine) {}

  void body(Body& body, bool masked) {
    for (Stmt& stmt : body.stmts) visit(stmt.node, [&](auto& n) { mark(n, masked); });
  }

 private:
  template <class N>
  void mark(N&, bool) {}
  void mark(Let& n, bool) {
    n.shape = analysis_.is_border(n.name) ? Shape::kBorder : analysis_.shape(n.name);
  }
  void mark(Var& n, bool) { n.shape = analysis_.shape(n.name); }
  void mark(Load& n, bool masked) {
    if (!analysis_.is_uniform(n.name)) n.access = access(n.block, n.type, n.index, true, masked);
  }
  void mark(Store& n, bool masked) { n.access = access(n.block, n.type, n.index, false, masked); }
  void mark(CopyBytes& n, bool) {
    if (analysis_.is_private(n.dest) || analysis_.is_private(n.src))
      n.elements = analysis_.element_type(analysis_.is_private(n.dest) ? n.dest : n.src);
  }
  void mark(If& n, bool masked);
  void mark(For& n, bool masked);
  void mark(While& n, bool masked);

  LaneAccess access(Name block, Prim type, const Operand& index, bool is_load, bool masked) const;
  Stragglers alone(const Body& round) const;
  bool skips(const If& n, const Body& side) const;
  bool is_cheap(const Body& body, int& budget) const;
  bool only_reads(const Body& body) const;

  const LanesAnalysis& analysis_;
  const LanePlan& plan_;
  const machine::VectorRegisters& machine_;
};

// ---- memory

LaneAccess LaneMarker::access(Name block, Prim type, const Operand& index, bool is_load,
                              bool masked) const {
  const Shape shape = analysis_.shape(index);
  if (analysis_.is_private(block))
    return shape == Shape::kUniform ? LaneAccess::kOwn : LaneAccess::kOwnEach;
  // Of several stores to one place the last lane's stays.
  if (shape == Shape::kUniform) return is_load ? LaneAccess::kScalar : LaneAccess::kEach;
  if (shape == Shape::kVarying) {
    if (!machine_.gathers || prim_size(type) < 4) return LaneAccess::kEach;
    return analysis_.is_shared_index(index) ? LaneAccess::kShared : LaneAccess::kGather;
  }
  const int64_t stride = analysis_.stride(index);
  if (stride == 1) return LaneAccess::kContiguous;
  const bool near = is_load ? is_small_stride(stride) : stride == -1;
  return near && !masked ? LaneAccess::kStrided : LaneAccess::kEach;
}

// ---- control

void LaneMarker::mark(If& n, bool masked) {
  if (analysis_.is_taken(n) && !analysis_.is_uniform(n.cond)) {
    n.branch = Branch::kTaken;
    return body(n.then_body, masked);
  }
  const bool divergent = analysis_.is_divergent(&n);
  if (divergent) {
    n.branch = Branch::kMask;
    n.skips_then = skips(n, n.then_body);
    n.skips_else = skips(n, n.else_body);
  }
  body(n.then_body, masked || divergent);
  body(n.else_body, masked || divergent);
}

void LaneMarker::mark(For& n, bool masked) {
  n.counter = analysis_.is_uniform(n.var) ? Shape::kUniform : Shape::kVarying;
  n.until = analysis_.exit_variable(n);
  n.masked = analysis_.is_divergent(&n);
  if (n.masked && n.counter == Shape::kUniform) n.alone = alone(n.body);
  body(n.body, masked || n.masked);
}

void LaneMarker::mark(While& n, bool masked) {
  n.masked = analysis_.is_divergent(&n);
  if (n.masked) n.alone = alone(n.body);
  body(n.body, masked || n.masked);
}

Stragglers LaneMarker::alone(const Body& round) const {
  const auto of = [&](int lanes) {
    return stragglers(round, analysis_, lanes, plan_.register_bytes);
  };
  return {of(plan_.lanes()), of(plan_.groups.back().lanes)};
}

bool LaneMarker::skips(const If& n, const Body& side) const {
  constexpr int kCheapStatements = 12;
  int budget = kCheapStatements;
  return !(side.stmts.empty() || (n.maybe && only_reads(side)) || is_cheap(side, budget));
}

// Nothing but a few operators: cheaper to run for all lanes than to ask whether some lane needs it.
bool LaneMarker::is_cheap(const Body& body, int& budget) const {
  for (const Stmt& stmt : body.stmts) {
    if (--budget < 0) return false;
    if (const auto* n = as<Let>(stmt)) {
      if (core::is_slow(n->exp) && !core::divides_by_constant(n->exp) &&
          !analysis_.is_uniform(n->name))
        return false;
      continue;
    }
    if (const auto* n = as<If>(stmt)) {
      if (!is_cheap(n->then_body, budget) || !is_cheap(n->else_body, budget)) return false;
      continue;
    }
    if (as<Var>(stmt) == nullptr && as<Assign>(stmt) == nullptr) return false;
  }
  return true;
}

// Loads that no lane needs are as good as none, where single lanes can be left out of them.
bool LaneMarker::only_reads(const Body& body) const {
  return std::ranges::all_of(body.stmts, [&](const Stmt& stmt) {
    if (const auto* n = as<Load>(stmt))
      return machine_.masks_accesses(prim_size(n->type)) && analysis_.is_contiguous(n->index);
    return as<Let>(stmt) != nullptr || as<Assign>(stmt) != nullptr;
  });
}

}  // namespace

void mark_lanes(Body& body, const LanesAnalysis& analysis, const LanePlan& plan,
                const machine::VectorRegisters& machine) {
  LaneMarker(analysis, plan, machine).body(body, false);
}

}  // namespace skald::imp
