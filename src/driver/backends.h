// SPDX-License-Identifier: Apache-2.0
// The constructors of the single back ends, for backend.cpp only.
#pragma once

#include "driver/backend.h"
#include "driver/object.h"
#include "imp/ir/imp.h"

namespace skald::driver {

Result<std::unique_ptr<Backend>> make_interp_backend(const core::Program& prog,
                                                     const BackendOptions& options);
// Only in builds with SKALD_CPU.
Result<std::unique_ptr<Backend>> make_cpu_backend(const core::Program& prog,
                                                  const BackendOptions& options);
Result<ObjectCode> make_cpu_object(const core::Program& prog, const passes::PassOptions& options,
                                   const std::string& symbols);
std::string cpu_image_key();
Result<std::unique_ptr<Backend>> load_cpu_backend(std::string_view image,
                                                  const BackendOptions& options);

// `why_not` says what is missing.
bool has_opencl(std::string& why_not);
Result<std::unique_ptr<Backend>> make_opencl_backend(const core::Program& prog,
                                                     const BackendOptions& options);
// A stage-SOACS program all the way to imp for a device.
Result<imp::Program> lower_to_device(const core::Program& prog, const passes::PassOptions& options,
                                     std::vector<core::TuningParam>* params = nullptr,
                                     std::vector<std::string>* notes = nullptr);

// A deep copy: passes use their program up, and the caller keeps the original.
core::Program copy_of(const core::Program& prog);

// The form in which every back end reports a run-time error.
std::string run_failure_text(const std::string& message, const std::string& backtrace);

}  // namespace skald::driver
