// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<int32_t> xs = peer.array<int32_t>();
  const int64_t n = xs.size();
  Array<int32_t> out({n});
  int64_t kept = 0;
  const Pieces pieces(n, 1 << 14, peer.threads());
  peer.time([&] {
    std::vector<int64_t> counts(static_cast<size_t>(pieces.count));
    tbb::parallel_for(int64_t{0}, pieces.count, [&](int64_t p) {
      int64_t count = 0;
      for (int64_t i = pieces.begin(p); i < pieces.begin(p + 1); ++i) count += (xs[i] & 1) == 0;
      counts[static_cast<size_t>(p)] = count;
    });
    kept = 0;
    for (int64_t& count : counts) {
      const int64_t here = count;
      count = kept;
      kept += here;
    }
    tbb::parallel_for(int64_t{0}, pieces.count, [&](int64_t p) {
      // Writes without branches: an element that is not kept is overwritten by the next one.  The
      // last element of a piece must not touch the next piece.
      int32_t* to = out.data() + counts[static_cast<size_t>(p)];
      const int64_t end = pieces.begin(p + 1);
      const int32_t* limit =
          out.data() + (p + 1 < pieces.count ? counts[static_cast<size_t>(p) + 1] : kept);
      for (int64_t i = pieces.begin(p); i < end && to < limit; ++i) {
        *to = xs[i];
        to += (xs[i] & 1) == 0;
      }
    });
  });
  peer.write(out.data(), {kept});
}
