// SPDX-License-Identifier: Apache-2.0
// The interpreter with a tape: slopes that random programs do not reach.
#include <cmath>

#include "core/traced/traced.h"
#include "core_interp_util.h"

namespace skald::core {
namespace {

// The derivative of an operator on f64 at x.
double slope(const std::string& op, double x) {
  const std::string text =
      "stage soacs\nfun main (x_0 : f64) : {f64} =\n  let {v_1 : f64, v_2 : f64} =\n"
      "    vjp(\\{x_3 : f64} : {f64} ->\n      let {t_4 : f64} = " +
      op + "_f64(x_3)\n      in {t_4}, {x_0}, {1f64})\n  in {v_2}\n";
  source::SourceMap sources;
  const auto prog = parse(sources.add("test.core", text), sources);
  if (!prog) return std::nan("");
  const auto results = interpret_by_tape(*prog, "main", {interp_test::f64(x)});
  if (!results) return std::nan("");
  double value = 0;
  std::memcpy(&value, (*results)[0].data->data(), sizeof value);
  return value;
}

TEST(Traced, SlopesOfGamma) {
  constexpr double kEuler = 0.57721566490153286;
  EXPECT_NEAR(slope("lgamma", 1), -kEuler, 1e-13);
  EXPECT_NEAR(slope("lgamma", 2), 1 - kEuler, 1e-13);
  EXPECT_NEAR(slope("lgamma", 0.5), -kEuler - 2 * std::log(2.0), 1e-13);
  EXPECT_NEAR(slope("lgamma", -0.5), 2 - kEuler - 2 * std::log(2.0), 1e-13);
  EXPECT_NEAR(slope("lgamma", 100), 4.6001618527380874, 1e-12);
  EXPECT_NEAR(slope("gamma", 3), 2 * (1.5 - kEuler), 1e-12);
}

}  // namespace
}  // namespace skald::core
