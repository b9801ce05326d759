// SPDX-License-Identifier: Apache-2.0
// Threads of a reduction that have several segments: neighbouring ones, whose points are loaded at
// once, or whole short ones.
#include "imp/lower/gpu/fold/rows_writer.h"
#include "imp/lower/gpu/launch.h"

namespace skald::imp {

namespace {

// Segments that are no longer are worked on several at a time.
constexpr int64_t kTinySegment = 4;

}  // namespace

// ---- neighbouring segments of one thread

std::vector<Accumulators> Rows::start_each(Code& code) {
  std::vector<Accumulators> all;
  for (int64_t k = 0; k < each_; ++k)
    for (Accumulators& accs : monoids_.start_all(code)) all.push_back(std::move(accs));
  return all;
}

std::vector<Accumulators> Rows::accs_of(const std::vector<Accumulators>& accs, int64_t k) const {
  const auto count = static_cast<int64_t>(monoids_.all().size());
  return {accs.begin() + k * count, accs.begin() + (k + 1) * count};
}

GpuPoint Rows::point_beside(Code& code, const std::vector<Operand>& outer, const Operand& j,
                            int64_t k) const {
  std::vector<Operand> own = outer;
  own.back() = code.add_i64(own.back(), const_i64(k));
  return point_at(own, j);
}

void Rows::sets_beside(Code& code, int64_t count, const Walk& walk, Name next,
                       const std::vector<Accumulators>& accs) {
  while_there(code, count, walk.step, walk.end, next, [&](Code& inner) {
    beside_->make_room(inner, count);
    const auto place = [&](Code& at, const Operand& set) {
      return at.add_i64(next, at.mul_i64(set, walk.step));
    };
    each_set(inner, count, [&](Code& at, const Operand& set) {
      beside_->load(at, set, point_at(walk.outer, place(at, set)).indices);
    });
    each_set(inner, count, [&](Code& at, const Operand& set) {
      const Operand j = place(at, set);
      for (int64_t k = 0; k < each_; ++k) {
        const GpuPoint point = point_beside(at, walk.outer, j, k);
        add(at, point, beside_->values(at, set, const_i64(k), point.indices), accs_of(accs, k));
      }
    });
  });
}

void Rows::walk_beside(Code& code, const Thread& thread, const std::vector<Accumulators>& accs) {
  const Operand lanes = code.binop(BinOpKind::kShl, const_i64(1), lanes_log_, "lanes");
  const Operand lane = code.add_i64(code.mul_i64(thread.part, lanes), thread.lane);
  const Walk walk = {outer_of(code, thread.segment), lane, gpu_.length,
                     code.mul_i64(lanes, parts_)};
  // Aligned in two rows: in all of them.
  const auto aligned = [&](int64_t j) {
    return beside_->aligned(code, point_at(walk.outer, const_i64(j)).indices);
  };
  const Name next = code.var(Prim::kI64, lane, "next");
  code.branch(code.both(aligned(0), aligned(1), "aligned"), [&](Code& at) {
    if (beside_->sets() > 1) sets_beside(at, beside_->sets(), walk, next, accs);
    sets_beside(at, 1, walk, next, accs);
  });
  while_there(code, 1, walk.step, walk.end, next, [&](Code& inner) {
    for (int64_t k = 0; k < each_; ++k) {
      const GpuPoint point = point_beside(inner, walk.outer, next, k);
      kernel_.point(
          inner, point.indices,
          [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
            add(here, point, values, accs_of(accs, k));
          });
    }
  });
}

// ---- whole segments of one thread

// First the points of all segments, so that their loads are under way together.
void Rows::segments_at_once(Code& code, const Operand& first) {
  std::vector<Operand> segments;
  std::vector<std::vector<Operand>> outer;
  std::vector<std::vector<Accumulators>> accs;
  for (int64_t k = 0; k < segments_of_thread(); ++k) {
    segments.push_back(code.add_i64(first, const_i64(k * kGroupThreads)));
    outer.push_back(outer_of(code, segments.back()));
    accs.push_back(monoids_.start_all(code));
  }
  code.loop(const_i64(0), gpu_.length, [&](Code& at, const Operand& j) {
    std::vector<std::vector<Operand>> values(segments.size());
    for (size_t k = 0; k < segments.size(); ++k)
      kernel_.point(at, point_at(outer[k], j).indices,
                    [&](Code&, const std::vector<Operand>&, const std::vector<Operand>& found) {
                      values[k] = found;
                    });
    for (size_t k = 0; k < segments.size(); ++k) add(at, point_at(outer[k], j), values[k], accs[k]);
  });
  for (size_t k = 0; k < segments.size(); ++k)
    for (size_t m = 0; m < accs[k].size(); ++m)
      monoids_.store_total(code, monoids_.all()[m], segments[k], accs[k][m]);
}

void Rows::single(Code& code, Name group, Name thread) {
  const int64_t each = segments_of_thread();
  const Operand begin = code.mul_i64(group, const_i64(each * kGroupThreads));
  const Operand first = code.add_i64(begin, thread);
  const auto alone = [&](Code& at, const Operand& segment) {
    at.branch(at.less_i64(segment, gpu_.segments), [&](Code& here) {
      const std::vector<Accumulators> accs = monoids_.start_all(here);
      walk(here, {thread, segment, const_i64(0), const_i64(0), core::const_bool(true)}, accs,
           false);
      for (size_t k = 0; k < accs.size(); ++k)
        monoids_.store_total(here, monoids_.all()[k], segment, accs[k]);
    });
  };
  if (each == 1) return alone(code, first);
  const Operand last = code.add_i64(begin, const_i64(each * kGroupThreads - 1));
  // What threads of a group have under way should fit the cache.
  const Operand there = code.less_i64(last, gpu_.segments);
  const Operand fits =
      code.both(there, code.less_i64(gpu_.length, const_i64(kTinySegment + 1)), "fits");
  code.branch(
      fits, [&](Code& at) { segments_at_once(at, first); },
      [&](Code& at) {
        at.loop(
            const_i64(0), const_i64(each * kGroupThreads),
            [&](Code& here, const Operand& k) { alone(here, here.add_i64(first, k)); },
            kGroupThreads, LoopHint::kShort);
      });
}

}  // namespace skald::imp
