// SPDX-License-Identifier: Apache-2.0
#include "driver/backend.h"

#include "core/edit/rename.h"
#include "driver/backends.h"

namespace skald::driver {

std::string_view backend_name(BackendKind kind) {
  constexpr std::string_view kNames[] = {"interp", "cpu", "opencl"};
  return kNames[static_cast<size_t>(kind)];
}

bool has_backend(BackendKind kind, std::string& why_not) {
#ifndef SKALD_HAVE_CPU
  if (kind == BackendKind::kCpu) {
    why_not =
        "this build has no cpu back end; configure with -DSKALD_CPU=ON (needs LLVM 19 and oneTBB)";
    return false;
  }
#endif
  return kind != BackendKind::kOpencl || has_opencl(why_not);
}

BackendKind default_backend() {
#ifdef SKALD_HAVE_CPU
  return BackendKind::kCpu;
#else
  return BackendKind::kInterp;
#endif
}

Result<std::unique_ptr<Backend>> make_backend(BackendKind kind, const core::Program& prog,
                                              const BackendOptions& options) {
  // It says itself what is missing, and looking twice takes time.
  if (kind == BackendKind::kOpencl) return make_opencl_backend(prog, options);
  std::string why_not;
  if (!has_backend(kind, why_not)) return Failure(why_not);
#ifdef SKALD_HAVE_CPU
  if (kind == BackendKind::kCpu) return make_cpu_backend(prog, options);
#endif
  return make_interp_backend(prog, options);
}

Result<ObjectCode> make_object([[maybe_unused]] const core::Program& prog,
                               [[maybe_unused]] const passes::PassOptions& options,
                               [[maybe_unused]] const std::string& symbols) {
  std::string why_not;
  if (!has_backend(BackendKind::kCpu, why_not)) return Failure(why_not);
#ifdef SKALD_HAVE_CPU
  return make_cpu_object(prog, options, symbols);
#else
  return Failure(why_not);
#endif
}

core::Program copy_of(const core::Program& prog) {
  core::Program copy;
  copy.stage = prog.stage;
  copy.names = prog.names;
  copy.locs = prog.locs;
  for (const core::Function& fn : prog.functions)
    copy.functions.push_back(core::copy_with_fresh_names(fn, copy.names));
  return copy;
}

std::string image_key([[maybe_unused]] BackendKind kind) {
#ifdef SKALD_HAVE_CPU
  if (kind == BackendKind::kCpu) return cpu_image_key();
#endif
  return {};
}

Result<std::unique_ptr<Backend>> load_backend([[maybe_unused]] BackendKind kind,
                                              [[maybe_unused]] std::string_view image,
                                              [[maybe_unused]] const BackendOptions& options) {
#ifdef SKALD_HAVE_CPU
  if (kind == BackendKind::kCpu) return load_cpu_backend(image, options);
#endif
  return Failure("this back end has no images");
}

}  // namespace skald::driver
