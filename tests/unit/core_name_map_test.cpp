// SPDX-License-Identifier: Apache-2.0
// Maps and sets by name, against those of the standard library.
#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

#include "core/ir/name_map.h"

namespace skald::core {
namespace {

TEST(NameMap, SmallAndLarge) {
  NameMap<int> map;
  for (uint32_t id = 1; id <= 100; ++id) map[Name{id * 64}] = static_cast<int>(id);
  EXPECT_EQ(map.size(), 100u);
  for (uint32_t id = 1; id <= 100; ++id) EXPECT_EQ(map.at(Name{id * 64}), static_cast<int>(id));
  EXPECT_FALSE(map.contains(Name{65}));
  EXPECT_TRUE(map.find(Name{65}) == map.end());
  EXPECT_FALSE(map.emplace(Name{64}, 7).second);
  EXPECT_EQ(map.at(Name{64}), 1);
}

TEST(NameMap, OrderIsThatOfInsertion) {
  NameSet set;
  for (const uint32_t id : {9, 3, 7, 3, 1000, 2}) set.insert(Name{id});
  std::vector<uint32_t> ids;
  for (const Name name : set) ids.push_back(name.id);
  EXPECT_EQ(ids, (std::vector<uint32_t>{9, 3, 7, 1000, 2}));
}

TEST(NameMap, RandomInsertionsAndRemovals) {
  std::mt19937 random(1);
  NameMap<uint32_t> map;
  std::unordered_map<uint32_t, uint32_t> expected;
  // It grows beyond what is scanned and shrinks below it again, several times.
  for (uint32_t step = 0; step < 20000; ++step) {
    const uint32_t id = 1 + random() % 60;
    const bool grows = (step / 500) % 2 == 0;
    if (random() % 4 == (grows ? 0u : 3u) || (!grows && random() % 2 == 0)) {
      EXPECT_EQ(map.erase(Name{id}), expected.erase(id));
    } else {
      map[Name{id}] = step;
      expected[id] = step;
    }
    ASSERT_EQ(map.size(), expected.size());
    const uint32_t asked = 1 + random() % 60;
    const auto found = map.find(Name{asked});
    const auto wanted = expected.find(asked);
    ASSERT_EQ(found != map.end(), wanted != expected.end()) << asked;
    if (wanted != expected.end()) {
      ASSERT_EQ(found->second, wanted->second);
    }
  }
  for (const auto& [name, value] : map) EXPECT_EQ(expected.at(name.id), value);
}

}  // namespace
}  // namespace skald::core
