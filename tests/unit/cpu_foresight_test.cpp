// SPDX-License-Identifier: Apache-2.0
// Which kernels a call is expected to run.
#include <gtest/gtest.h>

#include "codegen/cpu/compile.h"
#include "codegen/cpu/image/foresight.h"
#include "imp/text/parse.h"
#include "imp/verify/verify.h"
#include "support/bug.h"

namespace skald::cpu {
namespace {

// Kernels 0 and 1 are the arms of a branch on a size that a function is given, 2 is in a loop,
// where only the first round is looked at, 3 and 4 are the arms of a branch on what lies in
// memory, 5 asks how many threads there are and what was chosen.
constexpr std::string_view kText = R"(
fn "ways"(i64 n_1, heap b_2) -> () {
  i64 twice_3 = mul_i64(n_1, 2i64);
  bool small_4 = lt_i64(twice_3, 100i64);
  if (small_4) {
    parallel for (i_5 < n_1; grain 1i64) {
      atomic add_i64(b_2[0i64], 1i64);
    }
  } else {
    parallel for (i_6 < n_1; grain 1i64) {
      atomic add_i64(b_2[0i64], 2i64);
    }
  }
  return ();
}
entry "main" fn "main"(i64 n_20, heap a_21, i8 rounds_22) -> (heap) {
  heap b_23 = alloc(8i64);
  fill(i64 b_23[0i64], 1i64, 0i64);
  call () = "ways"(n_20, b_23);
  i64 end_24 = convert(i8, i64, rounds_22);
  var bool later_25 = false;
  for (i64 k_26 = 0i64; k_26 < end_24; k_26 += 1i64) {
    bool second_27 = eq_i64(k_26, 1i64);
    if (second_27) {
      parallel for (i_28 < n_20; grain 1i64) {
        atomic add_i64(b_23[0i64], 4i64);
      }
    }
    later_25 = true;
  }
  i64 x_29 = a_21[0i64];
  bool c_30 = lt_i64(0i64, x_29);
  if (c_30) {
    parallel for (i_31 < n_20; grain 1i64) {
      atomic add_i64(b_23[0i64], 8i64);
    }
  } else {
    parallel for (i_32 < n_20; grain 1i64) {
      atomic add_i64(b_23[0i64], 16i64);
    }
  }
  i64 threads_33 = workers();
  i64 most_34 = tunable("most", "user", 3i64);
  bool few_35 = lt_i64(threads_33, most_34);
  if (few_35) {
    parallel for (i_36 < n_20; grain 1i64) {
      atomic add_i64(b_23[0i64], 32i64);
    }
  }
  if (later_25) {
    parallel for (i_37 < n_20; grain 1i64) {
      atomic add_i64(b_23[0i64], 64i64);
    }
  }
  return (b_23);
})";

class Foresees : public testing::Test {
 protected:
  Foresees() {
    Result<imp::Program> prog = imp::parse(kText);
    if (!prog) SKALD_BUG("{}", prog.error());
    imp::verify_or_bug(*prog, "parsing");
    Result<ProgramImage> made = compile_to_image(*prog);
    if (!made) SKALD_BUG("{}", made.error());
    image_ = std::move(*made);
  }

  // Of the kernels, in the order of the text: + will run, - will not, ? may.
  std::string kernels(int64_t n, int64_t rounds, int64_t threads = 8, int64_t chosen = 0) {
    const int64_t args[] = {n, 0, rounds}, tuning[] = {chosen};
    const std::vector<Reach> reach =
        image_.foresight->of_call("main", args, tuning, threads, image_.groups.size());
    std::string out;
    for (const ProgramImage::Kernel& kernel : image_.kernels)
      out += reach[kernel.group] == Reach::kReached   ? '+'
             : reach[kernel.group] == Reach::kLeftOut ? '-'
                                                      : '?';
    return out;
  }

  ProgramImage image_;
};

TEST_F(Foresees, ArmsOfBranchesOnSizes) {
  EXPECT_EQ(kernels(49, 0),
            "+-"
            "?"
            "??"
            "-"
            "-");
  EXPECT_EQ(kernels(50, 0),
            "-+"
            "?"
            "??"
            "-"
            "-");
}

TEST_F(Foresees, FirstRoundOfLoops) {
  EXPECT_EQ(kernels(1, 2),
            "+-"
            "-"
            "??"
            "-"
            "?");
  // An i8 travels as its lowest bits.
  EXPECT_EQ(kernels(1, -1),
            "+-"
            "?"
            "??"
            "-"
            "-");
}

TEST_F(Foresees, ThreadsAndChoices) {
  EXPECT_EQ(kernels(1, 0, 2),
            "+-"
            "?"
            "??"
            "+"
            "-");
  EXPECT_EQ(kernels(1, 0, 2, 2),
            "+-"
            "?"
            "??"
            "-"
            "-");
}

// A cache does not keep it.
TEST_F(Foresees, NothingOfProgramsThatWereKept) {
  const std::optional<ProgramImage> read = image_from_bytes(to_bytes(image_));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->foresight, nullptr);
}

}  // namespace
}  // namespace skald::cpu
