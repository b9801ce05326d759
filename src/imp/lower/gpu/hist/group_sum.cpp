// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/hist/group_sum.h"

#include "imp/lower/gpu/fold/tiles/tile_state.h"
#include "imp/lower/gpu/irregular/small_ints.h"

namespace skald::imp {

GroupSum sum_in_group(Code& code, Name thread, int64_t threads, const Operand& own) {
  const int64_t warps = threads / kWarpThreads;
  const Operand lane = lane_of(code, thread), warp = warp_of(code, thread);
  const Name through = code.var(Prim::kI32, own, "through");
  doubling_steps(code, [&](Code& at, const Operand& step) {
    const Operand other = at.shuffle(ShuffleKind::kUp, Prim::kI32, through, step, "other");
    const Operand has = at.less_i64(at.sub_i64(step, const_i64(1)), lane);
    const Operand more = at.let(Prim::kI32, core::Select{has, other, const_i32(0)}, "more");
    at.add(Assign{through, small_sum(at, through, more)});
  });
  const Name of_warps = code.alloc(Space::kShared, const_i64(4 * warps), "of_warps");
  code.branch(equals_i64(code, lane, const_i64(kWarpThreads - 1)),
              [&](Code& at) { at.add(Store{Prim::kI32, of_warps, warp, through}); });
  code.add(Barrier{});
  Operand all = const_i32(0);
  Operand before = small(code, BinOpKind::kSub, through, own);
  for (int64_t other = 0; other < warps; ++other) {
    const Operand sum = code.load(Prim::kI32, of_warps, const_i64(other), "sum");
    const Operand is_before = code.less_i64(const_i64(other), warp);
    const Operand counted =
        code.let(Prim::kI32, core::Select{is_before, sum, const_i32(0)}, "counted");
    before = small_sum(code, before, counted);
    all = small_sum(code, all, sum);
  }
  return {before, all};
}

}  // namespace skald::imp
