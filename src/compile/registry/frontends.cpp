// SPDX-License-Identifier: Apache-2.0
#include "compile/registry/frontends.h"

#include "frontend/core/frontend.h"
#include "frontend/futhark/frontend.h"
#include "frontend/nesl/frontend.h"

namespace skald::compile {

namespace {

// The first one takes files whose names say nothing.
std::vector<const frontend::Frontend*>& frontend_table() {
  static std::vector<const frontend::Frontend*> rows = {
      &futhark::kFrontend,
      &nesl::kFrontend,
      &core::kFrontend,
  };
  return rows;
}

}  // namespace

const std::vector<const frontend::Frontend*>& frontends() {
  return frontend_table();
}

const frontend::Frontend* find_frontend(std::string_view name) {
  for (const frontend::Frontend* each : frontend_table())
    if (each->name == name) return each;
  return nullptr;
}

const frontend::Frontend& frontend_of(std::string_view path) {
  for (const frontend::Frontend* each : frontend_table())
    for (const std::string_view extension : each->extensions)
      if (path.ends_with(extension)) return *each;
  return *frontend_table().front();
}

void add_frontend(const frontend::Frontend& frontend) {
  frontend_table().push_back(&frontend);
}

}  // namespace skald::compile
