// SPDX-License-Identifier: Apache-2.0
// Engines of devices that run kernels: core → kernels → memory → imp for a device → text in the
// device's language, and bytecode for the host.  Which language and which driver is all that they
// differ in.
#pragma once

#include "codegen/clike/dialect.h"
#include "compile/backend/backend.h"
#include "runtime/device/device.h"

namespace skald::compile {

struct DeviceDriver {
  const clike::Dialect& dialect;
  // The best device whose name holds `wanted`.
  Result<std::unique_ptr<runtime::Device>> (*open)(std::string_view wanted);
  // Has the dialect SK_MATRIX_SUM?
  bool matrix_sums = false;
  // Are its SK_SHUFFLEs instructions, or do they go through the memory of the group?
  bool warp_shuffles = false;
};

Result<std::shared_ptr<Engine>> open_device_engine(const DeviceDriver& driver,
                                                   const EngineOptions& options);

// A program at stage MEMORY as imp for devices, and the text of its kernels.
Result<imp::Program> lower_for_device(const core::Program& prog,
                                      const passes::PassOptions& options);
Result<imp::Program> lower_with_matrices(const core::Program& prog,
                                         const passes::PassOptions& options);
Result<std::string> print_imp(const imp::Program& prog, const passes::PassOptions& options);
std::string kernel_text(const imp::Program& prog, const clike::Dialect& dialect,
                        clike::Places places = clike::Places::kShown);

}  // namespace skald::compile
