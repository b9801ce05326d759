// SPDX-License-Identifier: Apache-2.0
// Whether threads share a loop, by what it took before.  Times are made up here.
#include <gtest/gtest.h>

#include "runtime/cpu/sharing.h"

namespace skald::runtime {
namespace {

using Plan = Sharing::Plan;

constexpr double kEffort = 1000;
constexpr Sharing::Key kLoop = 77;

// Of 1000 runs of a loop of these nanoseconds, after some to learn from, how many are shared?
int shared_of_1000(Sharing& sharing, int64_t alone, int64_t together, bool watched = false) {
  constexpr int threads = 2;
  int shared = 0;
  for (int run = 0; run < 1200; ++run) {
    const Plan plan = sharing.advise(kLoop, kEffort, watched).plan;
    if (run >= 200 && plan == Plan::kTogether) ++shared;
    if (plan == Plan::kAlone)
      sharing.ran_alone(kLoop, kEffort, alone);
    else
      sharing.ran_together(kLoop, kEffort, together, threads * together, threads);
  }
  return shared;
}
int shared_of_1000(int64_t alone, int64_t together, bool watched = false) {
  Sharing sharing;
  return shared_of_1000(sharing, alone, together, watched);
}

TEST(Sharing, NothingIsKnownOfANewLoop) {
  Sharing sharing;
  EXPECT_EQ(sharing.advise(kLoop, kEffort, false).plan, Plan::kUnknown);
  sharing.ran_alone(kLoop, kEffort, 100);
  EXPECT_EQ(sharing.advise(kLoop + 1, kEffort, false).plan, Plan::kUnknown);
}

TEST(Sharing, ShortLoopsAreRunAlone) {
  EXPECT_EQ(shared_of_1000(500, 10), 0);
  EXPECT_EQ(shared_of_1000(7'000, 10), 0);
}

// Helpers that are there need not be called.
TEST(Sharing, ShortLoopsMayBeSharedWithHelpersThatWatch) {
  EXPECT_GT(shared_of_1000(5'000, 3'000, true), 950);
  EXPECT_LT(shared_of_1000(5'000, 5'500, true), 50);
  EXPECT_EQ(shared_of_1000(2'000, 10, true), 0);
}

TEST(Sharing, VeryShortLoopsAreMeasuredNowAndThen) {
  Sharing sharing;
  sharing.ran_alone(kLoop, kEffort, 500);
  int measured = 0;
  for (int run = 0; run < 100; ++run)
    if (sharing.advise(kLoop, kEffort, false).measure) ++measured;
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

// A program that is timed by ten runs should be timed as it runs in the long.
TEST(Sharing, LoopsThatWillProbablyBeSharedAreNotTriedAloneAtFirst) {
  Sharing sharing;
  for (int run = 0; run < 10; ++run) {
    // The first run has to get its memory.
    const int64_t together = run == 0 ? 1'200'000 : 100'000;
    EXPECT_NE(sharing.advise(kLoop, kEffort, false).plan, Plan::kAlone);
    sharing.ran_together(kLoop, kEffort, together, 2 * together, 2);
  }
}

TEST(Sharing, WhatIsClearIsSeldomTriedAgain) {
  EXPECT_GE(shared_of_1000(50'000, 27'000), 998);
}

// As when another program has taken the second core.
TEST(Sharing, LoopsThatAreSlowerThanAloneAreTriedAloneSoon) {
  Sharing sharing;
  EXPECT_GE(shared_of_1000(sharing, 50'000, 27'000), 998);
  EXPECT_LT(shared_of_1000(sharing, 50'000, 90'000), 100);
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
  for (int run = 0; run < 40; ++run) sharing.ran_together(kLoop, kEffort, 27'000, 50'000, 2);
  int shared = 0;
  for (int run = 0; run < 400; ++run) {
    if (sharing.advise(kLoop, kEffort, false).plan == Plan::kAlone)
      sharing.ran_alone(kLoop, kEffort, 50'000);
    else
      sharing.ran_together(kLoop, kEffort, 55'000, 50'000, 1), ++shared;
  }
  EXPECT_GT(shared, 350);
}

// The first run of a trial brings data from another cache, and so do the first ones alone.
TEST(Sharing, ASlowBeginningOfATrialDoesNotCount) {
  Sharing sharing;
  Plan before = Plan::kAlone;
  int shared = 0;
  for (int run = 0; run < 1000; ++run) {
    const Plan plan = sharing.advise(kLoop, kEffort, false).plan;
    const int64_t more = plan == before ? 0 : 60'000;
    before = plan;
    if (plan == Plan::kTogether) ++shared;
    if (plan == Plan::kAlone)
      sharing.ran_alone(kLoop, kEffort, 20'000 + more);
    else
      sharing.ran_together(kLoop, kEffort, 14'000 + more, 25'000, 2);
  }
  EXPECT_GT(shared, 900);
}

TEST(Sharing, AKeyIsOfTheMagnitudeOfTheEffort) {
  EXPECT_EQ(Sharing::key(nullptr, 1025), Sharing::key(nullptr, 2000.5));
  EXPECT_NE(Sharing::key(nullptr, 1025), Sharing::key(nullptr, 4097));
  EXPECT_EQ(Sharing::key(nullptr, 1e30), Sharing::key(nullptr, 1e40));
}

// As in a decomposition of a matrix, which has less to do from step to step, again and again.
TEST(Sharing, WorkMayChange) {
  Sharing sharing;
  int shared = 0;
  for (int run = 0; run < 2000; ++run) {
    const int64_t work = 20'000 + 1000 * (100 - run % 100);
    const Plan plan = sharing.advise(kLoop, kEffort, false).plan;
    if (plan == Plan::kTogether) ++shared;
    if (plan == Plan::kAlone)
      sharing.ran_alone(kLoop, kEffort, work);
    else
      sharing.ran_together(kLoop, kEffort, work * 55 / 100, work, 2);
  }
  EXPECT_GT(shared, 1700);
}

}  // namespace
}  // namespace skald::runtime
