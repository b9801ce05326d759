// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

// Level by level; whoever sets the distance of a node appends it to the next level.
int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<int64_t> degrees = peer.array<int64_t>(), neighbours = peer.array<int64_t>();
  const int64_t start = peer.scalar<int64_t>(), n = degrees.size();
  Array<int64_t> out({n});
  peer.time([&] {
    std::vector<int64_t> offsets(static_cast<size_t>(n) + 1);
    for (int64_t i = 0; i < n; ++i)
      offsets[static_cast<size_t>(i) + 1] = offsets[static_cast<size_t>(i)] + degrees[i];
    std::fill(out.data(), out.data() + n, -1);
    out[start] = 0;
    std::vector<int64_t> frontier = {start};
    for (int64_t d = 1; !frontier.empty(); ++d) {
      tbb::enumerable_thread_specific<std::vector<int64_t>> found;
      parallel(static_cast<int64_t>(frontier.size()), 512, [&](int64_t begin, int64_t end) {
        std::vector<int64_t>& mine = found.local();
        for (int64_t k = begin; k < end; ++k) {
          const auto node = static_cast<size_t>(frontier[static_cast<size_t>(k)]);
          for (int64_t e = offsets[node]; e < offsets[node + 1]; ++e) {
            int64_t* const distance = &out[neighbours[e]];
            int64_t none = -1;
            if (__atomic_load_n(distance, __ATOMIC_RELAXED) < 0 &&
                __atomic_compare_exchange_n(distance, &none, d, false, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED))
              mine.push_back(neighbours[e]);
          }
        }
      });
      frontier.clear();
      for (const std::vector<int64_t>& part : found)
        frontier.insert(frontier.end(), part.begin(), part.end());
    }
  });
  peer.write(out);
}
