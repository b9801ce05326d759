// SPDX-License-Identifier: Apache-2.0
// Histograms with more bins than a cache holds.  Bins are cut into parts, ranges of 2^shift bins
// that do fit.
//
//   1. A chunk of points is evaluated into a buffer: bins and values.  Neighbours in the same bin
//      become one entry.
//   2. The chunk's entries are sorted by part into its own piece of larger buffers; where each part
//      begins is noted.
//   3. For every part, the entries of all chunks are put into its bins, in order.
//
// So the points of a bin are combined in the order in which they come, whatever the threads do.
// Memory: a block of points at a time, as many as there are bins (at least kBlock).
#include <bit>

#include "core/ir/visit.h"
#include "imp/lower/cpu/hist/hist.h"
#include "machine/cache_shares.h"

namespace skald::imp {

using core::Operator;

namespace {

// Parts have so many bins as fit a cache, unless that makes more parts than this.
constexpr int64_t kMostParts = 256;
constexpr int64_t kBlock = 1 << 22;
// Points and bytes of a chunk; chunks of a block.  The same on all machines: neighbours in a chunk
// are added up first.
constexpr int64_t kMostChunk = 1 << 16, kChunkBytes = 512 << 10, kMostChunks = 64;
constexpr int64_t kLeastChunk = 1 << 12;
// Entries that are worth a task of their own in the last step.
constexpr int64_t kLeastPart = 1 << 12;

// No checks, calls, loops or arrays.
bool is_simple(const core::Body& body) {
  for (const core::Stmt& stmt : body.stmts) {
    if (core::as<core::Assert>(stmt.exp) != nullptr || core::as<core::Call>(stmt.exp) != nullptr ||
        core::as<core::Loop>(stmt.exp) != nullptr || core::as<core::Alloc>(stmt.exp) != nullptr)
      return false;
    for (const core::Param& p : stmt.pat)
      if (p.type.is_array()) return false;
    bool simple = true;
    core::for_each_body(stmt.exp,
                        [&](const core::Body& inner) { simple = simple && is_simple(inner); });
    if (!simple) return false;
  }
  return true;
}

struct BinParts {
  Operand shift, count;  // of a part: log2 of its bins; how many there are
  Operand first;         // the first point of the block
  Operand chunks;
  // Entries sorted by part within each chunk.
  Name bins;
  std::vector<Name> values;
  Name begins;  // of part p of chunk c: at c * (count + 1) + p
};

}  // namespace

bool can_sort_bins(const KernelWriter& kernel, const SinkInfo& info) {
  return has_dense_bins(kernel, info) && is_simple(info.sink->op[0].fn.body) &&
         !has_rows_of_bins(kernel.facts, info);
}

namespace {

// The counts of a chunk's parts, in `next`, become the places where the parts begin.
void places_from_counts(Code& code, const BinParts& parts, Name next, const Operand& begin,
                        const Operand& chunk) {
  const Operand row = code.mul_i64(chunk, code.add_i64(parts.count, const_i64(1)));
  const Name sum = code.var(Prim::kI64, begin, "sum");
  code.short_loop(const_i64(0), parts.count, [&](Code& inner, const Operand& part) {
    const Operand count = inner.load(Prim::kI64, next, part, "count");
    inner.add(Store{Prim::kI64, parts.begins, inner.add_i64(row, part), sum});
    inner.add(Store{Prim::kI64, next, part, sum});
    inner.add(Assign{sum, inner.add_i64(sum, count)});
  });
  code.add(Store{Prim::kI64, parts.begins, code.add_i64(row, parts.count), sum});
}

// Steps 1 and 2 for the points begin … end-1 of the block.
void collect_chunk(KernelWriter& kernel, Code& code, const SinkInfo& info, const BinParts& parts,
                   const Operand& begin, const Operand& end, const Operand& chunk) {
  const Operator& op = info.sink->op[0];
  const size_t arrays = info.sink->dests.size();
  const auto type_of = [&](size_t k) { return op.fn.params[k].type.elem; };
  const Operand length = code.sub_i64(end, begin);
  const Name bins = code.alloc(Space::kScratch, code.mul_i64(length, const_i64(4)), "bins");
  std::vector<Name> values;
  for (size_t k = 0; k < arrays; ++k)
    values.push_back(code.alloc(
        Space::kScratch,
        code.mul_i64(code.add_i64(length, const_i64(1)), const_i64(prim_size(type_of(k)))),
        "values"));
  const Name next = code.alloc(Space::kScratch, code.mul_i64(parts.count, const_i64(8)), "next");
  code.add(Fill{Prim::kI64, next, const_i64(0), parts.count, const_i64(0)});
  const auto part_of = [&](Code& at, const Operand& bin) {
    return at.binop(BinOpKind::kLshr, bin, parts.shift, "part");
  };
  const auto increment = [&](Code& at, const Operand& part) {
    const Operand old = at.load(Prim::kI64, next, part, "old");
    at.add(Store{Prim::kI64, next, part, at.add_i64(old, const_i64(1))});
    return old;
  };

  const Name used = code.var(Prim::kI64, const_i64(0), "used");
  const Name last = code.var(Prim::kI64, const_i64(-1), "last");
  Accumulators acc;
  for (size_t k = 0; k < arrays; ++k)
    acc.push_back(code.var(type_of(k), kernel.fn.value(op.neutral[k]), "run"));
  // The value of an entry is known when the next one begins: that of entry j is at j + 1, and what
  // is kept before the first is nothing.
  const auto keep_run = [&](Code& at) {
    for (size_t k = 0; k < arrays; ++k) at.add(Store{type_of(k), values[k], used, acc[k]});
  };
  const PointBody collect = [&](Code& here, const std::vector<Operand>&,
                                const std::vector<Operand>& all) {
    const std::vector<Operand> at = bin_of(info, all);
    const std::vector<Operand> from = kernel.sink_values(info, all);
    const std::vector<Operand> added(from.begin() + static_cast<ptrdiff_t>(at.size()), from.end());
    here.branch(kernel.in_bounds(here, at, info), [&](Code& inside) {
      ArrayPlace flat = kernel.result_place(info.results);
      flat.loc = {bins, const_i64(0)};
      const Operand bin = address(inside, flat, at);
      const Operand same =
          inside.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, bin, last}, "same");
      inside.branch(
          same, [&](Code& again) { kernel.combine(again, op, acc, added); },
          [&](Code& other) {
            keep_run(other);
            for (size_t k = 0; k < arrays; ++k) other.add(Assign{acc[k], added[k]});
            increment(other, part_of(other, bin));
            other.add(Assign{last, bin});
            other.add(
                Store{Prim::kI32, bins, used,
                      other.let(Prim::kI32, core::Convert{Prim::kI64, Prim::kI32, bin}, "bin")});
            other.add(Assign{used, other.add_i64(used, const_i64(1))});
          });
    });
  };
  const Operand from = code.add_i64(parts.first, begin);
  const Operand to = code.add_i64(parts.first, end);
  hist_points(kernel, code, from, to, 1, [&](int64_t) { return collect; });
  keep_run(code);

  places_from_counts(code, parts, next, begin, chunk);
  // Where the entries go is brought into the cache first, one line after the other: every store to
  // a line that is not there would wait for it, with many parts all by themselves.
  code.add(Fill{Prim::kI32, parts.bins, begin, used, core::Const{Prim::kI32, 0}});
  for (size_t k = 0; k < arrays; ++k)
    code.add(Fill{type_of(k), parts.values[k], begin, used, core::Const{type_of(k), 0}});
  code.loop(const_i64(0), used, [&](Code& inner, const Operand& j) {
    const Operand bin = inner.load(Prim::kI32, bins, j, "bin");
    const Operand wide = inner.let(Prim::kI64, core::Convert{Prim::kI32, Prim::kI64, bin}, "bin");
    const Operand place = increment(inner, part_of(inner, wide));
    const Operand after = inner.add_i64(j, const_i64(1));
    inner.add(Store{Prim::kI32, parts.bins, place, bin});
    for (size_t k = 0; k < arrays; ++k)
      inner.add(Store{type_of(k), parts.values[k], place,
                      inner.load(type_of(k), values[k], after, "value")});
  });
}

// Step 3.
void update_part(KernelWriter& kernel, Code& code, const SinkInfo& info, const BinParts& parts,
                 const Operand& part) {
  const Operator& op = info.sink->op[0];
  const size_t arrays = info.sink->dests.size();
  std::vector<ArrayPlace> dests;
  for (size_t k = 0; k < arrays; ++k) {
    dests.push_back(kernel.result_place(info.results + k));
    dests.back().type.shape = {bin_count(kernel, code, info)};
  }
  const Operand row = code.add_i64(parts.count, const_i64(1));
  code.loop(const_i64(0), parts.chunks, [&](Code& of_chunk, const Operand& chunk) {
    const Operand at = of_chunk.add_i64(of_chunk.mul_i64(chunk, row), part);
    const Operand from = of_chunk.load(Prim::kI64, parts.begins, at, "from");
    const Operand to =
        of_chunk.load(Prim::kI64, parts.begins, of_chunk.add_i64(at, const_i64(1)), "to");
    of_chunk.loop(from, to, [&](Code& inner, const Operand& i) {
      const Operand bin = inner.load(Prim::kI32, parts.bins, i, "bin");
      const Operand wide = inner.let(Prim::kI64, core::Convert{Prim::kI32, Prim::kI64, bin}, "bin");
      std::vector<Operand> values;
      for (size_t k = 0; k < arrays; ++k)
        values.push_back(inner.load(op.fn.params[k].type.elem, parts.values[k], i, "value"));
      update_bin(kernel, inner, op, dests, {wide}, values);
    });
  });
}

}  // namespace

void hist_sorted(KernelWriter& kernel, Code& code, const SinkInfo& info) {
  const Operand n = kernel.point_count(code), bins = bin_count(kernel, code, info);
  const size_t arrays = info.sink->dests.size();
  const int64_t bytes = bin_bytes(kernel, info);
  BinParts parts;

  int64_t least_shift = 0;
  const int64_t part_bytes = machine::part_of_bins(kernel.fn.options.caches);
  while ((int64_t{2} << least_shift) * bytes <= part_bytes) ++least_shift;
  const Operand last = code.sub_i64(bins, const_i64(1));
  // Parts are at most kMostParts: the bits of the last bin but so many.
  static_assert(std::has_single_bit(uint64_t{kMostParts}));
  const Operand unused_bits =
      code.let(Prim::kI32, core::UnOp{core::UnOpKind::kClz, Prim::kI64, last}, "unused_bits");
  const Operand enough = code.sub_i64(
      const_i64(64 - std::countr_zero(uint64_t{kMostParts})),
      code.let(Prim::kI64, core::Convert{Prim::kI32, Prim::kI64, unused_bits}, "bits"));
  const Operand shift = code.max_i64(const_i64(least_shift), enough);
  // So small that no shift needs to ask.
  parts.shift = code.binop(BinOpKind::kAnd, shift, const_i64(31), "shift");
  parts.count =
      code.add_i64(code.binop(BinOpKind::kAshr, last, parts.shift, "parts"), const_i64(1));

  const Operand block = code.min_i64(n, code.max_i64(const_i64(kBlock), bins));
  const int64_t most = std::min(kMostChunk, kChunkBytes / (4 + bytes));
  const int64_t least = kernel.facts.grain > 0 ? kLeastChunk : kernel.facts.least_chunk;
  const Operand size =
      code.max_i64(const_i64(least),
                   code.min_i64(const_i64(most), chunk_count(code, block, const_i64(kMostChunks))));
  const auto room = [&](const Operand& count, int64_t each, const char* base) {
    return code.alloc(Space::kHeap, code.mul_i64(count, const_i64(each)), base);
  };
  parts.bins = room(block, 4, "bins");
  for (size_t k = 0; k < arrays; ++k)
    parts.values.push_back(
        room(block, prim_size(kernel.result_place(info.results + k).type.elem), "values"));
  const Operand chunks = chunk_count(code, block, size);
  parts.begins = room(code.mul_i64(chunks, code.add_i64(parts.count, const_i64(1))), 8, "begins");

  Code of_block(code.program());
  const Name first = code.fresh("first");
  parts.first = first;
  const Operand points = of_block.min_i64(block, of_block.sub_i64(n, first));
  parts.chunks = chunk_count(of_block, points, size);
  of_block.parallel_chunks(
      points, size,
      [&](Code& inner, const Operand& begin, const Operand& end, const Operand& chunk) {
        collect_chunk(kernel, inner, info, parts, begin, end, chunk);
      });
  const Operand few = of_block.binop(
      BinOpKind::kQuot, of_block.mul_i64(parts.count, const_i64(kLeastPart)), points, "grain");
  of_block.parallel_for(
      parts.count, of_block.max_i64(few, const_i64(1)),
      [&](Code& inner, const Operand& part) { update_part(kernel, inner, info, parts, part); });
  code.add(For{first, Prim::kI64, const_i64(0), n, block, of_block.finish(), LoopHint::kShort});
  code.add(Free{parts.bins});
  for (const Name name : parts.values) code.add(Free{name});
  code.add(Free{parts.begins});
}

}  // namespace skald::imp
