// SPDX-License-Identifier: Apache-2.0
// Names of the core IR.  A name prints as `base_id`, e.g. `xs_12`; only the id has meaning, and
// every id is bound at most once in a whole Program.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace skald::core {

// Id 0 is "no name": an unnamed result, a default-made Name.
struct Name {
  uint32_t id = 0;
  explicit operator bool() const { return id != 0; }
  friend bool operator==(Name, Name) = default;
  friend auto operator<=>(Name, Name) = default;
};

// Hands out names and remembers their bases.  Owned by a Program.
class NameTable {
 public:
  NameTable() : bases_(1) {}
  Name fresh(std::string_view base);
  // A new name with the base of an old one.
  Name fresh_like(Name old) { return fresh(std::string(base(old))); }
  // Binds a particular id, as the parser of `.core` text must.  The id may be far beyond the
  // others.
  Name fixed(std::string_view base, uint32_t id);
  std::string_view base(Name name) const {
    return name.id < bases_.size() ? std::string_view(bases_[name.id]) : std::string_view();
  }
  std::string text(Name name) const;
  // One more than the largest id.
  uint32_t size() const { return static_cast<uint32_t>(bases_.size()); }

 private:
  std::vector<std::string> bases_;
};

}  // namespace skald::core

template <>
struct std::hash<skald::core::Name> {
  size_t operator()(skald::core::Name name) const noexcept { return name.id; }
};
