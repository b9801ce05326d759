// SPDX-License-Identifier: Apache-2.0
// What lowering may do, and who wants to hear of it.
#pragma once

#include <functional>
#include <string>
#include <unordered_set>

#include "machine/caches.h"
#include "machine/hist_costs.h"
#include "machine/vector_registers.h"

namespace skald::imp {

struct LowerOptions {
  // May a reduction that adds up products round each product and sum once?  Good where that is one
  // instruction.
  bool fused_sums = false;
  // Has the device instructions for small matrices of f64 (MatrixSum)?
  bool matrix_sums = false;
  // Are maps that read arrays across their rows done in blocks?
  bool blocks = true;
  // Do large results of scans, filters and transpositions go to memory past the caches?  Good where
  // there are stores that do not read the line before.
  bool streams = false;
  // Do registers hold eight elements of 64 bits?
  bool wide_registers = false;
  // What lanes run in.
  machine::VectorRegisters registers = {};
  // What thresholds and chunks that nobody sees in results follow (machine/cache_shares.h).
  machine::Caches caches = machine::kPlainCaches;
  // What decides how histograms are made, where that cannot be seen in results.
  machine::HistNumbers hist = {machine::usual_hist_costs()};
  // Bytes of accumulators that nests like matrix products keep in registers, in one row of a tile
  // and in a whole tile (tile.cpp).
  int64_t tile_row_bytes = 64, tile_bytes = 256;
  // Do threads of a warp read each other's registers, without the memory of the group?
  bool warp_shuffles = true;
  // Do loops get their place in the source (LoopMark)?
  bool loop_places = false;
  // Strategies that are left out (kernel/strategy.h).
  std::unordered_set<std::string> disabled = {};
  // Gets a line for every kernel whose points are not simply taken row by row.
  std::function<void(const std::string&)> explain = {};
  // Gets a line for every strategy that was taken, and for those that did not fit.
  std::function<void(const std::string&)> explain_lowering = {};
  // Gets what kernel/hist_notes.h says; the program then says more when it runs.
  std::function<void(const std::string&)> explain_hist = {};
};

}  // namespace skald::imp
