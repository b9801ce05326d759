// SPDX-License-Identifier: Apache-2.0
// skald explain CODE: the page of a diagnostic.
#include <cstdio>

#include "driver/commands.h"
#include "driver/error_pages.h"
#include "driver/session.h"

namespace skald::driver {

int run_explain(const CommonOptions& common, const std::string& code) {
  if (code.empty()) {
    for (const ErrorPage& page : error_pages()) std::printf("%s\n", std::string(page.code).c_str());
    return kOk;
  }
  for (const ErrorPage& page : error_pages()) {
    if (page.code != code) continue;
    std::fwrite(page.text.data(), 1, page.text.size(), stdout);
    return kOk;
  }
  Session(common).error(fmt::format(
      "there is no diagnostic `{}`; `skald explain` without a code lists them all", code));
  return kUserError;
}

}  // namespace skald::driver
