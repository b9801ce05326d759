// SPDX-License-Identifier: Apache-2.0
// What a lane of a reduction does.
#include <algorithm>
#include <bit>

#include "imp/lower/gpu/fold/rows_writer.h"
#include "imp/lower/gpu/launch.h"
#include "imp/lower/gpu/private_values.h"

namespace skald::imp {

namespace {

// Points of a lane that are loaded at once.
constexpr int64_t kAtOnce = 8, kFewAtOnce = 2;

Operand low_bits(Code& code, const Operand& number, const Operand& log) {
  const Operand size = code.binop(BinOpKind::kShl, const_i64(1), log, "size");
  return code.binop(BinOpKind::kAnd, number, code.sub_i64(size, const_i64(1)), "low");
}
Operand high_bits(Code& code, const Operand& number, const Operand& log) {
  return code.binop(BinOpKind::kLshr, number, log, "high");
}

}  // namespace

void while_there(Code& code, int64_t count, const Operand& step, const Operand& end, Name next,
                 const std::function<void(Code&)>& body) {
  const Operand far = code.mul_i64(step, const_i64(count - 1));
  const auto there = [&](Code& at) { return at.less_i64(at.add_i64(next, far), end); };
  const Name more = code.var(Prim::kBool, there(code), "more");
  Code inner(code.program());
  body(inner);
  inner.add(Assign{next, inner.add_i64(next, inner.mul_i64(step, const_i64(count)))});
  inner.add(Assign{more, there(inner)});
  code.add(While{more, inner.finish()});
}

Rows::Thread Rows::find_thread(Code& code, Name group, const Operand& unit, Name thread) {
  const Operand first = code.binop(BinOpKind::kShl, unit, segments_log_, "first");
  const Operand within =
      across_ ? low_bits(code, thread, segments_log_) : high_bits(code, thread, lanes_log_);
  Thread here;
  here.number = thread;
  here.lane = across_ ? high_bits(code, thread, segments_log_) : low_bits(code, thread, lanes_log_);
  here.segment = code.mul_i64(code.add_i64(first, within), const_i64(each_));
  here.part = code.sub_i64(group, code.mul_i64(unit, parts_));
  here.active = code.less_i64(here.segment, gpu_.segments);
  return here;
}

std::vector<Operand> Rows::outer_of(Code& code, const Operand& segment) const {
  const std::vector<Operand>& dims = kernel_.facts.dims;
  return unflatten(code, segment, std::vector<Operand>(dims.begin(), dims.end() - 1));
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
void Rows::points_at_once(Code& code, int64_t count, const Walk& walk, Name next,
                          const std::vector<Accumulators>& accs) {
  while_there(code, count, walk.step, walk.end, next, [&](Code& inner) {
    PrivateValues kept(inner, kernel_, count);
    const auto each =
        [&](const std::function<void(Code&, const Operand& k, const GpuPoint&)>& then) {
          inner.loop(
              const_i64(0), const_i64(count),
              [&](Code& at, const Operand& k) {
                const Operand n = at.add_i64(next, at.mul_i64(k, walk.step));
                then(at, k, point_at(walk.outer, walk.index ? walk.index(at, n) : n));
              },
              1, LoopHint::kUnroll);
        };
    each([&](Code& at, const Operand& k, const GpuPoint& point) {
      kernel_.point(at, point.indices,
                    [&](Code& here, const std::vector<Operand>&,
                        const std::vector<Operand>& values) { kept.store(here, k, values); });
    });
    each([&](Code& at, const Operand& k, const GpuPoint& point) {
      add(at, point, kept.load(at, k), accs);
    });
  });
}

void Rows::points(Code& code, const Walk& walk, const std::vector<Accumulators>& accs,
                  const Note& note) {
  const Name next = code.var(Prim::kI64, walk.first, "next");
  if (const int64_t most = PrivateValues::most_points(kernel_, kAtOnce); most > 1) {
    points_at_once(code, most, walk, next, accs);
    // With sets of points, few others are left.
    if (most > kFewAtOnce && !walk.index) points_at_once(code, kFewAtOnce, walk, next, accs);
  }
  const Operand begin = code.let(Prim::kI64, core::Value{next}, "begin");
  const Name n = code.fresh("j");
  Code inner(code.program());
  const Operand j = walk.index ? walk.index(inner, n) : Operand{n};
  if (note) note(inner, j);
  const GpuPoint at = point_at(walk.outer, j);
  kernel_.point(inner, at.indices,
                [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
                  add(here, at, values, accs);
                });
  code.add(For{n, Prim::kI64, begin, walk.end, walk.step, inner.finish(),
               kernel_.facts.straight ? LoopHint::kShort : LoopHint::kNone});
}

void Rows::sets_at_once(Code& code, int64_t count, const Walk& sets, const Operand& head, Name next,
                        const std::vector<Accumulators>& accs) {
  while_there(code, count, sets.step, sets.end, next, [&](Code& inner) {
    wide_.make_room(inner, count);
    const auto first_of = [&](Code& at, const Operand& set) {
      const Operand number = at.add_i64(next, at.mul_i64(set, sets.step));
      return at.add_i64(head, at.mul_i64(number, const_i64(wide_.points())));
    };
    each_set(inner, count, [&](Code& at, const Operand& set) {
      wide_.load(at, set, point_at(sets.outer, first_of(at, set)).indices);
    });
    each_set(inner, count, [&](Code& at, const Operand& set) {
      const Operand first = first_of(at, set);
      at.loop(
          const_i64(0), const_i64(wide_.points()),
          [&](Code& here, const Operand& k) {
            const GpuPoint point = point_at(sets.outer, here.add_i64(first, k));
            add(here, point, wide_.values(here, set, k, point.indices), accs);
          },
          1, LoopHint::kUnroll);
    });
  });
}

Rows::Walk Rows::wide_points(Code& code, const Walk& walk, const std::vector<Accumulators>& accs) {
  const Operand head = wide_.head(code, point_at(walk.outer, const_i64(0)).indices, walk.end);
  const int log = std::countr_zero(static_cast<uint64_t>(wide_.points()));
  const Operand count = high_bits(code, code.sub_i64(walk.end, head), const_i64(log));
  const Name next = code.var(Prim::kI64, walk.first, "next");
  const Walk sets = {walk.outer, walk.first, count, walk.step};
  if (wide_.sets() > 1) sets_at_once(code, wide_.sets(), sets, head, next, accs);
  sets_at_once(code, 1, sets, head, next, accs);
  const Operand inside = code.mul_i64(count, const_i64(wide_.points()));
  Walk rest = {walk.outer, walk.first, code.sub_i64(walk.end, inside), walk.step};
  rest.index = [head, inside](Code& at, const Operand& n) {
    const Operand left_out =
        at.let(Prim::kI64, core::Select{at.less_i64(n, head), const_i64(0), inside}, "left_out");
    return at.add_i64(n, left_out);
  };
  return rest;
}

void Rows::walk(Code& code, const Thread& thread, const std::vector<Accumulators>& accs,
                bool wide) {
  const Operand lanes = code.binop(BinOpKind::kShl, const_i64(1), lanes_log_, "lanes");
  const Operand all = code.mul_i64(lanes, parts_);
  const Operand lane = code.add_i64(code.mul_i64(thread.part, lanes), thread.lane);
  Walk walk = {outer_of(code, thread.segment), lane, gpu_.length, all};
  const Name position = code.var(Prim::kI64, const_i64(0), "position");
  const Operand before = code.mul_i64(thread.segment, gpu_.length);
  Code tried(code.program());
  Note note;
  if (!kernel_.facts.straight)
    note = [&](Code& at, const Operand& j) { at.add(Assign{position, at.add_i64(before, j)}); };
  if (in_turn_) {
    if (wide && wide_.points() > 1) walk = wide_points(tried, walk, accs);
  } else {
    const Operand each = pieces(tried, gpu_.length, all);
    walk.first = tried.min_i64(tried.mul_i64(lane, each), gpu_.length);
    walk.end = tried.min_i64(tried.add_i64(walk.first, each), gpu_.length);
    walk.step = const_i64(1);
  }
  points(tried, walk, accs, note);
  code.add(Attempt{position, tried.finish()});
}

}  // namespace skald::imp
