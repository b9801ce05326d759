// SPDX-License-Identifier: Apache-2.0
// Histograms whose bins and values take some computing.  Updates are done one after another; what
// comes before them need not be.  So in pieces that stay in the first-level cache:
//
//   simd for j < 512:  stage[j] = what the thunk computes at point first + j
//   for j < 512:       bins[stage[j]] op= …
//
// Outputs and scatters beside a histogram are stored by the first loop.  What the thunk only reads
// is read again by the second loop, and a bin that is an integer made wider waits as it was before.
#include <algorithm>
#include <unordered_map>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/sinks.h"
#include "core/ir/visit.h"
#include "core/scalar/operator_class.h"
#include "imp/lower/common/lane_code.h"
#include "imp/lower/cpu/hist/hist.h"

namespace skald::imp {

using core::Sink;

namespace {

constexpr int64_t kHistPiece = 512;
constexpr int64_t kUnrolledPoints = 4;
// Rows of a grid that are known to be shorter have no pieces.
constexpr int64_t kLeastRow = 64;
// Longer points are not repeated in the code, and hide the waiting anyway.
constexpr int64_t kShortPoint = 512;  // as a grain: up to 32 statements
// What a loop is taken to repeat.  In simple operations: what it costs to keep a value and to go
// through the points twice.
constexpr int64_t kRounds = 8, kKeep = 2, kTwice = 4;
// Loads that not all lanes do are slower than in scalar code.
constexpr int64_t kSomeLanes = -3;

// Updates come one after another, so scalar code waits for what it computes.
int64_t operator_cost(const core::Exp& exp) {
  if (core::as<core::Index>(exp) != nullptr) return 0;
  return machine::cost_of(core::operator_class(exp)).waiting;
}

int64_t cost_of_point(const core::Body& body, bool in_branch = false) {
  int64_t cost = 0;
  for (const core::Stmt& stmt : body.stmts) {
    int64_t inside = 0;
    const bool branches = core::as<core::If>(stmt.exp) != nullptr;
    core::for_each_body(stmt.exp, [&](const core::Body& inner) {
      inside += cost_of_point(inner, in_branch || branches);
    });
    if (in_branch && core::as<core::Index>(stmt.exp) != nullptr) cost += kSomeLanes;
    cost += core::as<core::Loop>(stmt.exp) != nullptr ? kRounds * inside : inside;
    cost += operator_cost(stmt.exp);
  }
  return cost;
}

// What the first loop computes, and how the second one gets the values of the thunk.
struct Pieces {
  // Gives what outputs and scatters take, in its place, and then what waits; the other one gives
  // what does not wait, in its place.
  core::Lambda first, second;
  std::vector<Prim> types;                   // of what waits
  std::vector<std::optional<size_t>> waits;  // of the thunk's values: which of these
};

enum class PieceChecks : uint8_t { kKept, kDone };

// The thunk with these results, without what they do not need.
core::Lambda with_results(const core::Lambda& pull, std::vector<Operand> results,
                          PieceChecks checks, core::NameTable& names) {
  core::NameSet needed;
  for (const Operand& result : results)
    if (const Name* name = core::as_name(result)) needed.insert(*name);
  std::vector<bool> kept(pull.body.stmts.size());
  for (size_t k = kept.size(); k-- > 0;) {
    const core::Stmt& stmt = pull.body.stmts[k];
    kept[k] = core::as<core::Assert>(stmt.exp) != nullptr
                  ? checks == PieceChecks::kKept
                  : std::ranges::any_of(
                        stmt.pat, [&](const core::Param& p) { return needed.contains(p.name); });
    if (kept[k])
      for (const Name name : core::free_names(stmt)) needed.insert(name);
  }
  core::Lambda fn;
  fn.params = pull.params;
  core::Substitution subst;
  for (size_t k = 0; k < kept.size(); ++k) {
    if (!kept[k]) continue;
    core::Stmt copy = core::copy_with_fresh_names(pull.body.stmts[k], names, subst);
    if (checks == PieceChecks::kDone) copy.tokens.clear();
    fn.body.stmts.push_back(std::move(copy));
  }
  for (Operand& result : results) core::substitute(result, subst);
  fn.body.result = std::move(results);
  return fn;
}

std::optional<Pieces> find_pieces(KernelWriter& kernel) {
  const core::Lambda& pull = kernel.node.pull;
  if (!kernel.facts.has_vectors || kernel.facts.is_seg || !kernel.node.post.empty() ||
      !fits_pieces_of_points(pull.body, core::free_names(pull)))
    return std::nullopt;
  if (const core::Const* row = core::as_const(kernel.facts.dims.back());
      row != nullptr && kernel.facts.dims.size() > 1 && core::int_value(*row) < kLeastRow)
    return std::nullopt;
  std::vector<bool> wanted(pull.results.size()), direct(pull.results.size());
  if (kernel.node.guarded) wanted[0] = true;
  for (const SinkInfo& info : kernel.facts.sinks) {
    const bool is_hist = info.sink->kind == Sink::kHist;
    if (!is_hist && kernel.node.guarded) return std::nullopt;
    const size_t count = is_hist ? info.writes * core::values_of_write(*info.sink)
                                 : static_cast<size_t>(info.sink->count);
    for (size_t k = 0; k < count; ++k) (is_hist ? wanted : direct)[info.values + k] = true;
  }

  std::unordered_map<Name, const core::Stmt*> bound;
  for (const core::Stmt& stmt : pull.body.stmts)
    for (const core::Param& p : stmt.pat) bound.emplace(p.name, &stmt);
  const auto binding = [&](const Operand& o) -> const core::Stmt* {
    const Name* name = core::as_name(o);
    const auto at = name == nullptr ? bound.end() : bound.find(*name);
    return at == bound.end() ? nullptr : at->second;
  };
  Pieces found;
  std::vector<Operand> waiting, first = pull.body.result, second = pull.body.result;
  for (size_t k = 0; k < pull.results.size(); ++k) {
    if (!pull.results[k].type.is_scalar()) return std::nullopt;
    Operand value = pull.body.result[k];
    Prim type = pull.results[k].type.elem;
    found.waits.emplace_back();
    const core::Stmt* stmt = binding(value);
    if (const auto* wider = stmt == nullptr ? nullptr : core::as<core::Convert>(stmt->exp);
        wider != nullptr && is_int(wider->from) && is_int(wider->to) &&
        prim_size(wider->from) < prim_size(wider->to)) {
      stmt = binding(wider->arg);
      value = wider->arg;
      type = wider->from;
    }
    const bool waits = stmt != nullptr && core::as<core::Index>(stmt->exp) == nullptr;
    const core::Const nothing{pull.results[k].type.elem, 0};
    if (!direct[k]) first[k] = nothing;
    if (waits || !wanted[k]) second[k] = nothing;
    if (!waits || !wanted[k]) continue;
    const auto same = std::ranges::find(waiting, value);
    found.waits.back() = static_cast<size_t>(same - waiting.begin());
    if (same != waiting.end()) continue;
    waiting.push_back(value);
    found.types.push_back(type);
  }
  const auto values = static_cast<int64_t>(waiting.size());
  first.insert(first.end(), waiting.begin(), waiting.end());
  found.first = with_results(pull, std::move(first), PieceChecks::kKept, kernel.fn.prog.names);
  found.second = with_results(pull, std::move(second), PieceChecks::kDone, kernel.fn.prog.names);
  if (values == 0 || cost_of_point(found.first.body) <= kTwice + kKeep * values)
    return std::nullopt;
  return found;
}

}  // namespace

bool is_short_point(KernelWriter& kernel) {
  return kernel.facts.grain >= kShortPoint || find_pieces(kernel).has_value();
}

void update_points(KernelWriter& kernel, Code& code, const Operand& begin, const Operand& end,
                   const std::vector<BinsOfSink>& bins, Order order) {
  const PointBody update = [&](Code& at, const std::vector<Operand>&,
                               const std::vector<Operand>& values) {
    update_all(kernel, at, bins, values);
  };
  const int64_t ways = order == Order::kUnrolled ? kUnrolledPoints : 1;
  if (order != Order::kAcross)
    return hist_points(kernel, code, begin, end, ways, [&](int64_t) { return update; });
  kernel.points(
      code, begin, end,
      [&](Code& at, const std::vector<Operand>& indices, const std::vector<Operand>& values) {
        kernel.direct_sinks(at, indices, values);
        update(at, indices, values);
      },
      LoopHint::kSimd);
}

void hist_points(KernelWriter& kernel, Code& code, const Operand& begin, const Operand& end,
                 int64_t ways, const std::function<PointBody(int64_t)>& then) {
  const std::optional<Pieces> pieces = find_pieces(kernel);
  if (!pieces) {
    const auto all = [&](int64_t way) -> PointBody {
      return [&kernel, body = then(way)](Code& at, const std::vector<Operand>& indices,
                                         const std::vector<Operand>& values) {
        kernel.direct_sinks(at, indices, values);
        body(at, indices, values);
      };
    };
    return ways == 1 ? kernel.points(code, begin, end, all(0))
                     : kernel.points_in_turn(code, begin, end, ways, all);
  }
  std::vector<Name> stage;
  for (const Prim type : pieces->types)
    stage.push_back(code.alloc(Space::kScratch, const_i64(kHistPiece * prim_size(type)), "stage"));
  const auto update = [&](Code& code, const std::vector<Operand>& outer, const Operand& first,
                          const Operand& j, int64_t way) {
    std::vector<Operand> indices = outer;
    indices.push_back(code.add_i64(first, j));
    std::vector<Operand> values = kernel.fn.apply(code, pieces->second, indices);
    for (size_t k = 0; k < values.size(); ++k) {
      if (!pieces->waits[k]) continue;
      const Prim from = pieces->types[*pieces->waits[k]],
                 to = kernel.node.pull.results[k].type.elem;
      values[k] = code.load(from, stage[*pieces->waits[k]], j, "staged");
      if (from != to) values[k] = code.let(to, core::Convert{from, to, values[k]}, "staged");
    }
    if (!kernel.node.guarded) return then(way)(code, indices, values);
    code.branch(values[0], [&](Code& inner) { then(way)(inner, indices, values); });
  };
  kernel.rows_of(
      code, begin, end,
      [&](Code& row, const std::vector<Operand>& outer, const Operand& from, const Operand& to) {
        row.loop(
            from, to,
            [&](Code& piece, const Operand& first) {
              const Operand count = piece.min_i64(const_i64(kHistPiece), piece.sub_i64(to, first));
              piece.loop(
                  const_i64(0), count,
                  [&](Code& at, const Operand& j) {
                    std::vector<Operand> indices = outer;
                    indices.push_back(at.add_i64(first, j));
                    const std::vector<Operand> values = kernel.fn.apply(at, pieces->first, indices);
                    kernel.direct_sinks(at, indices, values);
                    for (size_t v = 0; v < stage.size(); ++v)
                      at.add(Store{pieces->types[v], stage[v], j,
                                   values[kernel.node.pull.results.size() + v]});
                  },
                  1, LoopHint::kSimd);
              const Operand whole = piece.binop(BinOpKind::kAnd, count, const_i64(-ways), "whole");
              piece.loop(
                  const_i64(0), whole,
                  [&](Code& inner, const Operand& j) {
                    for (int64_t way = 0; way < ways; ++way)
                      update(inner, outer, first, inner.add_i64(j, const_i64(way)), way);
                  },
                  ways);
              if (ways > 1)
                piece.short_loop(whole, count, [&](Code& inner, const Operand& j) {
                  update(inner, outer, first, j, 0);
                });
            },
            kHistPiece);
      });
}

}  // namespace skald::imp
