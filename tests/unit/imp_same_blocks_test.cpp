// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "imp/analysis/same_blocks.h"
#include "imp/ir/visit.h"
#include "imp/text/parse.h"

namespace skald::imp {
namespace {

const Body* first_parallel(const Body& body) {
  for (const Stmt& s : body.stmts) {
    if (const auto* n = as<ParallelRange>(s)) return &n->body;
    const Body* found = nullptr;
    for_each_body(s, [&](const Body& inner) {
      if (found == nullptr) found = first_parallel(inner);
    });
    if (found != nullptr) return found;
  }
  return nullptr;
}

// The pairs at the first parallel loop of a loop whose end is `rotation`, as `a=b`, sorted.
std::vector<std::string> pairs_with(const std::string& rotation) {
  const std::string text = R"(fn "f"(i64 n_1, bool c_2, heap a_3, heap b_4) -> () {
  heap now_5 = a_3;
  heap spare_6 = b_4;
  heap other_7 = b_4;
  var bool go_8 = c_2;
  while (go_8) {
    parallel range (begin_9, end_10 < n_1; grain 0i64) {
      i64 x_11 = now_5[begin_9];
      i64 spare_6[begin_9] = x_11;
    }
)" + rotation + R"(  }
  return ();
}
)";
  const Result<Program> prog = parse(text);
  if (!prog) return {"no program"};
  const Function& fn = prog->functions.front();
  const SameBlocks same(fn);
  std::vector<std::string> found;
  for (const auto& [a, b] : same.at(*first_parallel(fn.body)))
    found.push_back(std::to_string(a.id) + "=" + std::to_string(b.id));
  std::ranges::sort(found);
  return found;
}

TEST(SameBlocks, WhatIsNeverAssignedAgainStaysAsItWas) {
  EXPECT_EQ(pairs_with(""), (std::vector<std::string>{"3=5", "4=6", "4=7", "6=7"}));
}

TEST(SameBlocks, ASwapLeavesThemDifferent) {
  // Each of them is one of the two parameters, but never the same one at a time.
  EXPECT_EQ(pairs_with(R"(    heap saved_12 = now_5;
    block now_5 = spare_6;
    block spare_6 = saved_12;
)"),
            (std::vector<std::string>{"3=5", "3=6", "4=5", "4=6", "4=7", "5=7", "6=7"}));
}

TEST(SameBlocks, AfterAnAssignmentBothAreTheSame) {
  EXPECT_EQ(pairs_with(R"(    block now_5 = spare_6;
)"),
            (std::vector<std::string>{"3=5", "4=5", "4=6", "4=7", "5=6", "5=7", "6=7"}));
}

TEST(SameBlocks, ABranchMayAssign) {
  EXPECT_EQ(pairs_with(R"(    if (c_2) {
      block now_5 = spare_6;
    }
)"),
            (std::vector<std::string>{"3=5", "4=5", "4=6", "4=7", "5=6", "5=7", "6=7"}));
}

TEST(SameBlocks, AFreshBlockIsNoOther) {
  EXPECT_EQ(pairs_with(R"(    heap new_12 = alloc(n_1);
    block now_5 = spare_6;
    block spare_6 = new_12;
)"),
            (std::vector<std::string>{"3=5", "4=5", "4=6", "4=7", "5=7", "6=7"}));
}

TEST(SameBlocks, AResultMayBeAnyArgument) {
  EXPECT_EQ(pairs_with(R"(    call (heap r_12) = "g"(now_5);
    block spare_6 = r_12;
)"),
            (std::vector<std::string>{"3=5", "3=6", "4=6", "4=7", "5=6", "6=7"}));
}

}  // namespace
}  // namespace skald::imp
