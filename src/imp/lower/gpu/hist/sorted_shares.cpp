// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/hist/sorted_shares.h"

namespace skald::imp {

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

Operand SortedShares::numbers(Code& code) const {
  return code.add_i64(points_.plan().groups, points_.plan().ranges);
}

// Where the points of each range end, in the order of ranges.
Name SortedShares::find_ends(Code& code, const Launch& launch) const {
  const Operand ranges = points_.plan().ranges;
  const auto room = [&] { return code.alloc(Space::kShared, const_i64(kMostRanges * 8), "ends"); };
  const Name sizes = room(), ends = room();
  code.branch(code.less_i64(launch.thread, ranges), [&](Code& at) {
    at.add(Store{Prim::kI64, sizes, launch.thread, points_.size(at, launch.thread)});
  });
  code.add(Barrier{});
  code.branch(code.less_i64(launch.thread, ranges), [&](Code& at) {
    const Name sum = at.var(Prim::kI64, const_i64(0), "sum");
    at.loop(const_i64(0), at.add_i64(launch.thread, const_i64(1)), [&](Code& in, const Operand& k) {
      in.add(Assign{sum, in.add_i64(sum, in.load(Prim::kI64, sizes, k, "size"))});
    });
    at.add(Store{Prim::kI64, ends, launch.thread, sum});
  });
  code.add(Barrier{});
  return ends;
}

void SortedShares::note(Code& code, const Launch& launch, const Share& share, const Operand& begins,
                        const Operand& ends) const {
  if (!first_) return;
  code.branch(code.less_i64(launch.thread, const_i64(1)), [&](Code& leader) {
    leader.branch(begins,
                  [&](Code& at) { at.add(Store{Prim::kI64, first_, share.range, share.number}); });
    leader.branch(ends,
                  [&](Code& at) { at.add(Store{Prim::kI64, last_, share.range, share.number}); });
  });
}

void SortedShares::each_range(Code& code, const Launch& launch,
                              const std::function<void(Code&, const Share&)>& body) const {
  const SortedBinsPlan& plan = points_.plan();
  const Name ends = find_ends(code, launch);
  const Operand all = code.load(Prim::kI64, ends, code.sub_i64(plan.ranges, const_i64(1)), "all");
  const Operand quota =
      code.add_i64(code.binop(BinOpKind::kQuot, all, plan.groups, "quota"), const_i64(1));
  const Operand begin = code.mul_i64(launch.group, quota);
  const Operand end = code.min_i64(code.add_i64(begin, quota), all);
  code.loop(const_i64(0), plan.ranges, [&](Code& ranges, const Operand& range) {
    const Operand after = ranges.load(Prim::kI64, ends, range, "after");
    const Name before = ranges.var(Prim::kI64, const_i64(0), "before");
    ranges.branch(ranges.less_i64(const_i64(0), range), [&](Code& at) {
      at.add(Assign{before, at.load(Prim::kI64, ends, at.sub_i64(range, const_i64(1)), "end")});
    });
    const Operand from = ranges.max_i64(ranges.sub_i64(begin, before), const_i64(0));
    const Operand size = ranges.sub_i64(after, before);
    const Operand to = ranges.min_i64(ranges.sub_i64(end, before), size);
    ranges.branch(ranges.less_i64(from, to), [&](Code& at) {
      const auto tile = [&](const Operand& point) {
        return at.binop(BinOpKind::kQuot, at.mul_i64(point, plan.tiles), size, "tile");
      };
      const Operand number = at.add_i64(launch.group, range);
      const Operand first = tile(from), last = tile(to);
      const Share share{range, number, first, last};
      const Operand begins = at.less_i64(from, const_i64(1));
      const Operand ends_here = at.less_i64(at.sub_i64(size, const_i64(1)), to);
      note(at, launch, share, begins, ends_here);
      body(at, share);
    });
  });
}

}  // namespace skald::imp
