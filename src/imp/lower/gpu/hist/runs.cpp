// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/hist/runs.h"

namespace skald::imp {

namespace {

Operand no_bin() {
  return core::const_int(Prim::kI32, -1);
}

}  // namespace

Operand bin_or_none(Code& code, const Operand& inside, const Operand& number) {
  const Operand narrow =
      code.let(Prim::kI32, core::Convert{Prim::kI64, Prim::kI32, number}, "narrow");
  return code.let(Prim::kI32, core::Select{inside, narrow, no_bin()}, "bin");
}

BinRuns::BinRuns(Code& code, KernelWriter& kernel, const OwnBins& bins)
    : kernel_(kernel), bins_(bins), merges_(!bins.changes_seldom()) {
  if (!merges_) return;
  bin_ = code.var(Prim::kI32, no_bin(), "run");
  sums_ = kernel.start(code, bins.op());
}

void BinRuns::add(Code& code, const Operand& inside, const Operand& number,
                  const std::vector<Operand>& given) {
  if (merges_) return merge(code, bin_or_none(code, inside, number), given);
  code.branch(inside, [&](Code& at) { bins_.update(at, at.add_i64(bins_.first, number), given); });
}

void BinRuns::merge(Code& code, const Operand& bin, const std::vector<Operand>& given) {
  const Operand same =
      code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI32, bin, bin_}, "same");
  code.branch(
      same, [&](Code& at) { kernel_.combine(at, bins_.op(), sums_, given); },
      [&](Code& at) {
        finish(at);
        at.add(Assign{bin_, bin});
        for (size_t k = 0; k < sums_.size(); ++k) at.add(Assign{sums_[k], given[k]});
      });
}

void BinRuns::finish(Code& code) {
  if (!merges_) return;
  const Operand is_bin =
      code.let(Prim::kBool, core::CmpOp{CmpOpKind::kLt, Prim::kI32, no_bin(), bin_}, "is_bin");
  code.branch(is_bin, [&](Code& at) {
    const Operand wide = at.let(Prim::kI64, core::Convert{Prim::kI32, Prim::kI64, bin_}, "wide");
    bins_.update(at, at.add_i64(bins_.first, wide), {sums_.begin(), sums_.end()});
  });
}

}  // namespace skald::imp
