// SPDX-License-Identifier: Apache-2.0
// What the handles of skald.h stand for.
#pragma once

#include <skald/skald.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "compile/c_api/handles.h"
#include "compile/program/program.h"

namespace skald::c_api {

struct Context {
  std::shared_ptr<compile::Engine> engine;
  const compile::Backend* backend = nullptr;
  bool use_cache = true;
  core::Tuning chosen = {};  // guarded by `mutex`

  // Ends with the context: handles of its programs and arrays.
  std::mutex mutex;
  std::unordered_set<uint64_t> programs, arrays;

  bool profile = false;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::deque<skald_event> events;  // guarded by `mutex`
};

struct Program {
  std::shared_ptr<Context> context;
  std::unique_ptr<compile::Program> compiled;
  std::string warnings;
  std::mutex mutex;   // guards the image
  std::string image;  // made when asked for
};

struct Array {
  std::shared_ptr<Context> context;
  runtime::Value value;
  skald_space space = SKALD_HOST;
  std::atomic<bool> given = false;
};

// The tables of this process.
HandleTable<Context, HandleKind::kContext>& contexts();
HandleTable<Program, HandleKind::kProgram>& programs();
HandleTable<Array, HandleKind::kArray>& arrays();

// Makes a handle that ends with its context.
skald_array add_array(const std::shared_ptr<Context>& context, runtime::Value value,
                      skald_space space);

// The memory that the calls of a context want arrays in.
skald_space space_of(const Context& context);

}  // namespace skald::c_api
