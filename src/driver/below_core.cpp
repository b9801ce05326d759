// SPDX-License-Identifier: Apache-2.0
#include "driver/below_core.h"

#include "codegen/clike/device_program.h"
#include "codegen/opencl/dialect.h"
#include "driver/backend.h"
#ifdef SKALD_HAVE_CPU
#include "driver/cpu_options.h"
#endif
#include "imp/lower/lower.h"
#include "imp/text/parse.h"
#include "imp/text/print.h"
#include "imp/verify/verify.h"

namespace skald::driver {

namespace {

Result<std::string> dump_imp(const imp::Program& code, const std::string& emit,
                             [[maybe_unused]] const passes::PassOptions& passes) {
  if (emit.empty() || emit == "device-imp") return imp::print(code);
  if (emit == "cl") return clike::compile(code, opencl::kDialect).program.source;
  std::string why_not;
  if (!has_backend(BackendKind::kCpu, why_not)) return Failure(why_not);
#ifdef SKALD_HAVE_CPU
  return emit_native(code, emit, passes);
#else
  return Failure(why_not);
#endif
}

}  // namespace

Result<std::string> dump_below_core(const core::Program& prog, const std::string& emit,
                                    const passes::PassOptions& passes) {
  if (emit == "cl" || emit == "device-imp") {
    const Result<imp::Program> device = imp::lower_for_device(prog);
    if (!device) return device.failure();
    imp::verify_or_bug(*device, "lowering to imp for a device");
    return dump_imp(*device, emit, passes);
  }
#ifdef SKALD_HAVE_CPU
  const imp::Program code = imp::lower(prog, lower_options(passes));
#else
  const imp::Program code = imp::lower(prog);
#endif
  imp::verify_or_bug(code, "lowering to imp");
  return dump_imp(code, emit, passes);
}

Result<std::string> dump_imp_text(std::string_view text, const std::string& emit) {
  Result<imp::Program> code = imp::parse(text);
  if (!code) return code.failure();
  const std::vector<std::string> problems = imp::verify(*code);
  if (!problems.empty()) return Failure(problems[0]);
  return dump_imp(*code, emit, {});
}

}  // namespace skald::driver
