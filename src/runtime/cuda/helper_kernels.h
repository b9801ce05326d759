// SPDX-License-Identifier: Apache-2.0
// A few small kernels of our own, as PTX, which every driver turns into machine code by itself.
#pragma once

#include <array>
#include <string>

#include "runtime/cuda/api.h"

namespace skald::runtime::cuda {

struct HelperKernels {
  Module module = nullptr;
  // (record): a failure that is recorded gets the number 1, which is less than that of any launch,
  // so that launches may be numbered from 2 on again.
  Function seal = nullptr;
  // Of elements of 1, 2, 4 and 8 bytes.
  std::array<Function, 4> fill{};  // (to, count, bits)
  std::array<Function, 4> copy{};  // (to, count, from)
  // (to, bytes from, count, words from, count, counter): one group of kReportThreads copies a few
  // bytes and words of 8 to the host's memory, counts, and then writes the number there as a
  // ticket.
  Function report = nullptr;
};

// Where the report is, in bytes after `to`.
inline constexpr unsigned kReportThreads = 128;
inline constexpr size_t kReportTicket = 0, kReportBytes = 64;
inline constexpr size_t kReportWords = kReportBytes + kReportThreads;
inline constexpr size_t kReportSize = kReportWords + 8 * kReportThreads;

// Their text; the names are skald_seal, skald_report, skald_fill8 … skald_fill64, skald_copy8 …
// skald_copy64.
std::string helper_ptx();
Status load_helpers(const Api& api, HelperKernels& helpers);

// Groups of kHelperThreads that a fill or copy of so many elements needs.
inline constexpr unsigned kHelperThreads = 256;
unsigned helper_groups(uint64_t count);
// 0 for 1 byte, 3 for 8.
int helper_number(int size);

}  // namespace skald::runtime::cuda
