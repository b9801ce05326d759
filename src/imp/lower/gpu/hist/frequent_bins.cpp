// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/hist/frequent_bins.h"

#include <algorithm>

#include "imp/lower/gpu/hist/plan.h"
#include "imp/lower/gpu/irregular/small_ints.h"

namespace skald::imp {

namespace {

// Bytes of a group for places of threads, and for how many bins a thread has them at most.
constexpr int64_t kPlaceBytes = 32 << 10, kMostFrequent = 8, kLeastFrequent = 2;
// Places of 24 bytes are as large as what they save.
constexpr int64_t kMostPlaceBytes = 24;
// A bin is found by a table of so many slots; two bins that come often seldom have the same.
constexpr int64_t kSlots = 128;
// Numbers of places have so many bits.
constexpr int64_t kNumberBits = 4;
constexpr int64_t kSpreadSlots = -1640531535, kSpreadShift = 20;

}  // namespace

FrequentBins::FrequentBins(KernelWriter& kernel, OwnBins& bins)
    : kernel_(kernel), bins_(bins), columns_(bins.op()) {}

int64_t FrequentBins::most_places(const OwnBins& bins) {
  const int64_t each = BinColumns(bins.op()).bytes();
  if (!bins.has_long_updates() || bins.changes_seldom() || !bins.counters()) return 0;
  if (each > kMostPlaceBytes) return 0;
  return std::clamp(kPlaceBytes / (kBinThreads * each), kLeastFrequent, kMostFrequent);
}

int64_t FrequentBins::bytes(const OwnBins& bins, int64_t places) {
  return places == 0 ? 0 : places * kBinThreads * BinColumns(bins.op()).bytes();
}

void FrequentBins::make_room(Code& code, const Operand& places) {
  places_ = places;
  const Operand count = code.mul_i64(places, const_i64(kBinThreads));
  blocks_.clear();
  for (const Prim type : columns_.types()) {
    const Operand bytes =
        code.max_i64(code.mul_i64(count, const_i64(prim_size(type))), const_i64(kSharedAlignment));
    // No constant even if it is known: it may be larger than what compilers allow.
    blocks_.push_back(
        code.alloc(Space::kShared, code.let(Prim::kI64, core::Value{bytes}, "room"), "frequent"));
  }
  tags_ = code.alloc(Space::kShared, const_i64(kSlots * prim_size(Prim::kI32)), "tags");
  times_ = code.alloc(Space::kShared, const_i64(kSlots * prim_size(Prim::kI32)), "times");
  taken_ = code.alloc(Space::kShared, const_i64(prim_size(Prim::kI32)), "taken");
}

Operand FrequentBins::slot_of(Code& code, const Operand& bin) const {
  const Operand product = small(code, BinOpKind::kMul, bin, const_i32(kSpreadSlots));
  const Operand spread = small(code, BinOpKind::kLshr, product, const_i32(kSpreadShift));
  return as_wide(code, small(code, BinOpKind::kAnd, spread, const_i32(kSlots - 1)));
}

Operand FrequentBins::place(Code& code, const Operand& number) const {
  return code.add_i64(code.mul_i64(as_wide(code, number), const_i64(kBinThreads)), thread_);
}

void FrequentBins::with_slot(
    Code& code, Name thread,
    const std::function<void(Code&, const Operand&, const Operand&)>& body) const {
  code.branch(code.less_i64(thread, const_i64(kSlots)), [&](Code& at) {
    const Operand tag = at.load(Prim::kI32, tags_, thread, "tag");
    at.branch(small_less(at, const_i32(-1), tag), [&](Code& in) {
      const Operand bin = small(in, BinOpKind::kShr, tag, const_i32(kNumberBits));
      body(in, bin, small(in, BinOpKind::kAnd, tag, const_i32((1 << kNumberBits) - 1)));
    });
  });
}

// Bins are counted where they will be; those that have come often enough get a slot, if it is free,
// and then places, as long as there are some.
void FrequentBins::find(Code& code, Name thread, const Operand& count, int64_t sampled,
                        const Sample& sample) {
  thread_ = thread;
  const Name counters = *bins_.counters();
  const int64_t often =
      std::max<int64_t>(kernel_.fn.options.hist.often * sampled / (8 * kBinThreads), 1);
  code.loop(
      thread, count,
      [&](Code& at, const Operand& b) { at.add(Store{Prim::kI32, counters, b, const_i32(0)}); },
      kBinThreads);
  code.branch(code.less_i64(thread, const_i64(kSlots)),
              [&](Code& at) { at.add(Store{Prim::kI32, tags_, thread, const_i32(-1)}); });
  code.branch(code.less_i64(thread, const_i64(1)),
              [&](Code& at) { at.add(Store{Prim::kI32, taken_, const_i64(0), const_i32(0)}); });
  code.add(Barrier{});
  sample(code, [&](Code& at, const Operand& b) {
    at.add(Atomic{BinOpKind::kAdd, Prim::kI32, counters, b, const_i32(1)});
  });
  code.add(Barrier{});
  sample(code, [&](Code& at, const Operand& b) {
    const Operand times = at.load(Prim::kI32, counters, b, "times");
    at.branch(small_less(at, const_i32(often - 1), times), [&](Code& in) {
      const Operand bin = as_small(in, b);
      Code take(in.program());
      const Name old = in.fresh("old");
      const Operand is_free = small_less(take, old, const_i32(0));
      const Operand tag = small(take, BinOpKind::kShl, bin, const_i32(kNumberBits));
      const Operand next = take.let(Prim::kI32, core::Select{is_free, tag, old}, "next");
      in.add(AtomicUpdate{Prim::kI32, tags_, slot_of(in, bin), old, take.finish(), next});
    });
  });
  code.add(Barrier{});
  give_places(code, thread, counters);
  const Operand taken = code.load(Prim::kI32, taken_, const_i64(0), "taken");
  const Operand some = small_less(code, const_i32(0), taken);
  any_ = code.both(some, code.less_i64(const_i64(0), places_), "any");
}

// Those that come most often; of two that come as often, that of the lower slot.
void FrequentBins::give_places(Code& code, Name thread, Name counters) {
  code.branch(code.less_i64(thread, const_i64(kSlots)),
              [&](Code& at) { at.add(Store{Prim::kI32, times_, thread, const_i32(0)}); });
  with_slot(code, thread, [&](Code& at, const Operand& bin, const Operand&) {
    const Operand times = at.load(Prim::kI32, counters, as_wide(at, bin), "times");
    at.add(Store{Prim::kI32, times_, thread, times});
  });
  code.add(Barrier{});
  with_slot(code, thread, [&](Code& at, const Operand& bin, const Operand&) {
    const Operand own = at.load(Prim::kI32, times_, thread, "own");
    const Name before = at.var(Prim::kI32, const_i32(0), "before");
    at.short_loop(const_i64(0), const_i64(kSlots), [&](Code& loop, const Operand& k) {
      const Operand other = loop.load(Prim::kI32, times_, k, "other");
      const Operand more = small_less(loop, own, other);
      const Operand same =
          loop.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI32, own, other}, "same");
      const Operand lower = loop.less_i64(k, thread);
      const Operand first = loop.either(more, loop.both(same, lower, "first"), "first");
      const Operand one =
          loop.let(Prim::kI32, core::Select{first, const_i32(1), const_i32(0)}, "one");
      loop.add(Assign{before, small(loop, BinOpKind::kAdd, before, one)});
    });
    const Operand fits = at.less_i64(as_wide(at, before), places_);
    const Operand tag = small(at, BinOpKind::kShl, bin, const_i32(kNumberBits));
    const Operand with_number = small(at, BinOpKind::kOr, tag, before);
    const Operand next = at.let(Prim::kI32, core::Select{fits, with_number, const_i32(-1)}, "next");
    at.add(Store{Prim::kI32, tags_, thread, next});
    at.add(Store{Prim::kI32, taken_, const_i64(0), const_i32(1)});
  });
  code.add(Barrier{});
}

void FrequentBins::clear(Code& code, Name thread) const {
  code.loop(const_i64(0), places_, [&](Code& at, const Operand& number) {
    const Operand to = at.add_i64(at.mul_i64(number, const_i64(kBinThreads)), thread);
    columns_.store(at, blocks_, to, bins_.neutral());
  });
}

void FrequentBins::update(Code& code, const Operand& at, const std::vector<Operand>& given,
                          const std::function<void(Code&)>& otherwise) const {
  const Operand bin = as_small(code, at);
  const Operand tag = code.load(Prim::kI32, tags_, slot_of(code, bin), "tag");
  const Operand of = small(code, BinOpKind::kShr, tag, const_i32(kNumberBits));
  const Operand own =
      code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI32, of, bin}, "own");
  code.branch(
      own,
      [&](Code& in) {
        const Operand number = small(in, BinOpKind::kAnd, tag, const_i32((1 << kNumberBits) - 1));
        const Operand to = place(in, number);
        std::vector<Operand> args = columns_.load(in, blocks_, to);
        args.insert(args.end(), given.begin(), given.end());
        columns_.store(in, blocks_, to, kernel_.fn.apply(in, bins_.op().fn, args));
      },
      otherwise);
}

void FrequentBins::join(Code& code, Name thread) const {
  const auto combined = [&](Code& at, std::vector<Operand> a, const std::vector<Operand>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return kernel_.fn.apply(at, bins_.op().fn, a);
  };
  const Operand used = code.let(Prim::kI64, core::Select{any_, places_, const_i64(0)}, "used");
  for (int64_t half = kBinThreads / 2; half > 0; half /= 2) {
    code.loop(
        thread, code.mul_i64(used, const_i64(half)),
        [&](Code& at, const Operand& k) {
          const Operand number = at.binop(BinOpKind::kQuot, k, const_i64(half), "number");
          const Operand among = at.binop(BinOpKind::kAnd, k, const_i64(half - 1), "among");
          const Operand to = at.add_i64(at.mul_i64(number, const_i64(kBinThreads)), among);
          const std::vector<Operand> a = columns_.load(at, blocks_, to);
          const Operand from = at.add_i64(to, const_i64(half));
          const std::vector<Operand> b = columns_.load(at, blocks_, from);
          columns_.store(at, blocks_, to, combined(at, a, b));
        },
        kBinThreads);
    code.add(Barrier{});
  }
  code.branch(any_, [&](Code& some) {
    with_slot(some, thread, [&](Code& at, const Operand& bin, const Operand& number) {
      const Operand from = at.mul_i64(as_wide(at, number), const_i64(kBinThreads));
      const std::vector<Operand> found = columns_.load(at, blocks_, from);
      const Operand to = as_wide(at, bin);
      bins_.store(at, to, combined(at, bins_.load(at, to), found));
    });
  });
  code.add(Barrier{});
}

}  // namespace skald::imp
