// SPDX-License-Identifier: Apache-2.0
// How many lanes.
#include <algorithm>
#include <cmath>

#include "imp/simd/lanes_analysis.h"

namespace skald::imp {

namespace {

// Larger bodies are not worth the time to compile them several times over.
constexpr int kMostStatements = 1500;
// Values of a straight piece of code that are alive at the same time, as a part of its statements;
// with more registers for each of them, fewer fit.
constexpr int kSmallBody = 16, kMediumBody = 64;

// Of a group of `lanes` iterations, in scalar instructions.
double vector_cost(const LaneWork& work, int lanes, int vector_bytes) {
  double cost = work.uniform + work.per_lane * lanes;
  for (size_t k = 0; k < work.varying.size(); ++k) {
    const double registers = std::ceil(static_cast<double>(lanes << k) / vector_bytes);
    cost += work.varying[k] * registers;
  }
  const double mask_bytes = static_cast<double>(lanes * common_width(work));
  return cost + work.bools * std::ceil(mask_bytes / vector_bytes);
}

}  // namespace

int common_width(const LaneWork& work) {
  size_t best = 2;
  for (size_t k = 0; k < work.varying.size(); ++k)
    if (work.varying[k] > work.varying[best]) best = k;
  return 1 << best;
}

int choose_lanes(const For& loop, const LanesAnalysis& analysis, int vector_bytes) {
  const LaneWork& work = analysis.work();
  if (work.statements > kMostStatements) return 0;
  const int in_register = std::max(2, vector_bytes / common_width(work));
  int lanes = in_register;
  if (work.statements <= kSmallBody && !work.has_loop)
    lanes *= 4;
  else if (work.statements <= kMediumBody)
    lanes *= 2;
  // Vectors of the widest elements must fit too.
  constexpr int kMostRegisters = 8;
  for (size_t k = 0; k < work.varying.size(); ++k)
    if (work.varying[k] > 0)
      lanes = std::min(lanes, std::max(2, kMostRegisters * vector_bytes >> k));
  // Accumulators side by side: one vector takes them all, so that they stay in registers.
  const Const* begin = core::as_const(loop.begin);
  const Const* end = core::as_const(loop.end);
  if (begin != nullptr && end != nullptr) {
    const int64_t count = core::int_value(*end) - core::int_value(*begin);
    const bool power = count > 1 && (count & (count - 1)) == 0;
    constexpr int64_t kMostConstant = 64;
    if (power && count <= kMostConstant) lanes = static_cast<int>(count);
  }
  const double scalar = work.scalar * lanes;
  return vector_cost(work, lanes, vector_bytes) < scalar ? lanes : 0;
}

}  // namespace skald::imp
