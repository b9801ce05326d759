// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/hist/sorted/sorted_points.h"

#include <algorithm>

#include "core/ir/visit.h"
#include "imp/lower/gpu/hist/group_sum.h"
#include "imp/lower/gpu/hist/runs.h"
#include "imp/lower/gpu/irregular/small_ints.h"
#include "imp/lower/gpu/launch.h"
#include "imp/lower/gpu/tile_points.h"

namespace skald::imp {

namespace {

// Words of so many bytes stay in registers while points are counted; wider ones would leave room
// for half of the threads.
constexpr int64_t kWordBytesKept = 4;
// A point has a key at least.
constexpr int64_t kLeastInput = 4;
// They are computed again, of so many points at once: their loads are under way together.
constexpr int64_t kPlacedAtOnce = 4;
// Registers are left for so many groups.
constexpr int64_t kSortGroupsAtOnce = 2;
// Fractions of ranges have so many bits.
constexpr int64_t kPartShift = 20;
// In a word of the table, the end of a part stands above its beginning.
constexpr int64_t kEndShift = 16;

// Memory of the group whose size is no constant even if it is known: it may be larger than what
// compilers allow.
Name shared_room(Code& code, const Operand& bytes, std::string_view base) {
  return code.alloc(Space::kShared, code.let(Prim::kI64, core::Value{bytes}, "room"), base);
}

Operand rounded_up(Code& code, const Operand& points) {
  return small(code, BinOpKind::kAnd, small_sum(code, points, const_i32(kSortUnit - 1)),
               const_i32(-kSortUnit));
}

}  // namespace

std::optional<std::vector<Operand>> constant_value(const KernelWriter& kernel, size_t sink) {
  const SinkInfo& info = kernel.facts.sinks[sink];
  const size_t rank = info.sink->shape.size();
  std::vector<Operand> value;
  for (size_t k = 0; k < info.sink->op[0].neutral.size(); ++k) {
    const Operand& result = kernel.node.pull.body.result[info.values + rank + k];
    if (core::as_const(result) == nullptr) return std::nullopt;
    value.push_back(result);
  }
  return value;
}

namespace {

// Of the elements of arrays that a point reads.
int64_t bytes_read(const core::Body& body) {
  int64_t bytes = 0;
  for (const core::Stmt& stmt : body.stmts) {
    if (core::as<core::Index>(stmt.exp) != nullptr && stmt.pat[0].type.is_scalar())
      bytes += prim_size(stmt.pat[0].type.elem);
    core::for_each_body(stmt.exp, [&](const core::Body& inner) { bytes += bytes_read(inner); });
  }
  return bytes;
}

}  // namespace

SortedPayload sorted_payload(const KernelWriter& kernel, const std::vector<OwnBins>& hists) {
  SortedPayload payload;
  for (size_t k = 0; k < hists.size(); ++k) {
    if (constant_value(kernel, hists[k].sink())) continue;
    const bool word = bin_update(hists[k].op()) != BinUpdate::kLock;
    if (!word || payload.kind != SortedPayload::kNothing)
      return {SortedPayload::kPlace, 0, Prim::kU16};
    payload = {SortedPayload::kWord, k, BinWord(hists[k].op()).type()};
  }
  // Large words that are computed from little would take more memory than the input twice.
  const int64_t read = std::max(bytes_read(kernel.node.pull.body), kLeastInput);
  if (payload.bytes() > 0 && kSortedBinBytes + payload.bytes() > 2 * read)
    return {SortedPayload::kPlace, 0, Prim::kU16};
  return payload;
}

Operand mixed_bin(Code& code, const Operand& bin) {
  const Operand row = small(code, BinOpKind::kShr, bin, const_i32(5));
  return small(code, BinOpKind::kXor, bin, small(code, BinOpKind::kAnd, row, const_i32(31)));
}

SortedPoints::SortedPoints(GpuKernel& gpu, const std::vector<OwnBins>& hists,
                           const SortedBinsPlan& plan)
    : gpu_(gpu),
      hists_(hists),
      plan_(plan),
      payload_(sorted_payload(gpu.kernel, hists)),
      again_(payload_.kind == SortedPayload::kWord && payload_.bytes() > kWordBytesKept) {
  for (const OwnBins& hist : hists) constants_.push_back(constant_value(gpu.kernel, hist.sink()));
}

void SortedPoints::start_round(Code& host, const Operand& round) {
  first_tile_ = host.mul_i64(round, plan_.tiles);
  tiles_ = host.min_i64(plan_.tiles, host.sub_i64(plan_.all_tiles, first_tile_));
}

Operand SortedPoints::first_point(Code& code, const Operand& tile) const {
  return code.mul_i64(code.add_i64(first_tile_, tile), const_i64(kSortTile));
}

void SortedPoints::make_room(Code& host) {
  const Operand rows = host.binop(BinOpKind::kQuot, plan_.width, const_i64(kBinRow), "rows");
  part_ = pieces(host, const_i64(1 << kPartShift), rows);
  const Operand points = host.mul_i64(plan_.tiles, plan_.room);
  bins_ = host.alloc(Space::kDevice, host.mul_i64(points, const_i64(kSortedBinBytes)), "sorted");
  if (payload_.bytes() > 0)
    words_ =
        host.alloc(Space::kDevice, host.mul_i64(points, const_i64(payload_.bytes())), "values");
  const Operand parts = host.mul_i64(plan_.tiles, plan_.ranges);
  table_ = host.alloc(Space::kDevice, host.mul_i64(parts, const_i64(kSortedPartBytes)), "parts");
  sizes_ = host.alloc(Space::kDevice, host.mul_i64(plan_.ranges, const_i64(8)), "sizes");
  host.add(Fill{Prim::kI64, sizes_, const_i64(0), plan_.ranges, const_i64(0)});
}

Operand SortedPoints::bytes(Code& host) const {
  const Operand points = host.mul_i64(plan_.tiles, plan_.room);
  const Operand sorted = host.mul_i64(points, const_i64(kSortedBinBytes + payload_.bytes()));
  const Operand parts = host.mul_i64(plan_.tiles, plan_.ranges);
  return host.add_i64(sorted, host.mul_i64(parts, const_i64(kSortedPartBytes)));
}

void SortedPoints::free(Code& host) const {
  for (const Name block : {bins_, words_, table_, sizes_})
    if (block) host.add(Free{block});
}

// ---- Sorting

std::vector<Operand> SortedPoints::place_of(size_t hist, const std::vector<Operand>& values) const {
  const SinkInfo& info = gpu_.kernel.facts.sinks[hists_[hist].sink()];
  const std::vector<Operand> all = gpu_.kernel.sink_values(info, values);
  return {all.begin(), all.begin() + static_cast<ptrdiff_t>(info.sink->shape.size())};
}

std::vector<Operand> SortedPoints::value_of(size_t hist, const std::vector<Operand>& values) const {
  const SinkInfo& info = gpu_.kernel.facts.sinks[hists_[hist].sink()];
  const std::vector<Operand> all = gpu_.kernel.sink_values(info, values);
  return {all.begin() + static_cast<ptrdiff_t>(info.sink->shape.size()), all.end()};
}

Operand SortedPoints::word_of(Code& code, const std::vector<Operand>& values) const {
  return BinWord(hists_[payload_.hist].op()).pack(code, value_of(payload_.hist, values));
}

void SortedPoints::keep(Code& code, const Tile& tile, const Operand& k,
                        const std::vector<Operand>& point, const std::vector<Operand>& values) {
  KernelWriter& kernel = gpu_.kernel;
  for (const SinkInfo& other : kernel.facts.sinks) {
    if (other.sink->kind == core::Sink::kOut) kernel.out_sink(code, other, point, values);
    if (other.sink->kind == core::Sink::kScatter) kernel.scatter_sink(code, other, values);
  }
  const OwnBins& first = hists_[0];
  const std::vector<Operand> place = place_of(0, values);
  const Operand inside = kernel.in_bounds(code, place, kernel.facts.sinks[first.sink()]);
  code.add(Store{Prim::kI32, tile.bin, k, bin_or_none(code, inside, first.number(code, place))});
  if (payload_.kind == SortedPayload::kWord && !again_)
    code.add(Store{payload_.type, tile.word, k, word_of(code, values)});
}

// What the points of this thread give; neighbouring threads have neighbouring points.
void SortedPoints::compute(Code& code, const Tile& tile, const Operand& begin, bool whole) {
  const TilePoints points(code, begin, gpu_.kernel.facts.dims);
  code.loop(
      const_i64(0), const_i64(kSortPoints),
      [&](Code& at, const Operand& k) {
        const Operand offset = at.add_i64(at.mul_i64(k, const_i64(kSortThreads)), tile.thread);
        const auto visit = [&](Code& in) {
          gpu_.kernel.point(
              in, points.at(in, offset),
              [&](Code& here, const std::vector<Operand>& at_point,
                  const std::vector<Operand>& values) { keep(here, tile, k, at_point, values); });
        };
        if (whole) return visit(at);
        at.branch(at.less_i64(at.add_i64(begin, offset), gpu_.total), visit,
                  [&](Code& in) { in.add(Store{Prim::kI32, tile.bin, k, const_i32(-1)}); });
      },
      1, LoopHint::kUnroll);
}

// By a product instead of a quotient: rows of bins are fewer than kMostRanges times those of a
// range, so that all of it has 32 bits and is exact.
Operand SortedPoints::range_of(Code& code, const Operand& bin) const {
  const Operand row = small(code, BinOpKind::kQuot, bin, const_i32(kBinRow));
  return small(code, BinOpKind::kShr, small(code, BinOpKind::kMul, row, as_small(code, part_)),
               const_i32(kPartShift));
}

Operand SortedPoints::counter(Code& code, const Tile& tile, const Operand& range) const {
  const Operand first = code.mul_i64(as_wide(code, range), plan_.replicas);
  const Operand last = code.sub_i64(plan_.replicas, const_i64(1));
  return code.add_i64(first, code.binop(BinOpKind::kAnd, tile.thread, last, "replica"));
}

void SortedPoints::each_kept(
    Code& code, const Tile& tile,
    const std::function<void(Code&, const Operand& k, const Operand& bin)>& body) {
  code.loop(
      const_i64(0), const_i64(kSortPoints),
      [&](Code& at, const Operand& k) {
        const Operand bin = at.load(Prim::kI32, tile.bin, k, "bin");
        at.branch(small_less(at, const_i32(-1), bin), [&](Code& in) { body(in, k, bin); });
      },
      1, LoopHint::kUnroll);
}

// Counters become the places of their first points, a thread for each range.  Gives how many points
// the tile has then, with what is filled up.
Operand SortedPoints::place_ranges(Code& code, const Tile& tile) {
  const Name size = code.var(Prim::kI32, const_i32(0), "size");
  const Operand has = code.less_i64(tile.thread, plan_.ranges);
  const Operand first = code.mul_i64(tile.thread, plan_.replicas);
  code.branch(has, [&](Code& at) {
    at.loop(const_i64(0), plan_.replicas, [&](Code& in, const Operand& k) {
      const Operand some = in.load(Prim::kI32, tile.counts, in.add_i64(first, k), "some");
      in.add(Assign{size, small_sum(in, size, some)});
    });
  });
  const Operand padded = rounded_up(code, size);
  const GroupSum sum = sum_in_group(code, tile.thread, kSortThreads, padded);
  code.branch(has, [&](Code& at) {
    const Name place = at.var(Prim::kI32, sum.before, "place");
    at.loop(const_i64(0), plan_.replicas, [&](Code& in, const Operand& k) {
      const Operand counter = in.add_i64(first, k);
      const Operand some = in.load(Prim::kI32, tile.counts, counter, "some");
      in.add(Store{Prim::kI32, tile.counts, counter, place});
      in.add(Assign{place, small_sum(in, place, some)});
    });
    const Operand next = small_sum(at, sum.before, padded);
    const Operand nothing =
        at.let(Prim::kU16, core::Convert{Prim::kI64, Prim::kU16, plan_.width}, "nothing");
    const Operand from = as_wide(at, place);
    at.loop(from, as_wide(at, next),
            [&](Code& in, const Operand& k) { in.add(Store{Prim::kU16, tile.bins, k, nothing}); });
    const auto units = [&](const Operand& points) {
      return small(at, BinOpKind::kQuot, points, const_i32(kSortUnit));
    };
    const Operand begins = units(sum.before);
    const Operand ends = small(at, BinOpKind::kShl, units(next), const_i32(kEndShift));
    const Operand entry = at.add_i64(at.mul_i64(tile.thread, plan_.tiles), tile.number);
    at.add(Store{Prim::kI32, table_, entry, small(at, BinOpKind::kOr, begins, ends)});
    at.branch(small_less(at, const_i32(0), size), [&](Code& in) {
      in.add(Atomic{BinOpKind::kAdd, Prim::kI64, sizes_, tile.thread, as_wide(in, size)});
    });
  });
  return as_wide(code, sum.all);
}

// By 16 bytes at a time; parts are whole units.
void SortedPoints::copy_out(Code& code, const Tile& tile, Name from, Name to, int64_t size,
                            const Operand& points) {
  const Prim type = size == kSortedBinBytes ? Prim::kU16 : payload_.type;
  const Operand first = code.mul_i64(code.mul_i64(tile.number, plan_.room), const_i64(size));
  const Name wide = code.alloc(Space::kPrivate, const_i64(kWideBytes), "wide");
  const Operand end = code.mul_i64(points, const_i64(size));
  code.loop(
      code.mul_i64(tile.thread, const_i64(kWideBytes)), end,
      [&](Code& at, const Operand& byte) {
        at.add(
            CopyBytes{wide, const_i64(0), from, byte, const_i64(kWideBytes), false, false, type});
        at.add(CopyBytes{to, at.add_i64(first, byte), wide, const_i64(0), const_i64(kWideBytes),
                         false, false, type});
      },
      kSortThreads * kWideBytes);
}

Operand SortedPoints::place_in_tile(Code& code, const Tile& tile, const Operand& k) {
  const Operand place = code.add_i64(code.mul_i64(k, const_i64(kSortThreads)), tile.thread);
  return code.let(Prim::kU16, core::Convert{Prim::kI64, Prim::kU16, place}, "place");
}

// What some points give, from number `first` on; those that do not exist take that of the last one.
void SortedPoints::compute_words(Code& code, const Tile& tile, const Operand& begin,
                                 const Operand& first) {
  const TilePoints points(code, begin, gpu_.kernel.facts.dims);
  const Operand last = code.sub_i64(code.sub_i64(gpu_.total, begin), const_i64(1));
  code.loop(
      const_i64(0), const_i64(kPlacedAtOnce),
      [&](Code& at, const Operand& j) {
        const Operand k = at.add_i64(first, j);
        const Operand offset = at.add_i64(at.mul_i64(k, const_i64(kSortThreads)), tile.thread);
        gpu_.kernel.point(
            at, points.at(at, at.min_i64(offset, last)),
            [&](Code& in, const std::vector<Operand>&, const std::vector<Operand>& values) {
              in.add(Store{payload_.type, tile.word, j, word_of(in, values)});
            });
      },
      1, LoopHint::kUnroll);
}

void SortedPoints::place_point(Code& code, const Tile& tile, const Operand& k, const Operand& bin,
                               const Operand& what) const {
  const Operand range = range_of(code, bin);
  const Operand first = code.load(Prim::kI32, tile.counts, counter(code, tile, range), "first");
  const Operand rank = code.load(Prim::kI32, tile.rank, k, "rank");
  const Operand place = as_wide(code, small_sum(code, first, rank));
  const Operand before = small(code, BinOpKind::kMul, range, as_small(code, plan_.width));
  const Operand mixed = mixed_bin(code, small(code, BinOpKind::kSub, bin, before));
  code.add(Store{Prim::kU16, tile.bins, place,
                 code.let(Prim::kU16, core::Convert{Prim::kI32, Prim::kU16, mixed}, "own")});
  if (payload_.kind != SortedPayload::kNothing)
    code.add(Store{payload_.type, tile.words, place, what});
}

void SortedPoints::place_points(Code& code, const Tile& tile, const Operand& begin) {
  if (!again_) {
    return each_kept(code, tile, [&](Code& at, const Operand& k, const Operand& bin) {
      Operand what = const_i64(0);
      if (payload_.kind == SortedPayload::kPlace) what = place_in_tile(at, tile, k);
      if (payload_.kind == SortedPayload::kWord)
        what = at.load(payload_.type, tile.word, k, "word");
      place_point(at, tile, k, bin, what);
    });
  }
  code.loop(
      const_i64(0), const_i64(kSortPoints),
      [&](Code& some, const Operand& first) {
        compute_words(some, tile, begin, first);
        some.loop(
            const_i64(0), const_i64(kPlacedAtOnce),
            [&](Code& at, const Operand& j) {
              const Operand k = at.add_i64(first, j);
              const Operand bin = at.load(Prim::kI32, tile.bin, k, "bin");
              at.branch(small_less(at, const_i32(-1), bin), [&](Code& in) {
                place_point(in, tile, k, bin, in.load(payload_.type, tile.word, j, "word"));
              });
            },
            1, LoopHint::kUnroll);
      },
      kPlacedAtOnce, LoopHint::kUnroll);
}

void SortedPoints::sort(Code& host) {
  Launch launch{host.fresh("tile"),      host.fresh("thread"), tiles_,
                const_i64(kSortThreads), const_i64(0),         {}};
  launch.shared = plan_.sort_memory;
  launch.at_once = kSortGroupsAtOnce;
  {
    const InKernel inside(gpu_.kernel.fn);
    Code inner(host.program());
    const Tile tile = make_tile(inner, launch);
    const Operand begin = first_point(inner, tile.number);
    inner.branch(
        inner.less_i64(gpu_.total, inner.add_i64(begin, const_i64(kSortTile))),
        [&](Code& at) { compute(at, tile, begin, false); },
        [&](Code& at) { compute(at, tile, begin, true); });
    inner.add(Barrier{});
    each_kept(inner, tile, [&](Code& at, const Operand& k, const Operand& bin) {
      const Name old = at.fresh("old");
      const Operand counter = this->counter(at, tile, range_of(at, bin));
      at.add(FetchAdd{old, Prim::kI32, tile.counts, counter, const_i32(1)});
      at.add(Store{Prim::kI32, tile.rank, k, old});
    });
    inner.add(Barrier{});
    const Operand points = place_ranges(inner, tile);
    inner.add(Barrier{});
    place_points(inner, tile, begin);
    inner.add(Barrier{});
    copy_out(inner, tile, tile.bins, bins_, kSortedBinBytes, points);
    if (payload_.bytes() > 0) copy_out(inner, tile, tile.words, words_, payload_.bytes(), points);
    launch.body = inner.finish();
  }
  add_launch(host, std::move(launch));
}

SortedPoints::Tile SortedPoints::make_tile(Code& code, const Launch& launch) const {
  Tile tile{.thread = launch.thread, .number = launch.group};
  const Operand counters = code.mul_i64(plan_.ranges, plan_.replicas);
  tile.counts = shared_room(code, code.mul_i64(counters, const_i64(4)), "counts");
  tile.bins = shared_room(code, code.mul_i64(plan_.room, const_i64(kSortedBinBytes)), "bins");
  if (payload_.bytes() > 0)
    tile.words = shared_room(code, code.mul_i64(plan_.room, const_i64(payload_.bytes())), "words");
  tile.bin = code.alloc(Space::kPrivate, const_i64(4 * kSortPoints), "bin");
  tile.rank = code.alloc(Space::kPrivate, const_i64(4 * kSortPoints), "rank");
  if (payload_.kind == SortedPayload::kWord)
    tile.word =
        code.alloc(Space::kPrivate,
                   const_i64(payload_.bytes() * (again_ ? kPlacedAtOnce : kSortPoints)), "word");
  code.loop(
      tile.thread, counters,
      [&](Code& at, const Operand& k) { at.add(Store{Prim::kI32, tile.counts, k, const_i32(0)}); },
      kSortThreads);
  return tile;
}

// ---- Reading

Operand SortedPoints::size(Code& code, const Operand& range) const {
  return code.load(Prim::kI64, sizes_, range, "size");
}

SortedPoints::Part SortedPoints::part(Code& code, const Operand& range, const Operand& tile) const {
  const Operand entry = code.add_i64(code.mul_i64(range, plan_.tiles), tile);
  const Operand word = code.load(Prim::kI32, table_, entry, "part");
  const Operand first =
      code.mul_i64(tile, code.binop(BinOpKind::kQuot, plan_.room, const_i64(kSortUnit), "units"));
  const Operand low = small(code, BinOpKind::kAnd, word, const_i32((1 << kEndShift) - 1));
  const Operand begin = code.add_i64(first, as_wide(code, low));
  const Operand high = small(code, BinOpKind::kShr, word, const_i32(kEndShift));
  return {begin, code.add_i64(first, as_wide(code, high))};
}

SortedPoints::Unit SortedPoints::make_unit(Code& code, const Operand& tile) const {
  Unit unit{code.alloc(Space::kPrivate, const_i64(kSortUnit * kSortedBinBytes), "unit"), {}, tile};
  if (payload_.bytes() > 0)
    unit.words = code.alloc(Space::kPrivate, const_i64(kSortUnit * payload_.bytes()), "words");
  return unit;
}

void SortedPoints::load(Code& code, const Unit& unit, const Operand& number) const {
  const Operand place = code.mul_i64(number, const_i64(kSortUnit * kSortedBinBytes));
  code.add(CopyBytes{unit.bins, const_i64(0), bins_, place, const_i64(kWideBytes), false, false,
                     Prim::kU16});
  const int64_t bytes = kSortUnit * payload_.bytes();
  const Operand words = code.mul_i64(number, const_i64(bytes));
  for (int64_t from = 0; from < bytes; from += kWideBytes)
    code.add(CopyBytes{unit.words, const_i64(from), words_, code.add_i64(words, const_i64(from)),
                       const_i64(kWideBytes), false, false, payload_.type});
}

SortedPoints::Point SortedPoints::point(Code& code, const Unit& unit, const Operand& k) const {
  const Operand narrow = code.load(Prim::kU16, unit.bins, k, "own");
  const Operand bin = code.let(Prim::kI64, core::Convert{Prim::kU16, Prim::kI64, narrow}, "bin");
  const bool constant = payload_.kind == SortedPayload::kNothing;
  return {k, constant ? Operand{core::const_bool(true)} : code.less_i64(bin, plan_.width), bin};
}

void SortedPoints::with_values(Code& code, const Unit& unit, const Point& point,
                               const std::function<void(Code&, const Values&)>& body) const {
  Values all;
  for (const auto& constant : constants_) all.push_back(constant.value_or(std::vector<Operand>{}));
  if (payload_.kind == SortedPayload::kNothing) return body(code, all);
  const Operand what = code.load(payload_.type, unit.words, point.k, "word");
  if (payload_.kind == SortedPayload::kWord) {
    all[payload_.hist] = BinWord(hists_[payload_.hist].op()).unpack(code, what);
    return body(code, all);
  }
  code.branch(point.counts, [&](Code& at) {
    const Operand begin = first_point(at, unit.tile);
    const TilePoints points(at, begin, gpu_.kernel.facts.dims);
    const Operand place = at.let(Prim::kI64, core::Convert{Prim::kU16, Prim::kI64, what}, "place");
    gpu_.kernel.point(
        at, points.at(at, place),
        [&](Code& in, const std::vector<Operand>&, const std::vector<Operand>& values) {
          for (size_t h = 0; h < hists_.size(); ++h)
            if (!constants_[h]) all[h] = value_of(h, values);
          body(in, all);
        });
  });
}

}  // namespace skald::imp
