// SPDX-License-Identifier: Apache-2.0
// skald cache: where compiled code is kept, how much of it, and away with it.
#include <cstdio>

#include "driver/commands.h"
#include "driver/session.h"
#include "driver/words.h"
#include "runtime/disk_cache.h"

namespace skald::driver {

namespace {

std::string amount(runtime::DiskCache::Usage usage) {
  return fmt::format("{}, {:.1f} MB", count_text(usage.files, "program"),
                     static_cast<double>(usage.bytes) / 1e6);
}

}  // namespace

int run_cache(const CommonOptions& common, const CacheOptions& options) {
  const runtime::DiskCache cache = runtime::DiskCache::standard();
  if (!cache.enabled()) {
    std::puts("The cache is off.");
    return kOk;
  }
  if (options.clear) {
    const Result<runtime::DiskCache::Usage> removed = cache.clear();
    if (!removed) {
      Session(common).error(removed.error());
      return kUserError;
    }
    std::puts(fmt::format("Deleted {}.", amount(*removed)).c_str());
    return kOk;
  }
  std::puts(fmt::format("{}: {} (at most {:.0f} MB)", cache.folder().string(),
                        amount(cache.usage()), static_cast<double>(cache.limit()) / 1e6)
                .c_str());
  return kOk;
}

}  // namespace skald::driver
