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
// last, unless the least or greatest is wanted: (before chunk) op ((before group) op x).  So it
// does not matter in which order threads find totals.  Integers have one value for both.
#include "imp/lower/cpu/loops/lanes.h"

#include "imp/lower/cpu/scan/scan.h"

namespace skald::imp {

using core::Operator;
using core::Sink;

namespace {

// Of values of 64 bits.
constexpr int64_t kFewestLanes = 8, kTotalParts = 4;

// One range of points whose groups of lanes are scanned.
class LaneScan {
 public:
  LaneScan(KernelWriter& kernel, Code& code)
      : kernel_(kernel),
        scans_(kernel.facts.operators(Sink::kScan)),
        lanes_(kernel.facts.scan.lane_count) {
    for (const Operator* op : scans_) {
      const auto blocks = [&](std::string_view base) {
        std::vector<Name> made;
        for (size_t v = 0; v < op->neutral.size(); ++v)
          made.push_back(code.alloc(
              Space::kScratch, const_i64(lanes_ * prim_size(op->fn.params[v].type.elem)), base));
        return made;
      };
      earlier_.emplace_back();
      for (int64_t by = 1; by < lanes_; by *= 2) earlier_.back().push_back(blocks("earlier"));
      scanned_.push_back(blocks("scanned"));
      running.push_back(kernel.start(code, *op));
    }
  }

  // The values of scan k at the lane's point, combined with those of the lanes before it.
  std::vector<Operand> scan(Code& code, size_t k, const Operand& lane, std::vector<Operand> x) {
    const Operator& op = *scans_[k];
    int64_t by = 1;
    for (const std::vector<Name>& blocks : earlier_[k]) {
      std::vector<Operand> args;
      for (size_t v = 0; v < x.size(); ++v) {
        const Name before = code.fresh("before");
        code.add(Earlier{before, op.fn.params[v].type.elem, blocks[v], lane, x[v], const_i64(by),
                         kernel_.fn.value(op.neutral[v])});
        args.emplace_back(before);
      }
      args.insert(args.end(), x.begin(), x.end());
      x = kernel_.fn.apply(code, op.fn, args);
      by *= 2;
    }
    store_scanned(code, op, scanned_[k], lane, x);
    return x;
  }

  // What the groups come to, when one has been scanned.
  void end_group(Code& code) {
    for (size_t k = 0; k < scans_.size(); ++k)
      kernel_.combine(code, *scans_[k], running[k],
                      load_scanned(code, *scans_[k], scanned_[k], const_i64(lanes_ - 1)));
  }

  // left op right
  std::vector<Operand> both(Code& code, size_t k, std::vector<Operand> left,
                            const std::vector<Operand>& right) {
    left.insert(left.end(), right.begin(), right.end());
    return kernel_.fn.apply(code, scans_[k]->fn, left);
  }

  // All whole groups of lanes: `point` for each lane, with the number of its point.
  void groups(Code& code, const Operand& begin, const Operand& whole,
              const std::function<void(Code&, const Operand& i, const Operand& lane)>& point) {
    code.loop(
        begin, whole,
        [&](Code& group, const Operand& first) {
          group.loop(
              const_i64(0), const_i64(lanes_),
              [&](Code& at, const Operand& lane) { point(at, at.add_i64(first, lane), lane); }, 1,
              LoopHint::kSimd);
          end_group(group);
        },
        lanes_);
  }

  std::vector<Accumulators> running;

 private:
  KernelWriter& kernel_;
  const std::vector<const Operator*> scans_;
  const int64_t lanes_;
  // By scan, step and value: what the values of the lanes go through; and the groups' own values.
  std::vector<std::vector<std::vector<Name>>> earlier_;
  std::vector<std::vector<Name>> scanned_;
};

// Where whole groups of `count` points end.
Operand end_of_groups(Code& code, const Operand& begin, const Operand& end, int64_t count) {
  const Operand rest =
      code.binop(BinOpKind::kAnd, code.sub_i64(end, begin), const_i64(count - 1), "rest");
  return code.sub_i64(end, rest);
}

void totals_in_parts(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
                     const Operand& begin, const Operand& whole,
                     const std::vector<Accumulators>& accs) {
  const Operand part =
      code.binop(BinOpKind::kQuot, code.sub_i64(whole, begin), const_i64(kTotalParts), "part");
  std::vector<std::vector<Accumulators>> parts = {accs};
  for (int64_t s = 1; s < kTotalParts; ++s) parts.push_back(kernel.start_all(code, Sink::kScan));
  code.loop(const_i64(0), part, [&](Code& at, const Operand& i) {
    for (size_t s = 0; s < parts.size(); ++s) {
      std::vector<Operand> indices = outer;
      const Operand first = at.mul_i64(part, const_i64(static_cast<int64_t>(s)));
      indices.push_back(at.add_i64(at.add_i64(begin, i), first));
      scan_point(kernel, at, indices, parts[s], false);
    }
  });
  const std::vector<const Operator*> scans = kernel.facts.operators(Sink::kScan);
  for (size_t s = 1; s < parts.size(); ++s)
    for (size_t k = 0; k < scans.size(); ++k)
      kernel.combine(code, *scans[k], accs[k], {parts[s][k].begin(), parts[s][k].end()});
}

}  // namespace

void lane_totals(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
                 const Operand& begin, const Operand& end, const std::vector<Accumulators>& accs) {
  const int64_t lanes = kernel.facts.scan.lane_count;
  // Few lanes: several parts side by side are as quick, and the association of integers does not
  // matter.
  const bool in_parts = lanes == kFewestLanes && !kernel.facts.scan.floats;
  const Operand whole = end_of_groups(code, begin, end, in_parts ? kTotalParts : lanes);
  if (in_parts) {
    totals_in_parts(kernel, code, outer, begin, whole, accs);
  } else {
    LaneScan steps(kernel, code);
    steps.running = accs;
    steps.groups(code, begin, whole, [&](Code& at, const Operand& i, const Operand& lane) {
      const auto scan = [&](Code& here, const std::vector<Operand>&,
                            const std::vector<Operand>& values) {
        size_t k = 0;
        for (const SinkInfo& info : kernel.facts.sinks)
          if (info.sink->kind == Sink::kScan)
            steps.scan(here, k++, lane, kernel.sink_values(info, values));
      };
      kernel.point(at, outer, i, scan);
    });
  }
  code.short_loop(whole, end, [&](Code& at, const Operand& i) {
    std::vector<Operand> indices = outer;
    indices.push_back(i);
    scan_point(kernel, at, indices, accs, false);
  });
}

namespace {

// The scan of a range, with all that becomes of its points.
class LaneScanWriter {
 public:
  LaneScanWriter(KernelWriter& kernel, Code& code, const std::vector<std::vector<Name>>& carry,
                 const std::vector<Accumulators>& reduced)
      : kernel_(kernel),
        scans_(kernel.facts.operators(Sink::kScan)),
        reductions_(kernel.facts.sinks_of(Sink::kReduce)),
        carry_(carry),
        reduced_(reduced),
        steps_(kernel, code),
        apart_(kernel.facts.scan.floats) {}

  void write(Code& code, const std::vector<Operand>& outer, const Operand& begin,
             const Operand& end, const Operand& whole) {
    for (size_t k = 0; k < scans_.size(); ++k) {
      before_.push_back(load_scanned(code, *scans_[k], carry_[k], const_i64(0)));
      for (size_t v = 0; v < before_[k].size() && !apart_; ++v)
        code.add(Assign{steps_.running[k][v], before_[k][v]});
    }
    const int64_t lanes = kernel_.facts.scan.lane_count;
    sums_ = start_lanes(kernel_, code, reductions_, lanes);
    steps_.groups(code, begin, whole, [&](Code& at, const Operand& i, const Operand& lane) {
      kernel_.point(
          at, outer, i,
          [&](Code& here, const std::vector<Operand>& indices, const std::vector<Operand>& values) {
            point_in_lane(here, lane, indices, values);
          });
    });
    combine_lanes(kernel_, code, sums_, reductions_.empty() ? 0 : lanes, reduced_);
    code.short_loop(whole, end, [&](Code& at, const Operand& i) {
      kernel_.point(at, outer, i,
                    [&](Code& here, const std::vector<Operand>& indices,
                        const std::vector<Operand>& values) { last_point(here, indices, values); });
    });
    keep_carry(code);
  }

 private:
  using Values = std::vector<Operand>;

  // What becomes of a point when its scanned values are known; gives what is reduced.
  std::vector<Values> give(Code& code, const Values& indices, const Values& values,
                           Values outputs) {
    for (const SinkInfo& info : kernel_.facts.sinks) {
      if (info.sink->kind == Sink::kScatter && !info.sink->late)
        kernel_.scatter_sink(code, info, values);
      if (info.sink->kind == Sink::kOut)
        for (const Operand& value : kernel_.sink_values(info, values)) outputs.push_back(value);
    }
    outputs = scan_outputs(kernel_, code, indices, std::move(outputs));
    std::vector<Values> given;
    for (const SinkInfo& info : reductions_)
      given.push_back(kernel_.sink_values(info, info.sink->late ? outputs : values));
    return given;
  }

  void point_in_lane(Code& code, const Operand& lane, const Values& indices, const Values& values) {
    Values outputs;
    size_t k = 0;
    for (const SinkInfo& info : kernel_.facts.sinks) {
      if (info.sink->kind != Sink::kScan) continue;
      Values x = steps_.scan(code, k, lane, kernel_.sink_values(info, values));
      const Accumulators& running = steps_.running[k];
      x = steps_.both(code, k, {running.begin(), running.end()}, x);
      if (apart_) x = steps_.both(code, k, before_[k], x);
      outputs.insert(outputs.end(), x.begin(), x.end());
      ++k;
    }
    const std::vector<Values> given = give(code, indices, values, std::move(outputs));
    for (size_t r = 0; r < given.size(); ++r) feed_lane(kernel_, code, sums_, r, lane, given[r]);
  }

  void last_point(Code& code, const Values& indices, const Values& values) {
    Values outputs;
    size_t k = 0;
    for (const SinkInfo& info : kernel_.facts.sinks) {
      if (info.sink->kind != Sink::kScan) continue;
      const Accumulators& running = steps_.running[k];
      kernel_.combine(code, *scans_[k], running, kernel_.sink_values(info, values));
      Values x;
      for (size_t v = 0; v < running.size(); ++v)
        x.push_back(
            code.let(scans_[k]->fn.params[v].type.elem, core::Value{running[v]}, "scanned"));
      if (apart_) x = steps_.both(code, k, before_[k], x);
      outputs.insert(outputs.end(), x.begin(), x.end());
      ++k;
    }
    const std::vector<Values> given = give(code, indices, values, std::move(outputs));
    for (size_t r = 0; r < given.size(); ++r)
      kernel_.combine(code, reductions_[r].sink->op[0], reduced_[r], given[r]);
  }

  void keep_carry(Code& code) {
    for (size_t k = 0; k < scans_.size(); ++k) {
      Values last(steps_.running[k].begin(), steps_.running[k].end());
      if (apart_) {
        // As if the total had been found before.
        const Accumulators total = kernel_.start(code, *scans_[k]);
        kernel_.combine(code, *scans_[k], total, last);
        last = steps_.both(code, k, before_[k], {total.begin(), total.end()});
      }
      store_scanned(code, *scans_[k], carry_[k], const_i64(0), last);
    }
  }

  KernelWriter& kernel_;
  const std::vector<const Operator*> scans_;
  const std::vector<SinkInfo> reductions_;
  const std::vector<std::vector<Name>>& carry_;
  const std::vector<Accumulators>& reduced_;
  LaneScan steps_;
  const bool apart_;            // is what comes before the range combined last?
  std::vector<Values> before_;  // that, by scan
  Lanes sums_;                  // of the reductions
};

}  // namespace

void scan_in_lanes(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
                   const Operand& begin, const Operand& end,
                   const std::vector<std::vector<Name>>& carry,
                   const std::vector<Accumulators>& reduced) {
  const Operand whole = end_of_groups(code, begin, end, kernel.facts.scan.lane_count);
  LaneScanWriter(kernel, code, carry, reduced).write(code, outer, begin, end, whole);
}

}  // namespace skald::imp
