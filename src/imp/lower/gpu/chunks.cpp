// SPDX-License-Identifier: Apache-2.0
// Reductions, scans and partitions on devices, all by the same three launches:
//
//   first pass   one thread for each chunk of a segment: the chunk's totals
//   combine      one group for each segment: what comes before each chunk, and the segment's totals
//   second pass  the chunks again, now knowing what comes before them: stores what scans and
//                partitions give, and finds the totals of late sinks, which are combined as above
//   third pass   only for late partitions, which know their places now: stores instead of the
//   second
//
// Without scans and partitions there is no second pass, and the first one stores what else there
// is.  Where segments are many a chunk is a whole segment, and nothing is left to combine.  The
// number of chunks depends on sizes only, so results do not depend on the device.
//
// The members of each class of a partition are counted like any other sum, and the count before a
// member is its place.
#include <algorithm>

#include "core/ir/visit.h"
#include "imp/lower/gpu/gpu.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

// About so many threads keep a large device busy.
constexpr int64_t kThreads = 65536;
// Shorter chunks are not worth a thread.
constexpr int64_t kShortestChunk = 16;
// Totals that go to the host lie side by side, so that all are read at once.
constexpr int64_t kWord = 8;
// What every device has for a group.
constexpr int64_t kSharedTotals = 31 << 10;

}  // namespace

void GpuKernelLowering::find_monoids() {
  for (const SinkInfo& info : sinks_) {
    const Sink& sink = *info.sink;
    if (sink.kind == Sink::kReduce || sink.kind == Sink::kScan) {
      Monoid monoid{&sink.op[0], &info, 0, sink.kind == Sink::kScan, {}, {}, {}};
      for (size_t k = 0; k < sink.op[0].neutral.size(); ++k)
        monoid.types.push_back(sink.op[0].fn.params[k].type.elem);
      monoids_.push_back(std::move(monoid));
    } else if (sink.kind == Sink::kPartition) {
      for (size_t c = 0; c < static_cast<size_t>(sink.classes); ++c)
        monoids_.push_back({nullptr, &info, c, false, {Prim::kI64}, {}, {}});
    }
  }
  rewalk_ = has(Sink::kScan) || has(Sink::kPartition);
}

std::vector<Operand> GpuKernelLowering::neutral(const Monoid& monoid) const {
  if (monoid.op == nullptr) return {const_i64(0)};
  std::vector<Operand> values;
  for (const Operand& value : monoid.op->neutral) values.push_back(fn_.value(value));
  return values;
}

Accumulators GpuKernelLowering::start_monoid(Code& code, const Monoid& monoid) {
  Accumulators acc;
  const std::vector<Operand> values = neutral(monoid);
  for (size_t k = 0; k < values.size(); ++k)
    acc.push_back(code.var(monoid.types[k], values[k], "acc"));
  return acc;
}

void GpuKernelLowering::combine_monoid(Code& code, const Monoid& monoid, const Accumulators& acc,
                                       const std::vector<Operand>& values) {
  if (monoid.op != nullptr) return combine(code, *monoid.op, acc, values);
  code.add(Assign{acc[0], code.add_i64(acc[0], values[0])});
}

// What a point contributes.
std::vector<Operand> GpuKernelLowering::values_for(Code& code, const Monoid& monoid,
                                                   const std::vector<Operand>& values) {
  if (monoid.op != nullptr) return sink_values(*monoid.info, values);
  const Operand member =
      code.let(Prim::kBool,
               core::CmpOp{CmpOpKind::kEq, Prim::kI64, values[monoid.info->values],
                           const_i64(static_cast<int64_t>(monoid.member_class))},
               "member");
  return {code.let(Prim::kI64, core::Convert{Prim::kBool, Prim::kI64, member}, "one")};
}

std::vector<Operand> GpuKernelLowering::load_values(Code& code, const Monoid& monoid,
                                                    const std::vector<Name>& from,
                                                    const Operand& at) {
  std::vector<Operand> values;
  for (size_t k = 0; k < from.size(); ++k)
    values.push_back(code.load(monoid.types[k], from[k], at, "total"));
  return values;
}

void GpuKernelLowering::store_values(Code& code, const Monoid& monoid, const std::vector<Name>& to,
                                     const Operand& at, const std::vector<Operand>& values) {
  for (size_t k = 0; k < to.size(); ++k) code.add(Store{monoid.types[k], to[k], at, values[k]});
}

Operand GpuKernelLowering::total_place(const Monoid& monoid, size_t value) const {
  // In groups every total has a place of its own.
  if (!totals_) return const_i64(0);
  const int64_t word = monoid.first_total + static_cast<int64_t>(value);
  return const_i64(word * (kWord / prim_size(monoid.types[value])));
}

bool GpuKernelLowering::gives_scalars(const Monoid& monoid) const {
  return !monoid.is_scan && !is_seg() && dims_.size() == 1;
}

// The result of a reduction, or the size of a class.
void GpuKernelLowering::store_total(Code& code, const Monoid& monoid, const Operand& segment,
                                    const Accumulators& acc) {
  const std::vector<Operand> values(acc.begin(), acc.end());
  if (monoid.is_scan) return;
  for (size_t k = 0; k < monoid.totals.size(); ++k)
    code.add(Store{monoid.types[k], monoid.totals[k], total_place(monoid, k), values[k]});
  if (!monoid.totals.empty()) return;
  std::vector<Operand> place = {segment};
  if (!is_seg())
    place = unflatten(code, segment, std::vector<Operand>(dims_.begin(), dims_.end() - 1));
  for (size_t k = 0; k < values.size(); ++k)
    fn_.store(code, result_place(monoid.info->results + k), place, values[k]);
}

// Neighbouring threads read neighbouring points if the order does not matter.
bool GpuKernelLowering::can_stride() const {
  if (rewalk_ || is_seg()) return false;
  for (const Monoid& monoid : monoids_)
    if (!monoid.op->commutative) return false;
  return true;
}

void GpuKernelLowering::plan_chunks(Code& code) {
  if (!is_seg()) {
    // As many chunks as there are threads to spare, none of them too short.
    const Operand wanted = code.binop(BinOpKind::kQuot, const_i64(kThreads),
                                      code.max_i64(segments_, const_i64(1)), "wanted");
    const Operand most = pieces(code, length_, const_i64(kShortestChunk));
    const Operand count = code.max_i64(code.min_i64(wanted, most), const_i64(1));
    chunk_length_ = code.max_i64(pieces(code, length_, count), const_i64(1));
    chunks_ = code.max_i64(pieces(code, length_, chunk_length_), const_i64(1));
  }
  many_ = code.less_i64(const_i64(1), chunks_);
  const Operand all = code.mul_i64(segments_, chunks_);
  int64_t words = 0;
  for (Monoid& monoid : monoids_) {
    for (const Prim type : monoid.types)
      monoid.partials.push_back(
          code.alloc(Space::kDevice, code.mul_i64(all, const_i64(prim_size(type))), "partials"));
    monoid.first_total = words;
    if (gives_scalars(monoid)) words += static_cast<int64_t>(monoid.types.size());
  }
  if (words == 0) return;
  totals_ = code.alloc(Space::kDevice, const_i64(words * kWord), "totals");
  for (Monoid& monoid : monoids_)
    if (gives_scalars(monoid)) monoid.totals.assign(monoid.types.size(), totals_);
}

// A thread for each chunk of each segment.
void GpuKernelLowering::each_chunk(Code& code, const Operand& groups, const ChunkBody& body) {
  Code inner(code.program());
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  ++fn_.parallel_depth_;
  const Operand number = inner.add_i64(inner.mul_i64(group, const_i64(kGroupThreads)), thread);
  const Operand all = inner.mul_i64(segments_, chunks_);
  inner.branch(inner.less_i64(number, all), [&](Code& at) {
    if (is_seg())
      return body(at, number, offset(at, number), offset(at, at.add_i64(number, const_i64(1))),
                  number);
    const Operand segment = at.binop(BinOpKind::kQuot, number, chunks_, "segment");
    const Operand chunk = at.sub_i64(number, at.mul_i64(segment, chunks_));
    const Operand begin = at.mul_i64(chunk, chunk_length_);
    body(at, segment, begin, at.min_i64(length_, at.add_i64(begin, chunk_length_)), number);
  });
  --fn_.parallel_depth_;
  fn_.add_launch(code,
                 {group, thread, groups, const_i64(kGroupThreads), const_i64(0), inner.finish()});
}

// The points of a chunk in order; a failure ends the walk.
void GpuKernelLowering::walk(Code& code, const Operand& segment, const Operand& begin,
                             const Operand& end, const Operand& number, bool strided,
                             const std::function<void(Code&, const Point&)>& body) {
  const Name position = code.var(Prim::kI64, const_i64(0), "position");
  Code tried(code.program());
  Code inner(code.program());
  const Name j = code.fresh("j");
  Point at;
  if (is_seg()) {
    inner.add(Assign{position, j});
    at = {{segment, inner.sub_i64(j, begin), j}, {j}, j};
  } else {
    inner.add(Assign{position, inner.add_i64(inner.mul_i64(segment, length_), j)});
    at.indices = unflatten(inner, segment, std::vector<Operand>(dims_.begin(), dims_.end() - 1));
    at.indices.push_back(j);
    at.place = at.indices;
  }
  body(inner, at);
  if (strided) {
    const Operand chunk = tried.sub_i64(number, tried.mul_i64(segment, chunks_));
    tried.add(For{j, Prim::kI64, chunk, length_, chunks_, inner.finish()});
  } else {
    tried.add(For{j, Prim::kI64, begin, end, const_i64(1), inner.finish()});
  }
  code.add(Attempt{position, tried.finish()});
}

void GpuKernelLowering::first_pass(Code& code) {
  Operand groups = pieces(code, code.mul_i64(segments_, chunks_), const_i64(kGroupThreads));
  // Only scans, and nothing comes before the only chunk of a segment.
  bool only_scans = true;
  for (const Monoid& monoid : monoids_)
    only_scans = only_scans && (monoid.is_scan || monoid.is_late());
  if (only_scans)
    groups = code.let(Prim::kI64, core::Select{many_, groups, const_i64(0)}, "groups");
  each_chunk(
      code, groups,
      [&](Code& at, const Operand& segment, const Operand& begin, const Operand& end,
          const Operand& number) {
        std::vector<Accumulators> accs;
        for (const Monoid& monoid : monoids_) accs.push_back(start_monoid(at, monoid));
        walk(at, segment, begin, end, number, can_stride(), [&](Code& inner, const Point& p) {
          point(inner, p.indices,
                [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
                  for (size_t k = 0; k < monoids_.size(); ++k)
                    if (!monoids_[k].is_late())
                      combine_monoid(here, monoids_[k], accs[k],
                                     values_for(here, monoids_[k], values));
                  if (!rewalk_) direct(here, p, values);
                });
        });
        store_chunk(at, segment, number, accs, false);
      });
}

// What a chunk found, early or late.
void GpuKernelLowering::store_chunk(Code& code, const Operand& segment, const Operand& number,
                                    const std::vector<Accumulators>& accs, bool late) {
  code.branch(
      many_,
      [&](Code& inner) {
        for (size_t k = 0; k < monoids_.size(); ++k)
          if (monoids_[k].is_late() == late)
            store_values(inner, monoids_[k], monoids_[k].partials, number,
                         {accs[k].begin(), accs[k].end()});
      },
      [&](Code& inner) {
        for (size_t k = 0; k < monoids_.size(); ++k)
          if (monoids_[k].is_late() == late) store_total(inner, monoids_[k], segment, accs[k]);
      });
}

// A group for each segment.  Every thread combines some neighbouring chunks, one thread combines
// what the threads found, and if something comes after, the threads go over their chunks again.
void GpuKernelLowering::combine_chunks(Code& code, bool late) {
  Code inner(code.program());
  const Name segment = code.fresh("segment"), thread = code.fresh("thread");
  ++fn_.parallel_depth_;
  // Fewer threads where many totals would not fit the memory of a group.
  int64_t bytes = 0, threads = kGroupThreads;
  for (const Monoid& monoid : monoids_)
    if (monoid.is_late() == late)
      for (const Prim type : monoid.types) bytes += prim_size(type);
  while (threads > 1 && bytes * threads > kSharedTotals) threads /= 2;
  const Operand each = pieces(inner, chunks_, const_i64(threads));
  const Operand base = inner.mul_i64(segment, chunks_);
  const Operand first = inner.min_i64(chunks_, inner.mul_i64(thread, each));
  const Operand last = inner.min_i64(chunks_, inner.add_i64(first, each));
  std::vector<std::vector<Name>> shared;
  for (const Monoid& monoid : monoids_) {
    shared.emplace_back();
    if (monoid.is_late() != late) continue;
    for (const Prim type : monoid.types)
      shared.back().push_back(
          inner.alloc(Space::kShared, const_i64(threads * prim_size(type)), "shared"));
  }
  const auto attempt = [&](Code& at, const std::function<void(Code&)>& body) {
    Code tried(code.program());
    body(tried);
    at.add(Attempt{segment, tried.finish()});
  };
  const auto as_values = [](const Accumulators& acc) {
    return std::vector<Operand>(acc.begin(), acc.end());
  };
  for (size_t k = 0; k < monoids_.size(); ++k) {
    const Monoid& monoid = monoids_[k];
    if (monoid.is_late() != late) continue;
    const Accumulators acc = start_monoid(inner, monoid);
    attempt(inner, [&](Code& at) {
      at.loop(first, last, [&](Code& each_code, const Operand& c) {
        combine_monoid(each_code, monoid, acc,
                       load_values(each_code, monoid, monoid.partials, each_code.add_i64(base, c)));
      });
    });
    store_values(inner, monoid, shared[k], thread, as_values(acc));
  }
  inner.add(Barrier{});
  const Operand is_first =
      inner.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, thread, const_i64(0)}, "one");
  inner.branch(is_first, [&](Code& one) {
    for (size_t k = 0; k < monoids_.size(); ++k) {
      const Monoid& monoid = monoids_[k];
      if (monoid.is_late() != late) continue;
      const Accumulators acc = start_monoid(one, monoid);
      attempt(one, [&](Code& at) {
        // Only the threads that had chunks found something.
        at.loop(const_i64(0), pieces(at, chunks_, each), [&](Code& each_code, const Operand& t) {
          const std::vector<Operand> own = load_values(each_code, monoid, shared[k], t);
          store_values(each_code, monoid, shared[k], t, as_values(acc));
          combine_monoid(each_code, monoid, acc, own);
        });
      });
      store_total(one, monoid, segment, acc);
    }
  });
  if (rewalk_) {
    inner.add(Barrier{});
    for (size_t k = 0; k < monoids_.size(); ++k) {
      const Monoid& monoid = monoids_[k];
      if (monoid.is_late() != late) continue;
      const std::vector<Operand> before = load_values(inner, monoid, shared[k], thread);
      Accumulators acc;
      for (size_t v = 0; v < before.size(); ++v)
        acc.push_back(inner.var(monoid.types[v], before[v], "acc"));
      attempt(inner, [&](Code& at) {
        at.loop(first, last, [&](Code& each_code, const Operand& c) {
          const Operand place = each_code.add_i64(base, c);
          const std::vector<Operand> own = load_values(each_code, monoid, monoid.partials, place);
          store_values(each_code, monoid, monoid.partials, place, as_values(acc));
          combine_monoid(each_code, monoid, acc, own);
        });
      });
    }
  }
  // Threads come out of the walks above by several ways.  PoCL takes code after the last barrier
  // that ends in several places for code that all threads run alike, and lets those without chunks
  // run it too; before a barrier it does not.
  inner.add(Barrier{});
  --fn_.parallel_depth_;
  const Operand groups =
      code.let(Prim::kI64, core::Select{many_, segments_, const_i64(0)}, "groups");
  fn_.add_launch(code, {segment, thread, groups, const_i64(threads), const_i64(0), inner.finish()});
}

// The chunks again, with what comes before each.
void GpuKernelLowering::later_pass(Code& code, Pass pass) {
  const Operand groups = pieces(code, code.mul_i64(segments_, chunks_), const_i64(kGroupThreads));
  each_chunk(
      code, groups,
      [&](Code& at, const Operand& segment, const Operand& begin, const Operand& end,
          const Operand& number) {
        std::vector<Accumulators> accs;
        for (const Monoid& monoid : monoids_) accs.push_back(start_monoid(at, monoid));
        at.branch(many_, [&](Code& inner) {
          for (size_t k = 0; k < monoids_.size(); ++k) {
            // What late sinks find is known only in the third pass.
            if (monoids_[k].is_late() && pass != Pass::kThird) continue;
            const std::vector<Operand> before =
                load_values(inner, monoids_[k], monoids_[k].partials, number);
            for (size_t v = 0; v < before.size(); ++v) inner.add(Assign{accs[k][v], before[v]});
          }
        });
        walk(at, segment, begin, end, number, false, [&](Code& inner, const Point& p) {
          point(inner, p.indices,
                [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
                  write_scanned(here, p, values, accs, pass);
                });
        });
        if (pass != Pass::kThird && has_late()) store_chunk(at, segment, number, accs, true);
      });
}

bool GpuKernelLowering::has_late() const {
  return std::ranges::any_of(monoids_, [](const Monoid& monoid) { return monoid.is_late(); });
}

void GpuKernelLowering::write_scanned(Code& code, const Point& at,
                                      const std::vector<Operand>& values,
                                      const std::vector<Accumulators>& accs, Pass pass) {
  const bool stores = pass != Pass::kCount;
  std::vector<Operand> outputs;
  for (size_t k = 0; k < monoids_.size(); ++k) {
    const Monoid& monoid = monoids_[k];
    if (!monoid.is_scan) continue;
    combine_monoid(code, monoid, accs[k], values_for(code, monoid, values));
    for (size_t v = 0; v < monoid.types.size(); ++v) {
      // The value now, not what the variable holds after later points.
      const Operand scanned = code.let(monoid.types[v], core::Value{accs[k][v]}, "scanned");
      outputs.push_back(scanned);
      if (kernel_.post.empty())
        fn_.store(code, result_place(monoid.info->results + v), at.place, scanned);
    }
  }
  if (!kernel_.post.empty()) {
    for (const SinkInfo& info : sinks_)
      if (info.sink->kind == Sink::kOut)
        for (const Operand& value : sink_values(info, values)) outputs.push_back(value);
    outputs = fn_.apply(code, kernel_.post[0], outputs);
    if (pass != Pass::kThird)
      for (size_t k = 0; k < monoids_.size(); ++k)
        if (monoids_[k].is_late())
          combine_monoid(code, monoids_[k], accs[k], values_for(code, monoids_[k], outputs));
    if (!stores) return;
    direct(code, at, outputs, true);
    for (size_t k = late_values_; k < outputs.size(); ++k)
      fn_.store(code, result_place(first_array_ + k - late_values_), at.place, outputs[k]);
  }
  for (const SinkInfo& info : sinks_)
    if (info.sink->kind == Sink::kPartition)
      collect(code, info, info.sink->late ? outputs : values, accs);
  direct(code, at, values);
}

// A row goes to its place in the results of its class.
void GpuKernelLowering::collect(Code& code, const SinkInfo& info,
                                const std::vector<Operand>& values,
                                const std::vector<Accumulators>& accs) {
  const auto classes = static_cast<size_t>(info.sink->classes);
  const auto row_values = static_cast<size_t>(info.sink->count) - 1;
  for (size_t k = 0; k < monoids_.size(); ++k) {
    const Monoid& monoid = monoids_[k];
    if (monoid.info != &info || monoid.op != nullptr) continue;
    const size_t c = monoid.member_class;
    const Operand member = code.let(Prim::kBool,
                                    core::CmpOp{CmpOpKind::kEq, Prim::kI64, values[info.values],
                                                const_i64(static_cast<int64_t>(c))},
                                    "member");
    code.branch(member, [&](Code& inner) {
      const Operand place = inner.let(Prim::kI64, core::Value{accs[k][0]}, "place");
      for (size_t v = 0; v < row_values; ++v)
        fn_.store(inner, result_place(info.results + classes + c * row_values + v), {place},
                  values[info.values + 1 + v]);
      inner.add(Assign{accs[k][0], inner.add_i64(place, const_i64(1))});
    });
  }
}

// Results that are scalars come to the host, all of them by one copy.
void GpuKernelLowering::read_totals(Code& code, bool late) {
  int64_t begin = INT64_MAX, end = 0, values = 0;
  for (const Monoid& monoid : monoids_) {
    if (monoid.is_late() != late || monoid.totals.empty()) continue;
    const auto count = static_cast<int64_t>(monoid.totals.size());
    begin = std::min(begin, monoid.first_total);
    end = std::max(end, monoid.first_total + count);
    values += count;
  }
  Name here = {};
  if (totals_ && values > 1) {
    here = code.alloc(Space::kHeap, const_i64((end - begin) * kWord), "totals");
    code.add(CopyBytes{here, const_i64(0), totals_, const_i64(begin * kWord),
                       const_i64((end - begin) * kWord)});
  }
  for (const Monoid& monoid : monoids_) {
    if (monoid.is_late() != late) continue;
    for (size_t k = 0; k < monoid.totals.size(); ++k) {
      const size_t result = monoid.info->results + (monoid.op == nullptr ? monoid.member_class : k);
      Monoid from = monoid;
      if (here) from.first_total -= begin;
      code.add(Load{stmt_.pat[result].name, monoid.types[k], here ? here : monoid.totals[k],
                    total_place(from, k)});
    }
  }
  if (here) code.add(Free{here});
}

void GpuKernelLowering::chunks(Code& code) {
  find_monoids();
  plan_chunks(code);
  first_pass(code);
  if (!is_seg()) combine_chunks(code, false);
  read_totals(code, false);
  const bool places = std::ranges::any_of(
      sinks_, [](const SinkInfo& i) { return i.sink->late && i.sink->kind == Sink::kPartition; });
  if (rewalk_) later_pass(code, places ? Pass::kCount : Pass::kSecond);
  if (has_late()) {
    if (!is_seg()) combine_chunks(code, true);
    read_totals(code, true);
  }
  if (places) later_pass(code, Pass::kThird);
  for (const Monoid& monoid : monoids_) {
    for (const Name block : monoid.partials) code.add(Free{block});
  }
  if (totals_) code.add(Free{totals_});
}

}  // namespace skald::imp
