// SPDX-License-Identifier: Apache-2.0
#include "machine/vector_registers.h"

namespace skald::machine {

VectorRegisters x86_registers(const std::function<bool(std::string_view)>& has, Avx512 avx512) {
  const bool all_of_it =
      avx512 == Avx512::kUsed && has("avx512vl") && has("avx512bw") && has("avx512dq");
  VectorRegisters result{.bytes = has("avx2") ? 32 : 16, .count = all_of_it ? 32 : 16};
  result.bit_masks = result.long_operations = all_of_it;
  result.shuffles = has("ssse3");
  if (all_of_it) result.packed_bytes = has("avx512vbmi2") ? 1 : 4;
  // Older machines have the instructions too, but are said to be slow at them, some of them very
  // much so since microcode keeps what they load from leaking.
  result.gathers = all_of_it && has("avx512fp16");
  // The first machines with AVX-512, which did not have this part of it, lower their clock most
  // when all 512 bits are used.
  if (all_of_it) result.function_bytes = 64;
  if (all_of_it && has("avx512vnni")) result.wide_bytes = 64;
  result.masked_bytes = result.bit_masks ? 1 : result.bytes >= 32 ? 4 : 0;
  return result;
}

VectorRegisters arm64_registers() {
  // The window is that of Neoverse N1; later ones have more, and lose nothing.
  return {.bytes = 16, .count = 32, .shuffles = true, .window = 128};
}

}  // namespace skald::machine
