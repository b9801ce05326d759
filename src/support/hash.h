// SPDX-License-Identifier: Apache-2.0
// Hashes: XXH3 where libxxhash's header was found at build time, a plain mixing hash elsewhere.
// 128-bit hashes key caches on disk; they need to be stable on one machine, not between builds.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace skald {

uint64_t hash64(std::string_view bytes, uint64_t seed = 0);

struct Hash128 {
  uint64_t low = 0, high = 0;
  friend bool operator==(const Hash128&, const Hash128&) = default;
  // 32 lower-case hexadecimal digits.
  std::string hex() const;
};
Hash128 hash128(std::string_view bytes);

// Mixes `value` into `seed`; order matters.
constexpr uint64_t hash_combine(uint64_t seed, uint64_t value) {
  uint64_t x = seed ^ (value + 0x9e3779b97f4a7c15ull + (seed << 6) + (seed >> 2));
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

}  // namespace skald
