// SPDX-License-Identifier: Apache-2.0
#include <string_view>
#include <unordered_map>

#include "peer.h"

namespace {

bool is_word(uint8_t c) {
  return c != ' ' && c != '\t' && c != '\n';
}

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc, argv);
  const Array<uint8_t> text = peer.array<uint8_t>();
  int64_t different = 0, most = 0;
  peer.time([&] {
    std::unordered_map<std::string_view, int64_t> counts;
    const auto* bytes = reinterpret_cast<const char*>(text.data());
    const int64_t n = text.size();
    for (int64_t i = 0; i < n;) {
      while (i < n && !is_word(text[i])) ++i;
      const int64_t begin = i;
      while (i < n && is_word(text[i])) ++i;
      if (i > begin) ++counts[std::string_view(bytes + begin, static_cast<size_t>(i - begin))];
    }
    different = static_cast<int64_t>(counts.size());
    most = INT64_MIN;
    for (const auto& [word, count] : counts) most = std::max(most, count);
  });
  peer.write_scalar(different);
  peer.write_scalar(most);
}
