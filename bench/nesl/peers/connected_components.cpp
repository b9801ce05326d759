// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "peer.h"

namespace {

// Trees whose roots are their least nodes; paths are halved on the way.
int64_t root_of(std::atomic<int64_t>* parents, int64_t node) {
  for (;;) {
    int64_t parent = parents[node].load(std::memory_order_relaxed);
    if (parent == node) return node;
    const int64_t above = parents[parent].load(std::memory_order_relaxed);
    if (above != parent)
      parents[node].compare_exchange_weak(parent, above, std::memory_order_relaxed);
    node = above;
  }
}

void connect(std::atomic<int64_t>* parents, int64_t a, int64_t b) {
  for (;;) {
    a = root_of(parents, a);
    b = root_of(parents, b);
    if (a == b) return;
    if (a < b) std::swap(a, b);
    int64_t expected = a;
    if (parents[a].compare_exchange_strong(expected, b)) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const int64_t n = peer.scalar<int64_t>();
  const Array<int64_t> sources = peer.array<int64_t>(), targets = peer.array<int64_t>();
  std::vector<std::atomic<int64_t>> parents(static_cast<size_t>(n));
  Array<int64_t> out({n});
  peer.time([&] {
    parallel(n, 65536, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) parents[static_cast<size_t>(i)].store(i);
    });
    parallel(sources.size(), 16384, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) connect(parents.data(), sources[i], targets[i]);
    });
    parallel(n, 65536, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) out[i] = root_of(parents.data(), i);
    });
  });
  peer.write(out);
}
