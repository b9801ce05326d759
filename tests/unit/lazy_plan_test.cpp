// SPDX-License-Identifier: Apache-2.0
// Recorded operations: versions, plans as keys, the programs that they become.
#include <gtest/gtest.h>

#include "core/text/print.h"
#include "core/verify/verify.h"
#include "frontend/lazy/graph.h"
#include "frontend/lazy/lower/lower.h"
#include "frontend/lazy/plan.h"

namespace skald::lazy {
namespace {

constexpr uint16_t kAdd = 0, kAbsolute = 1;

std::string_view op_name(uint16_t op) {
  return op == kAdd ? "add" : "absolute";
}

Dims shape2(int64_t rows, int64_t columns) {
  Dims shape(2);
  shape[0] = rows;
  shape[1] = columns;
  return shape;
}

Node* value(int64_t rows, int64_t columns) {
  return new_value(DType::kF64, shape2(rows, columns), new_buffer(rows * columns * 8));
}

// The inner part of a matrix, moved by some columns.
View inner(int64_t rows, int64_t columns, int64_t moved) {
  View view = View::dense(shape2(rows, columns));
  view.shape = shape2(rows - 2, columns - 2);
  view.offset = columns + 1 + moved;
  return view;
}

// A round of a stencil: the inner part becomes the sum of its neighbours.
struct Round {
  Base* base;
  explicit Round(int64_t rows, int64_t columns) : base(new_base(value(rows, columns))) {
    Node* sum = new_node(NodeKind::kElementwise, DType::kF64, shape2(rows - 2, columns - 2), 2);
    sum->op = kAdd;
    set_input(sum, 0, base->current, inner(rows, columns, -1));
    set_input(sum, 1, base->current, inner(rows, columns, 1));
    Node* assign = new_node(NodeKind::kAssign, DType::kF64, shape2(rows, columns), 2);
    assign->target = inner(rows, columns, 0);
    set_input(assign, 0, base->current, View::dense(shape2(rows, columns)));
    set_input(assign, 1, sum, View::dense(sum->shape));
    sum->drop();
    base->set(assign);
  }
  ~Round() { base->drop(); }
};

PlanWriter plan_of_pending() {
  PlanWriter writer;
  writer.write(pending().first(), nullptr);
  return writer;
}

TEST(LazyGraph, NodesThatNobodyNeedsLeaveTheList) {
  ASSERT_EQ(pending().size(), 0);
  {
    const Round round(5, 7);
    EXPECT_EQ(pending().size(), 2);
  }
  EXPECT_EQ(pending().size(), 0);
}

TEST(LazyPlan, SizesAreNotPartOfIt) {
  std::vector<int64_t> small, large;
  {
    const Round round(25, 37);
    small = plan_of_pending().code;
  }
  {
    const Round round(60, 80);
    large = plan_of_pending().code;
  }
  EXPECT_EQ(small, large);
  {
    const Round round(60, 60);
    EXPECT_NE(small, plan_of_pending().code);
  }
}

TEST(LazyPlan, TheMemoryOfTheOldVersionIsOurs) {
  const Round round(25, 37);
  const PlanWriter writer = plan_of_pending();
  const Plan plan = read_plan(writer.code);
  ASSERT_EQ(plan.externals.size(), 1u);
  EXPECT_TRUE(plan.externals[0].is_exclusive);
  ASSERT_EQ(plan.nodes.size(), 2u);
  EXPECT_FALSE(plan.nodes[0].is_output);
  EXPECT_TRUE(plan.nodes[1].is_output);
}

TEST(LazyLowering, AStencilIsOneNest) {
  const Round round(25, 37);
  const Plan plan = read_plan(plan_of_pending().code);
  const LoweredPlan lowered = lower_plan(plan, op_name);
  EXPECT_EQ(core::verify(lowered.program), std::vector<std::string>());
  EXPECT_EQ(lowered.stored, 1);
  const std::string text = core::print(lowered.program);
  EXPECT_NE(text.find("scratch("), std::string::npos);
  EXPECT_EQ(text.find("copy("), std::string::npos);
}

// Each writes one row and reads the one before: together they must not become a tree of choices.
TEST(LazyLowering, ChainsOfWritesStaySmall) {
  constexpr int64_t kRows = 40, kColumns = 50;
  Base* base = new_base(value(kRows, kColumns));
  for (int64_t row = 1; row < kRows; ++row) {
    View before;
    before.shape = Dims(1, kColumns);
    before.strides = Dims(1, 1);
    before.offset = (row - 1) * kColumns;
    Node* moved = new_node(NodeKind::kElementwise, DType::kF64, before.shape, 1);
    moved->op = kAbsolute;
    set_input(moved, 0, base->current, before);
    Node* assign = new_node(NodeKind::kAssign, DType::kF64, shape2(kRows, kColumns), 2);
    assign->target = before;
    assign->target.offset += kColumns;
    set_input(assign, 0, base->current, View::dense(shape2(kRows, kColumns)));
    set_input(assign, 1, moved, View::dense(moved->shape));
    moved->drop();
    base->set(assign);
  }
  const LoweredPlan lowered = lower_plan(read_plan(plan_of_pending().code), op_name);
  EXPECT_EQ(core::verify(lowered.program), std::vector<std::string>());
  EXPECT_LT(core::print(lowered.program).size(), 40000u);
  base->drop();
}

}  // namespace
}  // namespace skald::lazy
