// SPDX-License-Identifier: Apache-2.0
#include "compile/c_api/errors.h"

namespace skald::c_api {

namespace {

struct LastError {
  Outcome outcome;
  skald_error shown{SKALD_OK, "", "", ""};
};
thread_local LastError last;

}  // namespace

skald_status finish(Outcome outcome) noexcept {
  if (outcome.status == SKALD_OK) return SKALD_OK;
  last.outcome = std::move(outcome);
  last.shown = {last.outcome.status, last.outcome.code.c_str(), last.outcome.text.c_str(),
                last.outcome.place.c_str()};
  return last.shown.status;
}

skald_status finish_without_memory() noexcept {
  last.shown = {SKALD_LIMIT, "", "there is not enough memory", ""};
  return SKALD_LIMIT;
}

}  // namespace skald::c_api

const skald_error* skald_last_error(void) {
  return &skald::c_api::last.shown;
}
