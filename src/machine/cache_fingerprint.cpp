// SPDX-License-Identifier: Apache-2.0
#include "machine/cache_fingerprint.h"

#include <fcntl.h>
#include <unistd.h>

#include "machine/caches.h"

namespace skald::machine {

// What the kernel says of the first few, unread; without it, what is found otherwise.
std::string cache_fingerprint() {
  constexpr const char* kSizes[] = {"/sys/devices/system/cpu/cpu0/cache/index0/size",
                                    "/sys/devices/system/cpu/cpu0/cache/index1/size",
                                    "/sys/devices/system/cpu/cpu0/cache/index2/size",
                                    "/sys/devices/system/cpu/cpu0/cache/index3/size"};
  std::string all;
  for (const char* path : kSizes) {
    const int file = ::open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) break;
    char text[32];
    const ssize_t count = ::read(file, text, sizeof text);
    ::close(file);
    if (count > 0) all.append(text, static_cast<size_t>(count));
  }
  if (!all.empty()) return all;
  const Caches& caches = this_machines_caches();
  return std::to_string(caches.l1d.bytes) + " " + std::to_string(caches.l2.bytes) + " " +
         std::to_string(caches.l3.bytes);
}

}  // namespace skald::machine
