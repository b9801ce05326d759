// SPDX-License-Identifier: Apache-2.0
// What the vector registers of a machine can do, as far as it matters for choosing lanes.
#pragma once

#include <functional>
#include <string_view>

namespace skald::machine {

struct VectorRegisters {
  int bytes = 16;
  int count = 32;
  // Wider ones that the machine also has, for loops where they pay; 0: none.
  int wide_bytes = 0;
  // Those for loops that compute functions (exp, sin …): at least as wide, also where wide
  // registers lower the clock, which such loops gain several times over.
  int function_bytes = 0;
  // Use the wider ones for every loop.
  bool always_wide = false;
  // Registers of one bit for each lane, and instructions that leave lanes out.
  bool bit_masks = false;
  // Loads and stores that leave lanes out, of elements of at least so many bytes; 0: none.
  int masked_bytes = 0;
  bool masks_accesses(int bytes) const { return masked_bytes > 0 && bytes >= masked_bytes; }
  // Products of 64-bit integers, and conversions between those and floats.
  bool long_operations = false;
  // The least size of elements of which chosen ones can be moved together in a register by one
  // instruction; 0: none.
  int packed_bytes = 0;
  // An instruction that puts the bytes of 16 in an order given by another register.
  bool shuffles = false;
  // Quick loads of 32 and 64 bits from an address for each lane.
  bool gathers = false;
  // How many instructions the processor looks ahead, as far as that is known to be few; 0: many.
  int window = 0;
  bool operator==(const VectorRegisters&) const = default;
};

// May AVX-512 be used where it is there?
enum class Avx512 : uint8_t { kUsed, kLeftOut };

// Of an x86-64 with these features, by the names that LLVM has for them ("avx512vbmi2").
VectorRegisters x86_registers(const std::function<bool(std::string_view)>& has, Avx512 avx512);
// Of an arm64: NEON.
VectorRegisters arm64_registers();

}  // namespace skald::machine
