// SPDX-License-Identifier: Apache-2.0
// Reductions whose lanes are neighbouring segments (lanes.cpp).
#include "imp/lower/common/lane_code.h"
#include "imp/lower/cpu/kernel/kernel_lowering.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

// Bytes of accumulators that `across` keeps in registers.
constexpr int64_t kAcrossBytes = 128;
// Fewer blocks of columns than this are cut into chunks of rows if they are long.
constexpr int64_t kFewBlocks = 8;
constexpr int64_t kLongColumn = 4096;

}  // namespace

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
  // Expensive points are worth vectors that are not full.
  const bool cheap = !has_slow_operation(kernel_.pull.body);
  code.branch(code.less_i64(block.count, const_i64(width)),
              all_points(block.count, cheap ? LoopHint::kNone : LoopHint::kSimd),
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

int64_t KernelLowering::across_width() const {
  int widest = 1;
  for (const SinkInfo& info : sinks_)
    for (size_t v = 0; v < info.sink->op[0].neutral.size(); ++v)
      widest = std::max(widest, prim_size(info.sink->op[0].fn.params[v].type.elem));
  return kAcrossBytes / widest;
}

void KernelLowering::reduce_column_block(Code& code, const ColumnBlock& block, int64_t width) {
  const Lanes lanes = start_lanes(code, width);
  feed_block(code, lanes, block, width, const_i64(0), dims_.back());
  const auto store = [&](const Operand& count, LoopHint hint) {
    return [&, count, hint](Code& some) {
      some.loop(
          const_i64(0), count,
          [&](Code& inner, const Operand& lane) {
            std::vector<Operand> indices = block.outer;
            indices.push_back(inner.add_i64(block.first, lane));
            for (size_t k = 0; k < sinks_.size(); ++k) {
              const std::vector<Operand> values = load_lane(inner, lanes, k, lane);
              for (size_t v = 0; v < values.size(); ++v)
                fn_.store(inner, result_place(sinks_[k].results + v), indices, values[v]);
            }
          },
          1, hint);
    };
  };
  code.branch(code.less_i64(block.count, const_i64(width)), store(block.count, LoopHint::kShort),
              store(const_i64(width), LoopHint::kSimd));
}

void KernelLowering::reduce_across(Code& code) {
  const int64_t width = across_width();
  const size_t inner_dim = dims_.size() - 2;
  const Operand columns = dims_[inner_dim];
  const Operand blocks = code.binop(BinOpKind::kQuot, code.add_i64(columns, const_i64(width - 1)),
                                    const_i64(width), "blocks");
  Operand total = blocks;
  for (size_t k = 0; k < inner_dim; ++k) total = code.mul_i64(total, dims_[k]);
  const auto whole_blocks = [&](Code& here) {
    const Operand grain = segment_grain(here, here.mul_i64(dims_.back(), const_i64(width)));
    here.parallel_for(total, grain, [&](Code& at, const Operand& number) {
      reduce_column_block(at, column_block(at, number, blocks, width), width);
    });
  };
  // Sums of a few long columns; in deeper nests there are always enough blocks.
  if (dims_.size() > 2) return whole_blocks(code);
  const Operand few = code.less_i64(total, const_i64(kFewBlocks));
  const Operand long_ones = code.less_i64(const_i64(kLongColumn), dims_.back());
  const Operand chunked = code.both(few, long_ones, "chunked");
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
