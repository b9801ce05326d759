// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/tiles/state_words.h"

namespace skald::imp {

namespace {

constexpr int64_t kKindMask = 3, kCutBit = 2, kCountBits = 3, kValueBits = 32;

Operand word_const(int64_t value) {
  return core::const_int(Prim::kU64, value);
}

Operand word_op(Code& code, BinOpKind op, const Operand& a, const Operand& b) {
  return code.let(Prim::kU64, core::BinOp{op, Prim::kU64, a, b}, "word");
}

Prim unsigned_of_size(Prim type) {
  switch (prim_size(type)) {
    case 1: return Prim::kU8;
    case 2: return Prim::kU16;
    case 4: return Prim::kU32;
    default: return Prim::kU64;
  }
}

Operand to_word(Code& code, Prim type, const Operand& value) {
  if (type == Prim::kBool)
    return code.let(Prim::kU64, core::Convert{type, Prim::kU64, value}, "bits");
  const Prim bits = unsigned_of_size(type);
  const Operand same =
      bits == type ? value : code.let(bits, core::Bitcast{type, bits, value}, "bits");
  return bits == Prim::kU64 ? same
                            : code.let(Prim::kU64, core::Convert{bits, Prim::kU64, same}, "bits");
}

Operand from_word(Code& code, Prim type, const Operand& word) {
  if (type == Prim::kBool)
    return code.let(Prim::kBool, core::CmpOp{CmpOpKind::kLt, Prim::kU64, word_const(0), word},
                    "value");
  const Prim bits = unsigned_of_size(type);
  const Operand same =
      bits == Prim::kU64 ? word : code.let(bits, core::Convert{Prim::kU64, bits, word}, "bits");
  return bits == type ? same : code.let(type, core::Bitcast{bits, type, same}, "value");
}

Operand kind_of(Code& code, const Operand& word) {
  return word_op(code, BinOpKind::kAnd, word, word_const(kKindMask));
}

}  // namespace

int64_t StateWords::words_of(const Monoid& monoid, size_t value) {
  return monoid.op != nullptr && prim_size(monoid.types[value]) > 4 ? 2 : 1;
}

StateWords::StateWords(Code& host, TileStates& states, const Operand& count, const Operand& numbers)
    : states_(states), count_(count) {
  for (const Monoid& monoid : states.monoids().all())
    for (size_t v = 0; v < monoid.types.size(); ++v) words_ += words_of(monoid, v);
  const Operand all = host.add_i64(host.mul_i64(count, const_i64(words_)), numbers);
  block_ = host.alloc(Space::kDevice, host.mul_i64(all, const_i64(8)), "words");
  host.add(Fill{Prim::kU64, block_, const_i64(0), all, word_const(0)});
}

void StateWords::free(Code& host) {
  host.add(Free{block_});
}

Name StateWords::next_number(Code& code, const Operand& which) {
  const Name number = code.fresh("number");
  code.add(FetchAdd{number, Prim::kI64, block_, index(code, words_, which), const_i64(1)});
  return number;
}

Operand StateWords::index(Code& code, int64_t word, const Operand& at) const {
  return code.add_i64(code.mul_i64(count_, const_i64(word)), at);
}

void StateWords::say(Code& code, const Operand& at, const TileState& state, int64_t kind) {
  Operand mark = word_const(kind);
  if (states_.segmented()) {
    const Operand cut = to_word(code, Prim::kI32, state.cut);
    mark = word_op(code, BinOpKind::kOr, mark,
                   word_op(code, BinOpKind::kShl, cut, word_const(kCutBit)));
  }
  int64_t word = 0;
  const auto put = [&](const Operand& payload, int64_t shift) {
    const Operand high = word_op(code, BinOpKind::kShl, payload, word_const(shift));
    code.add(Store{Prim::kU64, block_, index(code, word++, at),
                   word_op(code, BinOpKind::kOr, high, mark), LaneAccess::kScalar, true});
  };
  for (size_t k = 0; k < state.accs.size(); ++k) {
    const Monoid& monoid = states_.monoids().all()[k];
    for (size_t v = 0; v < monoid.types.size(); ++v) {
      const Operand bits = to_word(code, monoid.types[v], state.accs[k][v]);
      if (monoid.op == nullptr) {
        put(bits, kCountBits);
        continue;
      }
      put(bits, kValueBits);
      if (words_of(monoid, v) == 2)
        put(word_op(code, BinOpKind::kLshr, bits, word_const(kValueBits)), kValueBits);
    }
  }
}

Operand StateWords::wait(Code& code, const Operand& at, const Operand& least,
                         const TileState& state) {
  std::vector<Name> seen;
  for (int64_t k = 0; k < words_; ++k) seen.push_back(code.var(Prim::kU64, word_const(0), "seen"));
  const Name waits = code.var(Prim::kBool, core::const_bool(true), "waits");
  Code again(code.program());
  for (int64_t k = 0; k < words_; ++k) {
    const Name word = again.fresh("word");
    again.add(Load{word, Prim::kU64, block_, index(again, k, at), LaneAccess::kScalar, true});
    again.add(Assign{seen[static_cast<size_t>(k)], word});
  }
  const Operand kind = kind_of(again, seen[0]);
  Operand wrong =
      again.let(Prim::kBool, core::CmpOp{CmpOpKind::kLt, Prim::kU64, kind, least}, "wrong");
  for (size_t k = 1; k < seen.size(); ++k) {
    const Operand other = kind_of(again, seen[k]);
    const Operand differ =
        again.let(Prim::kBool, core::CmpOp{CmpOpKind::kNe, Prim::kU64, kind, other}, "differ");
    wrong = again.either(wrong, differ, "wrong");
  }
  again.add(Assign{waits, wrong});
  code.add(While{waits, again.finish()});
  size_t word = 0;
  const auto take = [&](int64_t shift) {
    return word_op(code, BinOpKind::kLshr, seen[word++], word_const(shift));
  };
  for (size_t k = 0; k < state.accs.size(); ++k) {
    const Monoid& monoid = states_.monoids().all()[k];
    for (size_t v = 0; v < monoid.types.size(); ++v) {
      Operand bits = take(monoid.op == nullptr ? kCountBits : kValueBits);
      if (words_of(monoid, v) == 2)
        bits = word_op(code, BinOpKind::kOr, bits,
                       word_op(code, BinOpKind::kShl, take(kValueBits), word_const(kValueBits)));
      code.add(Assign{state.accs[k][v], from_word(code, monoid.types[v], bits)});
    }
  }
  if (states_.segmented()) {
    const Operand low = word_op(code, BinOpKind::kLshr, seen[0], word_const(kCutBit));
    code.add(Assign{state.cut, from_word(code, Prim::kI32,
                                         word_op(code, BinOpKind::kAnd, low, word_const(1)))});
  }
  return kind_of(code, seen[0]);
}

}  // namespace skald::imp
