// SPDX-License-Identifier: Apache-2.0
// skald check FILE…
#include "driver/commands.h"
#include "driver/progress.h"
#include "driver/session.h"

namespace skald::driver {

int run_check(const CommonOptions& common, const CheckOptions& options) {
  bool fine = true;
  for (const std::string& file : options.files) {
    Session session(common);
    bool ok = false;
    {
      ProgressLine line;
      session.loader().show_progress(line.callback());
      ok = session.check(file);
    }
    fine = session.report() && ok && fine;
  }
  return fine ? kOk : kUserError;
}

}  // namespace skald::driver
