// SPDX-License-Identifier: Apache-2.0
#include "peer.h"

namespace {

int64_t mixed(int64_t i) {
  return (i * 7919 + 104729) % 1000003;
}

}  // namespace

// Rounds over the nodes that are open; results are those of the rounds over all nodes.
int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<int64_t> degrees = peer.array<int64_t>(), neighbours = peer.array<int64_t>();
  const int64_t n = degrees.size();
  std::vector<int64_t> chosen;
  peer.time([&] {
    std::vector<int64_t> offsets(static_cast<size_t>(n) + 1), open(static_cast<size_t>(n));
    std::vector<uint8_t> state(static_cast<size_t>(n)), next(static_cast<size_t>(n));
    std::vector<int64_t> order(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) {
      const auto at = static_cast<size_t>(i);
      offsets[at + 1] = offsets[at] + degrees[i];
      open[at] = i;
      order[at] = mixed(i);
    }
    const auto row = [&](size_t i, auto&& found) {
      for (int64_t e = offsets[i]; e < offsets[i + 1]; ++e)
        if (found(static_cast<size_t>(neighbours[e]))) return true;
      return false;
    };
    while (!open.empty()) {
      const auto each = [&](auto&& work) {
        parallel(static_cast<int64_t>(open.size()), 2048, [&](int64_t begin, int64_t end) {
          for (int64_t k = begin; k < end; ++k)
            work(static_cast<size_t>(open[static_cast<size_t>(k)]));
        });
      };
      each([&](size_t i) {
        next[i] =
            row(i,
                [&](size_t j) {
                  return state[j] == 0 && (order[j] < order[i] || (order[j] == order[i] && j <= i));
                })
                ? 0
                : 1;
      });
      each([&](size_t i) {
        if (next[i] == 0 && row(i, [&](size_t j) { return next[j] == 1; })) next[i] = 2;
      });
      each([&](size_t i) { state[i] = next[i]; });
      const auto is_done = [&](int64_t i) { return state[static_cast<size_t>(i)] != 0; };
      open.erase(std::remove_if(open.begin(), open.end(), is_done), open.end());
    }
    chosen.clear();
    for (int64_t i = 0; i < n; ++i)
      if (state[static_cast<size_t>(i)] == 1) chosen.push_back(i);
  });
  peer.write(chosen.data(), {static_cast<int64_t>(chosen.size())});
}
