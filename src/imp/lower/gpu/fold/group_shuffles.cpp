// SPDX-License-Identifier: Apache-2.0
// Totals of chunks in code that a group runs, combined by shuffles: first in each warp, then each
// thread takes what the warps before its own have.  For operators that cannot fail, because all
// threads come to a shuffle together.
#include "imp/lower/gpu/fold/chunks.h"
#include "imp/lower/gpu/fold/warps.h"
#include "imp/lower/gpu/group.h"

namespace skald::imp {

// Neutral elements for threads that have no chunk.
GpuChunks::Accs GpuChunks::own_totals(Code& code, Name thread, const Operand& active) {
  const Accs accs = monoids_.start_all(code);
  code.branch(active, [&](Code& at) {
    for (size_t m = 0; m < accs.size(); ++m) {
      const std::vector<Operand> own = monoids_.load_values(at, monoids_.all()[m], thread);
      for (size_t v = 0; v < own.size(); ++v) at.add(Assign{accs[m][v], own[v]});
    }
  });
  return accs;
}

// accs = before ∘ accs
void GpuChunks::put_before(Code& code, const Monoid& monoid, const Accumulators& before,
                           const Accumulators& acc) {
  monoids_.combine(code, monoid, before, std::vector<Operand>(acc.begin(), acc.end()));
  for (size_t v = 0; v < acc.size(); ++v) code.add(Assign{acc[v], before[v]});
}

// `reach` threads before this one have chunks of the same segment, and are in its warp.
void GpuChunks::scan_warp(Code& code, const Operand& reach, const Accs& accs) {
  doubling_steps(code, [&](Code& at, const Operand& step) {
    Accs others;
    for (size_t m = 0; m < accs.size(); ++m) {
      others.emplace_back();
      const std::vector<Prim>& types = monoids_.all()[m].types;
      for (size_t v = 0; v < accs[m].size(); ++v) {
        const Operand other = at.shuffle(ShuffleKind::kUp, types[v], accs[m][v], step, "other");
        others[m].push_back(at.var(types[v], other, "acc"));
      }
    }
    at.branch(at.less_i64(at.sub_i64(step, const_i64(1)), reach), [&](Code& here) {
      for (size_t m = 0; m < accs.size(); ++m)
        put_before(here, monoids_.all()[m], others[m], accs[m]);
    });
  });
}

// The last threads of warps that begin before `warp` have their totals.  The first of them is the
// warp in which the segment begins.
void GpuChunks::take_warps_before(Code& code, const Operand& begin, const Operand& warp,
                                  const Accs& accs) {
  const Operand size = const_i64(kWarpThreads);
  const Operand first =
      code.binop(BinOpKind::kOr, begin, const_i64(kWarpThreads - 1), "first_warp");
  for (size_t m = 0; m < accs.size(); ++m) {
    const Monoid& monoid = monoids_.all()[m];
    Accumulators before;
    const std::vector<Operand> values = monoids_.load_values(code, monoid, first);
    for (size_t v = 0; v < values.size(); ++v)
      before.push_back(code.var(monoid.types[v], values[v], "acc"));
    Code each(code.program());
    const Name other = code.fresh("other");
    monoids_.combine(each, monoid, before, monoids_.load_values(each, monoid, other));
    code.add(For{other, Prim::kI64, code.add_i64(first, size), warp, size, each.finish()});
    put_before(code, monoid, before, accs[m]);
  }
}

bool GpuChunks::combine_by_shuffles(Code& code, const Operand& all) {
  if (!kernel_.fn.options.warp_shuffles || operators_may_fail(kernel_)) return false;
  const Name thread = device_.group->thread;
  const Operand active = code.less_i64(thread, all);
  const bool flat = segments_ == Operand{const_i64(1)};
  const Operand chunk =
      flat ? Operand{thread} : code.binop(BinOpKind::kRem, thread, chunks_, "chunk");
  const Operand lane = lane_of(code, thread);
  GroupCode* const group = std::exchange(device_.group, nullptr);
  const Accs accs = own_totals(code, thread, active);
  const auto store = [&](Code& at) {
    for (size_t m = 0; m < accs.size(); ++m)
      monoids_.store_values(at, monoids_.all()[m], thread, accs[m]);
  };
  scan_warp(code, code.min_i64(chunk, lane), accs);
  code.branch(active, store);
  code.add(Barrier{});
  Operand takes = code.both(active, code.less_i64(lane, chunk), "takes");
  if (!rewalk_) {
    const Operand last = equals_i64(code, chunk, code.sub_i64(chunks_, const_i64(1)));
    takes = code.both(takes, last, "takes");
  }
  code.branch(takes, [&](Code& at) {
    const Operand begin = at.sub_i64(thread, chunk);
    take_warps_before(at, begin, at.sub_i64(thread, lane), accs);
  });
  if (rewalk_) code.add(Barrier{});
  code.branch(takes, store);
  code.add(Barrier{});
  device_.group = group;
  totals_in_group(code, active, chunk, code.sub_i64(chunks_, const_i64(1)));
  return true;
}

}  // namespace skald::imp
