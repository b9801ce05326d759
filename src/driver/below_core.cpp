// SPDX-License-Identifier: Apache-2.0
#include "driver/below_core.h"

#include "codegen/clike/device_program.h"
#include "codegen/opencl/dialect.h"
#include "driver/backend.h"
#ifdef SKALD_HAVE_CPU
#include "driver/cpu_options.h"
#endif
#include "imp/pipeline.h"
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

Result<imp::Program> imp_for(const core::Program& prog, imp::Target target,
                             const passes::PassOptions& passes) {
  if (target == imp::Target::kDevice)
    return imp::make_device_code(prog, passes.with_device(imp::Device{}));
#ifdef SKALD_HAVE_CPU
  return cpu_imp(prog, passes);
#else
  return imp::make_cpu_code(prog, {}, passes.with_device(imp::Device{}));
#endif
}

Result<std::string> dump_below_core(const core::Program& prog, imp::Target target,
                                    const std::string& emit, const passes::PassOptions& passes) {
  const Result<imp::Program> code = imp_for(prog, target, passes);
  if (!code) return code.failure();
  return dump_imp(*code, emit, passes);
}

Result<std::string> dump_imp_text(std::string_view text, const std::string& emit,
                                  const std::vector<std::string>& names,
                                  const passes::PassOptions& passes) {
  Result<imp::Program> code = imp::parse(text);
  if (!code) return code.failure();
  const std::vector<std::string> problems = imp::verify(*code);
  if (!problems.empty()) return Failure(problems[0]);
  Result<imp::Program> changed = imp::run_passes(std::move(*code), {names.begin(), names.end()},
                                                 passes.with_device(imp::Device{}));
  if (!changed) return changed.failure();
  return dump_imp(*changed, emit, passes);
}

}  // namespace skald::driver
