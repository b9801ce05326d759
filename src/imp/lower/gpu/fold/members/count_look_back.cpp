// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/fold/members/count_look_back.h"

namespace skald::imp {

namespace {

// Tiles of a batch, and batches that are looked at: a lane for each.
constexpr int64_t kTilesOfBatch = kWarpThreads, kBatchSteps = kWarpSteps;
// The first thread of the warp that looks at batches.
constexpr int64_t kFirstOfBatches = kGroupThreads - kWarpThreads;

Operand marked(Code& code, const Operand& number) {
  return code.binop(BinOpKind::kOr, shift_left(code, number, 1), const_i64(1), "word");
}

Operand is_marked(Code& code, const Operand& word) {
  return equals_i64(code, code.binop(BinOpKind::kAnd, word, const_i64(1), "mark"), const_i64(1));
}

Operand unmarked(Code& code, const Operand& word) {
  return code.binop(BinOpKind::kLshr, word, const_i64(1), "number");
}

}  // namespace

CountLookBack::CountLookBack(Code& host, int64_t classes, const Operand& tiles)
    : classes_(classes),
      words_(packed_words(classes)),
      tiles_(tiles),
      batches_(pieces(host, tiles, const_i64(kTilesOfBatch))),
      sums_(host.mul_i64(tiles, const_i64(words_))),
      known_(host.add_i64(sums_, host.mul_i64(batches_, const_i64(words_)))),
      number_(host.add_i64(known_, host.mul_i64(batches_, const_i64(classes_)))) {
  const Operand all = host.add_i64(number_, const_i64(1));
  block_ = host.alloc(Space::kDevice, host.mul_i64(all, const_i64(8)), "words");
  host.add(Fill{Prim::kI64, block_, const_i64(0), all, const_i64(0)});
}

Name CountLookBack::ask_tile(Code& code, Name thread) {
  const Name place = code.alloc(Space::kShared, const_i64(8), "number");
  code.branch(equals_i64(code, thread, const_i64(0)), [&](Code& at) {
    const Name number = at.fresh("number");
    at.add(FetchAdd{number, Prim::kI64, block_, number_, const_i64(1)});
    at.add(Store{Prim::kI64, place, const_i64(0), number});
  });
  return place;
}

Operand CountLookBack::asked_tile(Code& code, Name place) {
  return code.load(Prim::kI64, place, const_i64(0), "tile");
}

void CountLookBack::say(Code& code, Name thread, const Operand& tile, const PackedCounts& own) {
  const Operand first = equals_i64(code, thread, const_i64(0));
  code.branch(code.both(first, code.less_i64(tile, tiles_), "says"), [&](Code& at) {
    const Operand batch = at.binop(BinOpKind::kLshr, tile, const_i64(kBatchSteps), "batch");
    for (int64_t w = 0; w < words_; ++w) {
      const Operand& word = own[static_cast<size_t>(w)];
      at.add(Store{Prim::kI64, block_, at.add_i64(at.mul_i64(tiles_, const_i64(w)), tile),
                   marked(at, word), LaneAccess::kScalar, true});
      const Operand sum = at.add_i64(sums_, at.mul_i64(batches_, const_i64(w)));
      at.add(FetchAdd{at.fresh("others"), Prim::kI64, block_, at.add_i64(sum, batch),
                      at.add_i64(word, const_i64(int64_t{1} << kTilesShift))});
    }
  });
}

Operand CountLookBack::fresh_word(Code& code, const Operand& at) {
  const Name word = code.fresh("word");
  code.add(Load{word, Prim::kI64, block_, at, LaneAccess::kScalar, true});
  return word;
}

void CountLookBack::wait_for_tile(Code& code, const Operand& tile,
                                  const std::vector<Name>& counts) {
  std::vector<Name> seen;
  for (int64_t w = 0; w < words_; ++w) seen.push_back(code.var(Prim::kI64, const_i64(0), "seen"));
  const Name waits = code.var(Prim::kBool, core::const_bool(true), "waits");
  Code again(code.program());
  Operand there = core::const_bool(true);
  for (int64_t w = 0; w < words_; ++w) {
    const Operand word =
        fresh_word(again, again.add_i64(again.mul_i64(tiles_, const_i64(w)), tile));
    again.add(Assign{seen[static_cast<size_t>(w)], word});
    there = again.both(there, is_marked(again, word), "there");
  }
  again.add(Assign{
      waits,
      again.let(Prim::kBool, core::UnOp{core::UnOpKind::kNot, Prim::kBool, there}, "waits")});
  code.add(While{waits, again.finish()});
  PackedCounts found;
  for (const Name word : seen) found.push_back(unmarked(code, word));
  for (int64_t c = 0; c < classes_; ++c)
    code.add(Assign{counts[static_cast<size_t>(c)], count_field(code, found, c)});
}

void CountLookBack::wait_for_batch(Code& code, const Operand& batch, const Operand& must_know,
                                   const std::vector<Name>& counts, Name knows) {
  std::vector<Name> seen;
  for (int64_t w = 0; w < words_; ++w) seen.push_back(code.var(Prim::kI64, const_i64(0), "seen"));
  const Name waits = code.var(Prim::kBool, core::const_bool(true), "waits");
  Code again(code.program());
  Operand all = core::const_bool(true), some = must_know;
  for (int64_t c = 0; c < classes_; ++c) {
    const Operand place = again.add_i64(known_, again.mul_i64(batches_, const_i64(c)));
    const Operand word = fresh_word(again, again.add_i64(place, batch));
    all = again.both(all, is_marked(again, word), "knows");
    again.add(Assign{counts[static_cast<size_t>(c)], unmarked(again, word)});
  }
  for (int64_t w = 0; w < words_; ++w) {
    const Operand place = again.add_i64(sums_, again.mul_i64(batches_, const_i64(w)));
    const Operand word = fresh_word(again, again.add_i64(place, batch));
    const Operand tiles = again.binop(BinOpKind::kLshr, word, const_i64(kTilesShift), "tiles");
    some = again.either(some, again.less_i64(tiles, const_i64(kTilesOfBatch)), "missing");
    again.add(Assign{seen[static_cast<size_t>(w)], word});
  }
  again.add(Assign{knows, all});
  const Operand none =
      again.let(Prim::kBool, core::UnOp{core::UnOpKind::kNot, Prim::kBool, all}, "none");
  again.add(Assign{waits, again.both(none, some, "waits")});
  code.add(While{waits, again.finish()});
  const PackedCounts found(seen.begin(), seen.end());
  code.branch(
      knows, [](Code&) {},
      [&](Code& at) {
        for (int64_t c = 0; c < classes_; ++c)
          at.add(Assign{counts[static_cast<size_t>(c)], count_field(at, found, c)});
      });
}

std::vector<Operand> CountLookBack::before(Code& code, Name thread, const Operand& tile,
                                           const PackedCounts& own) {
  const Name sums = code.alloc(Space::kShared, const_i64(16 * classes_), "sums");
  const Operand first = equals_i64(code, thread, const_i64(0));
  const Operand lane = lane_of(code, thread);
  const Operand batch = code.binop(BinOpKind::kLshr, tile, const_i64(kBatchSteps), "batch");
  const Operand within = code.binop(BinOpKind::kAnd, tile, const_i64(kTilesOfBatch - 1), "within");
  std::vector<Name> counts;
  for (int64_t c = 0; c < classes_; ++c)
    counts.push_back(code.var(Prim::kI64, const_i64(0), "count"));
  const Name knows = code.var(Prim::kBool, core::const_bool(false), "knows");
  code.branch(code.less_i64(thread, within), [&](Code& at) {
    wait_for_tile(at, at.add_i64(at.sub_i64(tile, within), thread), counts);
  });
  code.branch(code.less_i64(const_i64(kFirstOfBatches - 1), thread), [&](Code& at) {
    const Operand other = at.sub_i64(at.sub_i64(batch, const_i64(1)), lane);
    at.branch(
        at.less_i64(other, const_i64(0)),
        [&](Code& none) { none.add(Assign{knows, core::const_bool(true)}); },
        [&](Code& some) {
          // Before the batches that are looked at there are others: the farthest one must know.
          const Operand farthest = equals_i64(some, lane, const_i64(kWarpThreads - 1));
          wait_for_batch(some, other, farthest, counts, knows);
        });
  });
  // Batches before one that knows do not count.
  const Operand bit = code.binop(BinOpKind::kShl, const_i64(1), lane, "bit");
  const Operand lower = code.let(
      Prim::kU32, core::Convert{Prim::kI64, Prim::kU32, code.sub_i64(bit, const_i64(1))}, "lower");
  const Operand nearer = code.let(
      Prim::kU32, core::BinOp{BinOpKind::kAnd, Prim::kU32, code.ballot(knows), lower}, "nearer");
  const Operand counted = code.let(
      Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kU32, nearer, core::const_int(Prim::kU32, 0)},
      "counted");
  for (const Name count : counts)
    code.add(
        Assign{count, code.let(Prim::kI64, core::Select{counted, count, const_i64(0)}, "count")});
  doubling_steps(code, [&](Code& at, const Operand& step) {
    for (const Name count : counts)
      at.add(Assign{count, at.add_i64(count, at.shuffle(ShuffleKind::kXor, Prim::kI64, count, step,
                                                        "other"))});
  });
  const auto leave = [&](const Operand& who, int64_t place) {
    code.branch(who, [&](Code& at) {
      for (int64_t c = 0; c < classes_; ++c)
        at.add(Store{Prim::kI64, sums, const_i64(2 * c + place), counts[static_cast<size_t>(c)]});
    });
  };
  leave(first, 0);
  leave(equals_i64(code, thread, const_i64(kFirstOfBatches)), 1);
  code.add(Barrier{});
  std::vector<Operand> found;
  for (int64_t c = 0; c < classes_; ++c) {
    const Operand in_batch = code.load(Prim::kI64, sums, const_i64(2 * c), "in_batch");
    const Operand batches = code.load(Prim::kI64, sums, const_i64(2 * c + 1), "batches");
    found.push_back(code.add_i64(in_batch, batches));
  }
  const Operand ends = equals_i64(code, within, const_i64(kTilesOfBatch - 1));
  code.branch(code.both(first, ends, "ends"), [&](Code& at) {
    for (int64_t c = 0; c < classes_; ++c) {
      const Operand sum = at.add_i64(found[static_cast<size_t>(c)], count_field(at, own, c));
      const Operand place = at.add_i64(known_, at.mul_i64(batches_, const_i64(c)));
      at.add(Store{Prim::kI64, block_, at.add_i64(place, batch), marked(at, sum),
                   LaneAccess::kScalar, true});
    }
  });
  return found;
}

}  // namespace skald::imp
