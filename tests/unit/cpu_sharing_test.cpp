// SPDX-License-Identifier: Apache-2.0
// Whether threads share a loop, by what it took before.  Times are made up here.
#include <gtest/gtest.h>

#include "runtime/cpu/sharing.h"

namespace skald::runtime {
namespace {

using Plan = Sharing::Plan;

constexpr int64_t kIterations = 1000;
constexpr Sharing::Key kLoop = 77;

// Of 1000 runs of a loop of these nanoseconds, after some to learn from, how many are shared?
int shared_of_1000(Sharing& sharing, int64_t alone, int64_t together) {
  constexpr int threads = 2;
  int shared = 0;
  for (int run = 0; run < 1200; ++run) {
    const Plan plan = sharing.advise(kLoop, kIterations).plan;
    if (run >= 200 && plan == Plan::kTogether) ++shared;
    if (plan == Plan::kAlone)
      sharing.ran_alone(kLoop, kIterations, alone);
    else
      sharing.ran_together(kLoop, kIterations, together, threads * together, threads);
  }
  return shared;
}
int shared_of_1000(int64_t alone, int64_t together) {
  Sharing sharing;
  return shared_of_1000(sharing, alone, together);
}

TEST(Sharing, NothingIsKnownOfANewLoop) {
  Sharing sharing;
  EXPECT_EQ(sharing.advise(kLoop, kIterations).plan, Plan::kUnknown);
  sharing.ran_alone(kLoop, kIterations, 100);
  EXPECT_EQ(sharing.advise(kLoop + 1, kIterations).plan, Plan::kUnknown);
}

TEST(Sharing, ShortLoopsAreRunAlone) {
  EXPECT_EQ(shared_of_1000(500, 10), 0);
  EXPECT_EQ(shared_of_1000(7'000, 10), 0);
}

TEST(Sharing, VeryShortLoopsAreMeasuredNowAndThen) {
  Sharing sharing;
  sharing.ran_alone(kLoop, kIterations, 500);
  int measured = 0;
  for (int run = 0; run < 100; ++run)
    if (sharing.advise(kLoop, kIterations).measure) ++measured;
  EXPECT_EQ(measured, 25);
}

TEST(Sharing, LongLoopsAreShared) {
  EXPECT_EQ(shared_of_1000(1'000'000, 900'000), 1000);
}

TEST(Sharing, BetweenThemWhatPaysIsDone) {
  EXPECT_GT(shared_of_1000(50'000, 27'000), 950);
  EXPECT_LT(shared_of_1000(50'000, 52'000), 50);
  EXPECT_LT(shared_of_1000(20'000, 400'000), 50);
}

// Where both are nearly alike, what was done before is done again.
TEST(Sharing, LittleIsNoReasonToChange) {
  Sharing sharing;
  EXPECT_GT(shared_of_1000(sharing, 50'000, 45'000), 950);
  // After long it takes some hundred runs until the other way is tried again.
  EXPECT_LT(shared_of_1000(sharing, 50'000, 80'000), 400);
  EXPECT_LT(shared_of_1000(sharing, 50'000, 45'000), 50);
  EXPECT_GT(shared_of_1000(sharing, 50'000, 30'000), 600);
}

// Then they were run by one thread, and nothing is known of several.
TEST(Sharing, RunsThatNobodyCameToDoNotCount) {
  Sharing sharing;
  for (int run = 0; run < 40; ++run) sharing.ran_together(kLoop, kIterations, 27'000, 50'000, 2);
  int shared = 0;
  for (int run = 0; run < 400; ++run) {
    if (sharing.advise(kLoop, kIterations).plan == Plan::kAlone)
      sharing.ran_alone(kLoop, kIterations, 50'000);
    else
      sharing.ran_together(kLoop, kIterations, 55'000, 50'000, 1), ++shared;
  }
  EXPECT_GT(shared, 350);
}

// As in a decomposition of a matrix, which has less to do from step to step, again and again.
TEST(Sharing, WorkMayChange) {
  Sharing sharing;
  int shared = 0;
  for (int run = 0; run < 2000; ++run) {
    const int64_t work = 20'000 + 1000 * (100 - run % 100);
    const Plan plan = sharing.advise(kLoop, kIterations).plan;
    if (plan == Plan::kTogether) ++shared;
    if (plan == Plan::kAlone)
      sharing.ran_alone(kLoop, kIterations, work);
    else
      sharing.ran_together(kLoop, kIterations, work * 55 / 100, work, 2);
  }
  EXPECT_GT(shared, 1700);
}

}  // namespace
}  // namespace skald::runtime
