// SPDX-License-Identifier: Apache-2.0
// The caches of a processor: how large they are, and how many cores share each of them.
#pragma once

#include <cstdint>
#include <string>

namespace skald::machine {

struct Cache {
  int64_t bytes = 0;  // 0: there is none
  int shared_by = 1;  // cores that this process could run on
  bool operator==(const Cache&) const = default;
};

// Who said so.
enum class CacheSource : uint8_t {
  kKernel,   // sysfs
  kLibrary,  // sysconf
  kAssumed,  // nobody: those of the plain processor
};

struct Caches {
  int64_t line = 64;
  Cache l1d = {32 << 10};
  Cache l2 = {1 << 20};
  Cache l3 = {32 << 20};
  CacheSource source = CacheSource::kAssumed;
  bool operator==(const Caches&) const = default;
};

// What is assumed where nobody says anything, and what tests compile for: a server of today.
inline constexpr Caches kPlainCaches = {};

// Of the first core.  Where the kernel says nothing (some containers), the C library is asked, and
// where that knows nothing either, the plain ones are taken.  `root` is put before the names of the
// kernel's files, so that tests can have their own; then the C library is not asked.
Caches find_caches(const std::string& root = "");
// Those of the machine that this process runs on, looked up once.
const Caches& this_machines_caches();

}  // namespace skald::machine
