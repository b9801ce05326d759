// SPDX-License-Identifier: Apache-2.0
// The tables of strategies by which kernels are lowered.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "imp/lower/lower.h"

namespace skald::imp {
namespace {

TEST(LoweringStrategies, NamesSayWhatForAndAreUnique) {
  std::set<std::string> names;
  for (const StrategyOption& strategy : lowering_strategies()) {
    EXPECT_TRUE(names.insert(strategy.name).second) << strategy.name;
    EXPECT_EQ(std::count(strategy.name.begin(), strategy.name.end(), '/'), 1) << strategy.name;
  }
  EXPECT_TRUE(names.contains("reduce/across"));
  EXPECT_TRUE(names.contains("gpu/points"));
}

// What remains when no other strategy fits.
TEST(LoweringStrategies, TheLastOfATableStays) {
  for (const StrategyOption& strategy : lowering_strategies()) {
    if (strategy.name == "map/row-by-row") {
      EXPECT_FALSE(strategy.can_be_disabled);
    }
    if (strategy.name == "map/blocks") {
      EXPECT_TRUE(strategy.can_be_disabled);
    }
  }
}

}  // namespace
}  // namespace skald::imp
