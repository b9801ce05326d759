// SPDX-License-Identifier: Apache-2.0
// Names of the core IR.  A name prints as `base_id`, e.g. `xs_12`; only the id has meaning, and
// every id is bound at most once in a whole Program.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
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
//
// A base holds only what the text form can read back: letters, digits, `_` and `'`, not starting
// with a digit or `'`.  Other characters become `_`, and long bases are cut.
class NameTable {
 public:
  // Ids reach at most this far, so that a stray number in `.core` text cannot ask for gigabytes.
  static constexpr uint32_t kMaxId = 1u << 25;

  NameTable();
  Name fresh(std::string_view base);
  // A new name with the base of an old one.
  Name fresh_like(Name old) { return fresh(std::string(base(old))); }
  // Binds a particular id (not 0, at most kMaxId), as the parser of `.core` text must.  The id may
  // be far beyond the others.
  Name fixed(std::string_view base, uint32_t id);
  std::string_view base(Name name) const {
    return name.id < bases_.size() ? std::string_view(pool_[bases_[name.id]]) : std::string_view();
  }
  // "xs_12".
  std::string text(Name name) const;
  // One more than the largest id.
  uint32_t size() const { return static_cast<uint32_t>(bases_.size()); }

 private:
  // The place of a base in the pool.
  uint32_t intern(std::string_view base);

  std::vector<uint32_t> bases_;  // by id
  std::deque<std::string> pool_;
  std::unordered_map<std::string, uint32_t> index_;
};

}  // namespace skald::core

template <>
struct std::hash<skald::core::Name> {
  size_t operator()(skald::core::Name name) const noexcept { return name.id; }
};
