// SPDX-License-Identifier: Apache-2.0
// Scans by operators that are more than one instruction, such as those of pairs of a flag and a
// value, in the lanes of one `simd for` that also computes the points and what is done with them:
//
//   x                a    b    c    d
//   1 place before   a    ab   bc   cd      x = op(earlier(x, 1), x)
//   2 places before  a    ab   abc  abcd    x = op(earlier(x, 2), x)
//
// Each group of lanes is scanned by itself so; `running` is what the groups before it come to.
// What comes before a chunk is not known when its total is computed, so floats are combined with it
// last: (before chunk) op ((before group) op x).  So it does not matter in which order threads find
// totals.  Integers have one value for both.
#include "imp/lower/cpu/kernel/kernel_lowering.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

// Of values of 64 bits.
constexpr int64_t kFewestLanes = 8, kTotalParts = 4;

}  // namespace

// By scan, step and value: what the values of the lanes go through.
KernelLowering::ScanSteps KernelLowering::start_scan_steps(Code& code) {
  ScanSteps steps;
  const int64_t lanes = scan_lane_count();
  for (const Operator* op : operators(Sink::kScan)) {
    const auto blocks = [&](std::string_view base) {
      std::vector<Name> made;
      for (size_t v = 0; v < op->neutral.size(); ++v)
        made.push_back(code.alloc(Space::kScratch,
                                  const_i64(lanes * prim_size(op->fn.params[v].type.elem)), base));
      return made;
    };
    steps.earlier.emplace_back();
    for (int64_t by = 1; by < lanes; by *= 2) steps.earlier.back().push_back(blocks("earlier"));
    steps.scanned.push_back(blocks("scanned"));
    steps.running.push_back(start(code, *op));
  }
  return steps;
}

// The values of scan k at the lane's point, combined with those of the lanes before it.
std::vector<Operand> KernelLowering::scan_lane(Code& code, const ScanSteps& steps, size_t k,
                                               const Operand& lane, std::vector<Operand> x) {
  const Operator& op = *operators(Sink::kScan)[k];
  int64_t by = 1;
  for (const std::vector<Name>& blocks : steps.earlier[k]) {
    std::vector<Operand> args;
    for (size_t v = 0; v < x.size(); ++v) {
      const Name before = code.fresh("before");
      code.add(Earlier{before, op.fn.params[v].type.elem, blocks[v], lane, x[v], const_i64(by),
                       fn_.value(op.neutral[v])});
      args.emplace_back(before);
    }
    args.insert(args.end(), x.begin(), x.end());
    x = fn_.apply(code, op.fn, args);
    by *= 2;
  }
  for (size_t v = 0; v < x.size(); ++v)
    code.add(Store{op.fn.params[v].type.elem, steps.scanned[k][v], lane, x[v]});
  return x;
}

// What the groups come to, when one has been scanned.
void KernelLowering::end_scan_group(Code& code, const ScanSteps& steps) {
  const std::vector<const Operator*> scans = operators(Sink::kScan);
  for (size_t k = 0; k < scans.size(); ++k) {
    const std::vector<Operand> total =
        load_scanned(code, *scans[k], steps.scanned[k], const_i64(scan_lane_count() - 1));
    combine(code, *scans[k], steps.running[k], total);
  }
}

void KernelLowering::lane_totals(Code& code, const std::vector<Operand>& outer,
                                 const Operand& begin, const Operand& end,
                                 const std::vector<Accumulators>& accs) {
  const int64_t lanes = scan_lane_count();
  // Few lanes: several parts side by side are as quick, and the association of integers does not
  // matter.
  const bool in_parts = lanes == kFewestLanes && !scans_floats();
  const int64_t at_once = in_parts ? kTotalParts : lanes;
  const Operand rest =
      code.binop(BinOpKind::kAnd, code.sub_i64(end, begin), const_i64(at_once - 1), "rest");
  const Operand whole = code.sub_i64(end, rest);
  const auto one_by_one = [&](const Operand& from) {
    code.short_loop(from, end, [&](Code& at, const Operand& i) {
      std::vector<Operand> indices = outer;
      indices.push_back(i);
      scan_point(at, indices, accs, false);
    });
  };
  if (in_parts) {
    const Operand part =
        code.binop(BinOpKind::kQuot, code.sub_i64(whole, begin), const_i64(kTotalParts), "part");
    std::vector<std::vector<Accumulators>> parts = {accs};
    for (int64_t s = 1; s < kTotalParts; ++s) parts.push_back(start_all(code, Sink::kScan));
    code.loop(const_i64(0), part, [&](Code& at, const Operand& i) {
      for (size_t s = 0; s < parts.size(); ++s) {
        std::vector<Operand> indices = outer;
        const Operand first = at.mul_i64(part, const_i64(static_cast<int64_t>(s)));
        indices.push_back(at.add_i64(at.add_i64(begin, i), first));
        scan_point(at, indices, parts[s], false);
      }
    });
    const std::vector<const Operator*> scans = operators(Sink::kScan);
    for (size_t s = 1; s < parts.size(); ++s)
      for (size_t k = 0; k < scans.size(); ++k)
        combine(code, *scans[k], accs[k], {parts[s][k].begin(), parts[s][k].end()});
    return one_by_one(whole);
  }
  ScanSteps steps = start_scan_steps(code);
  steps.running = accs;
  const auto at_point = [&](Code& at, const Operand& i, const PointBody& then) {
    std::vector<Operand> indices = outer;
    indices.push_back(i);
    point(at, indices, then);
  };
  code.loop(
      begin, whole,
      [&](Code& group, const Operand& first) {
        group.loop(
            const_i64(0), const_i64(lanes),
            [&](Code& at, const Operand& lane) {
              at_point(
                  at, at.add_i64(first, lane),
                  [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
                    size_t k = 0;
                    for (const SinkInfo& info : sinks_)
                      if (info.sink->kind == Sink::kScan)
                        scan_lane(here, steps, k++, lane, sink_values(info, values));
                  });
            },
            1, LoopHint::kSimd);
        end_scan_group(group, steps);
      },
      lanes);
  one_by_one(whole);
}

void KernelLowering::scan_in_lanes(Code& code, const std::vector<Operand>& outer,
                                   const Operand& begin, const Operand& end,
                                   const std::vector<std::vector<Name>>& carry,
                                   const std::vector<Accumulators>& reduced) {
  const std::vector<const Operator*> scans = operators(Sink::kScan);
  const int64_t lanes = scan_lane_count();
  const bool apart = scans_floats();
  const Operand rest =
      code.binop(BinOpKind::kAnd, code.sub_i64(end, begin), const_i64(lanes - 1), "rest");
  const Operand whole = code.sub_i64(end, rest);
  ScanSteps steps = start_scan_steps(code);
  std::vector<std::vector<Operand>> before;
  for (size_t k = 0; k < scans.size(); ++k) {
    before.push_back(load_scanned(code, *scans[k], carry[k], const_i64(0)));
    for (size_t v = 0; v < before[k].size() && !apart; ++v)
      code.add(Assign{steps.running[k][v], before[k][v]});
  }
  std::vector<SinkInfo> reductions;
  for (const SinkInfo& info : sinks_)
    if (info.sink->kind == Sink::kReduce) reductions.push_back(info);
  laned_ = reductions;
  const Lanes sums = start_lanes(code, lanes);
  const auto both = [&](Code& at, size_t k, std::vector<Operand> left,
                        const std::vector<Operand>& right) {
    left.insert(left.end(), right.begin(), right.end());
    return fn_.apply(at, scans[k]->fn, left);
  };
  // What becomes of a point when its scanned values are known; gives what is reduced.
  const auto give = [&](Code& at, const std::vector<Operand>& indices,
                        const std::vector<Operand>& values, std::vector<Operand> outputs) {
    for (const SinkInfo& info : sinks_) {
      if (info.sink->kind == Sink::kScatter && !info.sink->late) scatter_sink(at, info, values);
      if (info.sink->kind == Sink::kOut)
        for (const Operand& value : sink_values(info, values)) outputs.push_back(value);
    }
    outputs = scan_outputs(at, indices, std::move(outputs));
    std::vector<std::vector<Operand>> given;
    for (const SinkInfo& info : reductions)
      given.push_back(sink_values(info, info.sink->late ? outputs : values));
    return given;
  };
  const auto point_at = [&](Code& at, const Operand& i, const PointBody& then) {
    std::vector<Operand> indices = outer;
    indices.push_back(i);
    point(at, indices, then);
  };
  code.loop(
      begin, whole,
      [&](Code& group, const Operand& first) {
        group.loop(
            const_i64(0), const_i64(lanes),
            [&](Code& at, const Operand& lane) {
              point_at(at, at.add_i64(first, lane),
                       [&](Code& here, const std::vector<Operand>& indices,
                           const std::vector<Operand>& values) {
                         std::vector<Operand> outputs;
                         size_t k = 0;
                         for (const SinkInfo& info : sinks_) {
                           if (info.sink->kind != Sink::kScan) continue;
                           std::vector<Operand> x =
                               scan_lane(here, steps, k, lane, sink_values(info, values));
                           const Accumulators& running = steps.running[k];
                           x = both(here, k, {running.begin(), running.end()}, x);
                           if (apart) x = both(here, k, before[k], x);
                           outputs.insert(outputs.end(), x.begin(), x.end());
                           ++k;
                         }
                         const auto given = give(here, indices, values, std::move(outputs));
                         for (size_t r = 0; r < given.size(); ++r) {
                           const Operator& op = reductions[r].sink->op[0];
                           std::vector<Operand> args = load_lane(here, sums, r, lane);
                           args.insert(args.end(), given[r].begin(), given[r].end());
                           const std::vector<Operand> next = fn_.apply(here, op.fn, args);
                           for (size_t v = 0; v < next.size(); ++v)
                             here.add(Store{op.fn.params[v].type.elem, sums[r][v], lane, next[v]});
                         }
                       });
            },
            1, LoopHint::kSimd);
        end_scan_group(group, steps);
      },
      lanes);
  code.short_loop(
      const_i64(0), const_i64(reductions.empty() ? 0 : lanes), [&](Code& at, const Operand& lane) {
        for (size_t r = 0; r < reductions.size(); ++r)
          combine(at, reductions[r].sink->op[0], reduced[r], load_lane(at, sums, r, lane));
      });
  code.short_loop(whole, end, [&](Code& at, const Operand& i) {
    point_at(
        at, i,
        [&](Code& here, const std::vector<Operand>& indices, const std::vector<Operand>& values) {
          std::vector<Operand> outputs;
          size_t k = 0;
          for (const SinkInfo& info : sinks_) {
            if (info.sink->kind != Sink::kScan) continue;
            const Accumulators& running = steps.running[k];
            combine(here, *scans[k], running, sink_values(info, values));
            std::vector<Operand> x;
            for (size_t v = 0; v < running.size(); ++v)
              x.push_back(
                  here.let(scans[k]->fn.params[v].type.elem, core::Value{running[v]}, "scanned"));
            if (apart) x = both(here, k, before[k], x);
            outputs.insert(outputs.end(), x.begin(), x.end());
            ++k;
          }
          const auto given = give(here, indices, values, std::move(outputs));
          for (size_t r = 0; r < given.size(); ++r)
            combine(here, reductions[r].sink->op[0], reduced[r], given[r]);
        });
  });
  for (size_t k = 0; k < scans.size(); ++k) {
    std::vector<Operand> last(steps.running[k].begin(), steps.running[k].end());
    if (apart) {
      // As if the total had been found before.
      const Accumulators total = start(code, *scans[k]);
      combine(code, *scans[k], total, last);
      last = both(code, k, before[k], {total.begin(), total.end()});
    }
    for (size_t v = 0; v < last.size(); ++v)
      code.add(Store{scans[k]->fn.params[v].type.elem, carry[k][v], const_i64(0), last[v]});
  }
}

}  // namespace skald::imp
