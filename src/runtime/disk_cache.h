// SPDX-License-Identifier: Apache-2.0
// Compiled code on disk, named by a hash of everything it depends on.
//
// The folder is $SKALD_CACHE_DIR, else $XDG_CACHE_HOME/skald, else ~/.cache/skald.  SKALD_CACHE=off
// (or 0, no) turns it off; SKALD_CACHE_LIMIT=BYTES (with K, M or G) limits it, 512 M by default.
//
// Nothing that happens to the folder is an error of a run: an entry that is missing, unreadable,
// damaged or being written by somebody else is simply not there, and what cannot be written is not
// kept.  Entries are written beside and renamed, so readers see whole files only; each carries a
// checksum; those that were not used for the longest time go first when there are too many.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "support/hash.h"
#include "support/result.h"

namespace skald::runtime {

class DiskCache {
 public:
  // As the environment says.
  static DiskCache standard();
  // An empty folder: nothing is found and nothing kept.
  DiskCache(std::filesystem::path folder, uint64_t limit);

  bool enabled() const { return !folder_.empty(); }
  const std::filesystem::path& folder() const { return folder_; }
  uint64_t limit() const { return limit_; }

  // `kind` says what it is, in a few small letters; it becomes the extension.
  std::optional<std::string> read(Hash128 key, std::string_view kind) const;
  // Is there an entry?  It may still turn out to be damaged.
  bool has(Hash128 key, std::string_view kind) const;
  void write(Hash128 key, std::string_view kind, std::string_view bytes) const;
  // For an entry whose content turned out to be useless.
  void remove(Hash128 key, std::string_view kind) const;

  struct Usage {
    uint64_t files = 0, bytes = 0;
    std::map<std::string, uint64_t> kinds = {};  // files of each
  };
  Usage usage() const;
  // Deletes all entries and nothing else; says how much that was.
  Result<Usage> clear() const;

 private:
  std::filesystem::path path_of(Hash128 key, std::string_view kind) const;
  bool is_ours() const;
  bool make_folder() const;
  void make_room() const;

  std::filesystem::path folder_;
  uint64_t limit_;
};

// The number of bytes that "512M", "2 G" or "100000" means; empty for anything else.
std::optional<uint64_t> parse_bytes(std::string_view text);

}  // namespace skald::runtime
