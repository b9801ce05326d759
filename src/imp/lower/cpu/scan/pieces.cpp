// SPDX-License-Identifier: Apache-2.0
// Parts of scans: values of expensive thunks that are kept in buffers, and pieces that are scanned
// in vector registers.  Used by scan.cpp and scan/grid.cpp.
#include "core/ir/sinks.h"
#include "core/ir/visit.h"
#include "imp/lower/common/lane_code.h"
#include "imp/lower/cpu/kernel/kernel_lowering.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

// Points that are computed, scanned and stored at a time.
constexpr int64_t kPiece = 512;

}  // namespace

// ---- values that wait

namespace {

// Thunks that cost more than this many simple statements are not computed twice.
constexpr int64_t kStagedCost = 12;
constexpr int64_t kFunctionCost = 20, kLoopCost = 200;
// What it costs to keep a value.
constexpr int64_t kKeepCost = 4;

int64_t thunk_cost(const core::Body& body) {
  int64_t cost = 0;
  for (const core::Stmt& stmt : body.stmts) {
    // A value that is kept is written and read again: that is no better than reading it twice.
    if (core::as<core::Index>(stmt.exp) == nullptr) ++cost;
    if (core::as<core::Loop>(stmt.exp) != nullptr || core::as<core::Call>(stmt.exp) != nullptr)
      cost += kLoopCost;
    if (const auto* node = core::as<core::UnOp>(stmt.exp))
      cost += node->op >= UnOpKind::kSqrt ? kFunctionCost : 0;
    if (const auto* node = core::as<core::BinOp>(stmt.exp)) {
      const bool slow = node->op == BinOpKind::kPow || node->op == BinOpKind::kAtan2 ||
                        node->op == BinOpKind::kHypot;
      cost += slow ? kFunctionCost : 0;
    }
    core::for_each_body(stmt.exp, [&](const core::Body& inner) { cost += thunk_cost(inner); });
  }
  return cost;
}

}  // namespace

bool KernelLowering::should_stage() const {
  if (fn_.target_ != Target::kCpu || kernel_.guarded) return false;
  for (const core::Ret& ret : kernel_.pull.results)
    if (!ret.type.is_scalar()) return false;
  const auto values = static_cast<int64_t>(kernel_.pull.results.size());
  return thunk_cost(kernel_.pull.body) > kStagedCost + kKeepCost * values;
}

void KernelLowering::stage(Code& code, const std::vector<Operand>& outer, const Operand& begin,
                           const Operand& end, const Operand& base,
                           const std::vector<Name>& buffers) {
  code.loop(
      begin, end,
      [&](Code& at, const Operand& i) {
        std::vector<Operand> indices = outer;
        indices.push_back(i);
        point(at, indices,
              [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
                for (size_t v = 0; v < values.size(); ++v)
                  here.add(Store{kernel_.pull.results[v].type.elem, buffers[v],
                                 here.sub_i64(i, base), values[v]});
              });
      },
      1, has_loop(kernel_.pull.body) ? LoopHint::kNone : LoopHint::kSimd);
}

void KernelLowering::staged_point(Code& code, const std::vector<Operand>& indices,
                                  const PointBody& then) {
  const Operand j = code.sub_i64(indices.back(), staged_begin_);
  std::vector<Operand> values;
  for (size_t v = 0; v < staged_.size(); ++v)
    values.push_back(code.load(kernel_.pull.results[v].type.elem, staged_[v], j, "kept"));
  if (kernel_.domain.kind != core::Domain::kSeg) return then(code, indices, values);
  then(code, {code.add_i64(segment_begin(code, indices[0]), indices[1])}, values);
}

// ---- pieces

namespace {

// Which parameter each result is; empty if a result is computed, or a parameter is not used once.
std::vector<size_t> reordered(const core::Lambda& post) {
  std::vector<size_t> places;
  std::vector<bool> used(post.params.size());
  if (!post.body.stmts.empty() || post.body.result.size() != post.params.size()) return {};
  for (const Operand& result : post.body.result)
    for (size_t k = 0; k < post.params.size(); ++k)
      if (result == Operand{post.params[k].name} && !used[k]) {
        used[k] = true;
        places.push_back(k);
        break;
      }
  return places.size() == post.params.size() ? places : std::vector<size_t>();
}

}  // namespace

bool KernelLowering::can_scan_in_registers() const {
  if (fn_.target_ != Target::kCpu || !are_commutative(Sink::kScan)) return false;
  // Integers only: sums of floats stay as they are associated one after the other.
  bool only_integers = false;
  if (!is_straight()) {
    int64_t budget = 64;
    if (kernel_.guarded || has(Sink::kReduce) || !fits_pieces(kernel_.pull.body, budget))
      return false;
    for (const core::Lambda& post : kernel_.post)
      if (!is_straight_line(post.body)) return false;
    for (const core::Ret& ret : kernel_.pull.results)
      if (!ret.type.is_scalar()) return false;
    only_integers = true;
  }
  for (const SinkInfo& info : sinks_)
    if (info.sink->kind == Sink::kScatter) {
      if (info.sink->late || core::writes_rows(*info.sink)) return false;
      only_integers = true;
    }
  if (only_integers && (dims_.size() > 1 || kernel_.domain.kind == core::Domain::kSeg))
    return false;
  for (const SinkInfo& info : sinks_) {
    if (info.sink->kind == Sink::kOut || info.sink->kind == Sink::kReduce ||
        info.sink->kind == Sink::kScatter)
      continue;
    if (info.sink->kind != Sink::kScan) return false;
    const Operator& op = info.sink->op[0];
    if (op.fn.body.stmts.size() != op.neutral.size()) return false;
    for (size_t v = 0; v < op.neutral.size(); ++v) {
      const core::BinOp* node = core::as<core::BinOp>(op.fn.body.stmts[v].exp);
      if (node == nullptr || !can_scan_block(node->op, node->type)) return false;
      if (only_integers && is_float(node->type)) return false;
      // Two lanes are no better than several parts side by side, unless those store much; eight
      // are.  Floats must be associated in the same way on every machine.
      const bool many_lanes = fn_.options_.wide_registers && !is_float(node->type);
      if (prim_size(node->type) == 8 && !many_lanes && !has(Sink::kOut) && kernel_.post.empty())
        return false;
    }
  }
  return true;
}

std::optional<size_t> KernelLowering::plain_read(Code& code, size_t v) const {
  if (!staged_.empty()) return std::nullopt;
  for (const Access& access : accesses(code)) {
    const std::optional<Operand>& step = access.steps.back();
    const Operand read = kernel_.pull.body.stmts[access.stmt].pat[0].name;
    if (read == kernel_.pull.body.result[v] && is_step(step, 1)) return access.stmt;
  }
  return std::nullopt;
}

std::vector<size_t> KernelLowering::plain_reads(Code& code) const {
  std::vector<size_t> found;
  for (size_t v = 0; v < kernel_.pull.body.result.size(); ++v) {
    const std::optional<size_t> read = plain_read(code, v);
    if (!read) return {};
    found.push_back(*read);
  }
  return found;
}

// The result arrays of values that are scanned, then of those that are not; none if the
// post-function makes something else of them, or if scanned values do not lie side by side.
std::vector<const ArrayPlace*> KernelLowering::scan_places() const {
  std::vector<const ArrayPlace*> places;
  size_t scanned = 0;
  for (const Sink::Kind kind : {Sink::kScan, Sink::kOut})
    for (const SinkInfo& info : sinks_)
      for (int v = 0; info.sink->kind == kind && v < info.sink->count; ++v) {
        if (kernel_.post.empty())
          places.push_back(&result_place(info.results + static_cast<size_t>(v)));
        else
          places.push_back(nullptr);
        scanned += kind == Sink::kScan ? 1 : 0;
      }
  if (!kernel_.post.empty()) {
    const std::vector<size_t> from = reordered(kernel_.post[0]);
    if (late_values_ > 0 || from.size() != places.size()) return {};
    for (size_t k = 0; k < from.size(); ++k) places[from[k]] = &result_place(first_array_ + k);
  }
  for (size_t k = 0; k < scanned; ++k)
    if (!places[k]->loc.strides.empty()) return {};
  return places;
}

void KernelLowering::scan_pieces(Code& code, const std::vector<Operand>& outer,
                                 const Operand& begin, const Operand& end,
                                 const std::vector<std::vector<Name>>& carry,
                                 const std::vector<Accumulators>& reduced) {
  if (!can_scan_in_registers()) return scan_in_lanes(code, outer, begin, end, carry, reduced);
  // Where a value waits, and the result it becomes if no post-function wants it.  What is scattered
  // does not wait, nor what is not scanned if its result is known.
  struct Stage {
    Prim type;
    Name buffer;
    const ArrayPlace* result = nullptr;
  };
  const bool seg = kernel_.domain.kind == core::Domain::kSeg;
  // The result of each value that is scanned, then of each that is not.
  std::vector<const ArrayPlace*> places;
  if (!seg && !has(Sink::kReduce)) places = scan_places();
  const bool direct = !places.empty();
  const bool only_scans = direct && !has(Sink::kOut) && !has(Sink::kScatter);
  const std::vector<size_t> plain = only_scans ? plain_reads(code) : std::vector<size_t>();
  // What the thunk gives, and what late reductions take from the post-function.
  std::vector<Stage> stages(kernel_.pull.results.size()), late(late_values_);
  const auto stage_of = [&](const SinkInfo& info, size_t v) -> Stage& {
    return (info.sink->late ? late : stages)[info.values + v];
  };
  size_t next = 0;
  for (const Sink::Kind kind : {Sink::kScan, Sink::kOut, Sink::kReduce})
    for (const SinkInfo& info : sinks_) {
      if (info.sink->kind != kind) continue;
      for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v) {
        Stage& stage = stage_of(info, v);
        stage.type =
            (info.sink->late ? kernel_.post[0] : kernel_.pull).results[info.values + v].type.elem;
        if (direct) stage.result = places[next++];
        if (direct && (kind != Sink::kScan || !plain.empty())) continue;
        stage.buffer =
            code.alloc(Space::kScratch, const_i64(kPiece * prim_size(stage.type)), "stage");
      }
    }
  const auto with_last = [](std::vector<Operand> indices, const Operand& last) {
    indices.push_back(last);
    return indices;
  };
  // Reductions have lanes if they may.
  std::vector<SinkInfo> reductions;
  for (const SinkInfo& info : sinks_)
    if (info.sink->kind == Sink::kReduce) reductions.push_back(info);
  laned_ = reductions;
  const bool lanes_used = !reductions.empty() && are_commutative(Sink::kReduce);
  const Lanes lanes = lanes_used ? start_lanes(code, kLanes) : Lanes{};
  const auto staged_values = [&](Code& at, const SinkInfo& info, const Operand& j) {
    std::vector<Operand> values;
    for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v) {
      const Stage& stage = stage_of(info, v);
      values.push_back(at.load(stage.type, stage.buffer, j, "staged"));
    }
    return values;
  };
  const auto reduce_lanes = [&](Code& at, const Operand& first, const Operand& count,
                                LoopHint hint) {
    at.loop(
        const_i64(0), count,
        [&](Code& inner, const Operand& lane) {
          for (size_t k = 0; k < reductions.size(); ++k) {
            const Operator& op = reductions[k].sink->op[0];
            std::vector<Operand> args = load_lane(inner, lanes, k, lane);
            const Operand j = inner.add_i64(first, lane);
            for (const Operand& value : staged_values(inner, reductions[k], j))
              args.push_back(value);
            const std::vector<Operand> next = fn_.apply(inner, op.fn, args);
            for (size_t v = 0; v < next.size(); ++v)
              inner.add(Store{op.fn.params[v].type.elem, lanes[k][v], lane, next[v]});
          }
        },
        1, hint);
  };
  const auto reduce_piece = [&](Code& at, const Operand& count) {
    if (reductions.empty()) return;
    if (!lanes_used)
      return at.short_loop(const_i64(0), count, [&](Code& inner, const Operand& j) {
        for (size_t k = 0; k < reductions.size(); ++k)
          combine(inner, reductions[k].sink->op[0], reduced[k],
                  staged_values(inner, reductions[k], j));
      });
    const Operand rest = at.binop(BinOpKind::kAnd, count, const_i64(kLanes - 1), "rest");
    const Operand whole = at.sub_i64(count, rest);
    at.loop(
        const_i64(0), whole,
        [&](Code& inner, const Operand& first) {
          reduce_lanes(inner, first, const_i64(kLanes), LoopHint::kSimd);
        },
        kLanes);
    reduce_lanes(at, whole, rest, LoopHint::kShort);
  };
  code.loop(
      begin, end,
      [&](Code& piece, const Operand& first) {
        const Operand count = piece.min_i64(const_i64(kPiece), piece.sub_i64(end, first));
        const auto values_to_stages = [&](Code& code) {
          code.loop(
              const_i64(0), count,
              [&](Code& at, const Operand& j) {
                point(at, with_last(outer, at.add_i64(first, j)),
                      [&](Code& here, const std::vector<Operand>& all,
                          const std::vector<Operand>& values) {
                        for (size_t v = 0; v < stages.size(); ++v) {
                          if (stages[v].buffer)
                            here.add(Store{stages[v].type, stages[v].buffer, j, values[v]});
                          else if (stages[v].result != nullptr)
                            fn_.store(here, *stages[v].result, all, values[v]);
                        }
                        for (const SinkInfo& info : sinks_)
                          if (info.sink->kind == Sink::kScatter) scatter_sink(here, info, values);
                      });
              },
              1, LoopHint::kSimd);
        };
        if (plain.empty()) values_to_stages(piece);
        size_t scan = 0;
        for (const SinkInfo& info : sinks_) {
          if (info.sink->kind != Sink::kScan) continue;
          for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v) {
            const Stage& stage = stages[info.values + v];
            const core::BinOp* node = core::as<core::BinOp>(info.sink->op[0].fn.body.stmts[v].exp);
            ScanBlock block{node->op,     stage.type,   stage.buffer, const_i64(0),
                            stage.buffer, const_i64(0), count,        carry[scan][v]};
            if (!direct) {
              piece.add(block);
              continue;
            }
            if (!plain.empty())
              std::tie(block.src, block.src_start) =
                  read_place(piece, plain[info.values + v], with_last(outer, first));
            block.dest = stage.result->loc.block;
            block.start = fn_.address(piece, *stage.result, with_last(outer, first));
            const auto add = [&](bool stream) {
              return [&, stream](Code& at) {
                block.stream = stream;
                at.add(block);
              };
            };
            fn_.if_streamed(piece, stage.result->type, add(true), add(false));
          }
          ++scan;
        }
        if (direct) return;
        const Operand base = seg ? piece.add_i64(segment_begin(piece, outer[0]), first) : first;
        piece.loop(
            const_i64(0), count,
            [&](Code& at, const Operand& j) {
              std::vector<Operand> outputs, rest;
              for (const SinkInfo& info : sinks_) {
                if (info.sink->kind != Sink::kScan && info.sink->kind != Sink::kOut) continue;
                for (const Operand& value : staged_values(at, info, j))
                  (info.sink->kind == Sink::kScan ? outputs : rest).push_back(value);
              }
              outputs.insert(outputs.end(), rest.begin(), rest.end());
              const Operand i = at.add_i64(base, j);
              outputs = scan_outputs(at, seg ? std::vector<Operand>{i} : with_last(outer, i),
                                     std::move(outputs));
              for (size_t v = 0; v < late.size(); ++v)
                at.add(Store{late[v].type, late[v].buffer, j, outputs[v]});
            },
            1, LoopHint::kSimd);
        reduce_piece(piece, count);
      },
      kPiece);
  if (!lanes_used) return;
  code.short_loop(const_i64(0), const_i64(kLanes), [&](Code& at, const Operand& lane) {
    for (size_t k = 0; k < reductions.size(); ++k)
      combine(at, reductions[k].sink->op[0], reduced[k], load_lane(at, lanes, k, lane));
  });
}

}  // namespace skald::imp
