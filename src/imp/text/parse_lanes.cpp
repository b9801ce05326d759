// SPDX-License-Identifier: Apache-2.0
// The marks of loops in lanes (ir/lanes.h).
#include "imp/text/parser.h"

namespace skald::imp {

std::optional<Stmt> Parser::marked() {
  if (accept("linear")) return typed(Shape::kLinear);
  if (accept("border")) return typed(Shape::kBorder);
  if (accept("vector")) return accept("var") ? var_stmt(Shape::kVarying) : typed(Shape::kVarying);
  const bool mask = accept("mask");
  if (mask && accept("while")) return while_stmt(true);
  for (const auto& [word, hint] : {std::pair<std::string_view, LoopHint>("for", LoopHint::kNone),
                                   {"short", LoopHint::kShort},
                                   {"simd", LoopHint::kSimd}}) {
    if (!mask || !accept(word)) continue;
    if (hint != LoopHint::kNone) expect("for");
    return for_stmt(hint, true);
  }
  const Branch branch = mask               ? Branch::kMask
                        : accept("taken")  ? Branch::kTaken
                        : accept("choose") ? Branch::kChoose
                                           : Branch::kBranch;
  if (branch == Branch::kBranch) return std::nullopt;
  const bool maybe = accept("maybe");
  expect("if");
  return if_stmt(maybe, branch);
}

LaneAccess Parser::access() {
  if (accept("contiguous")) return LaneAccess::kContiguous;
  if (accept("strided")) return LaneAccess::kStrided;
  if (accept("gather")) return LaneAccess::kGather;
  if (accept("shared")) return LaneAccess::kShared;
  if (accept("each")) return LaneAccess::kEach;
  if (!accept("own")) return LaneAccess::kScalar;
  return accept("each") ? LaneAccess::kOwnEach : LaneAccess::kOwn;
}

Stragglers Parser::alone() {
  Stragglers result;
  if (!accept("alone")) return result;
  result.whole = static_cast<int>(number());
  expect(",");
  result.few = static_cast<int>(number());
  return result;
}

std::unique_ptr<LanePlan> Parser::plan() {
  auto plan = std::make_unique<LanePlan>();
  expect("(");
  do {
    const LaneGroups::Last last = accept("again")    ? LaneGroups::kAgain
                                  : accept("masked") ? LaneGroups::kMasked
                                  : accept("once")   ? LaneGroups::kOnce
                                                     : LaneGroups::kWhole;
    plan->groups.push_back({static_cast<int>(number()), last});
  } while (accept(","));
  while (accept(";")) plan_detail(*plan);
  expect(")");
  return plan;
}

void Parser::plan_detail(LanePlan& plan) {
  if (accept("registers")) {
    plan.register_bytes = static_cast<int>(number());
  } else if (accept("masks")) {
    plan.mask_bytes = static_cast<int>(number());
  } else if (accept("inexact")) {
    plan.inexact = true;
  } else if (accept("stage")) {
    plan.first_stage = static_cast<int>(number());
  } else if (accept("align")) {
    plan.align_store = static_cast<int>(number());
    expect("by");
    plan.align_lanes = static_cast<int>(number());
  } else if (accept("fetch")) {
    plan.fetch_ahead = true;
  } else if (accept("stream")) {
    do {
      plan.streamed.push_back(name());
    } while (accept(","));
  } else if (accept("borders")) {
    do {
      const bool left = accept("left");
      if (!left) expect("right");
      plan.borders.push_back({name(), left});
    } while (accept(","));
  } else {
    fail(fmt::format("lanes have no `{}`", peek()));
  }
}

}  // namespace skald::imp
