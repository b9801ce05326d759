// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/rows.h"

#include <algorithm>

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
constexpr int64_t kAtOnce = 8;
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
  Thread find_thread(Code& code, Name group, Name thread);
  void walk(Code& code, const Thread& thread, const std::vector<Accumulators>& accs);
  void points(Code& code, const std::vector<Operand>& outer, const Operand& first,
              const Operand& end, const Operand& step,
              const std::function<void(Code&, const GpuPoint&)>& body);
  void point(Code& code, const GpuPoint& at, const std::vector<Accumulators>& accs);
  // Lane 0 gets what all lanes of its segment have.
  void combine_lanes(Code& code, const Thread& thread, const std::vector<Accumulators>& accs);
  void store_totals(Code& code, const Thread& thread, const std::vector<Accumulators>& accs);
  // All groups of a segment have left their parts: the last of them puts these together.
  void finish_parts(Code& code, const Thread& thread, const Operand& unit,
                    const std::vector<Accumulators>& accs);
  void body(Code& code, Name group, Name thread);

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
    return at.both(at.less_i64(const_i64(kShortSegment), gpu_.length),
                   at.less_i64(balanced, gpu_.length), "long");
  });
  grow_while([&](Code& at, const Operand& lanes) {
    return at.both(at.less_i64(at.mul_i64(gpu_.segments, lanes), const_i64(kBusyThreads)),
                   at.less_i64(at.mul_i64(lanes, const_i64(kPointsOfLane)), gpu_.length), "few");
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

Rows::Thread Rows::find_thread(Code& code, Name group, Name thread) {
  const Operand unit = code.binop(BinOpKind::kQuot, group, parts_, "unit");
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

void Rows::point(Code& code, const GpuPoint& at, const std::vector<Accumulators>& accs) {
  kernel_.point(code, at.indices,
                [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
                  monoids_.combine_all(here, accs, values, false);
                  gpu_.direct(here, at, values);
                });
}

void Rows::points(Code& code, const std::vector<Operand>& outer, const Operand& first,
                  const Operand& end, const Operand& step,
                  const std::function<void(Code&, const GpuPoint&)>& body) {
  const auto at_index = [&](const Operand& j) {
    GpuPoint at;
    at.indices = outer;
    at.indices.push_back(j);
    at.place = at.indices;
    at.position = j;
    return at;
  };
  const Name next = code.var(Prim::kI64, first, "next");
  if (kernel_.facts.straight) {
    const Operand far = code.mul_i64(step, const_i64(kAtOnce - 1));
    const auto there = [&](Code& at) { return at.less_i64(at.add_i64(next, far), end); };
    const Name more = code.var(Prim::kBool, there(code), "more");
    Code inner(code.program());
    inner.loop(
        const_i64(0), const_i64(kAtOnce),
        [&](Code& at, const Operand& k) {
          body(at, at_index(at.add_i64(next, at.mul_i64(k, step))));
        },
        1, LoopHint::kUnroll);
    inner.add(Assign{next, inner.add_i64(next, inner.mul_i64(step, const_i64(kAtOnce)))});
    inner.add(Assign{more, there(inner)});
    code.add(While{more, inner.finish()});
  }
  const Operand begin = code.let(Prim::kI64, core::Value{next}, "begin");
  const Name j = code.fresh("j");
  Code inner(code.program());
  body(inner, at_index(j));
  code.add(For{j, Prim::kI64, begin, end, step, inner.finish()});
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
  const auto body = [&](Code& at, const GpuPoint& p) {
    if (!kernel_.facts.straight) at.add(Assign{position, at.add_i64(before, p.position)});
    point(at, p, accs);
  };
  if (in_turn_) {
    points(tried, outer, lane, gpu_.length, all, body);
  } else {
    const Operand each = pieces(tried, gpu_.length, all);
    const Operand first = tried.min_i64(tried.mul_i64(lane, each), gpu_.length);
    points(tried, outer, first, tried.min_i64(tried.add_i64(first, each), gpu_.length),
           const_i64(1), body);
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
  code.branch(is_last, [&](Code& at) {
    at.add(Fence{});
    const Operand lanes = shifted(at, BinOpKind::kShl, const_i64(1), lanes_log_);
    const Operand each = pieces(at, parts_, lanes);
    const Operand begin = at.min_i64(at.mul_i64(thread.lane, each), parts_);
    const Operand end = at.min_i64(at.add_i64(begin, each), parts_);
    const std::vector<Accumulators> all = monoids_.start_all(at);
    at.loop(begin, end, [&](Code& here, const Operand& part) {
      for (size_t k = 0; k < all.size(); ++k)
        monoids_.combine(here, monoids_.all()[k], all[k],
                         Monoids::load_fresh(here, monoids_.all()[k], here.add_i64(base, part)));
    });
    combine_lanes(at, thread, all);
    store_totals(at, thread, all);
  });
}

void Rows::body(Code& code, Name group, Name thread) {
  const Thread here = find_thread(code, group, thread);
  const std::vector<Accumulators> accs = monoids_.start_all(code);
  for (const Monoid& monoid : monoids_.all())
    shared_.push_back(in_shared_memory(code, monoid, kGroupThreads));
  code.branch(here.active, [&](Code& at) { walk(at, here, accs); });
  combine_lanes(code, here, accs);
  const Operand unit = code.binop(BinOpKind::kQuot, group, parts_, "unit");
  code.branch(
      code.less_i64(const_i64(1), parts_), [&](Code& at) { finish_parts(at, here, unit, accs); },
      [&](Code& at) { store_totals(at, here, accs); });
}

void Rows::write(Code& code) {
  plan(code);
  Code inner(code.program());
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  {
    const InKernel inside(kernel_.fn);
    body(inner, group, thread);
  }
  const Operand groups = code.mul_i64(units_, parts_);
  add_launch(code, {group, thread, groups, const_i64(kGroupThreads), const_i64(0), inner.finish()});
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
