// SPDX-License-Identifier: Apache-2.0
// Points of histograms, several for each thread: their loads are under way at once, and those of
// the same bin that follow each other are one update.
#include <algorithm>
#include <memory>

#include "imp/lower/gpu/hist/hist.h"
#include "imp/lower/gpu/hist/own_bins.h"
#include "imp/lower/gpu/hist/runs.h"
#include "imp/lower/gpu/private_values.h"
#include "imp/lower/gpu/tile_points.h"
#include "imp/lower/gpu/wide_loads.h"

namespace skald::imp {

using core::Sink;

namespace {

constexpr int64_t kKeptPoints = 8;
// Where a point looks at memory that is far away, and seldom does more.
constexpr int64_t kKeptFarPoints = 4;
// Of the registers of a thread, for what points give; larger thunks have none left for it.
constexpr int64_t kPointsBytes = 128;
constexpr size_t kMostPointStatements = 48;

bool have_long_updates(const GpuKernel& gpu) {
  return std::ranges::any_of(gpu.own_bins, [](const OwnBins* bins) {
    return bins != nullptr && bins->has_long_updates();
  });
}

int64_t wanted_points(const GpuKernel& gpu) {
  for (const OwnBins* bins : gpu.own_bins)
    if (bins != nullptr && bins->has_long_updates() && !bins->instead)
      return bins->is_far() ? kKeptFarPoints : gpu.kernel.fn.options.hist.kept;
  return kKeptPoints;
}

class TilesOfPoints {
 public:
  TilesOfPoints(GpuKernel& gpu, const Launch& launch)
      : gpu_(gpu),
        kernel_(gpu.kernel),
        thread_(launch.thread),
        threads_(core::int_value(*core::as_const(launch.threads))),
        loads_(gpu, gpu.kernel.facts.dims.size() - 1),
        part_(have_long_updates(gpu)) {
    // Narrow elements come more at a time.
    const int64_t wanted = wanted_points(gpu);
    points_ = kept_points(gpu.kernel, part_ ? wanted : std::max(wanted, loads_.points()));
    wide_ = loads_.points() > 1 && loads_.points() <= points_ && kernel_.facts.dims.size() == 1;
    if (wide_) points_ -= points_ % loads_.points();
  }

  // Tiles `share`, `share + shares` … of some points, or all.
  void write(Code& code, const Operand& share, const Operand& shares,
             const std::optional<PointRange>& some);

 private:
  void meet(Code& code) const {
    if (part_) code.add(WarpMeet{});
  }
  void single(Code& code, const Operand& i);
  // One point of each thread; all threads come to the end.
  void singles(Code& code, const Operand& begin);
  void whole(Code& code, const Operand& begin);
  // What the points of this thread give: those of its sets of neighbours …
  void compute_sets(Code& code, const TilePoints& tile, const PrivateValues& kept);
  // … where point k of a tile is the one at this offset.
  Operand offset_of(Code& code, const Operand& k) const;
  // A write of a histogram at a point.
  struct Update {
    const OwnBins* bins;
    OwnBins::Own own;
    std::vector<Operand> given;
  };
  std::vector<Update> updates(Code& code, size_t sink, const std::vector<Operand>& values) const;
  // Updates of each histogram, by sink and write.
  using Runs = std::vector<std::vector<std::unique_ptr<BinRuns>>>;
  Runs start_runs(Code& code);
  void store(Code& code, Runs& runs, const GpuPoint& at, const std::vector<Operand>& values);

  GpuKernel& gpu_;
  KernelWriter& kernel_;
  Name thread_;
  int64_t threads_;
  Operand end_ = const_i64(0);
  WideLoads loads_;
  int64_t points_ = 1;
  // Do threads of a warp part where bins are updated?  Then they meet again after each point.
  bool part_;
  // Has a thread neighbouring points, which it loads sixteen bytes at a time?  Then runs of equal
  // keys are fewer updates.
  bool wide_ = false;
  Operand aligned_ = core::const_bool(false);
};

void TilesOfPoints::single(Code& code, const Operand& i) {
  Code tried(code.program());
  gpu_.write_point(tried, gpu_.point_at(tried, i));
  code.add(Attempt{i, tried.finish()});
}

void TilesOfPoints::singles(Code& code, const Operand& begin) {
  const Operand i = code.add_i64(begin, thread_);
  code.branch(code.less_i64(i, end_), [&](Code& at) { single(at, i); });
}

TilesOfPoints::Runs TilesOfPoints::start_runs(Code& code) {
  Runs runs;
  for (size_t k = 0; k < kernel_.facts.sinks.size(); ++k) {
    runs.emplace_back();
    const SinkInfo& info = kernel_.facts.sinks[k];
    if (info.sink->kind != Sink::kHist) continue;
    const OwnBins& own = *gpu_.own_bins[k];
    for (size_t w = 0; w < info.writes; ++w)
      runs[k].push_back(std::make_unique<BinRuns>(code, kernel_, own));
  }
  return runs;
}

void TilesOfPoints::store(Code& code, Runs& runs, const GpuPoint& at,
                          const std::vector<Operand>& values) {
  for (size_t k = 0; k < kernel_.facts.sinks.size(); ++k) {
    const SinkInfo& info = kernel_.facts.sinks[k];
    if (info.sink->kind == Sink::kOut) kernel_.out_sink(code, info, at.place, values);
    if (info.sink->kind == Sink::kScatter) kernel_.scatter_sink(code, info, values);
    if (info.sink->kind != Sink::kHist) continue;
    const std::vector<Update> all = updates(code, k, values);
    for (size_t w = 0; w < all.size(); ++w)
      runs[k][w]->add(code, all[w].own.inside, all[w].own.number, all[w].given);
  }
}

std::vector<TilesOfPoints::Update> TilesOfPoints::updates(
    Code& code, size_t sink, const std::vector<Operand>& values) const {
  std::vector<Update> found;
  const SinkInfo& info = kernel_.facts.sinks[sink];
  for (const SinkInfo& write : writes_of(info)) {
    const auto rank = static_cast<ptrdiff_t>(info.sink->shape.size());
    const std::vector<Operand> all = kernel_.sink_values(write, values);
    const std::vector<Operand> place(all.begin(), all.begin() + rank);
    const Operand inside = kernel_.in_bounds(code, place, write);
    const OwnBins& bins = *gpu_.own_bins[sink];
    found.push_back({&bins, bins.find(code, place, inside), {all.begin() + rank, all.end()}});
  }
  return found;
}

Operand TilesOfPoints::offset_of(Code& code, const Operand& k) const {
  if (!wide_) return code.add_i64(code.mul_i64(k, const_i64(threads_)), thread_);
  const Operand size = const_i64(loads_.points());
  const Operand set = code.binop(BinOpKind::kQuot, k, size, "set");
  const Operand among = code.binop(BinOpKind::kRem, k, size, "among");
  const Operand number = code.add_i64(code.mul_i64(set, const_i64(threads_)), thread_);
  return code.add_i64(code.mul_i64(number, size), among);
}

void TilesOfPoints::compute_sets(Code& code, const TilePoints& tile, const PrivateValues& kept) {
  const int64_t sets = points_ / loads_.points();
  loads_.make_room(code, sets);
  const auto each =
      [&](Code& to,
          const std::function<void(Code&, const Operand& set, const std::vector<Operand>&)>& body) {
        each_set(to, sets, [&](Code& at, const Operand& set) {
          body(at, set, tile.at(at, offset_of(at, at.mul_i64(set, const_i64(loads_.points())))));
        });
      };
  code.branch(
      aligned_,
      [&](Code& to) {
        each(to, [&](Code& at, const Operand& set, const std::vector<Operand>& first) {
          loads_.load(at, set, first);
        });
      },
      [&](Code& to) {
        each(to, [&](Code& at, const Operand& set, const std::vector<Operand>& first) {
          loads_.load_singly(at, set, first);
        });
      });
  each(code, [&](Code& to, const Operand& set, const std::vector<Operand>& first) {
    to.loop(
        const_i64(0), const_i64(loads_.points()),
        [&](Code& at, const Operand& k) {
          std::vector<Operand> indices = first;
          indices.back() = at.add_i64(indices.back(), k);
          const Operand number = at.add_i64(at.mul_i64(set, const_i64(loads_.points())), k);
          kept.store(at, number, loads_.values(at, set, k, indices));
        },
        1, LoopHint::kUnroll);
  });
}

void TilesOfPoints::whole(Code& code, const Operand& begin) {
  const TilePoints tile(code, begin, kernel_.facts.dims);
  const PrivateValues kept(code, kernel_, points_);
  const auto each = [&](const std::function<void(Code&, const Operand&, const GpuPoint&)>& body) {
    code.loop(
        const_i64(0), const_i64(points_),
        [&](Code& at, const Operand& k) {
          const std::vector<Operand> indices = tile.at(at, offset_of(at, k));
          body(at, k, {indices, indices, begin});
        },
        1, LoopHint::kUnroll);
  };
  if (wide_) {
    compute_sets(code, tile, kept);
  } else {
    each([&](Code& at, const Operand& k, const GpuPoint& point) {
      kernel_.point(at, point.indices,
                    [&](Code& in, const std::vector<Operand>&, const std::vector<Operand>& values) {
                      kept.store(in, k, values);
                    });
    });
  }
  Runs runs = start_runs(code);
  each([&](Code& at, const Operand& k, const GpuPoint& point) {
    store(at, runs, point, kept.load(at, k));
    meet(at);
  });
  for (auto& of_sink : runs)
    for (auto& run : of_sink) run->finish(code);
}

void TilesOfPoints::write(Code& code, const Operand& share, const Operand& shares,
                          const std::optional<PointRange>& some) {
  end_ = some ? some->end : gpu_.total;
  const Operand before = code.mul_i64(share, const_i64(points_ * threads_));
  const Operand first = some ? code.add_i64(some->first, before) : before;
  const Operand step = code.mul_i64(shares, const_i64(points_ * threads_));
  Code loop(code.program());
  const Name begin = code.fresh("begin");
  // Tiles begin at multiples of what is loaded at once: all sets are aligned if the first one is.
  if (wide_) aligned_ = loads_.aligned(code, {const_i64(0)});
  if (points_ == 1) {
    singles(loop, begin);
    meet(loop);
    code.add(For{begin, Prim::kI64, first, end_, step, loop.finish()});
    return;
  }
  const Operand left = loop.sub_i64(end_, begin);
  loop.branch(
      loop.less_i64(left, const_i64(points_ * threads_)),
      [&](Code& at) {
        at.loop(
            thread_, left,
            [&](Code& in, const Operand& offset) { single(in, in.add_i64(begin, offset)); },
            threads_);
      },
      [&](Code& at) { whole(at, begin); });
  meet(loop);
  code.add(For{begin, Prim::kI64, first, end_, step, loop.finish()});
}

}  // namespace

Operand update_count(const GpuKernel& gpu, Code& code) {
  size_t writes = 1;
  for (const SinkInfo& info : gpu.kernel.facts.sinks) writes = std::max(writes, info.writes);
  return code.mul_i64(gpu.total, const_i64(static_cast<int64_t>(writes)));
}

bool has_cheap_points(const KernelWriter& kernel) {
  return kernel.facts.scalar_code && !kernel.node.guarded &&
         kernel.node.pull.body.stmts.size() <= kMostPointStatements;
}

int64_t kept_points(const KernelWriter& kernel, int64_t wanted) {
  if (!has_cheap_points(kernel)) return 1;
  int64_t bytes = 0;
  // Narrow values take whole registers, constants none.
  const core::Lambda& pull = kernel.node.pull;
  for (size_t k = 0; k < pull.results.size(); ++k)
    if (core::as_const(pull.body.result[k]) == nullptr)
      bytes += std::max<int64_t>(prim_size(pull.results[k].type.elem), 4);
  return std::clamp<int64_t>(kPointsBytes / std::max<int64_t>(bytes, 1), 1, wanted);
}

void sample_points(GpuKernel& gpu, Code& code, const Launch& launch, const Operand& share,
                   int64_t points, const std::function<void(Code&, const Operand& at)>& show,
                   const Operand& first) {
  KernelWriter& kernel = gpu.kernel;
  const int64_t threads = core::int_value(*core::as_const(launch.threads));
  const Operand begin = code.add_i64(first, code.mul_i64(share, const_i64(points * threads)));
  const auto visit = [&](Code& at, const std::vector<Operand>& values) {
    for (size_t k = 0; k < kernel.facts.sinks.size(); ++k) {
      const SinkInfo& info = kernel.facts.sinks[k];
      if (info.sink->kind != Sink::kHist) continue;
      for (const SinkInfo& write : writes_of(info)) {
        std::vector<Operand> place = kernel.sink_values(write, values);
        place.resize(info.sink->shape.size());
        const OwnBins& bins = *gpu.own_bins[k];
        const OwnBins::Own own = bins.find(at, place, kernel.in_bounds(at, place, write));
        at.branch(own.inside, [&](Code& in) { show(in, bins.place(in, own.number)); });
      }
    }
  };
  code.short_loop(const_i64(0), const_i64(points), [&](Code& loop, const Operand& k) {
    const Operand among = loop.add_i64(loop.mul_i64(k, const_i64(threads)), launch.thread);
    const Operand i = loop.add_i64(begin, among);
    loop.branch(loop.less_i64(i, gpu.total), [&](Code& at) {
      kernel.point(at, gpu.point_at(at, i).indices,
                   [&](Code& in, const std::vector<Operand>&, const std::vector<Operand>& values) {
                     visit(in, values);
                   });
    });
  });
}

void each_point_of_tiles(GpuKernel& gpu, Code& code, const Launch& launch, const Operand& share,
                         const Operand& shares, const std::optional<PointRange>& some) {
  TilesOfPoints(gpu, launch).write(code, share, shares, some);
}

}  // namespace skald::imp
