// SPDX-License-Identifier: Apache-2.0
// Scans in vector registers, some hundred points at a time: computed, scanned (imp::ScanBlock), and
// given to what comes after.
#include <algorithm>
#include <tuple>

#include "core/ir/visit.h"
#include "imp/lower/cpu/loops/lanes.h"
#include "imp/lower/cpu/scan/scan.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

// Points that are computed, scanned and stored at a time.
constexpr int64_t kPiece = 512;

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

// The statements that read the values of the thunk, if each is nothing but an element of an array
// in the order of the points; none if there is one that is not.
std::vector<size_t> plain_reads(KernelWriter& kernel, Code& code) {
  const core::Body& thunk = kernel.node.pull.body;
  if (kernel.staged != nullptr) return {};
  std::vector<size_t> found;
  for (const Operand& result : thunk.result) {
    const std::vector<Access> accesses = kernel.accesses(code);
    const auto read = std::ranges::find_if(accesses, [&](const Access& access) {
      return Operand{thunk.stmts[access.stmt].pat[0].name} == result &&
             is_step(access.steps.back(), 1);
    });
    if (read == accesses.end()) return {};
    found.push_back(read->stmt);
  }
  return found;
}

// The result arrays of values that are scanned, then of those that are not; none if the
// post-function makes something else of them, or if scanned values do not lie side by side.
std::vector<const ArrayPlace*> scan_places(const KernelWriter& kernel) {
  const KernelFacts& facts = kernel.facts;
  std::vector<const ArrayPlace*> places;
  size_t scanned = 0;
  for (const Sink::Kind kind : {Sink::kScan, Sink::kOut})
    for (const SinkInfo& info : facts.sinks)
      for (int v = 0; info.sink->kind == kind && v < info.sink->count; ++v) {
        if (kernel.node.post.empty())
          places.push_back(&kernel.result_place(info.results + static_cast<size_t>(v)));
        else
          places.push_back(nullptr);
        scanned += kind == Sink::kScan ? 1 : 0;
      }
  if (!kernel.node.post.empty()) {
    const std::vector<size_t> from = reordered(kernel.node.post[0]);
    if (facts.late_values > 0 || from.size() != places.size()) return {};
    for (size_t k = 0; k < from.size(); ++k)
      places[from[k]] = &kernel.result_place(facts.first_array + k);
  }
  for (size_t k = 0; k < scanned; ++k)
    if (!places[k]->loc.strides.empty()) return {};
  return places;
}

class PieceWriter {
 public:
  PieceWriter(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
              const std::vector<std::vector<Name>>& carry, const std::vector<Accumulators>& reduced)
      : kernel_(kernel),
        outer_(outer),
        carry_(carry),
        reduced_(reduced),
        reductions_(kernel.facts.sinks_of(Sink::kReduce)),
        has_lanes_(!reductions_.empty() && kernel.facts.commutative(Sink::kReduce)) {
    plan(code);
  }

  void write(Code& code, const Operand& begin, const Operand& end) {
    if (has_lanes_) lanes_ = start_lanes(kernel_, code, reductions_, kLanes);
    code.loop(
        begin, end,
        [&](Code& piece, const Operand& first) {
          const Operand count = piece.min_i64(const_i64(kPiece), piece.sub_i64(end, first));
          if (plain_.empty()) compute(piece, first, count);
          scan(piece, first, count);
          if (direct_) return;
          give(piece, first, count);
          reduce(piece, count);
        },
        kPiece);
    if (has_lanes_) combine_lanes(kernel_, code, lanes_, kLanes, reduced_);
  }

 private:
  // Where a value waits, and the result it becomes if no post-function wants it.  What is scattered
  // does not wait, nor what is not scanned if its result is known.
  struct Stage {
    Prim type;
    Name buffer;
    const ArrayPlace* result = nullptr;
  };

  Stage& stage_of(const SinkInfo& info, size_t v) {
    return (info.sink->late ? late_ : stages_)[info.values + v];
  }
  std::vector<Operand> point(const Operand& last) const {
    std::vector<Operand> indices = outer_;
    indices.push_back(last);
    return indices;
  }

  void plan(Code& code) {
    const KernelFacts& facts = kernel_.facts;
    // The result of each value that is scanned, then of each that is not.
    std::vector<const ArrayPlace*> places;
    if (!facts.is_seg && reductions_.empty()) places = scan_places(kernel_);
    direct_ = !places.empty();
    if (direct_ && !facts.has(Sink::kOut) && !facts.has(Sink::kScatter))
      plain_ = plain_reads(kernel_, code);
    // What the thunk gives, and what late reductions take from the post-function.
    stages_.resize(kernel_.node.pull.results.size());
    late_.resize(facts.late_values);
    size_t next = 0;
    for (const Sink::Kind kind : {Sink::kScan, Sink::kOut, Sink::kReduce})
      for (const SinkInfo& info : facts.sinks_of(kind))
        for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v) {
          Stage& stage = stage_of(info, v);
          const core::Lambda& from = info.sink->late ? kernel_.node.post[0] : kernel_.node.pull;
          stage.type = from.results[info.values + v].type.elem;
          if (direct_) stage.result = places[next++];
          if (direct_ && (kind != Sink::kScan || !plain_.empty())) continue;
          stage.buffer =
              code.alloc(Space::kScratch, const_i64(kPiece * prim_size(stage.type)), "stage");
        }
  }

  // The values of the thunk go where they wait.
  void compute(Code& code, const Operand& first, const Operand& count) {
    code.loop(
        const_i64(0), count,
        [&](Code& at, const Operand& j) {
          const auto keep = [&](Code& here, const std::vector<Operand>& all,
                                const std::vector<Operand>& values) {
            for (size_t v = 0; v < stages_.size(); ++v) {
              if (stages_[v].buffer)
                here.add(Store{stages_[v].type, stages_[v].buffer, j, values[v]});
              else if (stages_[v].result != nullptr)
                kernel_.fn.store(here, *stages_[v].result, all, values[v]);
            }
            for (const SinkInfo& info : kernel_.facts.sinks_of(Sink::kScatter))
              kernel_.scatter_sink(here, info, values);
          };
          kernel_.point(at, outer_, at.add_i64(first, j), keep);
        },
        1, LoopHint::kSimd);
  }

  void scan(Code& code, const Operand& first, const Operand& count) {
    size_t scan = 0;
    for (const SinkInfo& info : kernel_.facts.sinks_of(Sink::kScan)) {
      for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v) {
        const Stage& stage = stages_[info.values + v];
        const core::BinOp* node = core::as<core::BinOp>(info.sink->op[0].fn.body.stmts[v].exp);
        ScanBlock block{node->op,     stage.type,   stage.buffer, const_i64(0),
                        stage.buffer, const_i64(0), count,        carry_[scan][v]};
        if (!direct_) {
          code.add(block);
          continue;
        }
        if (!plain_.empty())
          std::tie(block.src, block.src_start) =
              kernel_.read_place(code, plain_[info.values + v], point(first));
        block.dest = stage.result->loc.block;
        block.start = address(code, *stage.result, point(first));
        const auto add = [&](bool stream) {
          return [&, stream](Code& at) {
            block.stream = stream;
            at.add(block);
          };
        };
        kernel_.fn.if_streamed(code, stage.result->type, add(true), add(false));
      }
      ++scan;
    }
  }

  std::vector<Operand> staged_values(Code& code, const SinkInfo& info, const Operand& j) {
    std::vector<Operand> values;
    for (size_t v = 0; v < static_cast<size_t>(info.sink->count); ++v) {
      const Stage& stage = stage_of(info, v);
      values.push_back(code.load(stage.type, stage.buffer, j, "staged"));
    }
    return values;
  }

  // What becomes of the scanned values.
  void give(Code& code, const Operand& first, const Operand& count) {
    const bool seg = kernel_.facts.is_seg;
    const Operand base = seg ? code.add_i64(kernel_.segment_begin(code, outer_[0]), first) : first;
    code.loop(
        const_i64(0), count,
        [&](Code& at, const Operand& j) {
          std::vector<Operand> outputs, rest;
          for (const SinkInfo& info : kernel_.facts.sinks) {
            if (info.sink->kind != Sink::kScan && info.sink->kind != Sink::kOut) continue;
            for (const Operand& value : staged_values(at, info, j))
              (info.sink->kind == Sink::kScan ? outputs : rest).push_back(value);
          }
          outputs.insert(outputs.end(), rest.begin(), rest.end());
          const Operand i = at.add_i64(base, j);
          outputs = scan_outputs(kernel_, at, seg ? std::vector<Operand>{i} : point(i),
                                 std::move(outputs));
          for (size_t v = 0; v < late_.size(); ++v)
            at.add(Store{late_[v].type, late_[v].buffer, j, outputs[v]});
        },
        1, LoopHint::kSimd);
  }

  // Reductions have lanes if they may.
  void reduce(Code& code, const Operand& count) {
    if (reductions_.empty()) return;
    if (!has_lanes_) {
      code.short_loop(const_i64(0), count, [&](Code& inner, const Operand& j) {
        for (size_t k = 0; k < reductions_.size(); ++k)
          kernel_.combine(inner, reductions_[k].sink->op[0], reduced_[k],
                          staged_values(inner, reductions_[k], j));
      });
      return;
    }
    const Operand rest = code.binop(BinOpKind::kAnd, count, const_i64(kLanes - 1), "rest");
    const Operand whole = code.sub_i64(count, rest);
    code.loop(
        const_i64(0), whole,
        [&](Code& inner, const Operand& first) {
          reduce_lanes(inner, first, const_i64(kLanes), LoopHint::kSimd);
        },
        kLanes);
    reduce_lanes(code, whole, rest, LoopHint::kShort);
  }
  void reduce_lanes(Code& code, const Operand& first, const Operand& count, LoopHint hint) {
    code.loop(
        const_i64(0), count,
        [&](Code& inner, const Operand& lane) {
          for (size_t k = 0; k < reductions_.size(); ++k) {
            std::vector<Operand> args = load_lane(inner, lanes_, k, lane);
            const Operand j = inner.add_i64(first, lane);
            for (const Operand& value : staged_values(inner, reductions_[k], j))
              args.push_back(value);
            store_lane(inner, lanes_, k, lane, kernel_.fn.apply(inner, lanes_.op(k).fn, args));
          }
        },
        1, hint);
  }

  KernelWriter& kernel_;
  const std::vector<Operand>& outer_;
  const std::vector<std::vector<Name>>& carry_;
  const std::vector<Accumulators>& reduced_;
  const std::vector<SinkInfo> reductions_;
  const bool has_lanes_;
  Lanes lanes_;
  bool direct_ = false;        // scanned values go to their results at once
  std::vector<size_t> plain_;  // and come from arrays at once
  std::vector<Stage> stages_, late_;
};

}  // namespace

void scan_pieces(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
                 const Operand& begin, const Operand& end,
                 const std::vector<std::vector<Name>>& carry,
                 const std::vector<Accumulators>& reduced) {
  if (!kernel.facts.scan.in_registers)
    return scan_in_lanes(kernel, code, outer, begin, end, carry, reduced);
  PieceWriter(kernel, code, outer, carry, reduced).write(code, begin, end);
}

void scan_row_in_pieces(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
                        const Operand& length) {
  const std::vector<std::vector<Name>> carry = start_carry(kernel, code);
  scan_pieces(kernel, code, outer, const_i64(0), length, carry, {});
}

}  // namespace skald::imp
