// SPDX-License-Identifier: Apache-2.0
// Reductions whose accumulators lie side by side in scratch memory, updated by simd loops: LLVM
// keeps them in vector registers.
//
// Along     the lanes are neighbouring points of one reduction, combined at its end; the operator
//           must be commutative.  kLanes of them, or more of cheap points: a sum has to wait for
//           the sum before it, so one needs as many registers as additions are under way at a time.
// In order  the lanes are neighbouring stretches of one reduction, combined one after the other;
// for
//           operators that are not commutative.
// Across    the lanes are neighbouring segments, each reduced in order.  For kernels that read
//           neighbouring elements when the segment changes, not when the point in it changes:
//           column sums, matrix products.
#include "core/visit.h"
#include "imp/lower/kernel_lowering.h"
#include "imp/lower/strides.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

// Bytes of accumulators that `across` keeps in registers.
constexpr int64_t kAcrossBytes = 128;
// Fewer blocks of columns than this are cut into chunks of rows if they are long.
constexpr int64_t kFewBlocks = 8;
constexpr int64_t kLongColumn = 4096;
// Bytes of accumulators that `along` keeps in registers, if points and operators together have at
// most so many statements.
constexpr int64_t kAlongBytes = 256, kMostBanks = 4;
constexpr size_t kCheapStatements = 8;
// Bytes of accumulators of `in order`, and points of a stretch: stretches are short, so that their
// places are near each other.
constexpr int64_t kOrderedBytes = 192, kStretch = 64;
// A reduction in order has at least this many statements for each value it loads, which lanes do
// one by one.
constexpr size_t kStatementsPerLoad = 2;

bool is_straight_line(const core::Body& body) {
  for (const core::Stmt& stmt : body.stmts) {
    bool simple = core::as<core::Alloc>(stmt.exp) == nullptr &&
                  core::as<core::Assert>(stmt.exp) == nullptr &&
                  core::as<core::Call>(stmt.exp) == nullptr;
    core::for_each_body(stmt.exp, [&](const core::Body&) { simple = false; });
    if (!simple) return false;
  }
  return true;
}

// Counts loads and other statements; false if there are others than scalar code with branches that
// cannot fail.
bool count_scalar_code(const core::Body& body, size_t& loads, size_t& others) {
  for (const core::Stmt& stmt : body.stmts) {
    if (core::as<core::Alloc>(stmt.exp) != nullptr || core::as<core::Assert>(stmt.exp) != nullptr ||
        core::as<core::Call>(stmt.exp) != nullptr || core::as<core::Loop>(stmt.exp) != nullptr)
      return false;
    for (const core::Param& p : stmt.pat)
      if (!p.type.is_scalar()) return false;
    ++(core::as<core::Index>(stmt.exp) != nullptr ? loads : others);
    bool simple = true;
    core::for_each_body(stmt.exp, [&](const core::Body& inner) {
      simple = simple && count_scalar_code(inner, loads, others);
    });
    if (!simple) return false;
  }
  return true;
}

// Functions and divisions.
bool has_slow_operation(const core::Body& body) {
  for (const core::Stmt& stmt : body.stmts) {
    const auto* unary = core::as<core::UnOp>(stmt.exp);
    const auto* binary = core::as<core::BinOp>(stmt.exp);
    if (unary != nullptr && unary->op >= UnOpKind::kSqrt) return true;
    if (binary == nullptr) continue;
    if (binary->op >= BinOpKind::kDiv && binary->op <= BinOpKind::kPow) return true;
    if (binary->op >= BinOpKind::kAtan2) return true;
  }
  return false;
}

// Can vector code run it?  Arrays may only be what a lane keeps for itself, of a known size.
bool fits_lanes(const core::Body& body) {
  for (const core::Stmt& stmt : body.stmts) {
    if (core::as<core::Call>(stmt.exp) != nullptr) return false;
    const core::Alloc* alloc = core::as<core::Alloc>(stmt.exp);
    if (alloc != nullptr && core::as_const(alloc->bytes) == nullptr) return false;
    bool fits = true;
    core::for_each_body(stmt.exp, [&](const core::Body& inner) {
      fits = fits && fits_lanes(inner);
      for (const core::Param& p : stmt.pat) fits = fits && p.type.is_scalar();
    });
    if (!fits) return false;
  }
  return true;
}

// \a b -> a op b, or the pairwise version of it for several values.
bool is_simple_commutative(const Operator& op) {
  const size_t n = op.neutral.size();
  if (op.fn.body.stmts.size() != n || op.fn.body.result.size() != n) return false;
  for (size_t k = 0; k < n; ++k) {
    const core::Stmt& stmt = op.fn.body.stmts[k];
    const core::BinOp* node = core::as<core::BinOp>(stmt.exp);
    if (node == nullptr || !core::is_commutative(node->op) ||
        !(op.fn.body.result[k] == Operand{stmt.pat[0].name}))
      return false;
    const Operand a = op.fn.params[k].name, b = op.fn.params[n + k].name;
    if (!((node->lhs == a && node->rhs == b) || (node->lhs == b && node->rhs == a))) return false;
  }
  return true;
}

}  // namespace

bool KernelLowering::is_straight() const {
  if (kernel_.guarded || !is_straight_line(kernel_.pull.body)) return false;
  for (const core::Lambda& post : kernel_.post)
    if (!is_straight_line(post.body)) return false;
  for (const core::Ret& ret : kernel_.pull.results)
    if (ret.type.is_array()) return false;
  for (const SinkInfo& info : sinks_)
    for (const Operator& op : info.sink->op)
      if (!is_straight_line(op.fn.body)) return false;
  return true;
}

bool KernelLowering::is_scalar_code() const {
  size_t count = 0;
  if (kernel_.guarded || !count_scalar_code(kernel_.pull.body, count, count)) return false;
  for (const core::Ret& ret : kernel_.pull.results)
    if (ret.type.is_array()) return false;
  for (const core::Lambda& post : kernel_.post)
    if (!count_scalar_code(post.body, count, count)) return false;
  for (const SinkInfo& info : sinks_)
    for (const Operator& op : info.sink->op)
      if (!count_scalar_code(op.fn.body, count, count)) return false;
  return true;
}

bool KernelLowering::can_use_lanes() const {
  if (!is_straight()) return false;
  for (const SinkInfo& info : sinks_)
    if (info.sink->kind != Sink::kReduce) return false;
  return true;
}

bool KernelLowering::are_commutative(Sink::Kind kind) const {
  for (const SinkInfo& info : sinks_)
    if (info.sink->kind == kind && !info.sink->op[0].commutative &&
        !is_simple_commutative(info.sink->op[0]))
      return false;
  return true;
}

bool KernelLowering::can_reduce_along() const {
  if (kernel_.guarded || !fits_lanes(kernel_.pull.body)) return false;
  for (const core::Ret& result : kernel_.pull.results)
    if (!result.type.is_scalar()) return false;
  for (const SinkInfo& info : sinks_) {
    if (info.sink->kind == Sink::kOut) continue;
    if (info.sink->kind != Sink::kReduce || !fits_lanes(info.sink->op[0].fn.body)) return false;
    if (!info.sink->op[0].commutative && !is_simple_commutative(info.sink->op[0])) return false;
  }
  return true;
}

bool KernelLowering::should_reduce_across() const {
  return can_use_lanes() && reads_across();
}

bool KernelLowering::reads_across() const {
  if (dims_.size() < 2) return false;
  const std::vector<core::Param>& indices = kernel_.pull.params;
  const auto outer = [&](Name array) -> const ArrayPlace& { return fn_.place(array); };
  const AccessCount along = count_accesses(kernel_.pull, indices.back().name, outer);
  const AccessCount across = count_accesses(kernel_.pull, indices[indices.size() - 2].name, outer);
  return along.scattered > across.scattered;
}

// ---- accumulators

KernelLowering::Lanes KernelLowering::start_lanes(Code& code, int64_t count) {
  Lanes lanes;
  for (const SinkInfo& info : laned_) {
    lanes.emplace_back();
    const Operator& op = info.sink->op[0];
    for (size_t v = 0; v < op.neutral.size(); ++v) {
      const Prim type = op.fn.params[v].type.elem;
      lanes.back().push_back(
          code.alloc(Space::kScratch, const_i64(count * prim_size(type)), "lanes"));
      code.loop(
          const_i64(0), const_i64(count),
          [&](Code& at, const Operand& lane) {
            at.add(Store{type, lanes.back()[v], lane, fn_.value(op.neutral[v])});
          },
          1, LoopHint::kSimd);
    }
  }
  return lanes;
}

std::vector<Operand> KernelLowering::load_lane(Code& code, const Lanes& lanes, size_t reduction,
                                               const Operand& lane) {
  std::vector<Operand> values;
  for (size_t v = 0; v < lanes[reduction].size(); ++v)
    values.push_back(code.load(laned_[reduction].sink->op[0].fn.params[v].type.elem,
                               lanes[reduction][v], lane, "lane"));
  return values;
}

void KernelLowering::feed_lanes(
    Code& code, const Lanes& lanes, const Operand& count, LoopHint hint,
    const std::function<std::vector<Operand>(Code&, const Operand&)>& indices_of) {
  code.loop(
      const_i64(0), count,
      [&](Code& inner, const Operand& lane) {
        point(
            inner, indices_of(inner, lane),
            [&](Code& at, const std::vector<Operand>& indices, const std::vector<Operand>& values) {
              for (size_t k = 0; k < laned_.size(); ++k) {
                const Operator& op = laned_[k].sink->op[0];
                std::vector<Operand> args = load_lane(at, lanes, k, lane);
                for (const Operand& value : sink_values(laned_[k], values)) args.push_back(value);
                std::vector<Operand> next = fn_.apply(at, op.fn, args);
                if (fn_.options_.fused_sums && !has(Sink::kScan))
                  for (Operand& sum : next) sum = at.fused(sum);
                for (size_t v = 0; v < next.size(); ++v)
                  at.add(Store{op.fn.params[v].type.elem, lanes[k][v], lane, next[v]});
              }
              // The totals of scans come before their outputs.
              if (!has(Sink::kScan)) direct_sinks(at, indices, values);
            });
      },
      1, hint);
}

// ---- along

int64_t KernelLowering::lane_banks() const {
  if (fn_.target_ != Target::kCpu || !is_straight() || has_slow_operation(kernel_.pull.body))
    return 1;
  size_t count = kernel_.pull.body.stmts.size();
  int64_t bytes = 0;
  for (const SinkInfo& info : laned_) {
    const Operator& op = info.sink->op[0];
    count += op.fn.body.stmts.size();
    if (has_slow_operation(op.fn.body)) return 1;
    for (size_t v = 0; v < op.neutral.size(); ++v) bytes += prim_size(op.fn.params[v].type.elem);
  }
  int64_t banks = 1;
  while (count <= kCheapStatements && banks < kMostBanks &&
         2 * banks * kLanes * bytes <= kAlongBytes)
    banks *= 2;
  return banks;
}

void KernelLowering::fold_lanes(Code& code, const Lanes& into, const Lanes& from, int64_t count,
                                int64_t offset) {
  code.loop(
      const_i64(0), const_i64(count),
      [&](Code& at, const Operand& lane) {
        const Operand other = at.add_i64(lane, const_i64(offset));
        for (size_t k = 0; k < laned_.size(); ++k) {
          const Operator& op = laned_[k].sink->op[0];
          std::vector<Operand> args = load_lane(at, into, k, lane);
          for (const Operand& value : load_lane(at, from, k, other)) args.push_back(value);
          const std::vector<Operand> both = fn_.apply(at, op.fn, args);
          for (size_t v = 0; v < both.size(); ++v)
            at.add(Store{op.fn.params[v].type.elem, into[k][v], lane, both[v]});
        }
      },
      1, count > 1 ? LoopHint::kSimd : LoopHint::kShort);
}

void KernelLowering::reduce_along(Code& code, const std::vector<Operand>& outer,
                                  const Operand& begin, const Operand& length,
                                  const std::vector<Accumulators>& accs) {
  std::vector<Lanes> banks(static_cast<size_t>(lane_banks()));
  for (Lanes& lanes : banks) lanes = start_lanes(code, kLanes);
  const auto from = [&](const Operand& first) {
    return [&outer, first](Code& at, const Operand& lane) {
      std::vector<Operand> indices = outer;
      indices.push_back(at.add_i64(first, lane));
      return indices;
    };
  };
  Operand first = begin, rest = length;
  const auto whole_groups = [&](size_t used) {
    const int64_t count = kLanes * static_cast<int64_t>(used);
    const Operand left = code.binop(BinOpKind::kAnd, rest, const_i64(count - 1), "rest");
    const Operand whole = code.add_i64(first, code.sub_i64(rest, left));
    code.loop(
        first, whole,
        [&](Code& at, const Operand& i) {
          for (size_t b = 0; b < used; ++b)
            feed_lanes(at, banks[b], const_i64(kLanes), LoopHint::kSimd,
                       from(at.add_i64(i, const_i64(kLanes * static_cast<int64_t>(b)))));
        },
        count);
    first = whole;
    rest = left;
  };
  whole_groups(banks.size());
  for (size_t half = banks.size() / 2; half > 0; half /= 2)
    for (size_t b = 0; b < half; ++b) fold_lanes(code, banks[b], banks[b + half], kLanes, 0);
  if (banks.size() > 1) whole_groups(1);
  const Lanes& lanes = banks[0];
  if (!is_straight()) {
    // Expensive points are worth vectors that are not full.
    const bool cheap = is_straight_line(kernel_.pull.body);
    feed_lanes(code, lanes, rest, cheap ? LoopHint::kShort : LoopHint::kSimd, from(first));
    code.short_loop(const_i64(0), const_i64(kLanes), [&](Code& at, const Operand& lane) {
      for (size_t k = 0; k < laned_.size(); ++k)
        combine(at, laned_[k].sink->op[0], accs[k], load_lane(at, lanes, k, lane));
    });
    return;
  }
  // Nothing but whole vectors touches the lanes, so that they never need memory.
  code.short_loop(first, code.add_i64(first, rest), [&](Code& at, const Operand& i) {
    point(
        at, from(i)(at, const_i64(0)),
        [&](Code& inner, const std::vector<Operand>& indices, const std::vector<Operand>& values) {
          for (size_t k = 0; k < laned_.size(); ++k)
            combine(inner, laned_[k].sink->op[0], accs[k], sink_values(laned_[k], values));
          if (!has(Sink::kScan)) direct_sinks(inner, indices, values);
        });
  });
  for (int64_t half = kLanes / 2; half > 0; half /= 2) fold_lanes(code, lanes, lanes, half, half);
  for (size_t k = 0; k < laned_.size(); ++k)
    combine(code, laned_[k].sink->op[0], accs[k], load_lane(code, lanes, k, const_i64(0)));
}

// ---- in order

int64_t KernelLowering::ordered_lanes(Sink::Kind kind) const {
  if (fn_.target_ != Target::kCpu || kernel_.guarded) return 0;
  size_t loads = 0, count = 0;
  int64_t bytes = 0;
  if (!staged_.empty())
    loads = staged_.size();
  else if (!count_scalar_code(kernel_.pull.body, loads, count))
    return 0;
  for (const SinkInfo& info : sinks_) {
    // Nothing but the totals of a scan is computed at first.
    if (info.sink->kind != kind && kind == Sink::kScan) continue;
    if (info.sink->kind != kind) return 0;
    const Operator& op = info.sink->op[0];
    if (!count_scalar_code(op.fn.body, loads, count)) return 0;
    for (size_t v = 0; v < op.neutral.size(); ++v) bytes += prim_size(op.fn.params[v].type.elem);
  }
  if (count < kStatementsPerLoad * loads) return 0;
  int64_t lanes = kLanes;
  while (lanes * bytes > kOrderedBytes) lanes /= 2;
  return lanes < 4 ? 0 : lanes;
}

void KernelLowering::reduce_in_order(Code& code, const std::vector<Operand>& outer,
                                     const Operand& begin, const Operand& end,
                                     const std::vector<Accumulators>& accs) {
  const int64_t width = ordered_lanes(has(Sink::kScan) ? Sink::kScan : Sink::kReduce);
  const Operand rest =
      code.binop(BinOpKind::kAnd, code.sub_i64(end, begin), const_i64(width - 1), "rest");
  const Operand whole = code.sub_i64(end, rest);
  code.loop(
      begin, whole,
      [&](Code& block, const Operand& first) {
        const Operand size =
            block.min_i64(const_i64(width * kStretch), block.sub_i64(whole, first));
        const Operand stretch = block.binop(BinOpKind::kQuot, size, const_i64(width), "stretch");
        const Lanes lanes = start_lanes(block, width);
        block.loop(const_i64(0), stretch, [&](Code& at, const Operand& t) {
          feed_lanes(at, lanes, const_i64(width), LoopHint::kSimd,
                     [&](Code& here, const Operand& lane) {
                       std::vector<Operand> indices = outer;
                       indices.push_back(
                           here.add_i64(here.add_i64(first, t), here.mul_i64(lane, stretch)));
                       return indices;
                     });
        });
        block.short_loop(const_i64(0), const_i64(width), [&](Code& at, const Operand& lane) {
          for (size_t k = 0; k < laned_.size(); ++k)
            combine(at, laned_[k].sink->op[0], accs[k], load_lane(at, lanes, k, lane));
        });
      },
      width * kStretch);
  code.short_loop(whole, end, [&](Code& at, const Operand& i) {
    std::vector<Operand> indices = outer;
    indices.push_back(i);
    point(at, indices,
          [&](Code& inner, const std::vector<Operand>&, const std::vector<Operand>& values) {
            for (size_t k = 0; k < laned_.size(); ++k)
              combine(inner, laned_[k].sink->op[0], accs[k], sink_values(laned_[k], values));
          });
  });
}

// ---- across

// Columns first … first+count-1 of one outer index.
KernelLowering::ColumnBlock KernelLowering::column_block(Code& code, const Operand& number,
                                                         const Operand& blocks, int64_t width) {
  const size_t inner_dim = dims_.size() - 2;
  const Operand row = code.binop(BinOpKind::kQuot, number, blocks, "row");
  const Operand block = code.sub_i64(number, code.mul_i64(row, blocks));
  ColumnBlock result;
  result.first = code.mul_i64(block, const_i64(width));
  result.count = code.min_i64(const_i64(width), code.sub_i64(dims_[inner_dim], result.first));
  result.outer.resize(inner_dim);
  Operand rest = row;
  for (size_t k = inner_dim; k-- > 0;) {
    const Operand quotient = k == 0 ? rest : code.binop(BinOpKind::kQuot, rest, dims_[k], "i");
    result.outer[k] = k == 0 ? rest : code.sub_i64(rest, code.mul_i64(quotient, dims_[k]));
    rest = quotient;
  }
  return result;
}

// Feeds the points begin … end-1 of all columns of a block to the lanes.
void KernelLowering::feed_block(Code& code, const Lanes& lanes, const ColumnBlock& block,
                                int64_t width, const Operand& begin, const Operand& end) {
  const auto all_points = [&](const Operand& lane_count, LoopHint hint) {
    return [&, lane_count, hint](Code& here) {
      here.loop(begin, end, [&](Code& inner, const Operand& j) {
        feed_lanes(inner, lanes, lane_count, hint, [&](Code& lane_code, const Operand& lane) {
          std::vector<Operand> indices = block.outer;
          indices.push_back(lane_code.add_i64(block.first, lane));
          indices.push_back(j);
          return indices;
        });
      });
    };
  };
  code.branch(code.less_i64(block.count, const_i64(width)),
              all_points(block.count, LoopHint::kNone),
              all_points(const_i64(width), LoopHint::kSimd));
}

// One block of columns, its rows in parallel chunks.
void KernelLowering::reduce_block_in_chunks(Code& code, const ColumnBlock& block, int64_t width) {
  const Operand n = dims_.back();
  const Name size = code.fresh("chunk_size");
  code.add(ChunkSize{size, n, const_i64(std::max<int64_t>(1, least_chunk() / width))});
  const Operand chunks = chunk_count(code, n, size);
  std::vector<std::vector<Name>> blocks;
  for (const SinkInfo& info : sinks_)
    blocks.push_back(partials(code, info.sink->op[0], code.mul_i64(chunks, const_i64(width))));
  code.parallel_chunks(
      n, size, [&](Code& inner, const Operand& begin, const Operand& end, const Operand& chunk) {
        const Lanes lanes = start_lanes(inner, width);
        feed_block(inner, lanes, block, width, begin, end);
        const Operand base = inner.mul_i64(chunk, const_i64(width));
        inner.short_loop(const_i64(0), block.count, [&](Code& at, const Operand& lane) {
          const Operand place = at.add_i64(base, lane);
          for (size_t k = 0; k < sinks_.size(); ++k) {
            const std::vector<Operand> values = load_lane(at, lanes, k, lane);
            for (size_t v = 0; v < values.size(); ++v)
              at.add(Store{sinks_[k].sink->op[0].fn.params[v].type.elem, blocks[k][v], place,
                           values[v]});
          }
        });
      });
  code.loop(const_i64(0), block.count, [&](Code& at, const Operand& lane) {
    for (size_t k = 0; k < sinks_.size(); ++k) {
      const Operator& op = sinks_[k].sink->op[0];
      const Accumulators acc = start(at, op);
      at.branch(at.less_i64(const_i64(0), n), [&](Code& some) {
        some.short_loop(const_i64(0), chunks, [&](Code& inner, const Operand& chunk) {
          const Operand place = inner.add_i64(inner.mul_i64(chunk, const_i64(width)), lane);
          std::vector<Operand> values;
          for (size_t v = 0; v < blocks[k].size(); ++v)
            values.push_back(inner.load(op.fn.params[v].type.elem, blocks[k][v], place, "partial"));
          combine(inner, op, acc, values);
        });
      });
      std::vector<Operand> indices = block.outer;
      indices.push_back(at.add_i64(block.first, lane));
      for (size_t v = 0; v < acc.size(); ++v)
        fn_.store(at, result_place(sinks_[k].results + v), indices, acc[v]);
    }
  });
  for (const auto& list : blocks)
    for (const Name name : list) code.add(Free{name});
}

void KernelLowering::reduce_across(Code& code) {
  int widest = 1;
  for (const SinkInfo& info : sinks_)
    for (size_t v = 0; v < info.sink->op[0].neutral.size(); ++v)
      widest = std::max(widest, prim_size(info.sink->op[0].fn.params[v].type.elem));
  const int64_t width = kAcrossBytes / widest;
  const size_t inner_dim = dims_.size() - 2;
  const Operand columns = dims_[inner_dim];
  const Operand blocks = code.binop(BinOpKind::kQuot, code.add_i64(columns, const_i64(width - 1)),
                                    const_i64(width), "blocks");
  Operand total = blocks;
  for (size_t k = 0; k < inner_dim; ++k) total = code.mul_i64(total, dims_[k]);
  const auto whole_blocks = [&](Code& here) {
    const Operand grain = segment_grain(here, here.mul_i64(dims_.back(), const_i64(width)));
    here.parallel_for(total, grain, [&](Code& at, const Operand& number) {
      const ColumnBlock block = column_block(at, number, blocks, width);
      const Lanes lanes = start_lanes(at, width);
      feed_block(at, lanes, block, width, const_i64(0), dims_.back());
      at.short_loop(const_i64(0), block.count, [&](Code& inner, const Operand& lane) {
        std::vector<Operand> indices = block.outer;
        indices.push_back(inner.add_i64(block.first, lane));
        for (size_t k = 0; k < sinks_.size(); ++k) {
          const std::vector<Operand> values = load_lane(inner, lanes, k, lane);
          for (size_t v = 0; v < values.size(); ++v)
            fn_.store(inner, result_place(sinks_[k].results + v), indices, values[v]);
        }
      });
    });
  };
  // Sums of a few long columns; in deeper nests there are always enough blocks.
  if (dims_.size() > 2) return whole_blocks(code);
  const Operand few = code.less_i64(total, const_i64(kFewBlocks));
  const Operand long_ones = code.less_i64(const_i64(kLongColumn), dims_.back());
  const Operand chunked =
      code.let(Prim::kBool, core::BinOp{BinOpKind::kAnd, Prim::kBool, few, long_ones}, "chunked");
  code.branch(
      chunked,
      [&](Code& inner) {
        inner.loop(const_i64(0), total, [&](Code& at, const Operand& number) {
          reduce_block_in_chunks(at, column_block(at, number, blocks, width), width);
        });
      },
      whole_blocks);
}

}  // namespace skald::imp
