// SPDX-License-Identifier: Apache-2.0
// skald cache: where compiled code is kept, how much of it, and away with it.
#include <cstdio>

#include "driver/commands.h"
#include "driver/session.h"
#include "driver/words.h"
#include "runtime/disk_cache.h"

namespace skald::driver {

namespace {

// Programs, and whatever else there is.
std::string amount(const runtime::DiskCache::Usage& usage) {
  constexpr std::pair<const char*, const char*> kOthers[] = {{"kernel", "kernel"},
                                                             {"measured", "measurement"}};
  const auto files = [&](const char* kind) {
    const auto found = usage.kinds.find(kind);
    return found == usage.kinds.end() ? 0 : found->second;
  };
  std::string text = count_text(files("run"), "program");
  for (const auto& [kind, noun] : kOthers)
    if (files(kind) > 0) text += ", " + count_text(files(kind), noun);
  return fmt::format("{}, {:.1f} MB", text, static_cast<double>(usage.bytes) / 1e6);
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
