// SPDX-License-Identifier: Apache-2.0
// Compiled programs of `skald run` on disk, so that a program that did not change starts at once.
//
// The key is the text of the program's file, its name (messages show it), the options, the entry
// point, this build and this machine.  Imported files are not known before the program is read, so
// an entry lists them with hashes, and they are looked at before it is used.
#pragma once

#include <optional>
#include <string>

#include "core/ir/program.h"
#include "driver/options.h"
#include "driver/session.h"
#include "runtime/disk_cache.h"

namespace skald::driver {

struct CachedRun {
  std::string diagnostics;  // what the compiler printed
  core::Function entry;     // without a body
  std::string image;        // for load_backend
  std::string head;         // as it was found: what comes before the image on disk
};

class RunCache {
 public:
  // Reads the program's file.  --verify, --explain, --no-cache and back ends without images turn
  // the cache off.
  RunCache(const CommonOptions& common, const RunOptions& options);

  bool enabled() const { return key_.has_value(); }
  std::optional<CachedRun> find() const;
  // Keeps what was compiled from the files that `session` read.
  void keep(Session& session, const CachedRun& run) const;
  // Puts another image in the place of the one that was found with this head.
  void keep_again(const std::string& head, const std::string& image) const;
  // Forgets an entry that did not work.
  void drop() const;

 private:
  runtime::DiskCache disk_ = runtime::DiskCache::standard();
  std::string file_;
  std::string text_;
  std::optional<Hash128> key_;
};

}  // namespace skald::driver
