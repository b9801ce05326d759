// SPDX-License-Identifier: Apache-2.0
// Are the bins of points that follow each other in a cache already, although all bins together are
// not? Sorted keys are like that, keys that use few of the bins, and those of which few are used
// often.
//
// Some thousand points, in runs of neighbours from all over the input, go through a model of a
// cache; it knows which line each of its places holds.  The first half fills it, the second half
// counts.
#include <bit>

#include "imp/lower/cpu/hist/hist.h"

namespace skald::imp {

namespace {

constexpr int64_t kBytesOfLine = 64, kModelLines = 1 << 14;
constexpr int64_t kRuns = 512, kRunPoints = 64, kCounted = kRuns / 2 * kRunPoints;
constexpr int64_t kWhole = 1024;
// Spreads lines over the places of the model; an odd number, and which of its bits are taken.
constexpr int64_t kSpread = 0x9e3779b1, kSpreadShift = 12;

}  // namespace

bool can_sample_keys(const KernelWriter& kernel, const SinkInfo& info) {
  return kernel.facts.dims.size() == 1 && kernel.facts.scalar_code &&
         info.sink->shape.size() == 1 && info.writes == 1;
}

Operand near_keys(KernelWriter& kernel, Code& code, const SinkInfo& info, const Operand& total) {
  const Name lines = code.alloc(Space::kScratch, const_i64(8 * kModelLines), "lines");
  code.add(Fill{Prim::kI64, lines, const_i64(0), const_i64(kModelLines), const_i64(-1)});
  const Name found = code.var(Prim::kI64, const_i64(0), "found");
  const Operand step = code.binop(BinOpKind::kQuot, total, const_i64(kRuns), "step");
  const int64_t bytes = bin_bytes(kernel, info);
  const auto look = [&](Code& at, const Operand& run, const Operand& i) {
    const std::vector<Operand> bin = bin_of(info, kernel.fn.apply(at, kernel.node.pull, {i}));
    const Operand line = at.binop(BinOpKind::kAshr, at.mul_i64(bin[0], const_i64(bytes)),
                                  const_i64(std::countr_zero(uint64_t{kBytesOfLine})), "line");
    const Operand spread = at.binop(BinOpKind::kAshr, at.mul_i64(line, const_i64(kSpread)),
                                    const_i64(kSpreadShift), "spread");
    const Operand place = at.binop(BinOpKind::kAnd, spread, const_i64(kModelLines - 1), "place");
    const Operand held = at.load(Prim::kI64, lines, place, "held");
    at.add(Store{Prim::kI64, lines, place, line});
    const Operand same =
        at.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, held, line}, "same");
    // Points outside cost nothing.
    const Operand hit =
        at.let(Prim::kBool,
               core::Select{kernel.in_bounds(at, bin, info), same, core::const_bool(true)}, "hit");
    const Operand counts = at.both(hit, at.less_i64(const_i64(kRuns / 2 - 1), run), "counts");
    const Operand more =
        at.let(Prim::kI64, core::Select{counts, const_i64(1), const_i64(0)}, "more");
    at.add(Assign{found, at.add_i64(found, more)});
  };
  code.short_loop(const_i64(0), const_i64(kRuns), [&](Code& of_run, const Operand& run) {
    const Operand first = of_run.mul_i64(run, step);
    of_run.short_loop(const_i64(0), const_i64(kRunPoints),
                      [&](Code& at, const Operand& k) { look(at, run, at.add_i64(first, k)); });
  });
  static_assert(kCounted % kWhole == 0);
  return code.binop(BinOpKind::kQuot, found, const_i64(kCounted / kWhole), "near");
}

}  // namespace skald::imp
