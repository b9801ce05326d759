// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "compile/backend/image_bytes.h"

namespace skald::compile {
namespace {

// Plans of lazy arrays have no source: when one has no memory, the message must still be made.
TEST(ImageBytes, ProgramsMayHaveNoPlaces) {
  const core::LocTable none;
  EXPECT_EQ(places_from_bytes(place_bytes(none)).size(), none.size());
}

TEST(ImageBytes, PlacesComeBack) {
  core::LocTable places;
  const core::Loc caller = places.add("a.fut:1:1", {}, "main");
  places.add("a.fut:2:7", caller, "f");
  const core::LocTable read = places_from_bytes(place_bytes(places));
  ASSERT_EQ(read.size(), places.size());
  EXPECT_EQ(read[core::Loc{2}].text, "a.fut:2:7");
  EXPECT_EQ(read[core::Loc{2}].caller.index, caller.index);
}

}  // namespace
}  // namespace skald::compile
