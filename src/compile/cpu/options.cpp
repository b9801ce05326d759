// SPDX-License-Identifier: Apache-2.0
#include "compile/cpu/options.h"

#include "compile/backend/strategy_options.h"
#include "machine/caches.h"

namespace skald::compile {

cpu::CompileOptions cpu_options(const passes::PassOptions& options) {
  cpu::CompileOptions result;
  result.avx512 = !options.disabled.contains("avx512");
  // One of the widths is left out, so the other one is used for all loops.
  if (options.disabled.contains("simd512")) result.vector_bits = 256;
  if (options.disabled.contains("simd256")) result.vector_bits = 512;
  if (!options.disabled.contains("caches") && !options.disabled.contains("machine"))
    result.caches = machine::this_machines_caches();
  result.on_limit = options.on_limit;
  return result;
}

imp::LowerOptions lower_options(const passes::PassOptions& options) {
  imp::LowerOptions result = strategy_options(options);
  result.caches = cpu_options(options).caches;
  result.blocks = !options.disabled.contains("order");
  if (options.explained.contains("order")) result.explain = options.on_explain;
  if (options.disabled.contains("machine")) return result;
  result.fused_sums = cpu::has_fused_multiply_add();
  if (cpu::has_wide_vectors(cpu_options(options))) {
    // A product and sum waits four steps for the one before it, and there are two at each step.
    result.wide_registers = true;
    result.tile_row_bytes = 128;
    result.tile_bytes = 1024;
  }
  result.registers = cpu::vector_registers(cpu_options(options));
  // A processor that looks far ahead needs no stages.
  if (options.disabled.contains("two-stages")) result.registers.window = 0;
  result.streams = cpu::has_streams() && !options.disabled.contains("stream");
  return result;
}

namespace {

imp::Device device_of(const imp::LowerOptions& lowering, const passes::PassOptions& options) {
  return {.registers = lowering.registers,
          .lanes = !options.disabled.contains("vectorise"),
          .streams = lowering.streams};
}

}  // namespace

Result<imp::Program> lower_for_cpu(const core::Program& prog, const passes::PassOptions& options) {
  const imp::LowerOptions lowering = lower_options(options);
  return imp::make_cpu_code(prog, lowering, options.with_device(device_of(lowering, options)));
}

Result<imp::Program> lower_with_polls(const core::Program& prog,
                                      const passes::PassOptions& options) {
  imp::LowerOptions lowering = lower_options(options);
  lowering.loop_places = true;
  imp::Device device = device_of(lowering, options);
  device.limits_time = true;
  return imp::make_cpu_code(prog, lowering, options.with_device(device));
}

Result<std::string> emit_llvm(const imp::Program& prog, const passes::PassOptions& options) {
  return cpu::emit_llvm(prog, cpu_options(options));
}

Result<std::string> emit_assembly(const imp::Program& prog, const passes::PassOptions& options) {
  return cpu::emit_assembly(prog, cpu_options(options));
}

}  // namespace skald::compile
