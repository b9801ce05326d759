// SPDX-License-Identifier: Apache-2.0
#include "imp/verify/verify_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "imp/ir/visit.h"
#include "imp/text/print.h"

namespace skald::imp {

namespace {

class LaneVerifier {
 public:
  LaneVerifier(const Function& fn, const Program& prog, std::vector<std::string>& problems)
      : fn_(fn), prog_(prog), problems_(problems) {}

  void body(const Body& body) {
    for (const Stmt& stmt : body.stmts) {
      const Stmt* outer = std::exchange(stmt_, &stmt);
      visit(stmt.node, [&](const auto& n) { check(n); });
      stmt_ = outer;
    }
  }

 private:
  void complain(std::string_view what) {
    problems_.push_back(
        fmt::format("in \"{}\", at `{}`: {}", fn_.name, print_head(*stmt_, prog_), what));
  }
  void want(bool holds, std::string_view what) {
    if (!holds) complain(what);
  }
  Shape shape(const Operand& operand) const {
    const Name* name = core::as_name(operand);
    const auto found = name == nullptr ? shapes_.end() : shapes_.find(*name);
    return found == shapes_.end() ? Shape::kUniform : found->second;
  }
  bool is_same(const Operand& operand) const {
    return shape(operand) == Shape::kUniform || shape(operand) == Shape::kBorder;
  }
  void bind(Name name, Shape shape) { shapes_[name] = shape; }
  Shape widest(const Exp& exp) const {
    Shape result = Shape::kUniform;
    const auto look = [&](const Operand& o) {
      if (!is_same(o)) result = std::max(result, shape(o));
    };
    visit_exp(exp, [&](const auto& e) {
      std::apply([&](const auto&... field) { (detail::operands_of(field, look), ...); },
                 std::remove_cvref_t<decltype(e)>::fields(e));
    });
    return result;
  }

  template <class N>
  void check(const N&) {
    for_each_body(*stmt_, [&](const Body& inner) { body(inner); });
  }
  void check(const Let& n);
  void check(const Var& n);
  void check(const Assign& n);
  void check(const Load& n);
  void check(const Store& n);
  void check(const Alloc& n) {
    if (in_lanes_) own_.insert(n.name);
  }
  void check(const BlockVar& n) {
    if (in_lanes_) own_.insert(n.name);
  }
  void check(const CopyBytes& n) { want(in_lanes_ || in_launch_ || !n.elements, kOutside); }
  void check(const Launch& n) {
    const bool outer = std::exchange(in_launch_, true);
    body(n.body);
    in_launch_ = outer;
  }
  void check(const Earlier& n) {
    if (in_lanes_) bind(n.name, Shape::kVarying);
  }
  void check(const If& n);
  void check(const For& n);
  void check(const While& n);
  void check_plan(const For& n);
  void check_access(LaneAccess access, Name block, const Operand& index);

  static constexpr std::string_view kOutside = "a mark of lanes outside of a loop in lanes";
  static constexpr std::string_view kDiffers = "lanes differ in what they are said to share";

  const Function& fn_;
  const Program& prog_;
  std::vector<std::string>& problems_;
  const Stmt* stmt_ = nullptr;
  bool in_lanes_ = false, in_launch_ = false;
  std::unordered_map<Name, Shape> shapes_;
  std::unordered_set<Name> own_;      // blocks of the lanes
  std::unordered_set<Name> borders_;  // of the loop in lanes
};

void LaneVerifier::check(const Let& n) {
  if (!in_lanes_) return want(n.shape == Shape::kUniform, kOutside);
  bind(n.name, n.shape);
  if (borders_.contains(n.name)) return;
  want(n.shape != Shape::kBorder, "a border that its loop does not know");
  want(widest(n.exp) <= n.shape, kDiffers);
}

void LaneVerifier::check(const Var& n) {
  if (!in_lanes_) return want(n.shape == Shape::kUniform, kOutside);
  bind(n.name, n.shape);
  want(n.shape == Shape::kVarying || is_same(n.init), kDiffers);
}

void LaneVerifier::check(const Assign& n) {
  want(shape(n.var) == Shape::kVarying || is_same(n.value), kDiffers);
}

void LaneVerifier::check_access(LaneAccess access, Name block, const Operand& index) {
  if (!in_lanes_) return want(access == LaneAccess::kScalar, kOutside);
  const bool own = access == LaneAccess::kOwn || access == LaneAccess::kOwnEach;
  want(own == own_.contains(block), "an access that takes an array for what it is not");
  switch (access) {
    case LaneAccess::kScalar:
    case LaneAccess::kOwn: return want(is_same(index), kDiffers);
    case LaneAccess::kContiguous:
    case LaneAccess::kStrided:
      return want(shape(index) == Shape::kLinear, "the index is not linear");
    case LaneAccess::kGather:
    case LaneAccess::kShared:
      return want(shape(index) == Shape::kVarying, "the index is no vector");
    case LaneAccess::kEach:
    case LaneAccess::kOwnEach: return;
  }
}

void LaneVerifier::check(const Load& n) {
  check_access(n.access, n.block, n.index);
  if (in_lanes_ && n.access != LaneAccess::kScalar) bind(n.name, Shape::kVarying);
}

void LaneVerifier::check(const Store& n) {
  check_access(n.access, n.block, n.index);
  want(!in_lanes_ || n.access != LaneAccess::kScalar, "a store in lanes does not say how");
}

void LaneVerifier::check(const If& n) {
  const bool lanes = n.branch == Branch::kMask || n.branch == Branch::kTaken;
  want(in_lanes_ || (!lanes && !n.skips_then && !n.skips_else), kOutside);
  want(!in_lanes_ || n.branch != Branch::kChoose, "a choice of scalar code in lanes");
  want(lanes || is_same(n.cond), "lanes differ in a branch that they take together");
  body(n.then_body);
  body(n.else_body);
}

void LaneVerifier::check(const While& n) {
  want(in_lanes_ || (!n.masked && n.alone == Stragglers{}), kOutside);
  want(n.masked || is_same(n.cond), "lanes differ in a loop that they leave together");
  body(n.body);
}

void LaneVerifier::check(const For& n) {
  if (n.lanes != nullptr) return check_plan(n);
  want(n.beside == 0 || n.ahead == 0, "iterations beside each other and checks ahead");
  if (!in_lanes_) {
    want(n.counter == Shape::kUniform && !n.masked && n.alone == Stragglers{}, kOutside);
    return body(n.body);
  }
  const bool same_counter = is_same(n.begin) && is_same(n.step);
  want(n.counter == Shape::kVarying || same_counter, kDiffers);
  const bool same_end = is_same(n.end) && (!n.until || is_same(n.until));
  want(n.masked || (same_counter && same_end), "lanes differ in a loop that they leave together");
  bind(n.var, n.counter);
  body(n.body);
}

void LaneVerifier::check_plan(const For& n) {
  const LanePlan& plan = *n.lanes;
  const Const* step = core::as_const(n.step);
  want(n.hint == LoopHint::kSimd && n.type == Prim::kI64 && step != nullptr &&
           core::int_value(*step) == 1,
       "lanes of a loop that may not have any");
  if (in_lanes_) return complain("a loop in lanes inside another one");
  want(n.beside == 0 && n.ahead == 0, "a loop in lanes that stays scalar");
  if (plan.groups.empty()) return complain("no groups of lanes");
  for (const LaneGroups& groups : plan.groups) {
    want(groups.lanes > 0, "a group without lanes");
    want(groups.last != LaneGroups::kOnce || plan.groups.size() == 1, "groups after the last one");
  }
  const auto statements = static_cast<int>(n.body.stmts.size());
  want(plan.first_stage >= 0 && plan.first_stage < std::max(statements, 1), "no such stage");
  if (plan.align_store >= 0)
    want(plan.align_store < statements && plan.align_lanes > 0 &&
             as<Store>(n.body.stmts[static_cast<size_t>(plan.align_store)]) != nullptr,
         "nothing to align");
  in_lanes_ = true;
  bind(n.var, Shape::kLinear);
  for (const LaneBorder& border : plan.borders) borders_.insert(border.name);
  body(n.body);
  for (const Name border : borders_)
    want(shapes_.contains(border), "a border that is not in the body");
  in_lanes_ = false;
  shapes_.clear();
  own_.clear();
  borders_.clear();
}

}  // namespace

void verify_lanes(const Function& fn, const Program& prog, std::vector<std::string>& problems) {
  LaneVerifier(fn, prog, problems).body(fn.body);
}

}  // namespace skald::imp
