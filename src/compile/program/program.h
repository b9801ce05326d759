// SPDX-License-Identifier: Apache-2.0
// A program that can be called: read, compiled and loaded on an engine, or taken from the cache.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compile/backend/backend.h"
#include "compile/program/loader.h"

namespace skald::compile {

struct ProgramRequest {
  std::string path;
  const frontend::Frontend* frontend = nullptr;  // null: by the end of `path`
  // Only this entry point is compiled; empty: all of them.
  std::string entry = {};
  bool only_forms = false;  // those that Frontend::has_forms speaks of
  ProgramOptions options = {};
  bool cache = true;
};

class Program {
 public:
  // Of a program built by a front end outside this library; verified first.
  static Result<std::unique_ptr<Program>> from_core(std::shared_ptr<Engine> engine,
                                                    core::Program prog,
                                                    const ProgramOptions& options);
  // Null after an error: `problem` says what is wrong, unless the diagnostics of `loader` do.
  // `shown` gets what the reader of the program should see, drawn; from the cache too.
  static std::unique_ptr<Program> make(Loader& loader, std::shared_ptr<Engine> engine,
                                       const ProgramRequest& request, std::string& shown,
                                       std::string& problem);
  // What `image` gave, on an engine of the same kind.  Fails for anything else, such as an image of
  // another version of this library.
  static Result<std::unique_ptr<Program>> from_image(std::shared_ptr<Engine> engine,
                                                     std::string_view image,
                                                     const ProgramOptions& options);
  // Empty if the engine has no images.
  std::string image();

  bool from_cache() const { return from_cache_; }
  // Does keep() do anything?
  bool has_cache() const { return has_cache_; }
  Engine& engine() { return *engine_; }
  std::shared_ptr<Engine> shared_engine() { return engine_; }
  Executable& executable() { return *executable_; }
  // Those that were compiled.
  std::vector<const core::Function*> entries() const;
  // Null if there is none.
  const core::Function* find_entry(std::string_view name) const;

  // Puts into the cache what was compiled, which may be more after a call than before.
  void keep() { keep_(); }

 private:
  Program(std::shared_ptr<Engine> engine, core::Program prog)
      : engine_(std::move(engine)), prog_(std::move(prog)) {}

  std::shared_ptr<Engine> engine_;
  core::Program prog_;  // without code if it came from an image
  std::unique_ptr<Executable> executable_;
  std::string image_;  // that it came from
  bool from_cache_ = false, has_cache_ = false;
  std::function<void()> keep_ = [] {};
};

// The entry point of that name; the failure lists those there are.
Result<const core::Function*> find_entry(const core::Program& prog, std::string_view name);

}  // namespace skald::compile
