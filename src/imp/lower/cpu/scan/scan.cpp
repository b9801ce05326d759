// SPDX-License-Identifier: Apache-2.0
// Inclusive scans.
//
// Chunks    A long segment is cut into chunks that fit into a cache.  A thread reads a chunk from
//           memory to find its total, waits for what comes before it from the thread that has the
//           chunk before, hands on what comes after it, and scans the chunk, which is still in the
//           cache.  So memory is read once and written once.  If the turn is the chunk's already,
//           and its operators are on integers, the total is not needed: the chunk is scanned at
//           once, and what comes after it handed on then.
// Streams   A scan is a chain of operations that wait for each other.  Where points are cheap, a
//           chunk is cut into kStreams parts that are scanned side by side, each from where the one
//           before ends; the totals of the parts are what was found in the first step.
//
// Values that wait in buffers, and scans in vector registers: scan/pieces.cpp; by operators that
// are more than one instruction: scan/lanes.cpp.  Scans of many segments of one length:
// scan/grid.cpp.
#include "core/ir/visit.h"
#include "imp/lower/cpu/kernel/kernel_lowering.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

// Bytes of scanned values in a chunk: with the input, half of a second-level cache of 512 KiB.
// No power of two, for then all streams would compete for the same lines of the first-level cache.
constexpr int64_t kStreams = 4;
constexpr int64_t kScanChunkBytes = (128 << 10) - kStreams * 192;
// Chunks with fewer points are scanned as one part.
constexpr int64_t kWorthStreams = 256;
// Thunks with more statements keep the processor busy without streams.
constexpr int64_t kStreamStatements = 48;

int64_t statements(const core::Body& body) {
  auto count = static_cast<int64_t>(body.stmts.size());
  for (const core::Stmt& stmt : body.stmts)
    core::for_each_body(stmt.exp, [&](const core::Body& inner) { count += statements(inner); });
  return count;
}

}  // namespace

// With `write`, stores the outputs and feeds the reductions, whose accumulators follow those of the
// scans.
void KernelLowering::scan_point(Code& code, const std::vector<Operand>& indices,
                                const std::vector<Accumulators>& accs, bool write) {
  point(code, indices,
        [&](Code& inner, const std::vector<Operand>& all, const std::vector<Operand>& values) {
          scan_values(inner, all, values, accs, write);
        });
}

void KernelLowering::scan_values(Code& code, const std::vector<Operand>& indices,
                                 const std::vector<Operand>& values,
                                 const std::vector<Accumulators>& accs, bool write) {
  std::vector<Operand> scanned, rest;
  size_t scan = 0;
  for (const SinkInfo& info : sinks_) {
    if (info.sink->kind != Sink::kScan) continue;
    combine(code, info.sink->op[0], accs[scan], sink_values(info, values));
    // The value now, not what the variable holds after later points.
    for (size_t v = 0; v < accs[scan].size(); ++v)
      scanned.push_back(
          code.let(info.sink->op[0].fn.params[v].type.elem, core::Value{accs[scan][v]}, "scanned"));
    ++scan;
  }
  if (!write) return;
  for (const SinkInfo& info : sinks_) {
    if (info.sink->kind == Sink::kReduce)
      combine(code, info.sink->op[0], accs[scan++], sink_values(info, values));
    if (info.sink->kind == Sink::kScatter && !info.sink->late) scatter_sink(code, info, values);
    if (info.sink->kind == Sink::kOut)
      for (const Operand& value : sink_values(info, values)) rest.push_back(value);
  }
  scanned.insert(scanned.end(), rest.begin(), rest.end());
  scan_outputs(code, indices, std::move(scanned));
}

// Stores the scanned values and those of outputs, or what the post-function makes of them; gives
// back what was made.
std::vector<Operand> KernelLowering::scan_outputs(Code& code, const std::vector<Operand>& indices,
                                                  std::vector<Operand> outputs) {
  if (!kernel_.post.empty()) {
    outputs = fn_.apply(code, kernel_.post[0], outputs);
    for (const SinkInfo& info : sinks_)
      if (info.sink->late && info.sink->kind == Sink::kScatter) scatter_sink(code, info, outputs);
    for (size_t k = late_values_; k < outputs.size(); ++k)
      fn_.store(code, result_place(first_array_ + k - late_values_), indices, outputs[k]);
    return outputs;
  }
  size_t k = 0;
  for (const Sink::Kind kind : {Sink::kScan, Sink::kOut})
    for (const SinkInfo& info : sinks_)
      for (int v = 0; info.sink->kind == kind && v < info.sink->count; ++v)
        fn_.store(code, result_place(info.results + static_cast<size_t>(v)), indices, outputs[k++]);
  return outputs;
}

std::vector<const Operator*> KernelLowering::operators(Sink::Kind kind) const {
  std::vector<const Operator*> ops;
  for (const SinkInfo& info : sinks_)
    if (info.sink->kind == kind) ops.push_back(&info.sink->op[0]);
  return ops;
}

std::vector<Accumulators> KernelLowering::start_all(Code& code, Sink::Kind kind) {
  std::vector<Accumulators> accs;
  for (const Operator* op : operators(kind)) accs.push_back(start(code, *op));
  return accs;
}

int64_t KernelLowering::scan_streams() const {
  if (!is_scalar_code() || can_scan_in_vectors()) return 1;
  int64_t count = statements(kernel_.pull.body);
  for (const core::Lambda& post : kernel_.post) count += statements(post.body);
  for (const SinkInfo& info : sinks_)
    for (const Operator& op : info.sink->op) count += 2 * statements(op.fn.body);
  return count > kStreamStatements ? 1 : kStreams;
}

// ---- chunks

Operand KernelLowering::scan_chunk(Code& code, const Operand& n) {
  if (grain() == 0) {
    const Name size = code.fresh("chunk_size");
    code.add(ChunkSize{size, n, const_i64(least_chunk())});
    return size;
  }
  int64_t bytes = 0;
  for (const Operator* op : operators(Sink::kScan))
    for (size_t v = 0; v < op->neutral.size(); ++v) bytes += prim_size(op->fn.params[v].type.elem);
  const int64_t part = kScanChunkBytes / kStreams / std::max<int64_t>(bytes, 4);
  return const_i64(kStreams * std::max<int64_t>(64, part));
}

void KernelLowering::scan_totals(Code& code, const std::vector<Operand>& outer,
                                 const Operand& begin, const Operand& end,
                                 const std::vector<Accumulators>& accs) {
  laned_.clear();
  for (const SinkInfo& info : sinks_)
    if (info.sink->kind == Sink::kScan) laned_.push_back(info);
  const bool in_lanes = can_scan_in_lanes() && !can_scan_in_registers();
  if (in_lanes && scans_floats()) return lane_totals(code, outer, begin, end, accs);
  if ((is_straight() || can_scan_in_vectors()) && are_commutative(Sink::kScan))
    return reduce_along(code, outer, begin, code.sub_i64(end, begin), accs);
  if (ordered_lanes(Sink::kScan) > 0) return reduce_in_order(code, outer, begin, end, accs);
  if (in_lanes) return lane_totals(code, outer, begin, end, accs);
  code.loop(begin, end, [&](Code& at, const Operand& i) {
    std::vector<Operand> indices = outer;
    indices.push_back(i);
    scan_point(at, indices, accs, false);
  });
}

// What the parallel loop over the chunks knows.
struct KernelLowering::ScanChunk {
  const std::vector<Operand>& outer;
  const std::vector<std::vector<Name>>& carry;    // what comes before the next chunk
  const std::vector<std::vector<Name>>& reduced;  // of every chunk
  Operand n, begin, end, number;
};

// The parts of a chunk: their totals in memory, where each begins, and how long they are.
struct KernelLowering::ScanParts {
  const std::vector<std::vector<Name>>& totals;
  const std::vector<std::vector<Accumulators>>& accs;
  Operand length;
};

std::vector<Operand> KernelLowering::load_scanned(Code& code, const Operator& op,
                                                  const std::vector<Name>& blocks,
                                                  const Operand& place) {
  std::vector<Operand> values;
  for (size_t v = 0; v < blocks.size(); ++v)
    values.push_back(code.load(op.fn.params[v].type.elem, blocks[v], place, "total"));
  return values;
}

void KernelLowering::store_scanned(Code& code, const Operator& op, const std::vector<Name>& blocks,
                                   const Operand& place, const Accumulators& accs) {
  for (size_t v = 0; v < blocks.size(); ++v)
    code.add(Store{op.fn.params[v].type.elem, blocks[v], place, accs[v]});
}

bool KernelLowering::is_scan_exact() const {
  constexpr int64_t kFewStatements = 64;
  if (fn_.target_ != Target::kCpu || kernel_.guarded || should_stage()) return false;
  if (can_scan_in_lanes() && !can_scan_in_registers()) return true;
  // An operator that takes long: several chains of it side by side are worth a second pass.
  constexpr int64_t kSlowSteps = 10;
  if (has(Sink::kReduce) || (scan_streams() > 1 && scan_operator_steps() >= kSlowSteps))
    return false;
  int64_t count = statements(kernel_.pull.body);
  for (const core::Lambda& post : kernel_.post) count += statements(post.body);
  for (const Operator* op : operators(Sink::kScan)) {
    count += statements(op->fn.body);
    for (const core::Param& p : op->fn.params)
      if (!p.type.is_scalar() || is_float(p.type.elem)) return false;
  }
  return count <= kFewStatements;
}

void KernelLowering::scan_chunk_body(Code& code, const ScanChunk& chunk) {
  const std::vector<const Operator*> scans = operators(Sink::kScan);
  const int64_t streams = scan_streams();
  if (should_stage()) {
    std::vector<Name> buffers;
    const Operand size = code.sub_i64(chunk.end, chunk.begin);
    for (const core::Ret& ret : kernel_.pull.results)
      buffers.push_back(code.alloc(
          Space::kScratch, code.mul_i64(size, const_i64(prim_size(ret.type.elem))), "kept"));
    stage(code, chunk.outer, chunk.begin, chunk.end, chunk.begin, buffers);
    staged_ = std::move(buffers);
    staged_begin_ = chunk.begin;
  }
  // The totals of the parts.  Only the last chunk has a length that is no multiple of `streams`,
  // and nobody asks for its total.
  const Operand length = code.sub_i64(chunk.end, chunk.begin);
  const Operand worth = streams > 1 ? code.less_i64(const_i64(kWorthStreams), length)
                                    : code.less_i64(chunk.end, chunk.n);
  Operand part = code.binop(BinOpKind::kQuot, length, const_i64(streams), "part");
  part = code.let(Prim::kI64, core::Select{worth, part, const_i64(0)}, "part");
  // Without parts there are no totals.
  const bool may_be_first = is_scan_exact();
  Operand first = core::const_bool(false);
  if (may_be_first) {
    const Name turn = code.fresh("first");
    code.add(MyTurn{turn});
    first = turn;
    part = code.let(Prim::kI64, core::Select{first, const_i64(0), part}, "part");
  }
  std::vector<std::vector<Name>> parts;
  for (const Operator* op : scans) {
    parts.emplace_back();
    for (size_t v = 0; v < op->neutral.size(); ++v)
      parts.back().push_back(code.alloc(
          Space::kScratch, const_i64(streams * prim_size(op->fn.params[v].type.elem)), "parts"));
  }
  const std::vector<Accumulators> total = start_all(code, Sink::kScan);
  const auto keep = [&](Code& at, const Operand& s, const std::vector<Accumulators>& of_part) {
    for (size_t k = 0; k < scans.size(); ++k) {
      store_scanned(at, *scans[k], parts[k], s, of_part[k]);
      combine(at, *scans[k], total[k], {of_part[k].begin(), of_part[k].end()});
    }
  };
  if (streams == 1 || ordered_lanes(Sink::kScan) > 0) {
    code.short_loop(const_i64(0), const_i64(streams), [&](Code& at, const Operand& s) {
      const Operand from = at.add_i64(chunk.begin, at.mul_i64(s, part));
      const std::vector<Accumulators> of_part = start_all(at, Sink::kScan);
      scan_totals(at, chunk.outer, from, at.add_i64(from, part), of_part);
      keep(at, s, of_part);
    });
  } else {
    std::vector<std::vector<Accumulators>> of_parts(static_cast<size_t>(streams));
    for (auto& of_part : of_parts) of_part = start_all(code, Sink::kScan);
    code.loop(const_i64(0), part, [&](Code& at, const Operand& i) {
      for (int64_t s = 0; s < streams; ++s) {
        std::vector<Operand> indices = chunk.outer;
        const Operand begin = at.mul_i64(part, const_i64(s));
        indices.push_back(at.add_i64(at.add_i64(chunk.begin, i), begin));
        scan_point(at, indices, of_parts[static_cast<size_t>(s)], false);
      }
    });
    for (int64_t s = 0; s < streams; ++s)
      keep(code, const_i64(s), of_parts[static_cast<size_t>(s)]);
  }
  // accs[s]: the accumulators of stream s, those of the reductions last.
  std::vector<std::vector<Accumulators>> accs(static_cast<size_t>(streams));
  for (auto& stream : accs) stream = start_all(code, Sink::kScan);
  Code in_order(fn_.prog_);
  const auto hand_on = [&](Code& at) {
    for (size_t k = 0; k < scans.size(); ++k) {
      const std::vector<Operand> before = load_scanned(at, *scans[k], chunk.carry[k], const_i64(0));
      for (size_t v = 0; v < before.size(); ++v) at.add(Assign{accs[0][k][v], before[v]});
      const Accumulators after = start(at, *scans[k]);
      for (size_t v = 0; v < before.size(); ++v) at.add(Assign{after[v], before[v]});
      combine(at, *scans[k], after, {total[k].begin(), total[k].end()});
      store_scanned(at, *scans[k], chunk.carry[k], const_i64(0), after);
    }
  };
  // Pieces are the same code for both, which is long: only what is known before them differs.
  if (may_be_first && can_scan_in_vectors()) {
    const auto begin_with_carry = [&](Code& at) {
      for (size_t k = 0; k < scans.size(); ++k) {
        const std::vector<Operand> before =
            load_scanned(at, *scans[k], chunk.carry[k], const_i64(0));
        for (size_t v = 0; v < before.size(); ++v) at.add(Assign{accs[0][k][v], before[v]});
      }
    };
    hand_on(in_order);
    code.branch(first, begin_with_carry, [&](Code& at) { at.add(Ordered{in_order.finish()}); });
    scan_parts(code, chunk, {parts, accs, part});
    return code.branch(first, [&](Code& at) {
      Code after(fn_.prog_);
      for (size_t k = 0; k < scans.size(); ++k)
        for (size_t v = 0; v < parts[k].size(); ++v) {
          const Prim type = scans[k]->fn.params[v].type.elem;
          after.add(Store{type, chunk.carry[k][v], const_i64(0),
                          after.load(type, parts[k][v], const_i64(0), "total")});
        }
      at.add(Ordered{after.finish()});
    });
  }
  const auto at_once = [&](Code& at) {
    std::vector<Accumulators> running;
    for (size_t k = 0; k < scans.size(); ++k) {
      const std::vector<Operand> before = load_scanned(at, *scans[k], chunk.carry[k], const_i64(0));
      running.push_back(start(at, *scans[k]));
      for (size_t v = 0; v < before.size(); ++v) at.add(Assign{running[k][v], before[v]});
    }
    at.loop(chunk.begin, chunk.end, [&](Code& inner, const Operand& i) {
      std::vector<Operand> indices = chunk.outer;
      indices.push_back(i);
      scan_point(inner, indices, running, true);
    });
    for (size_t k = 0; k < scans.size(); ++k)
      store_scanned(at, *scans[k], chunk.carry[k], const_i64(0), running[k]);
  };
  if (may_be_first)
    in_order.branch(first, at_once, hand_on);
  else
    hand_on(in_order);
  code.add(Ordered{in_order.finish()});
  if (!may_be_first) return scan_parts(code, chunk, {parts, accs, part});
  code.branch(first, [](Code&) {}, [&](Code& at) { scan_parts(at, chunk, {parts, accs, part}); });
}

// The chunk, when it is known what comes before it.
void KernelLowering::scan_parts(Code& code, const ScanChunk& chunk, const ScanParts& found) {
  const std::vector<const Operator*> scans = operators(Sink::kScan);
  const std::vector<std::vector<Name>>& parts = found.totals;
  std::vector<std::vector<Accumulators>> accs = found.accs;
  const Operand& part = found.length;
  const auto streams = static_cast<int64_t>(accs.size());
  if (can_scan_in_vectors()) {
    // The carry goes on in memory of this chunk.
    std::vector<std::vector<Name>> before;
    for (size_t k = 0; k < scans.size(); ++k) {
      store_scanned(code, *scans[k], parts[k], const_i64(0), accs[0][k]);
      before.push_back(parts[k]);
    }
    const std::vector<Accumulators> reduced = start_all(code, Sink::kReduce);
    scan_pieces(code, chunk.outer, chunk.begin, chunk.end, before, reduced);
    const std::vector<const Operator*> ops = operators(Sink::kReduce);
    for (size_t k = 0; k < ops.size(); ++k)
      for (size_t v = 0; v < reduced[k].size(); ++v)
        code.add(Store{ops[k]->fn.params[v].type.elem, chunk.reduced[k][v], chunk.number,
                       reduced[k][v]});
    return;
  }
  // Each stream begins where the one before it ends.
  for (size_t s = 1; s < accs.size(); ++s)
    for (size_t k = 0; k < scans.size(); ++k) {
      for (size_t v = 0; v < accs[s][k].size(); ++v)
        code.add(Assign{accs[s][k][v], accs[s - 1][k][v]});
      code.branch(code.less_i64(const_i64(0), part), [&](Code& at) {
        combine(at, *scans[k], accs[s][k],
                load_scanned(at, *scans[k], parts[k], const_i64(static_cast<int64_t>(s) - 1)));
      });
    }
  for (auto& stream : accs)
    for (Accumulators& acc : start_all(code, Sink::kReduce)) stream.push_back(std::move(acc));
  const auto advance = [&](Code& at, const Operand& i, size_t s) {
    std::vector<Operand> indices = chunk.outer;
    indices.push_back(i);
    scan_point(at, indices, accs[s], true);
  };
  Operand rest = chunk.begin;
  if (streams > 1) {
    code.loop(const_i64(0), part, [&](Code& at, const Operand& i) {
      for (size_t s = 0; s < accs.size(); ++s) {
        const Operand begin = at.mul_i64(part, const_i64(static_cast<int64_t>(s)));
        advance(at, at.add_i64(at.add_i64(chunk.begin, i), begin), s);
      }
    });
    rest = code.add_i64(chunk.begin, code.mul_i64(part, const_i64(streams)));
  }
  code.loop(rest, chunk.end, [&](Code& at, const Operand& i) { advance(at, i, accs.size() - 1); });
  const std::vector<const Operator*> reduces = operators(Sink::kReduce);
  for (size_t k = 0; k < reduces.size(); ++k) {
    const Accumulators& first = accs[0][scans.size() + k];
    for (size_t s = 1; s < accs.size(); ++s) {
      const Accumulators& next = accs[s][scans.size() + k];
      combine(code, *reduces[k], first, {next.begin(), next.end()});
    }
    for (size_t v = 0; v < first.size(); ++v)
      code.add(
          Store{reduces[k]->fn.params[v].type.elem, chunk.reduced[k][v], chunk.number, first[v]});
  }
}

void KernelLowering::scan_in_chunks(Code& code, const std::vector<Operand>& outer, const Operand& n,
                                    const std::vector<Accumulators>& reduced) {
  const Operand size = scan_chunk(code, n);
  const std::vector<const Operator*> scans = operators(Sink::kScan),
                                     reduces = operators(Sink::kReduce);
  std::vector<std::vector<Name>> carry, partial;
  for (const Operator* op : scans) {
    carry.emplace_back();
    for (size_t v = 0; v < op->neutral.size(); ++v) {
      const Prim type = op->fn.params[v].type.elem;
      carry.back().push_back(code.alloc(Space::kScratch, const_i64(prim_size(type)), "carry"));
      code.add(Store{type, carry.back()[v], const_i64(0), fn_.value(op->neutral[v])});
    }
  }
  const Operand chunks = reduces.empty() ? const_i64(0) : chunk_count(code, n, size);
  for (const Operator* op : reduces) partial.push_back(partials(code, *op, chunks));
  code.parallel_chunks(
      n, size, [&](Code& inner, const Operand& begin, const Operand& end, const Operand& number) {
        scan_chunk_body(inner, {outer, carry, partial, n, begin, end, number});
        staged_.clear();
      });
  if (reduces.empty()) return;
  code.branch(code.less_i64(const_i64(0), n),
              [&](Code& some) { combine_partials(some, reduces, partial, chunks, reduced); });
  for (const auto& list : partial)
    for (const Name block : list) code.add(Free{block});
}

void KernelLowering::scan_flat(Code& code) {
  const std::vector<Accumulators> reduced = start_all(code, Sink::kReduce);
  scan_in_chunks(code, {}, dims_[0], reduced);
  size_t k = 0;
  for (const SinkInfo& info : sinks_) {
    if (info.sink->kind != Sink::kReduce) continue;
    for (size_t v = 0; v < reduced[k].size(); ++v)
      fn_.alias_[stmt_.pat[info.results + v].name] = reduced[k][v];
    ++k;
  }
}

}  // namespace skald::imp
