// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/hist/runs.h"

#include "imp/lower/gpu/irregular/small_ints.h"

namespace skald::imp {

namespace {

// More would keep a bin long after its last point.
constexpr int64_t kMostVotes = 8;

Operand no_bin() {
  return core::const_int(Prim::kI32, -1);
}

}  // namespace

Operand bin_or_none(Code& code, const Operand& inside, const Operand& number) {
  const Operand narrow =
      code.let(Prim::kI32, core::Convert{Prim::kI64, Prim::kI32, number}, "narrow");
  return code.let(Prim::kI32, core::Select{inside, narrow, no_bin()}, "bin");
}

BinRuns::BinRuns(Code& code, KernelWriter& kernel, const OwnBins& bins, KeptBin keeps)
    : kernel_(kernel), bins_(bins), merges_(!bins.changes_seldom() || bins.instead) {
  if (!merges_) return;
  bin_ = code.var(Prim::kI32, no_bin(), "run");
  if (keeps == KeptBin::kFrequent) votes_ = code.var(Prim::kI32, const_i32(0), "votes");
  sums_ = kernel.start(code, bins.op());
}

void BinRuns::add(Code& code, const Operand& inside, const Operand& number,
                  const std::vector<Operand>& given) {
  if (merges_) return merge(code, bin_or_none(code, inside, number), given);
  code.branch(inside, [&](Code& at) { bins_.update(at, bins_.place(at, number), given); });
}

void BinRuns::merge(Code& code, const Operand& bin, const std::vector<Operand>& given) {
  const Operand same =
      code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI32, bin, bin_}, "same");
  code.branch(
      same,
      [&](Code& at) {
        kernel_.combine(at, bins_.op(), sums_, given);
        if (!votes_) return;
        const Operand more = small(at, BinOpKind::kAdd, votes_, const_i32(1));
        at.add(Assign{votes_, small(at, BinOpKind::kMin, more, const_i32(kMostVotes))});
      },
      [&](Code& at) { votes_ ? vote_against(at, bin, given) : replace(at, bin, given); });
}

void BinRuns::replace(Code& code, const Operand& bin, const std::vector<Operand>& given) {
  finish(code);
  code.add(Assign{bin_, bin});
  for (size_t k = 0; k < sums_.size(); ++k) code.add(Assign{sums_[k], given[k]});
}

// With votes left the kept bin stays, and the point is an update for itself; else it is the other
// way round.  The code of an update is there once.
void BinRuns::vote_against(Code& code, const Operand& bin, const std::vector<Operand>& given) {
  const Operand stays = small_less(code, const_i32(0), votes_);
  const auto choose = [&](Prim type, const Operand& yes, const Operand& no) -> Operand {
    return code.let(type, core::Select{stays, yes, no}, "of_two");
  };
  const Operand to = choose(Prim::kI32, bin, bin_);
  const Operand kept = choose(Prim::kI32, bin_, bin);
  std::vector<Operand> sums, left;
  for (size_t k = 0; k < sums_.size(); ++k) {
    const Prim type = bins_.op().fn.params[k].type.elem;
    sums.push_back(choose(type, given[k], sums_[k]));
    left.push_back(choose(type, sums_[k], given[k]));
  }
  const Operand fewer = small(code, BinOpKind::kSub, votes_, const_i32(1));
  code.add(Assign{votes_, small(code, BinOpKind::kMax, fewer, const_i32(0))});
  code.add(Assign{bin_, kept});
  for (size_t k = 0; k < sums_.size(); ++k) code.add(Assign{sums_[k], left[k]});
  update(code, to, sums);
}

void BinRuns::update(Code& code, const Operand& bin, const std::vector<Operand>& sums) const {
  const Operand is_bin =
      code.let(Prim::kBool, core::CmpOp{CmpOpKind::kLt, Prim::kI32, no_bin(), bin}, "is_bin");
  code.branch(is_bin, [&](Code& at) {
    const Operand wide = at.let(Prim::kI64, core::Convert{Prim::kI32, Prim::kI64, bin}, "wide");
    bins_.update(at, bins_.place(at, wide), sums);
  });
}

void BinRuns::finish(Code& code) {
  if (merges_) update(code, bin_, {sums_.begin(), sums_.end()});
}

}  // namespace skald::imp
