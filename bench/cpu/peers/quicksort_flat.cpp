// SPDX-License-Identifier: Apache-2.0
// The rounds of programs/quicksort_flat.fut: in every round each part is split at its first
// element, all parts at once.  Two passes over the data for a round, three with several threads:
// counts of the pieces (and, on the way, whether all is in order); running counts; where everything
// goes.
//
// Both counts are halves of one word, and nothing branches on the data.  What the program looks up
// by way of the end of a part, its total counts, is kept at the beginning of the part: the last
// element of the part is the last one to write it.
#include "peer.h"

namespace {

// The numbers of elements that are smaller than their pivot (low half) and equal to it.
using Counts = uint64_t;

Counts kind(int32_t x, int32_t pivot) {
  return static_cast<Counts>(x < pivot) | static_cast<Counts>(x == pivot) << 32;
}

struct Rounds {
  explicit Rounds(int64_t n)
      : xs({n}), new_xs({n}), begins({n}), new_begins({n}), before({n}), totals({n}) {}
  Array<int32_t> xs, new_xs;
  Array<int64_t> begins, new_begins;
  Array<Counts> before, totals;  // before an element; of a part, at its beginning

  Counts count(int64_t begin, int64_t end, bool& sorted) const {
    const int32_t* x = xs.data();
    const int64_t* b = begins.data();
    Counts sum = 0;
    bool in_order = true;
    for (int64_t i = begin; i < end; ++i) sum += kind(x[i], x[b[i]]);
    for (int64_t i = std::max<int64_t>(begin, 1); i < end; ++i) in_order &= x[i - 1] <= x[i];
    sorted = in_order;
    return sum;
  }

  void scan(int64_t begin, int64_t end, Counts sum) {
    const int32_t* x = xs.data();
    const int64_t* b = begins.data();
    // The part that goes on in the next piece has its total there.
    int64_t last = end;
    if (end < xs.size() && b[end] == b[end - 1]) last = std::max(begin, b[end]);
    for (int64_t i = begin; i < last; ++i) {
      before[i] = sum;
      sum += kind(x[i], x[b[i]]);
      totals[b[i]] = sum;
    }
    for (int64_t i = last; i < end; ++i) {
      before[i] = sum;
      sum += kind(x[i], x[b[i]]);
    }
  }

  void place(int64_t begin, int64_t end) {
    const int32_t* x = xs.data();
    for (int64_t i = begin; i < end; ++i) {
      const int64_t b = begins[i];
      const Counts all = totals[b] - before[b], here = before[i] - before[b];
      const int64_t less = static_cast<uint32_t>(all), equal = static_cast<int64_t>(all >> 32);
      const int64_t l = static_cast<uint32_t>(here), e = static_cast<int64_t>(here >> 32);
      const int32_t pivot = x[b];
      int64_t part = b + less + equal, rank = i - b - l - e;
      part = x[i] == pivot ? b + less : part;
      rank = x[i] == pivot ? e : rank;
      part = x[i] < pivot ? b : part;
      rank = x[i] < pivot ? l : rank;
      new_xs[part + rank] = x[i];
      new_begins[part + rank] = part;
    }
  }
};

void sort(Rounds& r, int threads) {
  const int64_t n = r.xs.size();
  const Pieces pieces(n, 1 << 13, threads == 1 ? 0 : threads);
  struct alignas(64) Piece {
    Counts counts;
    bool sorted;
  };
  std::vector<Piece> of(static_cast<size_t>(pieces.count));
  const auto for_pieces = [&](const auto& body) {
    if (pieces.count == 1) return body(int64_t{0}, int64_t{0}, n);
    tbb::parallel_for(
        int64_t{0}, pieces.count, [&](int64_t p) { body(p, pieces.begin(p), pieces.begin(p + 1)); },
        tbb::static_partitioner());
  };
  for (;;) {
    bool sorted = true;
    if (pieces.count == 1) {
      for (int64_t i = 1; i < n; ++i) sorted &= r.xs[i - 1] <= r.xs[i];
      of[0].counts = 0;
    } else {
      for_pieces([&](int64_t p, int64_t begin, int64_t end) {
        Piece& piece = of[static_cast<size_t>(p)];
        piece.counts = r.count(begin, end, piece.sorted);
      });
      Counts sum = 0;
      for (Piece& piece : of) {
        sorted &= piece.sorted;
        sum += std::exchange(piece.counts, sum);
      }
    }
    if (sorted) return;
    for_pieces([&](int64_t p, int64_t begin, int64_t end) {
      r.scan(begin, end, of[static_cast<size_t>(p)].counts);
    });
    for_pieces([&](int64_t, int64_t begin, int64_t end) { r.place(begin, end); });
    std::swap(r.xs, r.new_xs);
    std::swap(r.begins, r.new_begins);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<int32_t> xs = peer.array<int32_t>();
  Rounds rounds(xs.size());
  peer.time([&] {
    std::memcpy(rounds.xs.data(), xs.data(), static_cast<size_t>(xs.size()) * sizeof(int32_t));
    std::fill_n(rounds.begins.data(), xs.size(), int64_t{0});
    sort(rounds, peer.threads());
  });
  peer.write(rounds.xs);
}
