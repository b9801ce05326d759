// SPDX-License-Identifier: Apache-2.0
#include "driver/ready_program.h"

#include <cstdio>

#include "driver/entry.h"
#include "driver/run_cache.h"

namespace skald::driver {

namespace {

std::optional<ReadyProgram> from_cache(const std::shared_ptr<RunCache>& cache, BackendKind kind,
                                       const BackendOptions& options) {
  std::optional<CachedRun> kept = cache->find();
  if (!kept) return std::nullopt;
  Result<std::unique_ptr<Backend>> backend = load_backend(kind, kept->image, options);
  if (!backend) {
    cache->drop();
    return std::nullopt;
  }
  std::fputs(kept->diagnostics.c_str(), stderr);
  ReadyProgram ready;
  ready.prog = std::make_unique<core::Program>();
  ready.prog->functions.push_back(std::move(kept->entry));
  ready.entry = &ready.prog->functions[0];
  ready.backend = std::move(*backend);
  ready.from_cache = true;
  ready.keep = [cache, head = std::move(kept->head), program = ready.backend.get()] {
    const std::string image = program->image();
    if (!image.empty()) cache->keep_again(head, image);
  };
  return ready;
}

// Parameters, results and name: all that is kept of an entry point.
core::Function signature_of(const core::Function& entry) {
  core::Function copy;
  copy.name = entry.name;
  copy.params = entry.params;
  copy.results = entry.results;
  copy.entry = entry.entry;
  return copy;
}

}  // namespace

std::optional<ReadyProgram> make_ready(Session& session, const RunOptions& options,
                                       BackendOptions backend_options) {
  const bool verbose = session.options().verbose;
  const auto cache = std::make_shared<RunCache>(session.options(), options);
  if (std::optional<ReadyProgram> kept = from_cache(cache, options.backend, backend_options)) {
    if (verbose) std::fputs("skald: machine code from the cache\n", stderr);
    return kept;
  }
  std::optional<core::Program> prog = session.load(options.file);
  const std::string shown = session.drawn();
  std::fputs(shown.c_str(), stderr);
  if (!session.report() || !prog) return std::nullopt;
  const Result<const core::Function*> entry = find_entry(*prog, options.entry);
  if (!entry) {
    session.error(entry.error());
    return std::nullopt;
  }
  const auto number = static_cast<size_t>(*entry - prog->functions.data());
  // Nobody calls the other entry points, so they need not be compiled.
  for (core::Function& fn : prog->functions)
    if (&fn != *entry) fn.entry.reset();
  ReadyProgram ready;
  ready.prog = std::make_unique<core::Program>(std::move(*prog));
  ready.entry = &ready.prog->functions[number];
  Result<std::unique_ptr<Backend>> backend =
      make_backend(options.backend, *ready.prog, backend_options);
  if (!backend) {
    session.error(backend.error());
    return std::nullopt;
  }
  ready.backend = std::move(*backend);
  if (verbose)
    std::fprintf(stderr, "skald: compiled%s\n",
                 cache->enabled() ? ", to be kept in the cache" : "");
  if (cache->enabled())
    ready.keep = [cache, &session, shown, entry = ready.entry, program = ready.backend.get()] {
      std::string image = program->image();
      if (!image.empty()) cache->keep(session, {shown, signature_of(*entry), std::move(image)});
    };
  return ready;
}

}  // namespace skald::driver
