// SPDX-License-Identifier: Apache-2.0
#include "core/ir/program.h"

namespace skald::core {

std::string_view stage_name(Stage stage) {
  switch (stage) {
    case Stage::kSoacs: return "soacs";
    case Stage::kKernels: return "kernels";
    case Stage::kMemory: return "memory";
  }
  return "";
}

std::optional<Stage> stage_from_name(std::string_view name) {
  for (const Stage stage : {Stage::kSoacs, Stage::kKernels, Stage::kMemory})
    if (stage_name(stage) == name) return stage;
  return std::nullopt;
}

Loc LocTable::add(std::string text, Loc caller, std::string function) {
  if (text.empty() && caller == Loc{}) return {};
  std::string key = fmt::format("{}@{}\n{}", caller.index, function, text);
  auto [place, is_new] = index_.try_emplace(std::move(key), static_cast<uint32_t>(entries_.size()));
  if (is_new) entries_.push_back({std::move(text), caller, std::move(function)});
  return {place->second};
}

Loc LocTable::outside_prelude(Loc loc) const {
  while ((*this)[loc].text.starts_with("/prelude/") && (*this)[loc].caller.index != 0)
    loc = (*this)[loc].caller;
  return loc;
}

std::string LocTable::backtrace(Loc loc) const {
  std::string lines;
  // A caller is always added before the place that names it, so the chain ends.
  for (int depth = 0; loc.index != 0; ++depth) {
    const Entry& entry = (*this)[loc];
    if (depth > 0) lines += '\n';
    lines += fmt::format("{} #{}  {}", depth == 0 ? "->" : "  ", depth, entry.text);
    if (!entry.function.empty()) lines += " in " + entry.function;
    loc = entry.caller;
  }
  return lines;
}

const Function* Program::find(std::string_view name) const {
  for (const Function& fn : functions)
    if (fn.name == name) return &fn;
  return nullptr;
}

const Function* Program::find_entry(std::string_view entry) const {
  for (const Function& fn : functions)
    if (fn.entry && fn.entry->name == entry) return &fn;
  return nullptr;
}

}  // namespace skald::core
