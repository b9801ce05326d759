// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/kernel/scan_facts.h"

#include <algorithm>
#include <unordered_map>

#include "core/ir/sinks.h"
#include "core/ir/visit.h"
#include "imp/lower/common/lane_code.h"
#include "machine/operator_costs.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

constexpr int64_t kScanLaneBytes = 64, kFewestScanLanes = 8, kMostScanLanes = 32;
// Operators with more statements are not repeated so many times.
constexpr size_t kScanStatements = 24;
// Thunks with more statements keep the processor busy without streams.
constexpr int64_t kStreams = 4, kStreamStatements = 48;
// Statements of a thunk that becomes vectors although it may fail.
constexpr int64_t kMostPieceStatements = 64;

int64_t statements(const core::Body& body) {
  auto count = static_cast<int64_t>(body.stmts.size());
  for (const core::Stmt& stmt : body.stmts)
    core::for_each_body(stmt.exp, [&](const core::Body& inner) { count += statements(inner); });
  return count;
}

// What an operator takes: steps from the values on its left to its results, one after the other as
// scalar code, and the work of it all, in instructions on a register of lanes.
class ScanOperatorCost {
 public:
  explicit ScanOperatorCost(const core::Lambda& fn) {
    const size_t values = fn.params.size() / 2;
    for (size_t v = 0; v < values; ++v) waits_[fn.params[v].name] = 0;
    walk(fn.body, -1);
    for (const Operand& result : fn.body.result) steps = std::max(steps, waits(result));
  }
  int64_t steps = 0, work = 0, statements = 0;

 private:
  // Since when a value is there; -1 if it was before.
  int64_t waits(const Operand& operand) const {
    const Name* name = core::as_name(operand);
    const auto found = name == nullptr ? waits_.end() : waits_.find(*name);
    return found == waits_.end() ? -1 : found->second;
  }
  void walk(const core::Body& body, int64_t since) {
    for (const core::Stmt& stmt : body.stmts) {
      int64_t begin = since;
      core::for_each_operand(stmt.exp,
                             [&](const Operand& o) { begin = std::max(begin, waits(o)); });
      statements += static_cast<int64_t>(stmt.pat.size());
      work += static_cast<int64_t>(stmt.pat.size());
      int64_t takes = machine::kChainSteps.integer;
      const auto* node = core::as<core::BinOp>(stmt.exp);
      if (node != nullptr && is_float(node->type)) takes = machine::kChainSteps.real;
      const auto* compared = core::as<core::CmpOp>(stmt.exp);
      if (compared != nullptr && is_float(compared->type)) takes = machine::kChainSteps.comparison;
      if (node != nullptr && is_slow_operation(stmt)) takes = machine::kChainSteps.slow;
      if (node != nullptr && node->op == BinOpKind::kMul && is_int(node->type)) {
        takes = machine::kChainSteps.product;
        work += prim_size(node->type) == 8 ? 3 : 2;
      }
      std::vector<int64_t> ends(stmt.pat.size(), begin);
      core::for_each_body(stmt.exp, [&](const core::Body& inner) {
        walk(inner, since);
        for (size_t k = 0; k < ends.size() && k < inner.result.size(); ++k)
          ends[k] = std::max(ends[k], waits(inner.result[k]));
      });
      for (size_t k = 0; k < ends.size(); ++k)
        waits_[stmt.pat[k].name] = ends[k] < 0 ? -1 : ends[k] + takes;
    }
  }
  std::unordered_map<Name, int64_t> waits_;
};

int64_t operator_steps(const KernelFacts& facts) {
  int64_t steps = 0;
  for (const Operator* op : facts.operators(Sink::kScan))
    steps = std::max(steps, ScanOperatorCost(op->fn).steps);
  return steps;
}

int64_t widest_value(const KernelFacts& facts) {
  int64_t widest = 1;
  for (const Operator* op : facts.operators(Sink::kScan))
    for (const core::Param& p : op->fn.params)
      widest = std::max<int64_t>(widest, prim_size(p.type.elem));
  return widest;
}

int64_t lane_count(const KernelFacts& facts) {
  return std::clamp(kScanLaneBytes / widest_value(facts), kFewestScanLanes, kMostScanLanes);
}

bool scans_floats(const KernelFacts& facts) {
  for (const Operator* op : facts.operators(Sink::kScan))
    for (const core::Param& p : op->fn.params)
      if (is_float(p.type.elem)) return true;
  return false;
}

// The least or greatest float is one of them, in whatever order they are compared.
bool only_picks(const Operator& op) {
  return std::ranges::all_of(op.fn.body.stmts, [](const core::Stmt& stmt) {
    const auto* node = core::as<core::BinOp>(stmt.exp);
    return node != nullptr && (node->op == BinOpKind::kMin || node->op == BinOpKind::kMax);
  });
}

bool scan_rounds(const KernelFacts& facts) {
  const std::vector<const Operator*> scans = facts.operators(Sink::kScan);
  return scans_floats(facts) &&
         !std::ranges::all_of(scans, [](const Operator* op) { return only_picks(*op); });
}

bool gives_scalars(const core::Kernel& node) {
  return std::ranges::all_of(node.pull.results,
                             [](const core::Ret& ret) { return ret.type.is_scalar(); });
}

// ---- in registers

// True if the thunk is no straight code, but may run in vectors all the same.
bool fits_vectors(const KernelFacts& facts) {
  int64_t budget = kMostPieceStatements;
  const core::Kernel& node = facts.node;
  return !node.guarded && !facts.has(Sink::kReduce) && fits_pieces(node.pull.body, budget) &&
         std::ranges::all_of(
             node.post, [](const core::Lambda& post) { return is_straight_line(post.body); }) &&
         gives_scalars(node);
}

std::optional<std::string> why_no_register_operator(const KernelFacts& facts, const Operator& op,
                                                    bool only_integers,
                                                    const LowerOptions& options) {
  if (op.fn.body.stmts.size() != op.neutral.size())
    return "an operator is more than one instruction for each value";
  for (size_t v = 0; v < op.neutral.size(); ++v) {
    const core::BinOp* node = core::as<core::BinOp>(op.fn.body.stmts[v].exp);
    if (node == nullptr || !can_scan_block(node->op, node->type))
      return "registers cannot scan by this operator";
    // Sums of floats stay as they are associated one after the other.
    if (only_integers && is_float(node->type))
      return "it scans floats, and the points are no straight code";
    // Two lanes are no better than several parts side by side, unless those store much; eight are.
    // Floats must be associated in the same way on every machine.
    const bool many_lanes = options.wide_registers && !is_float(node->type);
    if (prim_size(node->type) == 8 && !many_lanes && !facts.has(Sink::kOut) &&
        facts.node.post.empty())
      return "registers hold too few values of 64 bits";
  }
  return std::nullopt;
}

std::optional<std::string> why_not_in_registers(const KernelFacts& facts,
                                                const LowerOptions& options) {
  if (!facts.has_vectors) return "it runs on the host of a device";
  if (!facts.commutative(Sink::kScan)) return "an operator is not commutative";
  if (!facts.straight && !fits_vectors(facts)) return "the points cannot run in vectors";
  bool only_integers = !facts.straight;
  for (const SinkInfo& info : facts.sinks)
    if (info.sink->kind == Sink::kScatter) {
      if (info.sink->late || core::writes_rows(*info.sink))
        return "what is scanned says where something is written";
      only_integers = true;
    }
  if (only_integers && (facts.dims.size() > 1 || facts.is_seg))
    return "the points of rows are no straight code";
  for (const SinkInfo& info : facts.sinks) {
    if (info.sink->kind == Sink::kOut || info.sink->kind == Sink::kReduce ||
        info.sink->kind == Sink::kScatter)
      continue;
    if (info.sink->kind != Sink::kScan) return "it also counts or chooses points";
    if (auto why = why_no_register_operator(facts, info.sink->op[0], only_integers, options))
      return why;
  }
  return std::nullopt;
}

// ---- in lanes

std::optional<std::string> why_no_lane_sinks(const KernelFacts& facts, bool flat) {
  size_t loads = 0, count = 0;
  for (const SinkInfo& info : facts.sinks) {
    switch (info.sink->kind) {
      case Sink::kOut: break;
      case Sink::kReduce:
        if (!fits_lanes(info.sink->op[0].fn.body)) return "a reduction does not fit vectors";
        break;
      case Sink::kScatter:
        if (!flat || core::writes_rows(*info.sink)) return "it writes rows";
        break;
      case Sink::kScan: {
        const core::Lambda& fn = info.sink->op[0].fn;
        for (const core::Param& p : fn.params)
          if (!p.type.is_scalar()) return "it scans arrays";
        if (!count_scalar_code(fn.body, loads, count) || loads > 0)
          return "an operator is no scalar code";
        if (has_slow_operation(fn.body)) return "an operator has a slow operation";
        break;
      }
      default: return "it also counts or chooses points";
    }
  }
  if (count > kScanStatements) return "the operators are long";
  return std::nullopt;
}

// The same for floats on every machine, because their association must be.
bool lanes_pay(const KernelFacts& facts, const LowerOptions& options) {
  const int64_t lanes = lane_count(facts);
  const int64_t wide = options.wide_registers ? 64 : options.registers.bytes;
  const bool floats = scans_floats(facts);
  int64_t times = floats ? 2 : 1;
  for (int64_t by = 1; by < lanes; by *= 2) ++times;
  int64_t in_lanes = 0, scalar = 0;
  for (const Operator* op : facts.operators(Sink::kScan)) {
    const ScanOperatorCost cost(op->fn);
    int64_t widest = 1;
    for (const core::Param& p : op->fn.params)
      widest = std::max<int64_t>(widest, prim_size(p.type.elem));
    const int64_t registers =
        floats ? 1 : std::max<int64_t>(1, lanes * widest / std::max<int64_t>(wide, 1));
    in_lanes += times * registers * (cost.work + static_cast<int64_t>(op->neutral.size()));
    scalar += lanes * cost.steps + lanes * cost.statements / 4;
  }
  return in_lanes < scalar;
}

std::optional<std::string> why_not_in_lanes(const KernelFacts& facts, const LowerOptions& options) {
  if (!facts.has_vectors) return "it runs on the host of a device";
  if (facts.node.guarded || !facts.commutative(Sink::kReduce))
    return "some points are left out, or reduced in order";
  const bool flat = facts.dims.size() == 1 && !facts.is_seg;
  int64_t budget = kMostPieceStatements;
  if (flat ? !fits_pieces(facts.node.pull.body, budget) : !facts.scalar_code)
    return "the points cannot run in vectors";
  if (!gives_scalars(facts.node)) return "points are arrays";
  for (const core::Lambda& post : facts.node.post)
    if (!fits_pieces(post.body, budget)) return "what becomes of the results is long";
  if (auto why = why_no_lane_sinks(facts, flat)) return why;
  if (!lanes_pay(facts, options)) return "the operator is as quick one after the other";
  return std::nullopt;
}

// ---- in streams

std::optional<std::string> why_not_in_streams(const KernelFacts& facts, const LowerOptions&) {
  if (!facts.scalar_code) return "the points are no scalar code";
  int64_t count = statements(facts.node.pull.body);
  for (const core::Lambda& post : facts.node.post) count += statements(post.body);
  for (const SinkInfo& info : facts.sinks)
    for (const Operator& op : info.sink->op) count += 2 * statements(op.fn.body);
  if (count > kStreamStatements) return "the points keep the processor busy as they are";
  return std::nullopt;
}

std::optional<std::string> always(const KernelFacts&, const LowerOptions&) {
  return std::nullopt;
}

constexpr ScanWay kScanWays[] = {
    {"scan/in-registers", why_not_in_registers},
    {"scan/in-lanes", why_not_in_lanes},
    {"scan/in-streams", why_not_in_streams},
    {"scan/one-by-one", always},
};

// ---- who may come first

bool is_exact(const KernelFacts& facts, const ScanFacts& scan) {
  constexpr int64_t kFewStatements = 64;
  if (!facts.has_vectors || facts.node.guarded || facts.costly_thunk) return false;
  if (scan.in_lanes) return true;
  // An operator that takes long: several chains of it side by side are worth a second pass.
  constexpr int64_t kSlowSteps = machine::kChainSteps.slow;
  if (facts.has(Sink::kReduce) || (scan.streams > 1 && scan.operator_steps >= kSlowSteps))
    return false;
  int64_t count = statements(facts.node.pull.body);
  for (const core::Lambda& post : facts.node.post) count += statements(post.body);
  for (const Operator* op : facts.operators(Sink::kScan)) {
    count += statements(op->fn.body);
    for (const core::Param& p : op->fn.params)
      if (!p.type.is_scalar() || is_float(p.type.elem)) return false;
  }
  return count <= kFewStatements;
}

}  // namespace

std::span<const ScanWay> scan_ways() {
  return kScanWays;
}

ScanFacts KernelFacts::find_scan(const LowerOptions& options) const {
  ScanFacts found;
  found.floats = scan_rounds(*this);
  found.lane_count = imp::lane_count(*this);
  found.operator_steps = imp::operator_steps(*this);
  for (const ScanWay& way : kScanWays) {
    if (options.disabled.contains(std::string(way.name)) || way.why_not(*this, options)) continue;
    found.in_registers = way.name == "scan/in-registers";
    found.in_lanes = way.name == "scan/in-lanes";
    found.streams = way.name == "scan/in-streams" ? kStreams : 1;
    break;
  }
  found.exact = is_exact(*this, found);
  return found;
}

}  // namespace skald::imp
