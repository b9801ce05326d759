// SPDX-License-Identifier: Apache-2.0
// How many members some classes have, three classes in a word of 64 bits, so that one addition adds
// them all.
//
//   63  60    54        36        18        0
//   │    │tiles│ class 2 │ class 1 │ class 0 │
//
// A field has room for the members of 32 tiles of up to 4096 points.
#pragma once

#include <vector>

#include "imp/lower/gpu/fold/tiles/tile_state.h"

namespace skald::imp {

inline constexpr int64_t kCountFieldBits = 18, kCountFields = 3, kTilesShift = 54;
inline constexpr int64_t kMostMemberPoints = 4096;

// One word for every three classes.
using PackedCounts = std::vector<Operand>;

inline int64_t packed_words(int64_t classes) {
  return (classes + kCountFields - 1) / kCountFields;
}

inline Operand shift_left(Code& code, const Operand& number, int64_t bits) {
  return bits == 0 ? number : code.binop(BinOpKind::kShl, number, const_i64(bits), "shifted");
}

// Of one class.
inline Operand count_field(Code& code, const PackedCounts& counts, int64_t k) {
  const Operand& word = counts[static_cast<size_t>(k / kCountFields)];
  const int64_t shift = k % kCountFields * kCountFieldBits;
  const Operand low =
      shift == 0 ? word : code.binop(BinOpKind::kLshr, word, const_i64(shift), "field");
  return code.binop(BinOpKind::kAnd, low, const_i64((int64_t{1} << kCountFieldBits) - 1), "count");
}

}  // namespace skald::imp
