// SPDX-License-Identifier: Apache-2.0
// skald explain CODE: the page of a diagnostic.
#include <fmt/core.h>

#include <cstdio>

#include "driver/commands.h"
#include "driver/error_pages.h"
#include "driver/session.h"
#include "support/nearest.h"

namespace skald::driver {

namespace {

// A page begins with "# code: title".
std::string_view title_of(const ErrorPage& page) {
  std::string_view line = page.text.substr(0, page.text.find('\n'));
  const size_t colon = line.find(": ");
  return colon == std::string_view::npos ? line : line.substr(colon + 2);
}

}  // namespace

int run_explain(const CommonOptions& common, const std::string& code) {
  if (code.empty()) {
    for (const ErrorPage& page : error_pages())
      fmt::print("{:<30} {}\n", page.code, title_of(page));
    return kOk;
  }
  for (const ErrorPage& page : error_pages()) {
    if (page.code != code) continue;
    std::fwrite(page.text.data(), 1, page.text.size(), stdout);
    return kOk;
  }
  std::vector<std::string> codes;
  for (const ErrorPage& page : error_pages()) codes.emplace_back(page.code);
  const std::string near = did_you_mean(nearest(code, codes));
  Session(common).error(
      fmt::format("there is no diagnostic `{}`; {}", code,
                  near.empty() ? "`skald explain` without a code lists them all" : near));
  return kUserError;
}

}  // namespace skald::driver
