// SPDX-License-Identifier: Apache-2.0
// A long segment is cut into chunks that fit into a cache.  A thread reads a chunk from memory to
// find its total, waits for what comes before it from the thread that has the chunk before, hands
// on what comes after it, and scans the chunk, which is still in the cache.  So memory is read once
// and written once.  If the turn is the chunk's already, and its operators are on integers, the
// total is not needed: the chunk is scanned at once, and what comes after it handed on then.
//
// A scan is a chain of operations that wait for each other.  Where points are cheap, a chunk is cut
// into parts (streams) that are scanned side by side, each from where the one before ends; the
// totals of the parts are what was found in the first step.
#include <algorithm>

#include "imp/lower/cpu/reduce/reduce.h"
#include "imp/lower/cpu/scan/scan.h"
#include "machine/cache_shares.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

// A chunk is somewhat smaller than its share of a cache: no power of two, for then all streams
// would compete for the same lines of the first-level cache.
constexpr int64_t kChunkParts = 4, kLessOfPart = 192;
// Chunks with fewer points are scanned as one part.
constexpr int64_t kWorthStreams = 256;

// What the parallel loop over the chunks knows.
struct ScanChunk {
  const std::vector<Operand>& outer;
  const std::vector<std::vector<Name>>& carry;    // what comes before the next chunk
  const std::vector<std::vector<Name>>& reduced;  // of every chunk
  Operand n, begin, end, number;
};

class ChunkWriter {
 public:
  ChunkWriter(KernelWriter& kernel, const ScanChunk& chunk)
      : kernel_(kernel),
        chunk_(chunk),
        scans_(kernel.facts.operators(Sink::kScan)),
        streams_(kernel.facts.scan.streams) {}

  void write(Code& code) {
    if (!kernel_.facts.costly_thunk) return parts(code);
    Staged staged;
    const Operand size = code.sub_i64(chunk_.end, chunk_.begin);
    for (const core::Ret& ret : kernel_.node.pull.results)
      staged.buffers.push_back(code.alloc(
          Space::kScratch, code.mul_i64(size, const_i64(prim_size(ret.type.elem))), "kept"));
    stage(kernel_, code, chunk_.outer, chunk_.begin, chunk_.end, chunk_.begin, staged.buffers);
    staged.begin = chunk_.begin;
    const PointsFrom waiting(kernel_, staged);
    parts(code);
  }

 private:
  using Values = std::vector<Operand>;

  static Values values_of(const Accumulators& acc) { return {acc.begin(), acc.end()}; }
  static void assign(Code& code, const Accumulators& acc, const Values& values) {
    for (size_t v = 0; v < values.size(); ++v) code.add(Assign{acc[v], values[v]});
  }
  Values before_chunk(Code& code, size_t k) {
    return load_scanned(code, *scans_[k], chunk_.carry[k], const_i64(0));
  }
  // The point at place i of part s.
  Operand point_of_part(Code& code, const Operand& i, int64_t s) {
    const Operand begin = code.mul_i64(part_, const_i64(s));
    return code.add_i64(code.add_i64(chunk_.begin, i), begin);
  }
  void advance(Code& code, const Operand& i, const std::vector<Accumulators>& accs, bool write) {
    Values indices = chunk_.outer;
    indices.push_back(i);
    scan_point(kernel_, code, indices, accs, write);
  }

  void parts(Code& code) {
    cut(code);
    find_totals(code);
    // accs[s]: the accumulators of stream s, those of the reductions last.
    accs_.resize(static_cast<size_t>(streams_));
    for (auto& stream : accs_) stream = kernel_.start_all(code, Sink::kScan);
    // Pieces are the same code for both, which is long: only what is known before them differs.
    if (may_be_first() && kernel_.facts.scan.in_vectors()) return first_or_not(code);
    Code in_order(kernel_.fn.prog);
    if (may_be_first())
      in_order.branch(first_, [&](Code& at) { at_once(at); }, [&](Code& at) { hand_on(at); });
    else
      hand_on(in_order);
    code.add(Ordered{in_order.finish()});
    if (!may_be_first()) return scan_parts(code);
    code.branch(first_, [](Code&) {}, [&](Code& at) { scan_parts(at); });
  }
  bool may_be_first() const { return kernel_.facts.scan.exact; }

  // How long parts are.  Only the last chunk has a length that is no multiple of `streams`, and
  // nobody asks for its total.
  void cut(Code& code) {
    const Operand length = code.sub_i64(chunk_.end, chunk_.begin);
    const Operand worth = streams_ > 1 ? code.less_i64(const_i64(kWorthStreams), length)
                                       : code.less_i64(chunk_.end, chunk_.n);
    part_ = code.binop(BinOpKind::kQuot, length, const_i64(streams_), "part");
    part_ = code.let(Prim::kI64, core::Select{worth, part_, const_i64(0)}, "part");
    if (!may_be_first()) return;
    // Without parts there are no totals.
    const Name turn = code.fresh("first");
    code.add(MyTurn{turn});
    first_ = turn;
    part_ = code.let(Prim::kI64, core::Select{first_, const_i64(0), part_}, "part");
  }

  void find_totals(Code& code) {
    for (const Operator* op : scans_) {
      totals_.emplace_back();
      for (size_t v = 0; v < op->neutral.size(); ++v)
        totals_.back().push_back(code.alloc(
            Space::kScratch, const_i64(streams_ * prim_size(op->fn.params[v].type.elem)), "parts"));
    }
    total_ = kernel_.start_all(code, Sink::kScan);
    const auto keep = [&](Code& at, const Operand& s, const std::vector<Accumulators>& of_part) {
      for (size_t k = 0; k < scans_.size(); ++k) {
        store_scanned(at, *scans_[k], totals_[k], s, values_of(of_part[k]));
        kernel_.combine(at, *scans_[k], total_[k], values_of(of_part[k]));
      }
    };
    if (streams_ == 1 || ordered_lanes(kernel_, Sink::kScan) > 0) {
      code.short_loop(const_i64(0), const_i64(streams_), [&](Code& at, const Operand& s) {
        const Operand from = at.add_i64(chunk_.begin, at.mul_i64(s, part_));
        const std::vector<Accumulators> of_part = kernel_.start_all(at, Sink::kScan);
        scan_totals(kernel_, at, chunk_.outer, from, at.add_i64(from, part_), of_part);
        keep(at, s, of_part);
      });
      return;
    }
    std::vector<std::vector<Accumulators>> of_parts(static_cast<size_t>(streams_));
    for (auto& of_part : of_parts) of_part = kernel_.start_all(code, Sink::kScan);
    code.loop(const_i64(0), part_, [&](Code& at, const Operand& i) {
      for (int64_t s = 0; s < streams_; ++s)
        advance(at, point_of_part(at, i, s), of_parts[static_cast<size_t>(s)], false);
    });
    for (int64_t s = 0; s < streams_; ++s)
      keep(code, const_i64(s), of_parts[static_cast<size_t>(s)]);
  }

  // In order: takes what comes before the chunk, and leaves what comes after it.
  void hand_on(Code& at) {
    for (size_t k = 0; k < scans_.size(); ++k) {
      const Values before = before_chunk(at, k);
      assign(at, accs_[0][k], before);
      const Accumulators after = kernel_.start(at, *scans_[k]);
      assign(at, after, before);
      kernel_.combine(at, *scans_[k], after, values_of(total_[k]));
      store_scanned(at, *scans_[k], chunk_.carry[k], const_i64(0), values_of(after));
    }
  }

  // Scans the chunk while all others wait.
  void at_once(Code& at) {
    std::vector<Accumulators> running;
    for (size_t k = 0; k < scans_.size(); ++k) {
      const Values before = before_chunk(at, k);
      running.push_back(kernel_.start(at, *scans_[k]));
      assign(at, running[k], before);
    }
    at.loop(chunk_.begin, chunk_.end,
            [&](Code& inner, const Operand& i) { advance(inner, i, running, true); });
    for (size_t k = 0; k < scans_.size(); ++k)
      store_scanned(at, *scans_[k], chunk_.carry[k], const_i64(0), values_of(running[k]));
  }

  void first_or_not(Code& code) {
    Code in_order(kernel_.fn.prog);
    hand_on(in_order);
    code.branch(
        first_,
        [&](Code& at) {
          for (size_t k = 0; k < scans_.size(); ++k) assign(at, accs_[0][k], before_chunk(at, k));
        },
        [&](Code& at) { at.add(Ordered{in_order.finish()}); });
    scan_parts(code);
    code.branch(first_, [&](Code& at) {
      Code after(kernel_.fn.prog);
      for (size_t k = 0; k < scans_.size(); ++k)
        for (size_t v = 0; v < totals_[k].size(); ++v) {
          const Prim type = scans_[k]->fn.params[v].type.elem;
          after.add(Store{type, chunk_.carry[k][v], const_i64(0),
                          after.load(type, totals_[k][v], const_i64(0), "total")});
        }
      at.add(Ordered{after.finish()});
    });
  }

  // The chunk, when it is known what comes before it.
  void scan_parts(Code& code) {
    if (kernel_.facts.scan.in_vectors()) return scan_in_vectors(code);
    // Each stream begins where the one before it ends.
    for (size_t s = 1; s < accs_.size(); ++s)
      for (size_t k = 0; k < scans_.size(); ++k) {
        assign(code, accs_[s][k], values_of(accs_[s - 1][k]));
        code.branch(code.less_i64(const_i64(0), part_), [&](Code& at) {
          const Operand last = const_i64(static_cast<int64_t>(s) - 1);
          kernel_.combine(at, *scans_[k], accs_[s][k],
                          load_scanned(at, *scans_[k], totals_[k], last));
        });
      }
    for (auto& stream : accs_)
      for (Accumulators& acc : kernel_.start_all(code, Sink::kReduce))
        stream.push_back(std::move(acc));
    Operand rest = chunk_.begin;
    if (streams_ > 1) {
      code.loop(const_i64(0), part_, [&](Code& at, const Operand& i) {
        for (int64_t s = 0; s < streams_; ++s)
          advance(at, point_of_part(at, i, s), accs_[static_cast<size_t>(s)], true);
      });
      rest = code.add_i64(chunk_.begin, code.mul_i64(part_, const_i64(streams_)));
    }
    code.loop(rest, chunk_.end,
              [&](Code& at, const Operand& i) { advance(at, i, accs_.back(), true); });
    const std::vector<const Operator*> ops = kernel_.facts.operators(Sink::kReduce);
    for (size_t k = 0; k < ops.size(); ++k) {
      const Accumulators& reduced = accs_[0][scans_.size() + k];
      for (size_t s = 1; s < accs_.size(); ++s)
        kernel_.combine(code, *ops[k], reduced, values_of(accs_[s][scans_.size() + k]));
      store_scanned(code, *ops[k], chunk_.reduced[k], chunk_.number, values_of(reduced));
    }
  }

  void scan_in_vectors(Code& code) {
    // The carry goes on in memory of this chunk.
    for (size_t k = 0; k < scans_.size(); ++k)
      store_scanned(code, *scans_[k], totals_[k], const_i64(0), values_of(accs_[0][k]));
    const std::vector<Accumulators> reduced = kernel_.start_all(code, Sink::kReduce);
    scan_pieces(kernel_, code, chunk_.outer, chunk_.begin, chunk_.end, totals_, reduced);
    const std::vector<const Operator*> ops = kernel_.facts.operators(Sink::kReduce);
    for (size_t k = 0; k < ops.size(); ++k)
      store_scanned(code, *ops[k], chunk_.reduced[k], chunk_.number, values_of(reduced[k]));
  }

  KernelWriter& kernel_;
  const ScanChunk& chunk_;
  const std::vector<const Operator*> scans_;
  const int64_t streams_;
  Operand part_ = const_i64(0), first_ = core::const_bool(false);
  std::vector<std::vector<Name>> totals_;        // of the parts, by scan and value
  std::vector<Accumulators> total_;              // of the chunk
  std::vector<std::vector<Accumulators>> accs_;  // of the streams
};

Operand chunk_size(KernelWriter& kernel, Code& code, const Operand& n) {
  if (kernel.facts.grain == 0) {
    const Name size = code.fresh("chunk_size");
    code.add(ChunkSize{size, n, const_i64(kernel.facts.least_chunk)});
    return size;
  }
  int64_t bytes = 0;
  for (const Operator* op : kernel.facts.operators(Sink::kScan))
    for (size_t v = 0; v < op->neutral.size(); ++v) bytes += prim_size(op->fn.params[v].type.elem);
  // Floats are added up by chunks, so these are the same on all machines then.
  const bool seen = kernel.facts.scan.floats || kernel.facts.has(Sink::kReduce);
  const int64_t share =
      machine::chunk_bytes(seen ? machine::kPlainCaches : kernel.fn.options.caches);
  const int64_t part = (share / kChunkParts - kLessOfPart) / std::max<int64_t>(bytes, 4);
  return const_i64(kChunkParts * std::max<int64_t>(64, part));
}

}  // namespace

void scan_in_chunks(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
                    const Operand& n, const std::vector<Accumulators>& reduced) {
  const Operand size = chunk_size(kernel, code, n);
  const std::vector<const Operator*> reduces = kernel.facts.operators(Sink::kReduce);
  const std::vector<std::vector<Name>> carry = start_carry(kernel, code);
  const Operand chunks = reduces.empty() ? const_i64(0) : chunk_count(code, n, size);
  std::vector<std::vector<Name>> partial;
  for (const Operator* op : reduces) partial.push_back(kernel.partials(code, *op, chunks));
  code.parallel_chunks(
      n, size, [&](Code& inner, const Operand& begin, const Operand& end, const Operand& number) {
        ChunkWriter(kernel, {outer, carry, partial, n, begin, end, number}).write(inner);
      });
  if (reduces.empty()) return;
  code.branch(code.less_i64(const_i64(0), n), [&](Code& some) {
    kernel.combine_partials(some, reduces, partial, chunks, reduced);
  });
  for (const auto& list : partial)
    for (const Name block : list) code.add(Free{block});
}

}  // namespace skald::imp
