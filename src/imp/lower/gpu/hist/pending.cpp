// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/hist/pending.h"

namespace skald::imp {

PendingUpdates::PendingUpdates(Code& code, const OwnBins& bins, int64_t most) : bins_(bins) {
  if (!bins.is_swapped() || prim_size(BinWord(bins.op()).type()) < 4) return;
  word_.emplace(bins.op());
  places_ = code.alloc(Space::kPrivate, const_i64(most * 8), "places");
  words_ = code.alloc(Space::kPrivate, const_i64(most * prim_size(word_->type())), "words");
  count_ = code.var(Prim::kI64, const_i64(0), "count");
}

void PendingUpdates::add(Code& code, const Operand& at, const std::vector<Operand>& given) {
  if (!word_) return bins_.update(code, at, given);
  code.branch(bins_.changes(code, at, given), [&](Code& in) {
    in.add(Store{Prim::kI64, places_, count_, at});
    in.add(Store{word_->type(), words_, count_, word_->pack(in, given)});
    in.add(Assign{count_, in.add_i64(count_, const_i64(1))});
  });
}

void PendingUpdates::finish(Code& code) {
  if (!word_) return;
  code.loop(const_i64(0), count_, [&](Code& in, const Operand& k) {
    const Operand at = in.load(Prim::kI64, places_, k, "at");
    const Operand word = in.load(word_->type(), words_, k, "word");
    bins_.update(in, at, word_->unpack(in, word));
  });
  code.add(Assign{count_, const_i64(0)});
}

}  // namespace skald::imp
