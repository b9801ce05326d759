// SPDX-License-Identifier: Apache-2.0
// Which statements are legal for which target.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "imp/text/parse.h"
#include "imp/verify/legality.h"
#include "imp/verify/verify.h"

namespace skald::imp {
namespace {

// The first problem, or nothing.
std::string problem(std::string_view text, Target target) {
  Result<Program> prog = parse(text);
  if (!prog) return "no program: " + prog.error();
  prog->target = target;
  const std::vector<std::string> problems = verify(*prog);
  return problems.empty() ? "" : problems[0];
}

constexpr std::string_view kAtomic = R"(fn "f"(heap a_1) -> () {
  atomic add_i32(a_1[0i64], 1i32);
  return ();
}
)";

TEST(ImpLegality, HostsOfDevicesHaveNoAtomics) {
  EXPECT_EQ(problem(kAtomic, Target::kCpu), "");
  EXPECT_NE(problem(kAtomic, Target::kDevice).find("not legal in host code of a device"),
            std::string::npos);
}

constexpr std::string_view kLaunch = R"(fn "f"(device a_1) -> () {
  launch (g_2 < 1i64; t_3 < 4i64; scratch 0i64) {
    atomic add_i32(a_1[t_3], 1i32);
  }
  return ();
}
)";

TEST(ImpLegality, LaunchesAreForDevices) {
  EXPECT_EQ(problem(kLaunch, Target::kDevice), "");
  EXPECT_NE(problem(kLaunch, Target::kCpu).find("not legal in code for the cpu"),
            std::string::npos);
}

TEST(ImpLegality, MemoryOfTheHostIsNotMemoryOfTheDevice) {
  const auto in_function = [](const std::string& stmts) {
    return problem("fn \"f\"(device a_1) -> (device) {\n  heap b_2 = alloc(8i64);\n" + stmts +
                       "  return (a_1);\n}\n",
                   Target::kDevice);
  };
  EXPECT_EQ(in_function("  copy(b_2 + 0i64, a_1 + 0i64, 8i64);\n"), "");
  EXPECT_NE(in_function("  launch (g_3 < 1i64; t_4 < 4i64; scratch 0i64) {\n"
                        "    i32 b_2[t_4] = 1i32;\n  }\n")
                .find("b_2 is memory of the host"),
            std::string::npos);
  EXPECT_NE(in_function("  device c_3 = b_2;\n").find("b_2 is in another memory"),
            std::string::npos);
  EXPECT_NE(in_function("  call (device c_3) = \"f\"(b_2);\n").find("b_2 is in another memory"),
            std::string::npos);
}

TEST(ImpLegality, TheTableIsInTheDocuments) {
  std::ifstream file("docs/ir.md");
  if (!file) GTEST_SKIP() << "not run from the top of the source tree";
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find(legality_table()), std::string::npos) << "docs/ir.md should have:\n"
                                                                  << legality_table();
}

}  // namespace
}  // namespace skald::imp
