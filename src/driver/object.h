// SPDX-License-Identifier: Apache-2.0
// What `skald build` writes: object code, and how to call it as a C header and as JSON.
#pragma once

#include <string>
#include <vector>

#include "core/ir/program.h"
#include "passes/pass.h"
#include "support/result.h"

namespace skald::driver {

struct ObjectCode {
  struct Entry {
    std::string name, symbol;
  };
  struct Message {
    std::string text;   // "{}" stands for a value given to skald_rt_fail
    std::string place;  // "x.fut:3:5-3:9", or empty
  };
  std::string bytes;
  std::vector<Entry> entries;
  std::vector<Message> messages;  // by id
  std::vector<std::string> params;
};

// Machine code of this machine for all entry points of a stage-SOACS program.  `symbols` is what
// their names begin with.  Fails in builds without the cpu back end.
Result<ObjectCode> make_object(const core::Program& prog, const passes::PassOptions& options,
                               const std::string& symbols);

std::string header_text(const ObjectCode& object, const core::Program& prog,
                        const std::string& name, const std::string& file);
std::string manifest_text(const ObjectCode& object, const core::Program& prog,
                          const std::string& name);

}  // namespace skald::driver
