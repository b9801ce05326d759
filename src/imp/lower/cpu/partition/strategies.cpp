// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/partition/strategies.h"

#include <algorithm>

#include "imp/lower/cpu/partition/partition.h"
#include "imp/lower/cpu/reduce/reduce.h"
#include "machine/cache_shares.h"

namespace skald::imp {

using core::Sink;

namespace {

// Points of a chunk.
constexpr int64_t kLeastPartition = 256, kMostPartition = 32768;

// How the members of a chunk are found: one by one, packed in vectors, or counted first.
enum class Members : uint8_t { kOneByOne, kPacked, kCounted };

Operand number_of(size_t c) {
  return const_i64(static_cast<int64_t>(c));
}

// What else is done goes through vectors of its own, if the thunk may run twice.
bool has_own_vectors(const KernelFacts& facts) {
  return facts.straight && !facts.costly_thunk && facts.commutative(Sink::kReduce) &&
         !facts.has(Sink::kScatter);
}

std::vector<PartitionClass> classes_of(const KernelFacts& facts) {
  std::vector<PartitionClass> classes;
  for (const SinkInfo& info : facts.sinks) {
    if (info.sink->kind != Sink::kPartition) continue;
    const auto count = static_cast<size_t>(info.sink->classes);
    const auto row_values = static_cast<size_t>(info.sink->count) - 1;
    for (size_t c = 0; c < count; ++c)
      classes.push_back({&info, c, info.results + count + c * row_values, row_values});
  }
  return classes;
}

// A partition whose chunks are written in order.
class OrderedPartition {
 public:
  OrderedPartition(KernelWriter& kernel, Members members)
      : kernel_(kernel),
        members_(members),
        classes_(classes_of(kernel.facts)),
        reduces_(kernel.facts.operators(Sink::kReduce)),
        alone_(has_own_vectors(kernel.facts)),
        n_(kernel.facts.dims[0]) {}

  void write(Code& code) {
    size_ = chunk_size(code);
    // How many members of each class there were up to here.
    totals_ =
        code.alloc(Space::kScratch, const_i64(8 * static_cast<int64_t>(classes_.size())), "totals");
    for (size_t c = 0; c < classes_.size(); ++c)
      code.add(Store{Prim::kI64, totals_, number_of(c), const_i64(0)});
    const std::vector<Accumulators> reduced = kernel_.start_all(code, Sink::kReduce);
    const Operand chunks = chunk_count(code, n_, size_);
    for (const core::Operator* op : reduces_)
      partial_.push_back(kernel_.partials(code, *op, chunks));
    code.parallel_chunks(n_, size_,
                         [&](Code& inner, const Operand& begin, const Operand& end,
                             const Operand& chunk) { write_chunk(inner, begin, end, chunk); });
    // The types of the results mention these names.
    for (size_t c = 0; c < classes_.size(); ++c)
      code.add(Load{kernel_.stmt.pat[classes_[c].info->results + classes_[c].number].name,
                    Prim::kI64, totals_, number_of(c)});
    if (reduces_.empty()) return;
    code.branch(code.less_i64(const_i64(0), n_), [&](Code& some) {
      kernel_.combine_partials(some, reduces_, partial_, chunks, reduced);
    });
    kernel_.name_reduced(reduced);
    for (const auto& list : partial_)
      for (const Name block : list) code.add(Free{block});
  }

 private:
  // What a chunk collects.
  struct Chunk {
    Operand begin, end;
    // By class: how many there are, where they belong, and where they wait.
    std::vector<Name> next = {}, place = {};
    std::vector<std::vector<Name>> buffers = {};
    std::vector<Accumulators> accs = {};
  };

  Prim type_of(const PartitionClass& each, size_t v) const {
    return kernel_.result_place(each.first_result + v).type.elem;
  }

  Operand chunk_size(Code& code) {
    if (kernel_.facts.grain == 0) {
      const Name size = code.fresh("chunk_size");
      code.add(ChunkSize{size, n_, const_i64(kernel_.facts.least_chunk)});
      return size;
    }
    int64_t bytes = 0;
    for (const PartitionClass& each : classes_)
      for (size_t v = 0; v < each.row_values; ++v) bytes += prim_size(type_of(each, v));
    // What is reduced beside it is reduced by chunks, so these are the same on all machines then.
    const int64_t buffers =
        machine::chunk_bytes(reduces_.empty() ? kernel_.fn.options.caches : machine::kPlainCaches);
    return const_i64(
        std::clamp(buffers / std::max<int64_t>(bytes, 1), kLeastPartition, kMostPartition));
  }

  // All results have room for all points; the one with the smallest elements decides.
  void if_streamed(Code& code, const std::function<void(Code&)>& large,
                   const std::function<void(Code&)>& otherwise) {
    core::Type smallest{core::Type::kArray, Prim::kI64, {n_}};
    for (const PartitionClass& each : classes_)
      for (size_t v = 0; v < each.row_values; ++v)
        if (prim_size(type_of(each, v)) < prim_size(smallest.elem))
          smallest.elem = type_of(each, v);
    kernel_.fn.if_streamed(code, smallest, large, otherwise);
  }

  void write_chunk(Code& code, const Operand& begin, const Operand& end, const Operand& number) {
    Chunk chunk{begin, end};
    for (const PartitionClass& each : classes_) {
      chunk.next.push_back(code.var(Prim::kI64, const_i64(0), "next"));
      chunk.place.push_back(code.var(Prim::kI64, const_i64(0), "place"));
      chunk.buffers.emplace_back();
      for (size_t v = 0; v < each.row_values; ++v) {
        const Operand room =
            members_ == Members::kOneByOne ? size_ : code.add_i64(size_, const_i64(kCollectRoom));
        chunk.buffers.back().push_back(
            code.alloc(Space::kScratch, code.mul_i64(room, const_i64(prim_size(type_of(each, v)))),
                       "members"));
      }
    }
    chunk.accs = kernel_.start_all(code, Sink::kReduce);
    collect(code, chunk);
    hand_on(code, chunk);
    copy(code, chunk);
    do_others(code, chunk);
    for (size_t k = 0; k < reduces_.size(); ++k)
      for (size_t v = 0; v < chunk.accs[k].size(); ++v)
        code.add(
            Store{reduces_[k]->fn.params[v].type.elem, partial_[k][v], number, chunk.accs[k][v]});
  }

  void collect(Code& code, const Chunk& chunk) {
    const auto pack = [&](Code& at) {
      pack_members(kernel_, at, chunk.begin, chunk.end, classes_, chunk.next, chunk.buffers);
    };
    if (members_ == Members::kPacked) return pack(code);
    if (members_ == Members::kCounted)
      return if_streamed(
          code,
          [&](Code& at) {
            count_members(kernel_, at, chunk.begin, chunk.end, classes_[0], chunk.next[0]);
          },
          pack);
    code.loop(chunk.begin, chunk.end, [&](Code& at, const Operand& i) {
      kernel_.point(
          at, {i},
          [&](Code& here, const std::vector<Operand>& indices, const std::vector<Operand>& values) {
            collect_point(here, chunk, indices, values);
          });
    });
  }
  void collect_point(Code& code, const Chunk& chunk, const std::vector<Operand>& indices,
                     const std::vector<Operand>& values) {
    for (size_t c = 0; c < classes_.size(); ++c) {
      const PartitionClass& each = classes_[c];
      for (size_t v = 0; v < each.row_values; ++v)
        code.add(Store{type_of(each, v), chunk.buffers[c][v], chunk.next[c],
                       values[each.info->values + 1 + v]});
      count_member(code, values[each.info->values], each.number, chunk.next[c]);
    }
    if (alone_) return;
    kernel_.combine_all(code, chunk.accs, values);
    kernel_.direct_sinks(code, indices, values);
  }

  void hand_on(Code& code, const Chunk& chunk) {
    Code in_order(kernel_.fn.prog);
    for (size_t c = 0; c < classes_.size(); ++c) {
      const Operand before = in_order.load(Prim::kI64, totals_, number_of(c), "before");
      in_order.add(Assign{chunk.place[c], before});
      in_order.add(
          Store{Prim::kI64, totals_, number_of(c), in_order.add_i64(before, chunk.next[c])});
    }
    code.add(Ordered{in_order.finish()});
  }

  void copy(Code& code, const Chunk& chunk) {
    const auto copy_all = [&](Code& at, bool stream) {
      for (size_t c = 0; c < classes_.size(); ++c)
        copy_members(kernel_, at, classes_[c], chunk.place[c], chunk.next[c], chunk.buffers[c],
                     stream);
    };
    if_streamed(
        code,
        [&](Code& at) {
          if (members_ == Members::kCounted)
            stream_members(kernel_, at, chunk.begin, chunk.end, classes_[0], chunk.place[0],
                           chunk.buffers[0]);
          else
            copy_all(at, true);
        },
        [&](Code& at) { copy_all(at, false); });
  }

  // What else there is, if it was not done with the members.
  void do_others(Code& code, const Chunk& chunk) {
    if (!alone_) return;
    if (!reduces_.empty())
      return reduce_along(kernel_, code, kernel_.facts.sinks_of(Sink::kReduce), {}, chunk.begin,
                          code.sub_i64(chunk.end, chunk.begin), chunk.accs);
    if (!kernel_.facts.has(Sink::kOut)) return;
    kernel_.points(
        code, chunk.begin, chunk.end,
        [&](Code& at, const std::vector<Operand>& indices, const std::vector<Operand>& values) {
          kernel_.direct_sinks(at, indices, values);
        },
        LoopHint::kSimd);
  }

  KernelWriter& kernel_;
  const Members members_;
  const std::vector<PartitionClass> classes_;
  const std::vector<const core::Operator*> reduces_;
  const bool alone_;
  const Operand n_;
  Operand size_ = const_i64(0);
  Name totals_ = {};
  std::vector<std::vector<Name>> partial_;
};

WhyNot why_not_packed(KernelWriter& kernel) {
  const KernelFacts& facts = kernel.facts;
  const bool nothing_else = std::ranges::all_of(
      facts.sinks, [](const SinkInfo& info) { return info.sink->kind == Sink::kPartition; });
  if (!nothing_else && !has_own_vectors(facts))
    return "what else is done with the points must be done with them";
  // The host of a device has no lanes (imp/verify/legality.h).
  if (!facts.has_vectors) return "the target has no vectors";
  if (!can_pack(facts, classes_of(facts))) return "a class has nothing to pack";
  return std::nullopt;
}

void write_packed(KernelWriter& kernel, Code& code, const Otherwise&) {
  OrderedPartition(kernel, Members::kPacked).write(code);
}

WhyNot why_not_counted(KernelWriter& kernel) {
  if (auto why = why_not_packed(kernel)) return why;
  const KernelFacts& facts = kernel.facts;
  // Must be so few points that 32 bits count them.
  if (!has_own_vectors(facts) || facts.grain == 0) return "the thunk is no cheap straight code";
  if (classes_of(facts).size() != 1) return "there are several classes";
  if (!is_cheap_choice(facts.node.pull.body)) return "the thunk is too costly to run twice";
  return std::nullopt;
}

void write_counted(KernelWriter& kernel, Code& code, const Otherwise&) {
  OrderedPartition(kernel, Members::kCounted).write(code);
}

void write_one_by_one(KernelWriter& kernel, Code& code, const Otherwise&) {
  OrderedPartition(kernel, Members::kOneByOne).write(code);
}

constexpr Strategy kOrderedPartitions[] = {
    {"partition/counted-first", why_not_counted, write_counted},
    {"partition/packed", why_not_packed, write_packed},
    {"partition/one-by-one", always_fits, write_one_by_one},
};
constexpr Strategy kRowPartitions[] = {
    {"partition/rows", always_fits, write_partition_of_rows},
};

}  // namespace

bool is_ordered_partition(const KernelWriter& kernel) {
  for (const SinkInfo& info : kernel.facts.sinks) {
    if (info.sink->late || info.sink->kind == Sink::kScan || info.sink->kind == Sink::kHist)
      return false;
    if (info.sink->kind != Sink::kPartition) continue;
    const auto classes = static_cast<size_t>(info.sink->classes);
    const size_t arrays = classes * (static_cast<size_t>(info.sink->count) - 1);
    for (size_t k = 0; k < arrays; ++k) {
      const ArrayPlace& rows = kernel.result_place(info.results + classes + k);
      if (rows.type.shape.size() > 1 || !rows.loc.strides.empty()) return false;
    }
  }
  return true;
}

std::span<const Strategy> ordered_partition_strategies() {
  return kOrderedPartitions;
}

std::span<const Strategy> row_partition_strategies() {
  return kRowPartitions;
}

}  // namespace skald::imp
