// SPDX-License-Identifier: Apache-2.0
// Compiled programs on disk, so that a program that did not change starts at once.
//
// The key is the text of the program's file, its name (messages show it), the options, the entry
// point, this build and this machine.  Imported files are not known before the program is read, so
// an entry lists them with hashes, and they are looked at before it is used.
#pragma once

#include <optional>
#include <string>

#include "compile/program/program.h"
#include "runtime/disk_cache.h"

namespace skald::compile {

struct CachedProgram {
  std::string diagnostics;  // as they were drawn
  std::string image;        // for Program::from_image
  std::string head;         // as it was found: what comes before the image on disk
};

class ProgramCache {
 public:
  // Reads the program's file.  --verify, --explain, no cache wanted and engines without images turn
  // the cache off.
  ProgramCache(const Loader& loader, const Engine& engine, const ProgramRequest& request);

  bool enabled() const { return key_.has_value(); }
  std::optional<CachedProgram> find() const;
  // Keeps what was compiled from the files that `sources` has.
  void keep(const source::SourceMap& sources, const std::string& diagnostics,
            const std::string& image) const;
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

}  // namespace skald::compile
