// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/irregular/shares.h"

#include "imp/lower/gpu/device_numbers.h"
#include "imp/lower/gpu/irregular/small_ints.h"

namespace skald::imp {

namespace {

// So many groups for each multiprocessor keep it busy, also while the slowest of them end.
constexpr int64_t kSharesOfUnit = 16;
// Half of the threads look for where a share begins, the others for where it ends.
constexpr int64_t kSeekers = kGroupThreads / 2;

}  // namespace

// How many points there are may be known to the device alone: the count does not depend on it, so
// that the host need not wait.
void SegmentShares::plan(Code& host) {
  items_ = host.add_i64(gpu_.segments, gpu_.total);
  count_ = host.mul_i64(compute_units(host), const_i64(kSharesOfUnit));
}

void SegmentShares::leave_none_empty(Code& host, int64_t tile_points) {
  count_ = host.min_i64(count_, pieces(host, items_, const_i64(tile_points)));
}

// share * items / count, without a product of large numbers.
Operand SegmentShares::first_item(Code& code, const Operand& share) {
  const Operand each = code.binop(BinOpKind::kQuot, items_, count_, "each");
  const Operand rest = code.sub_i64(items_, code.mul_i64(each, count_));
  const Operand whole = code.mul_i64(share, each);
  return code.add_i64(whole, code.min_i64(share, rest));
}

// How many segments end before an item: every round the threads ask at as many places, the same
// distance apart, and the next round is about what lies between two of them.
SegmentShares::Bounds SegmentShares::find(Code& code, Name thread, const Operand& share) {
  const Name answers = code.alloc(Space::kShared, const_i64(4 * (kGroupThreads + 2)), "answers");
  const Name found = code.alloc(Space::kShared, const_i64(int64_t{2} * 8), "found");
  const Operand which = code.binop(BinOpKind::kQuot, thread, const_i64(kSeekers), "which");
  const Operand seeker = code.sub_i64(thread, code.mul_i64(which, const_i64(kSeekers)));
  const Operand item = first_item(code, code.add_i64(share, which));
  const Name low =
      code.var(Prim::kI64, code.max_i64(const_i64(0), code.sub_i64(item, gpu_.total)), "low");
  const Name high = code.var(Prim::kI64, code.min_i64(item, gpu_.segments), "high");
  // How far apart the two may be, the same for all threads.
  const Name apart = code.var(Prim::kI64, gpu_.segments, "apart");
  const auto differ = [&](Code& at) { return at.less_i64(const_i64(0), apart); };
  const Name more = code.var(Prim::kBool, differ(code), "more");
  // Behind the answers of each half there is a no.
  const Operand place = code.add_i64(thread, which);
  code.branch(code.less_i64(thread, const_i64(2)), [&](Code& at) {
    const Operand end =
        at.add_i64(at.mul_i64(thread, const_i64(kSeekers + 1)), const_i64(kSeekers));
    at.add(Store{Prim::kI32, answers, end, const_i32(0)});
  });
  Code round(code.program());
  const Operand step = pieces(round, round.sub_i64(high, low), const_i64(kSeekers));
  const Operand probe = round.add_i64(low, round.mul_i64(seeker, step));
  const Name answer = round.var(Prim::kI32, const_i32(0), "answer");
  round.branch(round.less_i64(probe, high), [&](Code& at) {
    const Operand end = gpu_.offset(at, at.add_i64(probe, const_i64(1)));
    const Operand before = at.less_i64(at.add_i64(end, probe), item);
    at.branch(before, [&](Code& here) { here.add(Assign{answer, const_i32(1)}); });
  });
  round.add(Store{Prim::kI32, answers, place, answer});
  round.branch(round.less_i64(seeker, const_i64(1)),
               [&](Code& at) { at.add(Store{Prim::kI64, found, which, const_i64(0)}); });
  round.add(Barrier{});
  const Operand next = round.load(Prim::kI32, answers, round.add_i64(place, const_i64(1)), "next");
  // The answers are yes up to some place.
  const Operand says_yes = small_equals(round, answer, 1);
  round.branch(round.both(says_yes, small_equals(round, next, 0), "last"), [&](Code& at) {
    at.add(Store{Prim::kI64, found, which, at.add_i64(seeker, const_i64(1))});
  });
  round.add(Barrier{});
  const Operand yes = round.load(Prim::kI64, found, which, "yes");
  const Operand beyond = round.add_i64(low, round.mul_i64(yes, step));
  round.add(Assign{high, round.min_i64(high, beyond)});
  round.branch(round.less_i64(const_i64(0), yes), [&](Code& at) {
    at.add(Assign{low, at.add_i64(at.sub_i64(beyond, step), const_i64(1))});
  });
  round.add(Assign{apart, round.binop(BinOpKind::kQuot, round.sub_i64(apart, const_i64(1)),
                                      const_i64(kSeekers), "apart")});
  round.add(Assign{more, differ(round)});
  round.add(Barrier{});
  code.add(While{more, round.finish()});
  code.branch(code.less_i64(seeker, const_i64(1)),
              [&](Code& at) { at.add(Store{Prim::kI64, found, which, low}); });
  code.add(Barrier{});
  const Operand first = code.load(Prim::kI64, found, const_i64(0), "first");
  const Operand last = code.load(Prim::kI64, found, const_i64(1), "last");
  return {first, code.sub_i64(first_item(code, share), first), last,
          code.sub_i64(first_item(code, code.add_i64(share, const_i64(1))), last)};
}

}  // namespace skald::imp
