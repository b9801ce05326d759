// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/chunks.h"

#include <algorithm>

#include "core/ir/visit.h"
#include "imp/lower/gpu/launch.h"

namespace skald::imp {

using core::Sink;

namespace {

// About so many threads keep a large device busy.
constexpr int64_t kThreads = 65536;
// Shorter chunks are not worth a thread.
constexpr int64_t kShortestChunk = 16;

}  // namespace

GpuChunks::GpuChunks(GpuKernel& kernel)
    : gpu_(kernel),
      kernel_(kernel.kernel),
      device_(kernel.device),
      segments_(kernel.segments),
      length_(kernel.length),
      monoids_(kernel),
      rewalk_(kernel_.facts.has(Sink::kScan) || kernel_.facts.has(Sink::kPartition)) {}

bool GpuChunks::can_stride() const {
  return !rewalk_ && !gpu_.is_seg() && monoids_.commutative();
}

void GpuChunks::plan(Code& code) {
  if (!gpu_.is_seg()) {
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
  for (Monoid& monoid : monoids_.all())
    for (const Prim type : monoid.types)
      monoid.partials.push_back(
          code.alloc(Space::kDevice, code.mul_i64(all, const_i64(prim_size(type))), "partials"));
  monoids_.make_totals(code);
}

void GpuChunks::each_chunk(Code& code, const Operand& groups, const ChunkBody& body) {
  Code inner(code.program());
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  ++kernel_.fn.parallel_depth;
  const Operand number = inner.add_i64(inner.mul_i64(group, const_i64(kGroupThreads)), thread);
  const Operand all = inner.mul_i64(segments_, chunks_);
  inner.branch(inner.less_i64(number, all), [&](Code& at) {
    if (gpu_.is_seg()) {
      const Operand first = gpu_.offset(at, number);
      return body(at, number, first, gpu_.offset(at, at.add_i64(number, const_i64(1))), number);
    }
    const Operand segment = at.binop(BinOpKind::kQuot, number, chunks_, "segment");
    const Operand chunk = at.sub_i64(number, at.mul_i64(segment, chunks_));
    const Operand begin = at.mul_i64(chunk, chunk_length_);
    body(at, segment, begin, at.min_i64(length_, at.add_i64(begin, chunk_length_)), number);
  });
  --kernel_.fn.parallel_depth;
  add_launch(code, {group, thread, groups, const_i64(kGroupThreads), const_i64(0), inner.finish()});
}

void GpuChunks::walk(Code& code, const Operand& segment, const Operand& begin, const Operand& end,
                     const Operand& number, bool strided,
                     const std::function<void(Code&, const GpuPoint&)>& body) {
  const Name position = code.var(Prim::kI64, const_i64(0), "position");
  Code tried(code.program());
  Code inner(code.program());
  const Name j = code.fresh("j");
  GpuPoint at;
  if (gpu_.is_seg()) {
    inner.add(Assign{position, j});
    at = {{segment, inner.sub_i64(j, begin), j}, {j}, j};
  } else {
    inner.add(Assign{position, inner.add_i64(inner.mul_i64(segment, length_), j)});
    at.indices =
        unflatten(inner, segment,
                  std::vector<Operand>(kernel_.facts.dims.begin(), kernel_.facts.dims.end() - 1));
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

void GpuChunks::first_pass(Code& code) {
  Operand groups = pieces(code, code.mul_i64(segments_, chunks_), const_i64(kGroupThreads));
  // Only scans, and nothing comes before the only chunk of a segment.
  bool only_scans = true;
  for (const Monoid& monoid : monoids_.all())
    only_scans = only_scans && (monoid.is_scan || monoid.is_late());
  if (only_scans)
    groups = code.let(Prim::kI64, core::Select{many_, groups, const_i64(0)}, "groups");
  each_chunk(
      code, groups,
      [&](Code& at, const Operand& segment, const Operand& begin, const Operand& end,
          const Operand& number) {
        const std::vector<Accumulators> accs = monoids_.start_all(at);
        walk(at, segment, begin, end, number, can_stride(), [&](Code& inner, const GpuPoint& p) {
          kernel_.point(
              inner, p.indices,
              [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
                monoids_.combine_all(here, accs, values, false);
                if (!rewalk_) gpu_.direct(here, p, values);
              });
        });
        store_chunk(at, segment, number, accs, false);
      });
}

void GpuChunks::store_chunk(Code& code, const Operand& segment, const Operand& number,
                            const std::vector<Accumulators>& accs, bool late) {
  code.branch(
      many_,
      [&](Code& inner) {
        for (size_t k = 0; k < monoids_.all().size(); ++k)
          if (monoids_.all()[k].is_late() == late)
            monoids_.store_values(inner, monoids_.all()[k], number, accs[k]);
      },
      [&](Code& inner) {
        for (size_t k = 0; k < monoids_.all().size(); ++k)
          if (monoids_.all()[k].is_late() == late)
            monoids_.store_total(inner, monoids_.all()[k], segment, accs[k]);
      });
}

void GpuChunks::later_pass(Code& code, Pass pass) {
  const Operand groups = pieces(code, code.mul_i64(segments_, chunks_), const_i64(kGroupThreads));
  each_chunk(code, groups,
             [&](Code& at, const Operand& segment, const Operand& begin, const Operand& end,
                 const Operand& number) {
               const std::vector<Accumulators> accs = monoids_.start_all(at);
               at.branch(many_, [&](Code& inner) {
                 for (size_t k = 0; k < monoids_.all().size(); ++k) {
                   // What late sinks find is known only in the third pass.
                   if (monoids_.all()[k].is_late() && pass != Pass::kThird) continue;
                   const std::vector<Operand> before =
                       monoids_.load_values(inner, monoids_.all()[k], number);
                   for (size_t v = 0; v < before.size(); ++v)
                     inner.add(Assign{accs[k][v], before[v]});
                 }
               });
               walk(at, segment, begin, end, number, false, [&](Code& inner, const GpuPoint& p) {
                 kernel_.point(inner, p.indices,
                               [&](Code& here, const std::vector<Operand>&,
                                   const std::vector<Operand>& values) {
                                 write_scanned(here, p, values, accs, pass);
                               });
               });
               if (pass != Pass::kThird && monoids_.has_late())
                 store_chunk(at, segment, number, accs, true);
             });
}

void GpuChunks::write_scanned(Code& code, const GpuPoint& at, const std::vector<Operand>& values,
                              const std::vector<Accumulators>& accs, Pass pass) {
  const bool stores = pass != Pass::kCount;
  std::vector<Operand> outputs;
  for (size_t k = 0; k < monoids_.all().size(); ++k) {
    const Monoid& monoid = monoids_.all()[k];
    if (!monoid.is_scan) continue;
    monoids_.combine(code, monoid, accs[k], monoids_.values_for(code, monoid, values));
    for (size_t v = 0; v < monoid.types.size(); ++v) {
      // The value now, not what the variable holds after later points.
      const Operand scanned = code.let(monoid.types[v], core::Value{accs[k][v]}, "scanned");
      outputs.push_back(scanned);
      if (kernel_.node.post.empty())
        kernel_.fn.store(code, kernel_.result_place(monoid.info->results + v), at.place, scanned);
    }
  }
  if (!kernel_.node.post.empty()) {
    for (const SinkInfo& info : kernel_.facts.sinks)
      if (info.sink->kind == Sink::kOut)
        for (const Operand& value : kernel_.sink_values(info, values)) outputs.push_back(value);
    outputs = kernel_.fn.apply(code, kernel_.node.post[0], outputs);
    if (pass != Pass::kThird) monoids_.combine_all(code, accs, outputs, true);
    if (!stores) return;
    gpu_.direct(code, at, outputs, true);
    for (size_t k = kernel_.facts.late_values; k < outputs.size(); ++k)
      kernel_.fn.store(
          code, kernel_.result_place(kernel_.facts.first_array + k - kernel_.facts.late_values),
          at.place, outputs[k]);
  }
  for (const SinkInfo& info : kernel_.facts.sinks)
    if (info.sink->kind == Sink::kPartition)
      collect(code, info, info.sink->late ? outputs : values, accs);
  gpu_.direct(code, at, values);
}

void GpuChunks::collect(Code& code, const SinkInfo& info, const std::vector<Operand>& values,
                        const std::vector<Accumulators>& accs) {
  const auto classes = static_cast<size_t>(info.sink->classes);
  const auto row_values = static_cast<size_t>(info.sink->count) - 1;
  for (size_t k = 0; k < monoids_.all().size(); ++k) {
    const Monoid& monoid = monoids_.all()[k];
    if (monoid.info != &info || monoid.op != nullptr) continue;
    const size_t c = monoid.member_class;
    const Operand member = code.let(Prim::kBool,
                                    core::CmpOp{CmpOpKind::kEq, Prim::kI64, values[info.values],
                                                const_i64(static_cast<int64_t>(c))},
                                    "member");
    code.branch(member, [&](Code& inner) {
      const Operand place = inner.let(Prim::kI64, core::Value{accs[k][0]}, "place");
      for (size_t v = 0; v < row_values; ++v)
        kernel_.fn.store(inner, kernel_.result_place(info.results + classes + c * row_values + v),
                         {place}, values[info.values + 1 + v]);
      inner.add(Assign{accs[k][0], inner.add_i64(place, const_i64(1))});
    });
  }
}

void GpuChunks::write(Code& code) {
  plan(code);
  first_pass(code);
  if (!gpu_.is_seg()) combine_chunks(code, false);
  monoids_.read_totals(code, false);
  const bool places = std::ranges::any_of(kernel_.facts.sinks, [](const SinkInfo& i) {
    return i.sink->late && i.sink->kind == Sink::kPartition;
  });
  if (rewalk_) later_pass(code, places ? Pass::kCount : Pass::kSecond);
  if (monoids_.has_late()) {
    if (!gpu_.is_seg()) combine_chunks(code, true);
    monoids_.read_totals(code, true);
  }
  if (places) later_pass(code, Pass::kThird);
  for (const Monoid& monoid : monoids_.all())
    for (const Name block : monoid.partials) code.add(Free{block});
  monoids_.free_totals(code);
}

void write_chunks(GpuKernel& kernel, Code& code) {
  GpuChunks(kernel).write(code);
}

}  // namespace skald::imp
