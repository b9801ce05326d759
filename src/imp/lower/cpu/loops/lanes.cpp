// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/loops/lanes.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

Lanes start_lanes(KernelWriter& kernel, Code& code, const std::vector<SinkInfo>& sinks,
                  int64_t count) {
  Lanes lanes{sinks, {}};
  for (size_t k = 0; k < sinks.size(); ++k) {
    lanes.blocks.emplace_back();
    const Operator& op = lanes.op(k);
    for (size_t v = 0; v < op.neutral.size(); ++v) {
      const Prim type = op.fn.params[v].type.elem;
      lanes.blocks[k].push_back(
          code.alloc(Space::kScratch, const_i64(count * prim_size(type)), "lanes"));
      code.loop(
          const_i64(0), const_i64(count),
          [&](Code& at, const Operand& lane) {
            at.add(Store{type, lanes.blocks[k][v], lane, kernel.fn.value(op.neutral[v])});
          },
          1, LoopHint::kSimd);
    }
  }
  return lanes;
}

std::vector<Operand> load_lane(Code& code, const Lanes& lanes, size_t k, const Operand& lane) {
  std::vector<Operand> values;
  for (size_t v = 0; v < lanes.blocks[k].size(); ++v)
    values.push_back(
        code.load(lanes.op(k).fn.params[v].type.elem, lanes.blocks[k][v], lane, "lane"));
  return values;
}

void store_lane(Code& code, const Lanes& lanes, size_t k, const Operand& lane,
                const std::vector<Operand>& values) {
  for (size_t v = 0; v < values.size(); ++v)
    code.add(Store{lanes.op(k).fn.params[v].type.elem, lanes.blocks[k][v], lane, values[v]});
}

void feed_lane(KernelWriter& kernel, Code& code, const Lanes& lanes, size_t k, const Operand& lane,
               const std::vector<Operand>& values) {
  std::vector<Operand> args = load_lane(code, lanes, k, lane);
  args.insert(args.end(), values.begin(), values.end());
  store_lane(code, lanes, k, lane, kernel.fn.apply(code, lanes.op(k).fn, args));
}

void feed_lanes(KernelWriter& kernel, Code& code, const Lanes& lanes, const Operand& count,
                LoopHint hint,
                const std::function<std::vector<Operand>(Code&, const Operand&)>& indices_of) {
  const bool scans = kernel.facts.has(Sink::kScan);
  code.loop(
      const_i64(0), count,
      [&](Code& inner, const Operand& lane) {
        const auto feed = [&](Code& at, const std::vector<Operand>& indices,
                              const std::vector<Operand>& values) {
          for (size_t k = 0; k < lanes.sinks.size(); ++k) {
            std::vector<Operand> args = load_lane(at, lanes, k, lane);
            for (const Operand& value : kernel.sink_values(lanes.sinks[k], values))
              args.push_back(value);
            std::vector<Operand> next = kernel.fn.apply(at, lanes.op(k).fn, args);
            if (kernel.fn.options.fused_sums && !scans)
              for (Operand& sum : next) sum = at.fused(sum);
            store_lane(at, lanes, k, lane, next);
          }
          // The totals of scans come before their outputs.
          if (!scans) kernel.direct_sinks(at, indices, values);
        };
        kernel.point(inner, indices_of(inner, lane), feed);
      },
      1, hint);
}

void fold_lanes(KernelWriter& kernel, Code& code, const Lanes& into, const Lanes& from,
                int64_t count, int64_t offset) {
  code.loop(
      const_i64(0), const_i64(count),
      [&](Code& at, const Operand& lane) {
        const Operand other = at.add_i64(lane, const_i64(offset));
        for (size_t k = 0; k < into.sinks.size(); ++k) {
          std::vector<Operand> args = load_lane(at, into, k, lane);
          for (const Operand& value : load_lane(at, from, k, other)) args.push_back(value);
          store_lane(at, into, k, lane, kernel.fn.apply(at, into.op(k).fn, args));
        }
      },
      1, count > 1 ? LoopHint::kSimd : LoopHint::kShort);
}

void combine_lanes(KernelWriter& kernel, Code& code, const Lanes& lanes, int64_t count,
                   const std::vector<Accumulators>& accs) {
  code.short_loop(const_i64(0), const_i64(count), [&](Code& at, const Operand& lane) {
    for (size_t k = 0; k < lanes.sinks.size(); ++k)
      kernel.combine(at, lanes.op(k), accs[k], load_lane(at, lanes, k, lane));
  });
}

ColumnBlock column_block(KernelWriter& kernel, Code& code, const Operand& number,
                         const Operand& blocks, int64_t width) {
  const std::vector<Operand>& dims = kernel.facts.dims;
  const size_t inner_dim = dims.size() - 2;
  const Operand row = code.binop(BinOpKind::kQuot, number, blocks, "row");
  const Operand block = code.sub_i64(number, code.mul_i64(row, blocks));
  ColumnBlock result;
  result.first = code.mul_i64(block, const_i64(width));
  result.count = code.min_i64(const_i64(width), code.sub_i64(dims[inner_dim], result.first));
  result.outer.resize(inner_dim);
  Operand rest = row;
  for (size_t k = inner_dim; k-- > 0;) {
    const Operand quotient = k == 0 ? rest : code.binop(BinOpKind::kQuot, rest, dims[k], "i");
    result.outer[k] = k == 0 ? rest : code.sub_i64(rest, code.mul_i64(quotient, dims[k]));
    rest = quotient;
  }
  return result;
}

}  // namespace skald::imp
