// SPDX-License-Identifier: Apache-2.0
// Calls of core functions in plans: linking, lowering, derivatives; lists of recorded functions.
#include <gtest/gtest.h>

#include "core/text/parse.h"
#include "core/text/print.h"
#include "core/verify/verify.h"
#include "frontend/lazy/graph.h"
#include "frontend/lazy/lower/lower.h"
#include "frontend/lazy/plan.h"

namespace skald::lazy {
namespace {

using Problems = std::vector<std::string>;

constexpr std::string_view kScaled = R"(stage soacs

fun twice (x_1 : f64) : {f64} =
  let {y_2 : f64} = mul_f64(x_1, 2f64) at "a.fut:1:5-1:9"
  in {y_2}

fun scaled (n_3 : i64, xs_4 : *[n_3]f64, c_5 : f64) : {[n_3]f64} =
  let {ys_8 : [n_3]f64} =
    map(n_3, {xs_4}, \{x_6 : f64} : {f64} ->
      let {y_7 : f64} = call twice(x_6)
      in {y_7})
  let {zs_9 : [n_3]f64} =
    map(n_3, {ys_8}, \{y_10 : f64} : {f64} ->
      let {z_11 : f64} = mul_f64(y_10, c_5)
      in {z_11})
  in {zs_9}
)";

Callee scaled() {
  source::SourceMap sources;
  sources.provide("scaled.core", std::string(kScaled));
  auto parsed = core::parse(*sources.load("scaled.core"), sources);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().what);
  return {.program = std::make_shared<const core::Program>(std::move(*parsed)),
          .function = "scaled",
          .sizes = 1};
}

// scaled(xs, 0.25) and its result, which the caller owns.
struct CallOfScaled {
  Node *call, *part;
  explicit CallOfScaled(Node* xs) {
    call = new_node(NodeKind::kCall, DType::kU8, Dims(), 2);
    call->target.shape = Dims(1, xs->shape[0]);
    set_input(call, 0, xs, View::dense(xs->shape));
    Scalar quarter = {};
    quarter.d = 0.25;
    set_scalar(call, 1, DType::kF64, quarter);
    part = new_node(NodeKind::kPart, DType::kF64, xs->shape, 1);
    set_input(part, 0, call, View());
  }
  ~CallOfScaled() {
    call->drop();
    part->drop();
  }
};

TEST(LazyCall, FunctionsAreLinkedOnceWithWhatTheyCall) {
  const Callee callee = scaled();
  core::Program into;
  Linker linker(into);
  const std::string name = linker.link(callee.program, "scaled");
  EXPECT_EQ(linker.link(callee.program, "scaled"), name);
  EXPECT_EQ(into.functions.size(), 2u);
  EXPECT_EQ(core::verify(into), Problems());
  const core::Stmt& product = into.functions[0].body.stmts[0];
  EXPECT_EQ(into.locs[product.loc].text, "a.fut:1:5-1:9");
}

TEST(LazyCall, AConsumedArgumentIsCopiedAndNothingIsExclusive) {
  Node* xs = new_value(DType::kF64, Dims(1, 40), new_buffer(320));
  const Callee callee = scaled();
  {
    const CallOfScaled recorded(xs);
    PlanWriter writer;
    writer.write(pending().first(), nullptr);
    const Plan plan = read_plan(writer.code);
    ASSERT_EQ(plan.externals.size(), 1u);
    EXPECT_FALSE(plan.externals[0].is_exclusive);
    const LoweredPlan lowered = lower_plan(
        plan, [](uint16_t) { return std::string_view(); },
        [&](int64_t) -> const Callee& { return callee; });
    EXPECT_EQ(core::verify(lowered.program), Problems());
    EXPECT_NE(core::print(lowered.program).find("copy("), std::string::npos);
  }
  xs->drop();
  EXPECT_EQ(pending().size(), 0);
}

TEST(LazyCall, DerivativesAreFunctionsThatCanBeDerivedAgain) {
  // Of a recording, which consumes nothing.
  Node* xs = new_value(DType::kF64, Dims(1, 40), new_buffer(320));
  const Callee inner = scaled();
  const auto find = [&](int64_t) -> const Callee& { return inner; };
  PlanWriter writer;
  {
    const CallOfScaled recorded(xs);
    writer.write_function({recorded.call, recorded.part}, {recorded.part});
    LoweredPlan lowered =
        lower_plan(read_plan(writer.code), [](uint16_t) { return std::string_view(); }, find);
    const Callee plan{.program = std::make_shared<const core::Program>(std::move(lowered.program)),
                      .function = "plan",
                      .sizes = 1};
    // Parameters behind the size: the constant, the array.
    const Callee back = reverse_derivative(plan, {1}, {0});
    EXPECT_EQ(core::verify(*back.program), Problems());
    EXPECT_EQ(back.fn().results.size(), 2u);
    const Callee forward = forward_derivative(back, {1, 2}, {0, 1});
    EXPECT_EQ(core::verify(*forward.program), Problems());
    EXPECT_EQ(forward.fn().params.size(), 6u);
    EXPECT_EQ(forward.fn().results.size(), 4u);
    const Callee all = jacobian(back, 1, {1});
    EXPECT_EQ(core::verify(*all.program), Problems());
    EXPECT_EQ(all.fn().results[0].type.rank(), 2);
  }
  xs->drop();
}

TEST(LazyGraph, AThreadMayRecordIntoAListOfItsOwn) {
  Pending own;
  Pending* const outer = set_pending(&own);
  Node* node = new_node(NodeKind::kFill, DType::kF64, Dims(), 0);
  EXPECT_EQ(own.size(), 1);
  set_pending(outer);
  EXPECT_EQ(pending().size(), 0);
  // It leaves the list it is in, whatever the current one is.
  node->drop();
  EXPECT_EQ(own.size(), 0);
}

}  // namespace
}  // namespace skald::lazy
