// SPDX-License-Identifier: Apache-2.0
#include "support/hash.h"

#include <fmt/format.h>

#include <cstring>

#ifdef SKALD_HAVE_XXHASH
#define XXH_INLINE_ALL
#include <xxhash.h>
#endif

namespace skald {

std::string Hash128::hex() const {
  return fmt::format("{:016x}{:016x}", high, low);
}

#ifdef SKALD_HAVE_XXHASH

uint64_t hash64(std::string_view bytes, uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

Hash128 hash128(std::string_view bytes) {
  const XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
  return {h.low64, h.high64};
}

#else

uint64_t hash64(std::string_view bytes, uint64_t seed) {
  uint64_t state = hash_combine(seed, bytes.size());
  while (!bytes.empty()) {
    uint64_t word = 0;
    const size_t n = bytes.size() < 8 ? bytes.size() : 8;
    std::memcpy(&word, bytes.data(), n);
    state = hash_combine(state, word);
    bytes.remove_prefix(n);
  }
  return state;
}

Hash128 hash128(std::string_view bytes) {
  return {hash64(bytes, 0x736b616c64), hash64(bytes, 0x646c616b73)};
}

#endif

}  // namespace skald
