// SPDX-License-Identifier: Apache-2.0
#include "support/pass.h"

#include <ctime>

namespace skald {

double thread_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

}  // namespace skald
