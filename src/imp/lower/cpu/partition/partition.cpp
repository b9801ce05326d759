// SPDX-License-Identifier: Apache-2.0
// Partition (and so filter), in one pass over memory.  A thread takes a chunk that fits into a
// cache and collects the members of each class in buffers; waits for the thread that has the chunk
// before to know where they belong; hands on where the next ones belong; and copies the buffers
// there.
//
// Members are computed and packed in vectors, and large filters by little code without the buffers
// (pack.cpp).  Where that cannot be, a scalar is stored at the next free place whether it is a
// member or not, and the place advances only for members: no branch depends on the data.
//
// Other partitions, reductions, outputs and scatters of the same points are done on the way: in
// vectors after the members are collected if the thunk is cheap, else with them.
//
// Rows that are arrays are collected in the chunk's own range of the results (which have room for
// all rows), and the ranges are moved together afterwards.
#include <algorithm>

#include "core/ir/visit.h"
#include "imp/lower/cpu/kernel/kernel_lowering.h"

namespace skald::imp {

using core::Sink;

namespace {

// Bytes of buffers for a chunk.
constexpr int64_t kPartitionBytes = 128 << 10;
constexpr int64_t kLeastPartition = 256, kMostPartition = 32768;

}  // namespace

// Are all members scalars that lie densely, and all other sinks reductions, outputs and scatters?
bool KernelLowering::can_partition_in_order() const {
  for (const SinkInfo& info : sinks_) {
    if (info.sink->late || info.sink->kind == Sink::kScan || info.sink->kind == Sink::kHist)
      return false;
    if (info.sink->kind != Sink::kPartition) continue;
    const auto classes = static_cast<size_t>(info.sink->classes);
    const size_t arrays = classes * (static_cast<size_t>(info.sink->count) - 1);
    for (size_t k = 0; k < arrays; ++k) {
      const ArrayPlace& rows = result_place(info.results + classes + k);
      if (rows.type.shape.size() > 1 || !rows.loc.strides.empty()) return false;
    }
  }
  return true;
}

void KernelLowering::partition(Code& code) {
  if (!can_partition_in_order()) return partition_rows(code);
  std::vector<PartitionClass> classes;
  int64_t bytes = 0;
  for (const SinkInfo& info : sinks_) {
    if (info.sink->kind != Sink::kPartition) continue;
    const auto count = static_cast<size_t>(info.sink->classes);
    const auto row_values = static_cast<size_t>(info.sink->count) - 1;
    for (size_t c = 0; c < count; ++c) {
      classes.push_back({&info, c, info.results + count + c * row_values, row_values});
      for (size_t v = 0; v < row_values; ++v)
        bytes += prim_size(result_place(classes.back().first_result + v).type.elem);
    }
  }
  const Operand n = dims_[0];
  Operand size = const_i64(
      std::clamp(kPartitionBytes / std::max<int64_t>(bytes, 1), kLeastPartition, kMostPartition));
  if (grain() == 0) {
    const Name chunk_size = code.fresh("chunk_size");
    code.add(ChunkSize{chunk_size, n, const_i64(least_chunk())});
    size = chunk_size;
  }
  // How many members of each class there were up to here.
  const Name totals =
      code.alloc(Space::kScratch, const_i64(8 * static_cast<int64_t>(classes.size())), "totals");
  const auto number = [](size_t c) { return const_i64(static_cast<int64_t>(c)); };
  for (size_t c = 0; c < classes.size(); ++c)
    code.add(Store{Prim::kI64, totals, number(c), const_i64(0)});
  const std::vector<const core::Operator*> reduces = operators(Sink::kReduce);
  const std::vector<Accumulators> reduced = start_all(code, Sink::kReduce);
  const Operand chunks = chunk_count(code, n, size);
  std::vector<std::vector<Name>> partial;
  for (const core::Operator* op : reduces) partial.push_back(partials(code, *op, chunks));
  // What else is done goes through vectors of its own, if the thunk may run twice.
  const bool alone =
      is_straight() && !should_stage() && are_commutative(Sink::kReduce) && !has(Sink::kScatter);
  const bool nothing_else = std::ranges::all_of(
      sinks_, [](const SinkInfo& info) { return info.sink->kind == Sink::kPartition; });
  const bool packed = (alone || nothing_else) && can_pack(classes);
  // Must be so few points that 32 bits count them.
  const bool counted = packed && alone && grain() != 0 && should_count_first(classes);
  const auto others = [&](Code& at, const std::vector<Operand>& indices,
                          const std::vector<Operand>& values,
                          const std::vector<Accumulators>& accs) {
    size_t k = 0;
    for (const SinkInfo& info : sinks_)
      if (info.sink->kind == Sink::kReduce)
        combine(at, info.sink->op[0], accs[k++], sink_values(info, values));
    direct_sinks(at, indices, values);
  };
  // All results have room for all points.
  core::Type smallest{core::Type::kArray, Prim::kI64, {n}};
  for (const PartitionClass& each : classes)
    for (size_t v = 0; v < each.row_values; ++v)
      if (const Prim type = result_place(each.first_result + v).type.elem;
          prim_size(type) < prim_size(smallest.elem))
        smallest.elem = type;
  const auto if_streamed = [&](Code& at, const auto& large, const auto& otherwise) {
    fn_.if_streamed(at, smallest, large, otherwise);
  };
  code.parallel_chunks(
      n, size, [&](Code& inner, const Operand& begin, const Operand& end, const Operand& chunk) {
        std::vector<Name> next, place;
        std::vector<std::vector<Name>> buffers;
        for (const PartitionClass& each : classes) {
          next.push_back(inner.var(Prim::kI64, const_i64(0), "next"));
          place.push_back(inner.var(Prim::kI64, const_i64(0), "place"));
          buffers.emplace_back();
          for (size_t v = 0; v < each.row_values; ++v) {
            const Prim type = result_place(each.first_result + v).type.elem;
            const Operand room = packed ? inner.add_i64(size, const_i64(kCollectRoom)) : size;
            buffers.back().push_back(inner.alloc(
                Space::kScratch, inner.mul_i64(room, const_i64(prim_size(type))), "members"));
          }
        }
        const std::vector<Accumulators> accs = start_all(inner, Sink::kReduce);
        const auto one_by_one = [&](Code& at, const Operand& i) {
          point(at, {i},
                [&](Code& here, const std::vector<Operand>& indices,
                    const std::vector<Operand>& values) {
                  for (size_t c = 0; c < classes.size(); ++c) {
                    const PartitionClass& each = classes[c];
                    for (size_t v = 0; v < each.row_values; ++v)
                      here.add(Store{result_place(each.first_result + v).type.elem, buffers[c][v],
                                     next[c], values[each.info->values + 1 + v]});
                    count_member(here, values[each.info->values], each.number, next[c]);
                  }
                  if (!alone) others(here, indices, values, accs);
                });
        };
        const auto pack = [&](Code& at) { pack_members(at, begin, end, classes, next, buffers); };
        if (counted)
          if_streamed(
              inner, [&](Code& at) { count_members(at, begin, end, classes[0], next[0]); }, pack);
        else if (packed)
          pack(inner);
        else
          inner.loop(begin, end, one_by_one);
        Code in_order(fn_.prog_);
        for (size_t c = 0; c < classes.size(); ++c) {
          const Operand before = in_order.load(Prim::kI64, totals, number(c), "before");
          in_order.add(Assign{place[c], before});
          in_order.add(Store{Prim::kI64, totals, number(c), in_order.add_i64(before, next[c])});
        }
        inner.add(Ordered{in_order.finish()});
        const auto copy = [&](Code& at, bool stream) {
          for (size_t c = 0; c < classes.size(); ++c)
            copy_members(at, classes[c], place[c], next[c], buffers[c], stream);
        };
        if_streamed(
            inner,
            [&](Code& at) {
              if (counted)
                stream_members(at, begin, end, classes[0], place[0], buffers[0]);
              else
                copy(at, true);
            },
            [&](Code& at) { copy(at, false); });
        if (alone && !reduces.empty()) {
          laned_.clear();
          for (const SinkInfo& info : sinks_)
            if (info.sink->kind == Sink::kReduce) laned_.push_back(info);
          reduce_along(inner, {}, begin, inner.sub_i64(end, begin), accs);
        } else if (alone && has(Sink::kOut)) {
          points(
              inner, begin, end,
              [&](Code& at, const std::vector<Operand>& indices,
                  const std::vector<Operand>& values) { direct_sinks(at, indices, values); },
              LoopHint::kSimd);
        }
        for (size_t k = 0; k < reduces.size(); ++k)
          for (size_t v = 0; v < accs[k].size(); ++v)
            inner.add(Store{reduces[k]->fn.params[v].type.elem, partial[k][v], chunk, accs[k][v]});
      });
  // The types of the results mention these names.
  for (size_t c = 0; c < classes.size(); ++c)
    code.add(Load{stmt_.pat[classes[c].info->results + classes[c].number].name, Prim::kI64, totals,
                  number(c)});
  if (reduces.empty()) return;
  code.branch(code.less_i64(const_i64(0), n),
              [&](Code& some) { combine_partials(some, reduces, partial, chunks, reduced); });
  size_t k = 0;
  for (const SinkInfo& info : sinks_) {
    if (info.sink->kind != Sink::kReduce) continue;
    for (size_t v = 0; v < reduced[k].size(); ++v)
      fn_.alias_[stmt_.pat[info.results + v].name] = reduced[k][v];
    ++k;
  }
  for (const auto& list : partial)
    for (const Name block : list) code.add(Free{block});
}

// The first `count` members in the buffers go to `place` of the results of their class.
void KernelLowering::copy_members(Code& code, const PartitionClass& each, const Operand& place,
                                  const Operand& count, const std::vector<Name>& buffers,
                                  bool stream) {
  for (size_t v = 0; v < each.row_values; ++v) {
    const ArrayPlace& rows = result_place(each.first_result + v);
    const Operand width = const_i64(prim_size(rows.type.elem));
    CopyBytes copy{rows.loc.block, code.mul_i64(code.add_i64(rows.loc.offset, place), width),
                   buffers[v], const_i64(0), code.mul_i64(count, width)};
    copy.stream = stream;
    code.add(copy);
  }
}

Operand KernelLowering::is_member(Code& code, const Operand& row_class, size_t c) {
  return code.let(
      Prim::kBool,
      core::CmpOp{CmpOpKind::kEq, Prim::kI64, row_class, const_i64(static_cast<int64_t>(c))},
      "member");
}

// Advances `next` if a row belongs to class c.
void KernelLowering::count_member(Code& code, const Operand& row_class, size_t c, Name next) {
  const Operand member = is_member(code, row_class, c);
  const Operand one = code.let(Prim::kI64, core::Convert{Prim::kBool, Prim::kI64, member}, "one");
  code.add(Assign{next, code.add_i64(next, one)});
}

void KernelLowering::partition_rows(Code& code) {
  const SinkInfo& info = sinks_[0];
  const auto classes = static_cast<size_t>(info.sink->classes);
  const Operand n = dims_[0];
  const Name size = code.fresh("chunk_size");
  code.add(ChunkSize{size, n, const_i64(least_chunk())});
  const Operand chunks = chunk_count(code, n, size);
  std::vector<Name> counts;
  for (size_t c = 0; c < classes; ++c)
    counts.push_back(code.alloc(Space::kHeap, code.mul_i64(chunks, const_i64(8)), "counts"));

  code.parallel_chunks(
      n, size, [&](Code& inner, const Operand& begin, const Operand& end, const Operand& chunk) {
        std::vector<Name> next;
        for (size_t c = 0; c < classes; ++c) next.push_back(inner.var(Prim::kI64, begin, "next"));
        inner.loop(begin, end, [&](Code& at, const Operand& i) {
          point(at, {i},
                [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
                  for (size_t c = 0; c < classes; ++c)
                    collect_member(here, info, c, next[c], values);
                });
        });
        for (size_t c = 0; c < classes; ++c)
          inner.add(Store{Prim::kI64, counts[c], chunk, inner.sub_i64(next[c], begin)});
      });

  std::vector<Name> totals;
  for (size_t c = 0; c < classes; ++c)
    totals.push_back(code.var(Prim::kI64, const_i64(0), "total"));
  const Operand some = code.less_i64(const_i64(0), n);
  code.branch(some, [&](Code& nonempty) {
    nonempty.short_loop(const_i64(0), chunks, [&](Code& inner, const Operand& chunk) {
      move_together(inner, info, inner.mul_i64(chunk, size), counts, chunk, totals);
    });
  });
  // The types of the results mention these names.
  for (size_t c = 0; c < classes; ++c)
    code.add(Let{stmt_.pat[info.results + c].name, Prim::kI64, core::Value{totals[c]}});
  for (const Name block : counts) code.add(Free{block});
}

// The members that a chunk collected from place `begin` on go behind those of the chunks before it.
void KernelLowering::move_together(Code& code, const SinkInfo& info, const Operand& begin,
                                   const std::vector<Name>& counts, const Operand& chunk,
                                   const std::vector<Name>& totals) {
  const auto classes = static_cast<size_t>(info.sink->classes);
  const auto row_values = static_cast<size_t>(info.sink->count) - 1;
  for (size_t c = 0; c < classes; ++c) {
    const Operand count = code.load(Prim::kI64, counts[c], chunk, "count");
    for (size_t v = 0; v < row_values; ++v) {
      const ArrayPlace& rows = result_place(info.results + classes + c * row_values + v);
      Operand bytes = const_i64(prim_size(rows.type.elem));
      for (size_t k = 1; k < rows.type.shape.size(); ++k)
        bytes = code.mul_i64(bytes, rows.type.shape[k]);
      code.add(CopyBytes{rows.loc.block, code.mul_i64(totals[c], bytes), rows.loc.block,
                         code.mul_i64(begin, bytes), code.mul_i64(count, bytes), true});
    }
    code.add(Assign{totals[c], code.add_i64(totals[c], count)});
  }
}

// If the row is a member of class c, it goes to place `next` of the class's results.
void KernelLowering::collect_member(Code& code, const SinkInfo& info, size_t c, Name next,
                                    const std::vector<Operand>& values) {
  const auto classes = static_cast<size_t>(info.sink->classes);
  const auto row_values = static_cast<size_t>(info.sink->count) - 1;
  const Operand member = code.let(Prim::kBool,
                                  core::CmpOp{CmpOpKind::kEq, Prim::kI64, values[info.values],
                                              const_i64(static_cast<int64_t>(c))},
                                  "member");
  std::vector<size_t> arrays;
  for (size_t v = 0; v < row_values; ++v) {
    const ArrayPlace& dest = result_place(info.results + classes + c * row_values + v);
    if (dest.type.shape.size() > 1)
      arrays.push_back(v);
    else
      fn_.store(code, dest, {next}, values[info.values + 1 + v]);
  }
  if (!arrays.empty()) {
    code.branch(member, [&](Code& inner) {
      for (const size_t v : arrays)
        fn_.store(inner, result_place(info.results + classes + c * row_values + v), {next},
                  values[info.values + 1 + v]);
    });
  }
  const Operand one = code.let(Prim::kI64, core::Convert{Prim::kBool, Prim::kI64, member}, "one");
  code.add(Assign{next, code.add_i64(next, one)});
}

}  // namespace skald::imp
