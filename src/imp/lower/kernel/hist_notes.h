// SPDX-License-Identifier: Apache-2.0
// What --explain=hist says of histograms: when a program is compiled, the class of the operator and
// the ways that fit; when it runs, the way that was taken, with the numbers that decided.
//
//   hist: hist_20: bins of 8 bytes; integers are added by an instruction, in any order
//   hist: hist_20: not hist/own-rows: rows do not have bins of their own
//   hist: hist_20: hist/copies-by-chunk (points, bins, bytes, chunks): [100i64, 4i64, 32i64, 1i64]
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "imp/lower/kernel/writer.h"

namespace skald::imp {

bool explains_hist(const KernelWriter& kernel);
// While the program is compiled; each line once.
void explain_hist(KernelWriter& kernel, const std::string& what);

struct HistNumber {
  std::string_view what;
  Operand value;
};
// Will it be said when the program runs?
bool reports_hist(const KernelWriter& kernel);
// Code that says it in host code that runs.
void report_hist(KernelWriter& kernel, Code& code, std::string_view what,
                 const std::vector<HistNumber>& numbers);

}  // namespace skald::imp
