// SPDX-License-Identifier: Apache-2.0
// Are the bins of points that follow each other in a cache already, although all bins together are
// not? Sorted keys are like that, keys that use few of the bins, and those of which few are used
// often.
//
// Some thousand points, in runs of neighbours from all over the input, go through models of the
// second cache and of the pages whose addresses are at hand; each knows which line or page each of
// its places holds.  The first half fills them, the second half counts.
#include <algorithm>
#include <bit>

#include "imp/lower/cpu/hist/plan.h"

namespace skald::imp {

namespace {

constexpr int64_t kBytesOfLine = 64, kModelLines = 1 << 14;
constexpr int64_t kBytesOfPage = 4096, kModelPages = 1 << 11;
constexpr int64_t kRuns = 512, kRunPoints = 64, kCounted = kRuns / 2 * kRunPoints;
constexpr int64_t kWhole = 1024;
// A prime number.
constexpr int64_t kPairsApart = 7919;
// Spreads lines over the places of the model; an odd number, and which of its bits are taken.
constexpr int64_t kSpread = 0x9e3779b1, kSpreadShift = 12;

// A memory of what was used last, with a place for each `bytes` bytes of an array.
class PlacesModel {
 public:
  PlacesModel(Code& code, int64_t bytes, int64_t places)
      : shift_(std::countr_zero(static_cast<uint64_t>(bytes))),
        places_(places),
        held_(code.alloc(Space::kScratch, const_i64(8 * places), "held")),
        found_(code.var(Prim::kI64, const_i64(0), "found")) {
    code.add(Fill{Prim::kI64, held_, const_i64(0), const_i64(places), const_i64(-1)});
  }
  Name found() const { return found_; }
  // Is the byte at `offset` where something was used last? Now it is.
  Operand use(Code& at, const Operand& offset) const {
    const Operand number = at.binop(BinOpKind::kAshr, offset, const_i64(shift_), "number");
    const Operand spread = at.binop(BinOpKind::kAshr, at.mul_i64(number, const_i64(kSpread)),
                                    const_i64(kSpreadShift), "spread");
    const Operand place = at.binop(BinOpKind::kAnd, spread, const_i64(places_ - 1), "place");
    const Operand held = at.load(Prim::kI64, held_, place, "held");
    at.add(Store{Prim::kI64, held_, place, number});
    return at.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, held, number}, "same");
  }

 private:
  int64_t shift_, places_;
  Name held_, found_;
};

void count_if(Code& code, Name count, const Operand& holds) {
  const Operand more =
      code.let(Prim::kI64, core::Select{holds, const_i64(1), const_i64(0)}, "more");
  code.add(Assign{count, code.add_i64(count, more)});
}

}  // namespace

bool can_sample_keys(const KernelWriter& kernel, const SinkInfo& info) {
  return kernel.facts.dims.size() == 1 && kernel.facts.scalar_code &&
         info.sink->shape.size() == 1 && info.writes == 1;
}

NearKeys near_keys(KernelWriter& kernel, Code& code, const SinkInfo& info, const Operand& total) {
  // Arrays share what there is among them.
  const auto arrays = static_cast<int64_t>(std::bit_ceil(info.sink->dests.size()));
  int64_t bytes = 1;
  for (size_t k = 0; k < info.sink->dests.size(); ++k)
    bytes = std::max<int64_t>(bytes, prim_size(kernel.result_place(info.results + k).type.elem));
  const PlacesModel lines(code, kBytesOfLine, std::max<int64_t>(kModelLines / arrays, 1));
  const PlacesModel pages(code, kBytesOfPage, std::max<int64_t>(kModelPages / arrays, 1));
  const Name equal = code.var(Prim::kI64, const_i64(0), "equal");
  const Name last = code.var(Prim::kI64, const_i64(-1), "last");
  const Operand step = code.binop(BinOpKind::kQuot, total, const_i64(kRuns), "step");
  const auto look = [&](Code& at, const Operand& run, const Operand& i) {
    const Operand bin = bin_of(info, kernel.fn.apply(at, kernel.node.pull, {i}))[0];
    const Operand inside = kernel.in_bounds(at, {bin}, info);
    const Operand offset = at.mul_i64(bin, const_i64(bytes));
    const Operand counted = at.less_i64(const_i64(kRuns / 2 - 1), run);
    for (const PlacesModel* model : {&lines, &pages}) {
      const Operand same = model->use(at, offset);
      // Points outside cost nothing.
      const Operand hit =
          at.let(Prim::kBool, core::Select{inside, same, core::const_bool(true)}, "hit");
      count_if(at, model->found(), at.both(hit, counted, "counts"));
    }
    const Operand again =
        at.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, bin, last}, "again");
    count_if(at, equal, at.both(again, counted, "counts"));
    at.add(Assign{last, bin});
  };
  code.short_loop(const_i64(0), const_i64(kRuns), [&](Code& of_run, const Operand& run) {
    const Operand first = of_run.mul_i64(run, step);
    of_run.short_loop(const_i64(0), const_i64(kRunPoints),
                      [&](Code& at, const Operand& k) { look(at, run, at.add_i64(first, k)); });
  });
  static_assert(kCounted % kWhole == 0);
  const auto share = [&](Name count) {
    return code.binop(BinOpKind::kQuot, count, const_i64(kCounted / kWhole), "share");
  };
  const Operand near = share(lines.found());
  const Operand at_hand = share(pages.found());
  return {near, at_hand, share(equal)};
}

Operand equal_pairs(KernelWriter& kernel, Code& code, const std::vector<SinkInfo>& infos,
                    const Operand& total) {
  const Name equal = code.var(Prim::kI64, const_i64(0), "equal");
  const Operand step = code.binop(BinOpKind::kQuot, total, const_i64(kSampledPairs), "step");
  // Not at the same place of each part: runs of sorted keys often begin where parts do.
  const Operand places = code.max_i64(code.sub_i64(step, const_i64(1)), const_i64(1));
  code.short_loop(const_i64(0), const_i64(kSampledPairs), [&](Code& at, const Operand& k) {
    const Operand among =
        at.binop(BinOpKind::kRem, at.mul_i64(k, const_i64(kPairsApart)), places, "among");
    const Operand i = at.add_i64(at.mul_i64(k, step), among);
    const std::vector<Operand> one = kernel.fn.apply(at, kernel.node.pull, {i});
    const std::vector<Operand> other =
        kernel.fn.apply(at, kernel.node.pull, {at.add_i64(i, const_i64(1))});
    Operand any = core::const_bool(false);
    for (size_t h = 0; h < infos.size(); ++h) {
      const std::vector<Operand> a = bin_of(infos[h], one), b = bin_of(infos[h], other);
      if (h > 0 && a == bin_of(infos[h - 1], one)) continue;
      Operand same = core::const_bool(true);
      for (size_t d = 0; d < a.size(); ++d) {
        const Operand here =
            at.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, a[d], b[d]}, "same");
        same = d == 0 ? here : at.both(same, here, "same");
      }
      any = h == 0
                ? same
                : at.let(Prim::kBool, core::BinOp{BinOpKind::kOr, Prim::kBool, any, same}, "any");
    }
    const Operand more = at.let(Prim::kI64, core::Select{any, const_i64(1), const_i64(0)}, "more");
    at.add(Assign{equal, at.add_i64(equal, more)});
  });
  return equal;
}

}  // namespace skald::imp
