// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/reduce/across.h"

#include "core/ir/visit.h"
#include "imp/lower/common/lane_code.h"

namespace skald::imp {

using core::Operator;

namespace {

// Bytes of accumulators that `across` keeps in registers.
constexpr int64_t kAcrossBytes = 128;
// Fewer blocks of columns than this are cut into chunks of rows if they are long.
constexpr int64_t kFewBlocks = 8;
constexpr int64_t kLongColumn = 4096;
// Fewer wide blocks than this leave threads idle.
constexpr int64_t kEnoughWideBlocks = 4;

// Feeds the points begin … end-1 of all columns of a block to the lanes.
void feed_block(KernelWriter& kernel, Code& code, const Lanes& lanes, const ColumnBlock& block,
                int64_t width, const Operand& begin, const Operand& end) {
  const auto all_points = [&](const Operand& lane_count, LoopHint hint) {
    return [&, lane_count, hint](Code& here) {
      here.loop(begin, end, [&](Code& inner, const Operand& j) {
        feed_lanes(kernel, inner, lanes, lane_count, hint,
                   [&](Code& lane_code, const Operand& lane) {
                     std::vector<Operand> indices = block.outer;
                     indices.push_back(lane_code.add_i64(block.first, lane));
                     indices.push_back(j);
                     return indices;
                   });
      });
    };
  };
  // Expensive points are worth vectors that are not full, and others where masks cost nothing.
  const bool cheap =
      !has_slow_operation(kernel.node.pull.body) && !kernel.fn.options.registers.bit_masks;
  code.branch(code.less_i64(block.count, const_i64(width)),
              all_points(block.count, cheap ? LoopHint::kNone : LoopHint::kSimd),
              all_points(const_i64(width), LoopHint::kSimd));
}

// One block of columns, its rows in parallel chunks.
void reduce_block_in_chunks(KernelWriter& kernel, Code& code, const ColumnBlock& block,
                            int64_t width) {
  const Operand n = kernel.facts.dims.back();
  const Name size = code.fresh("chunk_size");
  code.add(ChunkSize{size, n, const_i64(std::max<int64_t>(1, kernel.facts.least_chunk / width))});
  const Operand chunks = chunk_count(code, n, size);
  std::vector<std::vector<Name>> blocks;
  for (const SinkInfo& info : kernel.facts.sinks)
    blocks.push_back(
        kernel.partials(code, info.sink->op[0], code.mul_i64(chunks, const_i64(width))));
  code.parallel_chunks(
      n, size, [&](Code& inner, const Operand& begin, const Operand& end, const Operand& chunk) {
        const Lanes lanes = start_lanes(kernel, inner, kernel.facts.sinks, width);
        feed_block(kernel, inner, lanes, block, width, begin, end);
        const Operand base = inner.mul_i64(chunk, const_i64(width));
        inner.short_loop(const_i64(0), block.count, [&](Code& at, const Operand& lane) {
          const Operand place = at.add_i64(base, lane);
          for (size_t k = 0; k < kernel.facts.sinks.size(); ++k) {
            const std::vector<Operand> values = load_lane(at, lanes, k, lane);
            for (size_t v = 0; v < values.size(); ++v)
              at.add(Store{kernel.facts.sinks[k].sink->op[0].fn.params[v].type.elem, blocks[k][v],
                           place, values[v]});
          }
        });
      });
  code.short_loop(const_i64(0), block.count, [&](Code& at, const Operand& lane) {
    for (size_t k = 0; k < kernel.facts.sinks.size(); ++k) {
      const Operator& op = kernel.facts.sinks[k].sink->op[0];
      const Accumulators acc = kernel.start(at, op);
      at.branch(at.less_i64(const_i64(0), n), [&](Code& some) {
        some.short_loop(const_i64(0), chunks, [&](Code& inner, const Operand& chunk) {
          const Operand place = inner.add_i64(inner.mul_i64(chunk, const_i64(width)), lane);
          std::vector<Operand> values;
          for (size_t v = 0; v < blocks[k].size(); ++v)
            values.push_back(inner.load(op.fn.params[v].type.elem, blocks[k][v], place, "partial"));
          kernel.combine(inner, op, acc, values);
        });
      });
      std::vector<Operand> indices = block.outer;
      indices.push_back(at.add_i64(block.first, lane));
      for (size_t v = 0; v < acc.size(); ++v)
        kernel.fn.store(at, kernel.result_place(kernel.facts.sinks[k].results + v), indices,
                        acc[v]);
    }
  });
  for (const auto& list : blocks)
    for (const Name name : list) code.add(Free{name});
}

}  // namespace

int64_t across_width(const KernelFacts& facts) {
  int widest = 1;
  for (const SinkInfo& info : facts.sinks)
    for (size_t v = 0; v < info.sink->op[0].neutral.size(); ++v)
      widest = std::max(widest, prim_size(info.sink->op[0].fn.params[v].type.elem));
  return kAcrossBytes / widest;
}

void reduce_column_block(KernelWriter& kernel, Code& code, const ColumnBlock& block,
                         int64_t width) {
  const Lanes lanes = start_lanes(kernel, code, kernel.facts.sinks, width);
  feed_block(kernel, code, lanes, block, width, const_i64(0), kernel.facts.dims.back());
  const auto store = [&](const Operand& count, LoopHint hint) {
    return [&, count, hint](Code& some) {
      some.loop(
          const_i64(0), count,
          [&](Code& inner, const Operand& lane) {
            std::vector<Operand> indices = block.outer;
            indices.push_back(inner.add_i64(block.first, lane));
            for (size_t k = 0; k < kernel.facts.sinks.size(); ++k) {
              const std::vector<Operand> values = load_lane(inner, lanes, k, lane);
              for (size_t v = 0; v < values.size(); ++v)
                kernel.fn.store(inner, kernel.result_place(kernel.facts.sinks[k].results + v),
                                indices, values[v]);
            }
          },
          1, hint);
    };
  };
  code.branch(code.less_i64(block.count, const_i64(width)), store(block.count, LoopHint::kShort),
              store(const_i64(width), LoopHint::kSimd));
}

namespace {

// Rows that are far apart are read in longer pieces, as far as registers hold the sums: a quarter
// of them.  0: what is summed is not bound by memory, or registers are few.
int64_t wide_width(KernelWriter& kernel) {
  constexpr size_t kLittleCode = 12;
  const LowerOptions& options = kernel.fn.options;
  const int64_t bytes = options.wide_registers ? 64 : options.registers.bytes;
  const int64_t times = options.registers.count * bytes / (4 * kAcrossBytes);
  const bool is_simple =
      kernel.facts.sinks.size() == 1 && core::statement_count(kernel.node.pull.body) <= kLittleCode;
  return is_simple && times > 1 ? times * across_width(kernel.facts) : 0;
}

Operand blocks_of(Code& code, const Operand& columns, int64_t width) {
  return code.binop(BinOpKind::kQuot, code.add_i64(columns, const_i64(width - 1)), const_i64(width),
                    "blocks");
}

void reduce_whole_blocks(KernelWriter& kernel, Code& code, const Operand& blocks, int64_t width) {
  const size_t inner_dim = kernel.facts.dims.size() - 2;
  Operand total = blocks;
  for (size_t k = 0; k < inner_dim; ++k) total = code.mul_i64(total, kernel.facts.dims[k]);
  const Operand grain =
      kernel.segment_grain(code, code.mul_i64(kernel.facts.dims.back(), const_i64(width)));
  code.parallel_for(total, grain, [&](Code& at, const Operand& number) {
    reduce_column_block(kernel, at, column_block(kernel, at, number, blocks, width), width);
  });
}

}  // namespace

void reduce_across(KernelWriter& kernel, Code& code) {
  const int64_t width = across_width(kernel.facts), wide = wide_width(kernel);
  const Operand columns = kernel.facts.dims[kernel.facts.dims.size() - 2];
  const Operand blocks = blocks_of(code, columns, width);
  const auto in_blocks = [&](Code& here) { reduce_whole_blocks(kernel, here, blocks, width); };
  const auto in_wide_blocks = [&](Code& here) {
    reduce_whole_blocks(kernel, here, blocks_of(here, columns, wide), wide);
  };
  const auto whole_blocks = [&](Code& here) {
    if (wide == 0) return in_blocks(here);
    here.branch(here.less_i64(columns, const_i64(kEnoughWideBlocks * wide)), in_blocks,
                in_wide_blocks);
  };
  // Sums of a few long columns; in deeper nests there are always enough blocks.
  if (kernel.facts.dims.size() > 2) return whole_blocks(code);
  const Operand few = code.less_i64(blocks, const_i64(kFewBlocks));
  const Operand long_ones = code.less_i64(const_i64(kLongColumn), kernel.facts.dims.back());
  const Operand chunked = code.both(few, long_ones, "chunked");
  code.branch(
      chunked,
      [&](Code& inner) {
        inner.short_loop(const_i64(0), blocks, [&](Code& at, const Operand& number) {
          reduce_block_in_chunks(kernel, at, column_block(kernel, at, number, blocks, width),
                                 width);
        });
      },
      whole_blocks);
}

}  // namespace skald::imp
