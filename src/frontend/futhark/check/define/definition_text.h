// SPDX-License-Identifier: Apache-2.0
// A definition that is held in memory only while it is checked.
#pragma once

#include <optional>

#include "frontend/futhark/check/base/context.h"

namespace skald::futhark {

// If the file of the definition was read as an outline (Context::readers), fills the definition in,
// and takes it and all types that were made for it away in the end.
// Otherwise does nothing.
class DefinitionText {
 public:
  DefinitionText(Context& ctx, DVal& def, ValEntry& entry);
  ~DefinitionText();
  // Makes what the entry has last, and is called when the entry is finished.
  void keep_entry();
  DefinitionText(const DefinitionText&) = delete;
  DefinitionText& operator=(const DefinitionText&) = delete;

 private:
  Context& ctx_;
  DVal& def_;
  ValEntry& entry_;
  // Empty if there is nothing to do.
  std::optional<TypeFactory::Use> scratch_;
};

}  // namespace skald::futhark
