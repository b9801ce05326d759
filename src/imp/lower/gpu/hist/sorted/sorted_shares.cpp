// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/hist/sorted/sorted_shares.h"

#include "imp/lower/gpu/hist/group_sum.h"
#include "imp/lower/gpu/irregular/small_ints.h"

namespace skald::imp {

Operand SortedShares::groups(Code& code) const {
  return code.add_i64(points_.plan().units, points_.plan().ranges);
}

void SortedShares::make_room(Code& host) {
  const Operand ranges = points_.plan().ranges;
  const auto room = [&](int64_t value) {
    const Name block = host.alloc(Space::kDevice, host.mul_i64(ranges, const_i64(8)), "ranges");
    host.add(Fill{Prim::kI64, block, const_i64(0), ranges, const_i64(value)});
    return block;
  };
  first_ = room(0);
  last_ = room(-1);
}

void SortedShares::free(Code& host) const {
  for (const Name block : {first_, last_})
    if (block) host.add(Free{block});
}

// Every thread looks at one range.  A range gets a group for each `quota` points, and at least one
// if it has any: never more groups than run at once, as long as there are fewer ranges.
SortedShares::Share SortedShares::find(Code& code, const Launch& launch) const {
  const SortedBinsPlan& plan = points_.plan();
  const Name found =
      code.alloc(Space::kShared, const_i64(3 * int64_t{prim_size(Prim::kI32)}), "share");
  const Name groups = code.var(Prim::kI64, const_i64(0), "groups");
  code.branch(code.less_i64(launch.thread, plan.ranges), [&](Code& at) {
    const Operand size = points_.size(at, launch.thread);
    const Operand some = at.binop(BinOpKind::kQuot, size, plan.quota, "some");
    at.add(Assign{groups, at.max_i64(some, at.min_i64(size, const_i64(1)))});
  });
  code.branch(code.less_i64(launch.thread, const_i64(3)),
              [&](Code& at) { at.add(Store{Prim::kI32, found, launch.thread, const_i32(-1)}); });
  const Operand of = as_small(code, groups);
  // Its barrier comes between the two stores.
  const GroupSum sum = sum_in_group(code, launch.thread, kBinThreads, of);
  const Operand number = small(code, BinOpKind::kSub, as_small(code, launch.group), sum.before);
  const Operand begun = small_less(code, const_i32(-1), number);
  code.branch(code.both(begun, small_less(code, number, of), "counts"), [&](Code& at) {
    at.add(Store{Prim::kI32, found, const_i64(0), as_small(at, launch.thread)});
    at.add(Store{Prim::kI32, found, const_i64(1), number});
    at.add(Store{Prim::kI32, found, const_i64(2), of});
    if (!first_) return;
    at.branch(small_less(at, number, const_i32(1)), [&](Code& in) {
      const Operand last = in.sub_i64(in.add_i64(launch.group, groups), const_i64(1));
      in.add(Store{Prim::kI64, first_, launch.thread, launch.group});
      in.add(Store{Prim::kI64, last_, launch.thread, last});
    });
  });
  code.add(Barrier{});
  const auto get = [&](int64_t k) {
    return as_wide(code, code.load(Prim::kI32, found, const_i64(k), "share"));
  };
  const Operand range = get(0), own = get(1), together = get(2);
  return {code.less_i64(const_i64(-1), range), range, own, together};
}

}  // namespace skald::imp
