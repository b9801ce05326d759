// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/rows.h"

#include <algorithm>

#include "imp/lower/gpu/fold/private_values.h"
#include "imp/lower/gpu/launch.h"

namespace skald::imp {

using core::Sink;

namespace {

// So many threads keep a large device busy.
constexpr int64_t kBusyThreads = int64_t{1} << 19;
// Segments that one thread takes by itself are no longer than this.
constexpr int64_t kShortSegment = 16;
// Where neighbouring threads have neighbouring segments: how many.
constexpr int64_t kSegmentsAcross = 32;
constexpr int64_t kLanesAcross = kGroupThreads / kSegmentsAcross;
// What a part has for each lane at least, and a lane at least if more of them are wanted.
constexpr int64_t kPointsOfPart = 8, kPointsOfLane = 4;
// Points of a lane that are loaded at once.
constexpr int64_t kAtOnce = 8, kFewAtOnce = 2;
// Memory of a group that every device has.
constexpr int64_t kSharedBytes = 31 << 10;

Operand shifted(Code& code, BinOpKind op, const Operand& a, const Operand& by) {
  return code.binop(op, a, by, "shifted");
}

class Rows {
 public:
  explicit Rows(GpuKernel& gpu)
      : gpu_(gpu),
        kernel_(gpu.kernel),
        monoids_(gpu),
        across_(gpu.kernel.facts.reads_across && monoids_.commutative()),
        in_turn_(monoids_.commutative()) {}

  void write(Code& code);

 private:
  // A thread of the launch.
  struct Thread {
    Name number;
    Operand segment, lane;
    Operand part;
    Operand active;  // is there such a segment?
  };

  void plan(Code& code);
  void plan_along(Code& code);
  Thread find_thread(Code& code, Name group, const Operand& unit, Name thread);
  void walk(Code& code, const Thread& thread, const std::vector<Accumulators>& accs);
  static GpuPoint point_at(const std::vector<Operand>& outer, const Operand& j);
  // The points first, first + step, … before end.  `note` comes before each that may fail.
  void points(Code& code, const std::vector<Operand>& outer, const Operand& first,
              const Operand& end, const Operand& step, const std::vector<Accumulators>& accs,
              const std::function<void(Code&, const Operand& j)>& note);
  void points_at_once(Code& code, int64_t count, const std::vector<Operand>& outer, Name next,
                      const Operand& end, const Operand& step,
                      const std::vector<Accumulators>& accs);
  void add(Code& code, const GpuPoint& at, const std::vector<Operand>& values,
           const std::vector<Accumulators>& accs);
  // Lane 0 gets what all lanes of its segment have.
  void combine_lanes(Code& code, const Thread& thread, const std::vector<Accumulators>& accs);
  void store_totals(Code& code, const Thread& thread, const std::vector<Accumulators>& accs);
  // All groups of a segment have left their parts: the last of them puts these together.
  void finish_parts(Code& code, const Thread& thread, const Operand& unit,
                    const std::vector<Accumulators>& accs);
  Launch launch(Code& code, bool in_parts);

  GpuKernel& gpu_;
  KernelWriter& kernel_;
  Monoids monoids_;
  const bool across_, in_turn_;
  // In host code: the logarithms of how many segments a group has and how many lanes a segment,
  // groups that share segments, and all sets of segments.
  Operand segments_log_ = const_i64(0), lanes_log_ = const_i64(0), parts_ = const_i64(1),
          units_ = const_i64(0);
  std::vector<Monoid> shared_;  // their values in the memory of the group
  Name arrived_ = {};           // for each unit: how many groups are done
};

// ---- sizes

// As many lanes as balance their own work with that of putting them together, about the square root
// of the length; more if there are few segments.
void Rows::plan_along(Code& code) {
  const Name lanes_log = code.var(Prim::kI64, const_i64(0), "lanes_log");
  const auto grow_while = [&](const std::function<Operand(Code&, const Operand& lanes)>& wanted) {
    const auto more_now = [&](Code& at) {
      const Operand lanes = shifted(at, BinOpKind::kShl, const_i64(1), lanes_log);
      return at.both(at.less_i64(lanes, const_i64(kGroupThreads)), wanted(at, lanes), "more");
    };
    const Name more = code.var(Prim::kBool, more_now(code), "more");
    Code inner(code.program());
    inner.add(Assign{lanes_log, inner.add_i64(lanes_log, const_i64(1))});
    inner.add(Assign{more, more_now(inner)});
    code.add(While{more, inner.finish()});
  };
  grow_while([&](Code& at, const Operand& lanes) {
    const Operand balanced = at.mul_i64(const_i64(4), at.mul_i64(lanes, lanes));
    const Operand is_long = at.less_i64(const_i64(kShortSegment), gpu_.length);
    return at.both(is_long, at.less_i64(balanced, gpu_.length), "long");
  });
  grow_while([&](Code& at, const Operand& lanes) {
    const Operand all = at.mul_i64(gpu_.segments, lanes);
    const Operand idle = at.less_i64(all, const_i64(kBusyThreads));
    const Operand least = at.mul_i64(lanes, const_i64(kPointsOfLane));
    return at.both(idle, at.less_i64(least, gpu_.length), "few");
  });
  lanes_log_ = code.let(Prim::kI64, core::Value{lanes_log}, "lanes_log");
  segments_log_ = code.sub_i64(const_i64(8), lanes_log_);
  static_assert(kGroupThreads == 1 << 8);
}

void Rows::plan(Code& code) {
  gpu_.count_points(code);
  if (across_) {
    segments_log_ = const_i64(5);
    lanes_log_ = const_i64(3);
    static_assert(kSegmentsAcross == 1 << 5 && kLanesAcross == 1 << 3);
  } else {
    plan_along(code);
  }
  const Operand segments = shifted(code, BinOpKind::kShl, const_i64(1), segments_log_);
  const Operand lanes = shifted(code, BinOpKind::kShl, const_i64(1), lanes_log_);
  units_ = pieces(code, gpu_.segments, segments);
  // Parts only where all lanes that fit a group are not enough.
  const Operand wanted = code.binop(BinOpKind::kQuot, const_i64(kBusyThreads / kGroupThreads),
                                    code.max_i64(units_, const_i64(1)), "wanted");
  const Operand most = pieces(code, gpu_.length, code.mul_i64(lanes, const_i64(kPointsOfPart)));
  const Operand several = code.max_i64(code.min_i64(wanted, most), const_i64(1));
  parts_ = several;
  if (!across_) {
    const Operand is_whole = code.less_i64(const_i64(kGroupThreads - 1), lanes);
    parts_ = code.let(Prim::kI64, core::Select{is_whole, several, const_i64(1)}, "parts");
  }
  const Operand all = code.mul_i64(code.mul_i64(units_, segments), parts_);
  for (Monoid& monoid : monoids_.all())
    for (const Prim type : monoid.types)
      monoid.partials.push_back(
          code.alloc(Space::kDevice, code.mul_i64(all, const_i64(prim_size(type))), "partials"));
  monoids_.make_totals(code);
  arrived_ = code.alloc(Space::kDevice, code.mul_i64(units_, const_i64(4)), "arrived");
  code.branch(code.less_i64(const_i64(1), parts_), [&](Code& at) {
    at.add(Fill{Prim::kI32, arrived_, const_i64(0), units_, core::const_int(Prim::kI32, 0)});
  });
}

// ---- lanes

Rows::Thread Rows::find_thread(Code& code, Name group, const Operand& unit, Name thread) {
  const Operand first = shifted(code, BinOpKind::kShl, unit, segments_log_);
  const auto low = [&](const Operand& log) {
    const Operand size = shifted(code, BinOpKind::kShl, const_i64(1), log);
    return code.binop(BinOpKind::kAnd, thread, code.sub_i64(size, const_i64(1)), "low");
  };
  const Operand within =
      across_ ? low(segments_log_) : shifted(code, BinOpKind::kLshr, thread, lanes_log_);
  Thread here;
  here.number = thread;
  here.lane = across_ ? shifted(code, BinOpKind::kLshr, thread, segments_log_) : low(lanes_log_);
  here.segment = code.add_i64(first, within);
  here.part = code.sub_i64(group, code.mul_i64(unit, parts_));
  here.active = code.less_i64(here.segment, gpu_.segments);
  return here;
}

void Rows::add(Code& code, const GpuPoint& at, const std::vector<Operand>& values,
               const std::vector<Accumulators>& accs) {
  monoids_.combine_all(code, accs, values, false);
  gpu_.direct(code, at, values);
}

GpuPoint Rows::point_at(const std::vector<Operand>& outer, const Operand& j) {
  GpuPoint at;
  at.indices = outer;
  at.indices.push_back(j);
  at.place = at.indices;
  at.position = j;
  return at;
}

// So many points at a time while there are as many: first all of them are computed, so that their
// loads are under way together.
void Rows::points_at_once(Code& code, int64_t count, const std::vector<Operand>& outer, Name next,
                          const Operand& end, const Operand& step,
                          const std::vector<Accumulators>& accs) {
  const Operand far = code.mul_i64(step, const_i64(count - 1));
  const auto there = [&](Code& at) { return at.less_i64(at.add_i64(next, far), end); };
  const Name more = code.var(Prim::kBool, there(code), "more");
  Code inner(code.program());
  PrivateValues kept(inner, kernel_, count);
  const auto each = [&](const std::function<void(Code&, const Operand& k, const GpuPoint&)>& then) {
    inner.loop(
        const_i64(0), const_i64(count),
        [&](Code& at, const Operand& k) {
          then(at, k, point_at(outer, at.add_i64(next, at.mul_i64(k, step))));
        },
        1, LoopHint::kUnroll);
  };
  each([&](Code& at, const Operand& k, const GpuPoint& point) {
    kernel_.point(at, point.indices,
                  [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
                    kept.store(here, k, values);
                  });
  });
  each([&](Code& at, const Operand& k, const GpuPoint& point) {
    add(at, point, kept.load(at, k), accs);
  });
  inner.add(Assign{next, inner.add_i64(next, inner.mul_i64(step, const_i64(count)))});
  inner.add(Assign{more, there(inner)});
  code.add(While{more, inner.finish()});
}

void Rows::points(Code& code, const std::vector<Operand>& outer, const Operand& first,
                  const Operand& end, const Operand& step, const std::vector<Accumulators>& accs,
                  const std::function<void(Code&, const Operand& j)>& note) {
  const Name next = code.var(Prim::kI64, first, "next");
  if (const int64_t most = PrivateValues::most_points(kernel_, kAtOnce); most > 1) {
    points_at_once(code, most, outer, next, end, step, accs);
    if (most > kFewAtOnce) points_at_once(code, kFewAtOnce, outer, next, end, step, accs);
  }
  const Operand begin = code.let(Prim::kI64, core::Value{next}, "begin");
  const Name j = code.fresh("j");
  Code inner(code.program());
  if (note) note(inner, j);
  const GpuPoint at = point_at(outer, j);
  kernel_.point(inner, at.indices,
                [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
                  add(here, at, values, accs);
                });
  code.add(For{j, Prim::kI64, begin, end, step, inner.finish(),
               kernel_.facts.straight ? LoopHint::kShort : LoopHint::kNone});
}

void Rows::walk(Code& code, const Thread& thread, const std::vector<Accumulators>& accs) {
  const Operand lanes = shifted(code, BinOpKind::kShl, const_i64(1), lanes_log_);
  const Operand all = code.mul_i64(lanes, parts_);
  const Operand lane = code.add_i64(code.mul_i64(thread.part, lanes), thread.lane);
  const std::vector<Operand>& dims = kernel_.facts.dims;
  const std::vector<Operand> outer =
      unflatten(code, thread.segment, std::vector<Operand>(dims.begin(), dims.end() - 1));
  const Name position = code.var(Prim::kI64, const_i64(0), "position");
  const Operand before = code.mul_i64(thread.segment, gpu_.length);
  Code tried(code.program());
  std::function<void(Code&, const Operand&)> note;
  if (!kernel_.facts.straight)
    note = [&](Code& at, const Operand& j) { at.add(Assign{position, at.add_i64(before, j)}); };
  if (in_turn_) {
    points(tried, outer, lane, gpu_.length, all, accs, note);
  } else {
    const Operand each = pieces(tried, gpu_.length, all);
    const Operand first = tried.min_i64(tried.mul_i64(lane, each), gpu_.length);
    points(tried, outer, first, tried.min_i64(tried.add_i64(first, each), gpu_.length),
           const_i64(1), accs, note);
  }
  code.add(Attempt{position, tried.finish()});
}

// ---- groups

void Rows::combine_lanes(Code& code, const Thread& thread, const std::vector<Accumulators>& accs) {
  const Operand lanes = shifted(code, BinOpKind::kShl, const_i64(1), lanes_log_);
  const auto store = [&](Code& at) {
    for (size_t k = 0; k < accs.size(); ++k)
      Monoids::store_values(at, shared_[k], thread.number, accs[k]);
  };
  store(code);
  code.add(Barrier{});
  const Name step = code.var(Prim::kI64, const_i64(1), "step");
  const Name more = code.var(Prim::kBool, code.less_i64(step, lanes), "more");
  Code round(code.program());
  const Operand pair = round.sub_i64(round.add_i64(step, step), const_i64(1));
  const Operand odd = round.binop(BinOpKind::kAnd, thread.lane, pair, "odd");
  const Operand takes =
      round.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, odd, const_i64(0)}, "takes");
  round.branch(takes, [&](Code& at) {
    const Operand apart =
        across_ ? shifted(at, BinOpKind::kShl, step, segments_log_) : Operand{step};
    const Operand other = at.add_i64(thread.number, apart);
    for (size_t k = 0; k < accs.size(); ++k)
      monoids_.combine(at, monoids_.all()[k], accs[k], Monoids::load_values(at, shared_[k], other));
    store(at);
  });
  round.add(Assign{step, round.add_i64(step, step)});
  round.add(Assign{more, round.less_i64(step, lanes)});
  round.add(Barrier{});
  code.add(While{more, round.finish()});
}

void Rows::store_totals(Code& code, const Thread& thread, const std::vector<Accumulators>& accs) {
  const Operand is_first = code.let(
      Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, thread.lane, const_i64(0)}, "first");
  code.branch(code.both(is_first, thread.active, "gives"), [&](Code& at) {
    for (size_t k = 0; k < accs.size(); ++k)
      monoids_.store_total(at, monoids_.all()[k], thread.segment, accs[k]);
  });
}

void Rows::finish_parts(Code& code, const Thread& thread, const Operand& unit,
                        const std::vector<Accumulators>& accs) {
  const Operand base = code.mul_i64(thread.segment, parts_);
  const Operand is_first = code.let(
      Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, thread.lane, const_i64(0)}, "first");
  code.branch(is_first, [&](Code& at) {
    for (size_t k = 0; k < accs.size(); ++k)
      Monoids::store_values(at, monoids_.all()[k], at.add_i64(base, thread.part), accs[k]);
    at.add(Fence{});
  });
  const Name last = code.alloc(Space::kShared, const_i64(8), "last");
  code.add(Barrier{});
  const Operand is_one = code.let(
      Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, thread.number, const_i64(0)}, "one");
  code.branch(is_one, [&](Code& at) {
    const Name before = at.fresh("before");
    at.add(FetchAdd{before, Prim::kI32, arrived_, unit, core::const_int(Prim::kI32, 1)});
    const Operand number =
        at.let(Prim::kI64, core::Convert{Prim::kI32, Prim::kI64, before}, "number");
    at.add(Store{Prim::kI64, last, const_i64(0), number});
  });
  code.add(Barrier{});
  const Operand number = code.load(Prim::kI64, last, const_i64(0), "number");
  const Operand is_last =
      code.let(Prim::kBool,
               core::CmpOp{CmpOpKind::kEq, Prim::kI64, number, code.sub_i64(parts_, const_i64(1))},
               "is_last");
  // The others do the same with nothing.
  code.add(Fence{});
  const Operand found = code.let(Prim::kI64, core::Select{is_last, parts_, const_i64(0)}, "found");
  const Operand lanes = shifted(code, BinOpKind::kShl, const_i64(1), lanes_log_);
  const Operand each = pieces(code, parts_, lanes);
  const Operand begin = code.min_i64(code.mul_i64(thread.lane, each), found);
  const Operand end = code.min_i64(code.add_i64(begin, each), found);
  const std::vector<Accumulators> all = monoids_.start_all(code);
  code.loop(begin, end, [&](Code& here, const Operand& part) {
    for (size_t k = 0; k < all.size(); ++k)
      monoids_.combine(here, monoids_.all()[k], all[k],
                       Monoids::load_fresh(here, monoids_.all()[k], here.add_i64(base, part)));
  });
  combine_lanes(code, thread, all);
  code.branch(is_last, [&](Code& at) { store_totals(at, thread, all); });
}

Launch Rows::launch(Code& code, bool in_parts) {
  const InKernel inside(kernel_.fn);
  const Operand parts = std::exchange(parts_, in_parts ? parts_ : Operand{const_i64(1)});
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  Code inner(code.program());
  const Operand unit = inner.binop(BinOpKind::kQuot, group, parts_, "unit");
  const Thread here = find_thread(inner, group, unit, thread);
  const std::vector<Accumulators> accs = monoids_.start_all(inner);
  shared_.clear();
  for (const Monoid& monoid : monoids_.all())
    shared_.push_back(in_shared_memory(inner, monoid, kGroupThreads));
  inner.branch(here.active, [&](Code& at) { walk(at, here, accs); });
  combine_lanes(inner, here, accs);
  if (in_parts)
    finish_parts(inner, here, unit, accs);
  else
    store_totals(inner, here, accs);
  // See combine.cpp.
  inner.add(Barrier{});
  parts_ = parts;
  return {group,        thread,        code.mul_i64(units_, parts_), const_i64(kGroupThreads),
          const_i64(0), inner.finish()};
}

void Rows::write(Code& code) {
  plan(code);
  // Two kernels: one with parts has barriers that only some groups would need, and PoCL wants all
  // threads to come to each.
  code.branch(
      code.less_i64(const_i64(1), parts_), [&](Code& at) { add_launch(at, launch(at, true)); },
      [&](Code& at) { add_launch(at, launch(at, false)); });
  monoids_.read_totals(code, false);
  for (const Monoid& monoid : monoids_.all())
    for (const Name block : monoid.partials) code.add(Free{block});
  code.add(Free{arrived_});
  monoids_.free_totals(code);
}

}  // namespace

WhyNot why_not_rows(GpuKernel& gpu) {
  const KernelFacts& facts = gpu.kernel.facts;
  if (gpu.is_seg()) return "segments have different lengths";
  if (!std::ranges::all_of(facts.sinks, [](const SinkInfo& info) {
        return info.sink->kind == Sink::kReduce || info.sink->kind == Sink::kOut ||
               info.sink->kind == Sink::kScatter;
      }))
    return "there is more than reductions";
  if (operators_may_fail(gpu.kernel)) return "an operator may fail";
  if (bytes_of(Monoids(gpu)) * kGroupThreads > kSharedBytes)
    return "accumulators are too large for the memory of a group";
  return std::nullopt;
}

void write_rows(GpuKernel& gpu, Code& code, const Otherwise&) {
  Rows(gpu).write(code);
}

}  // namespace skald::imp
