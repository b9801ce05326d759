// SPDX-License-Identifier: Apache-2.0
#include "driver/entry.h"

namespace skald::driver {

std::string count_text(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count == 0 ? "no" : std::to_string(count), noun,
                     count == 1 ? "" : "s");
}

Result<const core::Function*> find_entry(const core::Program& prog, const std::string& name) {
  if (const core::Function* fn = prog.find_entry(name)) return fn;
  std::string known;
  for (const core::Function& fn : prog.functions)
    if (fn.entry) known += fmt::format("{}`{}`", known.empty() ? "" : ", ", fn.entry->name);
  if (known.empty())
    return Failure(fmt::format(
        "the program has no entry point `{}`, and no other one; write `entry {} …` or `def main …`",
        name, name));
  return Failure(fmt::format(
      "the program has no entry point `{}`; it has {} (choose one with --entry)", name, known));
}

}  // namespace skald::driver
