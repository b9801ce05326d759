// SPDX-License-Identifier: Apache-2.0
#include "codegen/cpu/compile.h"
#include "driver/below_core.h"
#include "driver/cpu_options.h"

namespace skald::driver {

cpu::CompileOptions cpu_options(const passes::PassOptions& options) {
  cpu::CompileOptions result;
  result.simd = !options.disabled.contains("simd");
  result.avx512 = !options.disabled.contains("avx512");
  result.streams = !options.disabled.contains("stream");
  // One of the widths is left out, so the other one is used for all loops.
  if (options.disabled.contains("simd512")) result.vector_bits = 256;
  if (options.disabled.contains("simd256")) result.vector_bits = 512;
  if (options.explained.contains("simd")) result.explain_simd = options.on_explain;
  result.on_limit = options.on_limit;
  return result;
}

imp::LowerOptions lower_options(const passes::PassOptions& options) {
  imp::LowerOptions result;
  result.fused_sums = cpu::has_fused_multiply_add();
  result.blocks = !options.disabled.contains("order");
  if (cpu::has_wide_vectors(cpu_options(options))) {
    // A product and sum waits four steps for the one before it, and there are two at each step.
    result.wide_registers = true;
    result.tile_row_bytes = 128;
    result.tile_bytes = 1024;
  }
  result.registers = cpu::vector_registers(cpu_options(options));
  result.streams = cpu::has_streams() && !options.disabled.contains("stream");
  if (options.explained.contains("order")) result.explain = options.on_explain;
  return result;
}

Result<imp::Program> cpu_imp(const core::Program& prog, const passes::PassOptions& options) {
  const imp::LowerOptions lowering = lower_options(options);
  const imp::Device device{lowering.registers, !options.disabled.contains("simd")};
  return imp::make_cpu_code(prog, lowering, options.with_device(device));
}

Result<std::string> emit_native(const imp::Program& prog, const std::string& form,
                                const passes::PassOptions& passes) {
  const cpu::CompileOptions options = cpu_options(passes);
  return form == "ll" ? cpu::emit_llvm(prog, options) : cpu::emit_assembly(prog, options);
}

}  // namespace skald::driver
