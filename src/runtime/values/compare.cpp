// SPDX-License-Identifier: Apache-2.0
#include "runtime/values/compare.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "runtime/values/value_writer.h"
#include "support/f16.h"

namespace skald::runtime {

namespace {

constexpr double kTolerance = 0.002;

double to_double(Prim type, uint64_t bits) {
  if (type == Prim::kF64) return std::bit_cast<double>(bits);
  if (type == Prim::kF32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  return f16_to_f32(static_cast<uint16_t>(bits));
}

double tolerance_of(const Value& expected) {
  double tolerance = kTolerance;
  for (int64_t i = 0; i < expected.element_count(); ++i) {
    const double x = to_double(expected.type, expected.element_bits(i));
    if (std::isfinite(x)) tolerance = std::max(tolerance, kTolerance * x);
  }
  return tolerance;
}

bool floats_agree(double expected, double got, double tolerance) {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  if (std::isinf(expected) || std::isinf(got)) return expected == got;
  return std::fabs(expected - got) <= tolerance;
}

// "element [1][2]", or "" for a scalar.
std::string place_text(const Value& value, int64_t flat) {
  std::string text;
  for (size_t d = value.shape.size(); d-- > 0; flat /= value.shape[d])
    text = fmt::format("[{}]{}", flat % value.shape[d], text);
  return text.empty() ? text : "element " + text + ": ";
}

}  // namespace

std::optional<std::string> compare_values(const Value& expected, const Value& got) {
  if (expected.type != got.type || expected.shape != got.shape)
    return fmt::format("expected a value of type {}, got one of type {}",
                       type_text(expected.type, expected.shape), type_text(got.type, got.shape));
  const bool inexact = is_float(expected.type);
  const auto size = static_cast<size_t>(expected.data.bytes());
  if (size == 0) return std::nullopt;
  if (!inexact && std::memcmp(expected.data.data(), got.data.data(), size) == 0)
    return std::nullopt;

  const double tolerance = inexact ? tolerance_of(expected) : 0;
  int64_t first = -1, differences = 0;
  for (int64_t i = 0; i < expected.element_count(); ++i) {
    const uint64_t want = expected.element_bits(i), have = got.element_bits(i);
    const bool same = inexact ? floats_agree(to_double(expected.type, want),
                                             to_double(expected.type, have), tolerance)
                              : want == have;
    if (same) continue;
    if (first < 0) first = i;
    ++differences;
  }
  if (differences == 0) return std::nullopt;
  std::string text = place_text(expected, first);
  text +=
      fmt::format("expected {}, got {}", scalar_text(expected.type, expected.element_bits(first)),
                  scalar_text(got.type, got.element_bits(first)));
  if (inexact) text += fmt::format(" (tolerance {:.3g})", tolerance);
  if (differences > 1)
    text += fmt::format("; {} of {} elements differ", differences, expected.element_count());
  return text;
}

std::optional<std::string> compare_values(std::span<const Value> expected,
                                          std::span<const Value> got) {
  if (expected.size() != got.size())
    return fmt::format("expected {} values, got {}", expected.size(), got.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    std::optional<std::string> difference = compare_values(expected[i], got[i]);
    if (!difference) continue;
    return expected.size() == 1 ? *difference : fmt::format("value {}: {}", i, *difference);
  }
  return std::nullopt;
}

}  // namespace skald::runtime
