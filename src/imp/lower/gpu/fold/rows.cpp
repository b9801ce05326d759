// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/rows.h"

#include <algorithm>

#include "core/ir/visit.h"
#include "imp/lower/gpu/fold/rows_writer.h"
#include "imp/lower/gpu/launch.h"

namespace skald::imp {

using core::Sink;

namespace {

// So many threads keep a large device busy, and so many groups; fewer if threads have several
// segments.
constexpr int64_t kBusyThreads = int64_t{1} << 18, kBusyGroups = 1024;
// Of these, so many on each processor; if what threads have is small and cheap enough.
constexpr int64_t kSumsAtOnce = 8, kFewSumBytes = 12;
constexpr size_t kFewSumStatements = 16;
// Where threads load several points at once, so many groups on a processor: their threads then have
// registers for these loads, which the device's compiler would rather spend on more groups.
constexpr int64_t kLoadsAtOnce = 4, kFewLoadBytes = 16;
constexpr size_t kFewLoadStatements = 32, kSeveralLoads = 3;
// Segments that one thread takes by itself are shorter than this.
constexpr int64_t kShortSegment = 16;
// Where neighbouring threads have neighbouring segments: the logarithms of how many.
constexpr int64_t kLeastAcrossLog = 3, kMostAcrossLog = 5;
// What a part has for each lane at least, and a lane at least if more of them are wanted.
constexpr int64_t kPointsOfPart = 8, kPointsOfLane = 4;
// A segment is worth a group if it is longer than this, or if there are fewer than so many.
constexpr int64_t kSegmentOfGroup = 1 << 14, kFewSegmentsOfWarps = 1 << 12;
// Memory of a group that every device has.
constexpr int64_t kSharedBytes = 31 << 10;
constexpr int64_t kWordBytes = 4;
// Segments of a thread that has whole ones, if their accumulators are no larger than this.
constexpr int64_t kSegmentsOfThread = 4, kBytesOfThread = 64;
constexpr size_t kStatementsAtOnce = 48;

Operand shifted(Code& code, BinOpKind op, const Operand& a, const Operand& by) {
  return code.binop(op, a, by, "shifted");
}

}  // namespace

Rows::Rows(GpuKernel& gpu)
    : gpu_(gpu),
      kernel_(gpu.kernel),
      monoids_(gpu),
      wide_(gpu, gpu.kernel.facts.dims.size() - 1),
      across_(gpu.kernel.facts.reads_across && monoids_.commutative()),
      in_turn_(monoids_.commutative()) {
  if (!across_) return;
  beside_.emplace(gpu, gpu.kernel.facts.dims.size() - 2);
  const int64_t bytes = bytes_of(monoids_) * beside_->points();
  const bool fits = bytes <= kBytesOfThread && bytes * kGroupThreads <= kSharedBytes;
  if (beside_->points() == 1 || !fits) beside_.reset();
}

int64_t Rows::segments_of_thread() const {
  const bool cheap =
      kernel_.facts.straight && kernel_.node.pull.body.stmts.size() <= kStatementsAtOnce;
  return cheap && bytes_of(monoids_) * kSegmentsOfThread <= kBytesOfThread ? kSegmentsOfThread : 1;
}

// ---- sizes

// As many lanes as balance their own work with that of putting them together, about the square root
// of the length; more if there are few segments.  All threads of a group, and then several groups,
// only where a warp is too slow.  Where lanes would not read side by side, one is best.
void Rows::plan_along(Code& code) {
  const Name lanes_log = code.var(Prim::kI64, const_i64(0), "lanes_log");
  const auto grow_while = [&](const std::function<Operand(Code&, const Operand& lanes)>& wanted) {
    const auto more_now = [&](Code& at) {
      const Operand lanes = shifted(at, BinOpKind::kShl, const_i64(1), lanes_log);
      const Operand in_warp = at.less_i64(lanes, const_i64(kWarpThreads));
      return at.both(in_warp, wanted(at, lanes), "more");
    };
    const Name more = code.var(Prim::kBool, more_now(code), "more");
    Code inner(code.program());
    inner.add(Assign{lanes_log, inner.add_i64(lanes_log, const_i64(1))});
    inner.add(Assign{more, more_now(inner)});
    code.add(While{more, inner.finish()});
  };
  const bool side_by_side = !kernel_.facts.reads_same_along;
  if (side_by_side)
    grow_while([&](Code& at, const Operand& lanes) {
      const Operand balanced = at.mul_i64(const_i64(4), at.mul_i64(lanes, lanes));
      const Operand is_long = at.less_i64(const_i64(kShortSegment - 1), gpu_.length);
      return at.both(is_long, at.less_i64(at.sub_i64(balanced, const_i64(1)), gpu_.length), "long");
    });
  grow_while([&](Code& at, const Operand& lanes) {
    const Operand all = at.mul_i64(gpu_.segments, lanes);
    const Operand idle = at.less_i64(all, const_i64(kBusyThreads));
    const Operand least = at.mul_i64(lanes, const_i64(kPointsOfLane));
    return at.both(idle, at.less_i64(least, gpu_.length), "few");
  });
  const Operand few_segments = code.less_i64(gpu_.segments, const_i64(kFewSegmentsOfWarps));
  const Operand few =
      code.both(few_segments, code.less_i64(const_i64(kGroupThreads), gpu_.length), "few");
  const Operand is_long = code.less_i64(const_i64(kSegmentOfGroup), gpu_.length);
  code.branch(code.either(few, is_long, "by_groups"),
              [&](Code& at) { at.add(Assign{lanes_log, const_i64(kGroupLog)}); });
  lanes_log_ = code.let(Prim::kI64, core::Value{lanes_log}, "lanes_log");
  segments_log_ = code.sub_i64(const_i64(kGroupLog), lanes_log_);
}

// As many segments as there are, so that no thread is idle; if there are enough for all threads,
// each has one of its own.
void Rows::plan_across(Code& code) {
  segments_log_ = const_i64(kLeastAcrossLog);
  for (int64_t log = kLeastAcrossLog; log < kMostAcrossLog; ++log) {
    const Operand more = code.less_i64(const_i64(each_ << log), gpu_.segments);
    segments_log_ =
        code.let(Prim::kI64, core::Select{more, const_i64(log + 1), segments_log_}, "across_log");
  }
  const Operand enough = code.less_i64(const_i64(each_ * kBusyThreads - 1), gpu_.segments);
  segments_log_ =
      code.let(Prim::kI64, core::Select{enough, const_i64(kGroupLog), segments_log_}, "across_log");
  lanes_log_ = code.sub_i64(const_i64(kGroupLog), segments_log_);
}

void Rows::plan_lanes(Code& code) {
  if (across_)
    plan_across(code);
  else
    plan_along(code);
}

void Rows::plan_units(Code& code) {
  const Operand segments = shifted(code, BinOpKind::kShl, const_i64(each_), segments_log_);
  const Operand lanes = shifted(code, BinOpKind::kShl, const_i64(1), lanes_log_);
  units_ = pieces(code, gpu_.segments, segments);
  // Parts only where all lanes that fit a group are not enough.
  const Operand wanted = code.binop(BinOpKind::kQuot, const_i64(kBusyGroups / each_),
                                    code.max_i64(units_, const_i64(1)), "wanted");
  const Operand most = pieces(code, gpu_.length, code.mul_i64(lanes, const_i64(kPointsOfPart)));
  const Operand several = code.max_i64(code.min_i64(wanted, most), const_i64(1));
  parts_ = several;
  if (across_) return;
  const Operand is_whole = code.less_i64(const_i64(kGroupThreads - 1), lanes);
  parts_ = code.let(Prim::kI64, core::Select{is_whole, several, const_i64(1)}, "parts");
}

// Groups that share segments leave what they have in the memory of the device.
void Rows::launch_parts(Code& code) {
  const Operand segments = shifted(code, BinOpKind::kShl, const_i64(each_), segments_log_);
  const Operand all = code.mul_i64(code.mul_i64(units_, segments), parts_);
  for (Monoid& monoid : monoids_.all()) {
    monoid.partials.clear();
    for (const Prim type : monoid.types)
      monoid.partials.push_back(
          code.alloc(Space::kDevice, code.mul_i64(all, const_i64(prim_size(type))), "partials"));
  }
  arrived_ = code.alloc(Space::kDevice, code.mul_i64(units_, const_i64(4)), "arrived");
  code.add(Fill{Prim::kI32, arrived_, const_i64(0), units_, core::const_int(Prim::kI32, 0)});
  add_launch(code, launch(code, Form::kParts));
  for (const Monoid& monoid : monoids_.all())
    for (const Name block : monoid.partials) code.add(Free{block});
  code.add(Free{arrived_});
}

// ---- launches

void Rows::group_body(Code& code, Name group, Name thread, Form form) {
  if (form == Form::kSingle) return single(code, group, thread);
  const Operand unit = code.binop(BinOpKind::kQuot, group, parts_, "unit");
  const Thread here = find_thread(code, group, unit, thread);
  const std::vector<Accumulators> accs = start_each(code);
  shared_.clear();
  for (size_t k = 0; (across_ || form == Form::kParts) && k < accs.size(); ++k)
    shared_.push_back(
        in_shared_memory(code, monoid_of(k), kGroupThreads / (across_ ? 1 : kWarpThreads)));
  // Lanes of a warp read neighbouring words as fast as wide ones.
  const bool wide = form == Form::kParts || wide_.points() > kWideBytes / kWordBytes;
  code.branch(here.active, [&](Code& at) {
    if (each_ > 1) return walk_beside(at, here, accs);
    walk(at, here, accs, wide);
  });
  combine_lanes(code, here, accs);
  if (form == Form::kParts)
    finish_parts(code, here, unit, accs);
  else
    store_totals(code, here, accs);
  // See combine.cpp.
  code.add(Barrier{});
}

int64_t Rows::groups_at_once(Form form) const {
  if (across_ || form == Form::kSingle || !kernel_.facts.straight) return 0;
  const size_t statements = kernel_.node.pull.body.stmts.size();
  const int64_t bytes = bytes_of(monoids_);
  // All groups of a large sum should run at once, none of them after the others.
  if (form == Form::kParts && bytes <= kFewSumBytes && statements <= kFewSumStatements)
    return kSumsAtOnce;
  const auto loads = static_cast<size_t>(std::ranges::count_if(
      kernel_.node.pull.body.stmts,
      [](const core::Stmt& stmt) { return core::as<core::Index>(stmt.exp) != nullptr; }));
  const bool is_small = bytes <= kFewLoadBytes && statements <= kFewLoadStatements;
  return is_small && loads >= kSeveralLoads ? kLoadsAtOnce : 0;
}

Launch Rows::launch(Code& code, Form form) {
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  Operand groups = code.mul_i64(units_, parts_);
  if (form == Form::kSingle)
    groups = pieces(code, gpu_.segments, const_i64(segments_of_thread() * kGroupThreads));
  const auto before = std::tuple(segments_log_, lanes_log_, parts_);
  // What is known of the form need not be computed.
  if (form != Form::kParts) parts_ = const_i64(1);
  if (form == Form::kParts && !across_) {
    segments_log_ = const_i64(0);
    lanes_log_ = const_i64(kGroupLog);
  }
  if (form == Form::kSingle) lanes_log_ = const_i64(0);
  Code inner(code.program());
  {
    const InKernel inside(kernel_.fn);
    group_body(inner, group, thread, form);
  }
  std::tie(segments_log_, lanes_log_, parts_) = before;
  const int64_t at_once = groups_at_once(form);
  return {group,        thread,         groups,       const_i64(kGroupThreads),
          const_i64(0), inner.finish(), const_i64(0), at_once};
}

// Threads have several neighbouring segments where rows of these are whole sets.
void Rows::launch_across(Code& code) {
  const auto one_by_one = [&](Code& at) {
    plan_lanes(at);
    plan_units(at);
    at.branch(
        at.less_i64(const_i64(1), parts_), [&](Code& here) { launch_parts(here); },
        [&](Code& here) { add_launch(here, launch(here, Form::kLanes)); });
  };
  if (!beside_) return one_by_one(code);
  const std::vector<Operand>& dims = kernel_.facts.dims;
  const Operand beyond = code.binop(BinOpKind::kAnd, dims[dims.size() - 2],
                                    const_i64(beside_->points() - 1), "beyond");
  const Operand even =
      code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, beyond, const_i64(0)}, "even");
  // Short columns have nothing to share out.
  const Operand is_long = code.less_i64(const_i64(kGroupThreads), gpu_.length);
  code.branch(
      code.both(even, is_long, "in_sets"),
      [&](Code& at) {
        each_ = beside_->points();
        plan_lanes(at);
        plan_units(at);
        launch_parts(at);
        each_ = 1;
      },
      one_by_one);
}

void Rows::write(Code& code) {
  gpu_.count_points(code);
  monoids_.make_totals(code);
  const auto with = [&](Form form) {
    return [this, form](Code& at) { add_launch(at, launch(at, form)); };
  };
  // Several kernels: one with parts has barriers that only some groups would need, and PoCL wants
  // all threads to come to each.
  if (across_) {
    launch_across(code);
  } else {
    plan_lanes(code);
    plan_units(code);
    const auto in_warps = [&](Code& at) {
      // One kernel less for the only segment.
      if (kernel_.facts.dims.size() == 1) return with(Form::kLanes)(at);
      at.branch(at.less_i64(const_i64(0), lanes_log_), with(Form::kLanes), with(Form::kSingle));
    };
    code.branch(code.less_i64(lanes_log_, const_i64(kGroupLog)), in_warps,
                [&](Code& at) { launch_parts(at); });
  }
  monoids_.read_totals(code, false);
  monoids_.free_totals(code);
}

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
