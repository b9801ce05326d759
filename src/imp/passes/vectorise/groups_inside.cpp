// SPDX-License-Identifier: Apache-2.0
// Groups of a reduction's lanes that no border touches.  A loop over such groups cannot be cut into
// stretches, because its accumulators must stay in registers; groups ask instead, all but the first
// and the last ones together.
//
//   before                                   after
//   for (k = 0; k < n; k += 16)              between = 0 <= 16 - 1
//     simd for (i = 0; i < 16; i += 1) {     for (k = 0; k < n; k += 16)
//       at = k + i                             inside = between && 16 <= k && k <= n - 32
//       left_1 = max(at - 1, 0)                if (!inside) inside = 0 <= k - 1
//       sums[i] += xs[left_1]                  if (inside)
//     }                                          simd for … lanes (once 16; borders left_1) { … }
//                                              else
//                                                simd for … lanes (once 16) { … }
#include <unordered_map>

#include "imp/ir/code.h"
#include "imp/ir/visit.h"
#include "imp/passes/vectorise/vectorise.h"
#include "imp/simd/plan_parts.h"

namespace skald::imp {

namespace {

// Simple instructions that a border costs a group.
constexpr double kBorderCost = 4;

bool can_be_copied(const Body& body) {
  for (const Stmt& stmt : body.stmts) {
    const bool copies = as<Let>(stmt) || as<Load>(stmt) || as<Store>(stmt) || as<Check>(stmt) ||
                        as<Var>(stmt) || as<Assign>(stmt) || as<If>(stmt);
    if (!copies) return false;
    bool inner = true;
    for_each_body(stmt, [&](const Body& b) { inner = inner && can_be_copied(b); });
    if (!inner) return false;
  }
  return true;
}

// Copies bodies that can be copied, with fresh names.
class Copier {
 public:
  explicit Copier(Program& prog) : prog_(prog) {}

  Name bind(Name name) { return names_[name] = prog_.names.fresh_like(name); }

  Body body(const Body& from) {
    std::vector<Stmt> to;
    for (const Stmt& stmt : from.stmts)
      visit(stmt.node, [&](const auto& n) {
        using N = std::remove_cvref_t<decltype(n)>;
        if constexpr (std::is_same_v<N, If>) {
          If copy{.cond = use(n.cond), .then_body = body(n.then_body), .maybe = n.maybe};
          copy.else_body = body(n.else_body);
          to.push_back({std::move(copy)});
        } else if constexpr (std::is_same_v<N, Let> || std::is_same_v<N, Load> ||
                             std::is_same_v<N, Store> || std::is_same_v<N, Check> ||
                             std::is_same_v<N, Var> || std::is_same_v<N, Assign>) {
          N copy = n;
          const auto change = [&](Operand& operand) { operand = use(operand); };
          std::apply([&](auto&... field) { (detail::operands_of(field, change), ...); },
                     N::fields(copy));
          if constexpr (std::is_same_v<N, Assign>) copy.var = std::get<Name>(use(copy.var));
          if constexpr (requires { copy.name; }) copy.name = bind(n.name);
          to.push_back({std::move(copy)});
        }
      });
    return Body(std::move(to));
  }

 private:
  Operand use(const Operand& operand) const {
    const Name* name = core::as_name(operand);
    const auto found = name == nullptr ? names_.end() : names_.find(*name);
    return found == names_.end() ? operand : Operand(found->second);
  }

  Program& prog_;
  std::unordered_map<Name, Name> names_;
};

// Some groups of a loop over groups: those that begin with these numbers, and all between.
struct Groups {
  Name number;
  Operand first, last;
};

// Code before a group that tells whether all borders are the same in all of its lanes; or before a
// loop over groups, whether they are in all of some groups.
class InsideTest {
 public:
  InsideTest(const For& loop, const LanePlan& plan, Code& code)
      : loop_(loop), made_(definitions_in(loop.body)), lanes_(plan.lanes()), code_(code) {
    for (const Border& border : borders_of(plan, made_)) {
      borders_.push_back(border);
      if (border.kind == Border::kClamps)
        clamped_[border.name] = border.linear_left ? border.comparison.lhs : border.comparison.rhs;
    }
  }

  Operand holds() {
    Operand all = core::const_bool(true);
    for (const Border& border : borders_) all = code_.both(all, holds(border), "inside");
    return all;
  }

  // For groups of a loop around.  Nothing if borders do not grow with the number of the group, or
  // need more of that loop's `rounds`.
  std::optional<Operand> holds_in(const Groups& groups, const std::unordered_set<Name>& rounds) {
    if (!std::ranges::all_of(borders_, [&](const Border& border) {
          const core::CmpOp& c = border.comparison;
          const auto linear = steps(border.linear_left ? c.lhs : c.rhs, groups.number, rounds);
          const auto bound = steps(border.linear_left ? c.rhs : c.lhs, groups.number, rounds);
          return linear && *linear >= 0 && *linear <= 1 && bound == 0 &&
                 (*linear == 0 || c.type == Prim::kI64);
        }))
      return std::nullopt;
    groups_ = groups;
    rounds_ = rounds;
    return holds();
  }

 private:
  // How much a value grows from a group's number to the next number.
  std::optional<int> steps(const Operand& operand, Name number,
                           const std::unordered_set<Name>& rounds) const {
    const Name* name = core::as_name(operand);
    if (name == nullptr || *name == loop_.var) return 0;
    if (*name == number) return 1;
    if (const auto clamped = clamped_.find(*name); clamped != clamped_.end())
      return steps(clamped->second, number, rounds);
    const auto made = made_.find(*name);
    if (made == made_.end()) return rounds.contains(*name) ? std::nullopt : std::optional(0);
    std::vector<std::optional<int>> args;
    const auto step = [&](const Operand& o) { args.push_back(steps(o, number, rounds)); };
    visit_exp(*made->second, [&](const auto& e) {
      std::apply([&](const auto&... field) { (detail::operands_of(field, step), ...); },
                 std::remove_cvref_t<decltype(e)>::fields(e));
    });
    if (std::ranges::any_of(args, [](const auto& a) { return !a.has_value(); })) return {};
    if (std::holds_alternative<core::Value>(*made->second)) return args.at(0);
    const auto* op = std::get_if<core::BinOp>(made->second);
    if (op != nullptr && op->op == BinOpKind::kAdd) return *args.at(0) + *args.at(1);
    if (op != nullptr && op->op == BinOpKind::kSub) return *args.at(0) - *args.at(1);
    const bool all_same = std::ranges::all_of(args, [](const auto& a) { return a == 0; });
    return all_same ? std::optional(0) : std::nullopt;
  }

  // From the first lane of the first group to the last one of the last.
  Operand reach(const core::CmpOp& c, bool linear_left) {
    const Operand lanes = core::const_int(c.type, lanes_ - 1);
    if (!groups_ || steps(linear_left ? c.lhs : c.rhs, groups_->number, rounds_) == 0) return lanes;
    return code_.add_i64(code_.sub_i64(groups_->last, groups_->first), lanes);
  }

  Operand holds(const Border& border) {
    const core::CmpOp& c = border.comparison;
    const Operand first = at_first(border.linear_left ? c.lhs : c.rhs);
    const Operand last = code_.let(
        c.type, core::BinOp{BinOpKind::kAdd, c.type, first, reach(c, border.linear_left)}, "last");
    const Operand grows = compare(CmpOpKind::kLe, c.type, first, last);
    if (border.kind == Border::kExtends) return grows;
    const Operand bound = at_first(border.linear_left ? c.rhs : c.lhs);
    return code_.both(grows, holds(border, first, last, bound), "inside");
  }

  Operand compare(CmpOpKind op, Prim type, const Operand& a, const Operand& b) {
    return code_.let(Prim::kBool, core::CmpOp{op, type, a, b}, "c");
  }

  Operand holds(const Border& border, const Operand& first, const Operand& last,
                const Operand& bound) {
    const core::CmpOp& c = border.comparison;
    if (border.kind == Border::kClamps)
      return border.linear_left ? compare(c.op, c.type, last, bound)
                                : compare(c.op, c.type, bound, first);
    // In groups the two sides of an equality differ.
    if (c.op == CmpOpKind::kEq || c.op == CmpOpKind::kNe)
      return code_.either(compare(CmpOpKind::kLt, c.type, bound, first),
                          compare(CmpOpKind::kLt, c.type, last, bound), "apart");
    // What holds for the larger number holds for the smaller one, or the other way round.
    const CmpOpKind opposite = c.op == CmpOpKind::kLt ? CmpOpKind::kLe : CmpOpKind::kLt;
    return border.linear_left ? code_.either(compare(c.op, c.type, last, bound),
                                             compare(opposite, c.type, bound, first), "same")
                              : code_.either(compare(c.op, c.type, bound, first),
                                             compare(opposite, c.type, last, bound), "same");
  }

  // An operand as it is in the first lane.
  Operand at_first(const Operand& operand) {
    const Name* name = core::as_name(operand);
    if (name == nullptr) return operand;
    if (*name == loop_.var) return loop_.begin;
    if (groups_ && *name == groups_->number) return groups_->first;
    // Where the test holds, nothing is clamped.
    if (const auto clamped = clamped_.find(*name); clamped != clamped_.end())
      return at_first(clamped->second);
    const auto made = made_.find(*name);
    if (made == made_.end()) return operand;
    if (const auto known = known_.find(*name); known != known_.end()) return known->second;
    Exp exp = *made->second;
    if (const auto* e = std::get_if<core::Value>(&exp)) return at_first(e->arg);
    visit_exp(exp, [&](auto& e) {
      const auto change = [&](Operand& o) { o = at_first(o); };
      std::apply([&](auto&... field) { (detail::operands_of(field, change), ...); },
                 std::remove_cvref_t<decltype(e)>::fields(e));
    });
    return known_[*name] = code_.let(type_of(exp), exp, "first");
  }

  // Borders are computed by these only.
  static Prim type_of(const Exp& exp) {
    if (const auto* e = std::get_if<core::Convert>(&exp)) return e->to;
    if (const auto* e = std::get_if<core::Bitcast>(&exp)) return e->to;
    return std::get<core::BinOp>(exp).type;
  }

  const For& loop_;
  const Definitions made_;
  const int lanes_;
  Code& code_;
  std::vector<Border> borders_;
  std::unordered_map<Name, Operand> clamped_;  // the linear sides
  std::unordered_map<Name, Operand> known_;
  std::optional<Groups> groups_;
  std::unordered_set<Name> rounds_;
};

void add_changing(const Body& body, std::unordered_set<Name>& names) {
  for (const Stmt& stmt : body.stmts) {
    for_each_binder(stmt, [&](Name name, Type, BinderScope) { names.insert(name); });
    if (const auto* assign = as<Assign>(stmt)) names.insert(assign->var);
    for_each_body(stmt, [&](const Body& inner) { add_changing(inner, names); });
  }
}

// The test for a group of the loop `around`: no more than a few comparisons where all groups
// between the first and the last ones are inside, which is found out before that loop.
void test_in_loop(const For& loop, const For& around, const LanePlan& plan, Program& prog,
                  InsideGroup& result) {
  Code before(prog);
  const Operand step = around.step;
  const Groups groups{
      .number = around.var,
      .first = before.add_i64(around.begin, step),
      .last = before.sub_i64(around.end, before.add_i64(step, step)),
  };
  std::unordered_set<Name> rounds;
  add_changing(around.body, rounds);
  InsideTest between(loop, plan, before);
  const std::optional<Operand> all = between.holds_in(groups, rounds);
  if (!all) return;
  Code code(prog);
  const auto at_most = [&](const Operand& a, const Operand& b) {
    return code.let(Prim::kBool, core::CmpOp{CmpOpKind::kLe, Prim::kI64, a, b}, "c");
  };
  const Operand late = code.both(*all, at_most(groups.first, around.var), "between");
  const Operand here = code.both(late, at_most(around.var, groups.last), "between");
  const Name inside = code.var(Prim::kBool, here, "inside");
  code.branch(
      here, [](Code&) {},
      [&](Code& own) {
        own.add(Assign{.var = inside, .value = InsideTest(loop, plan, own).holds()});
      });
  result.before = before.finish();
  result.test = code.finish();
  result.cond = inside;
}

}  // namespace

std::optional<InsideGroup> group_inside(const For& loop, const For* around, LoopPlace& place,
                                        const Device& device, Program& prog) {
  if (!can_be_copied(loop.body)) return std::nullopt;
  LoopDecision inside = decide_inside(loop, place, device);
  if (inside.plan == nullptr) return std::nullopt;
  const LoopDecision anywhere = decide_lanes(loop, place, device);
  const double test = kBorderCost * static_cast<double>(inside.plan->borders.size());
  if (anywhere.plan != nullptr && anywhere.cost <= inside.cost + test / inside.plan->lanes())
    return std::nullopt;
  InsideGroup result;
  if (around != nullptr) test_in_loop(loop, *around, *inside.plan, prog, result);
  if (result.test.stmts.empty()) {
    Code code(prog);
    result.cond = InsideTest(loop, *inside.plan, code).holds();
    result.test = code.finish();
  }
  result.decision = std::move(inside);
  Copier copier(prog);
  result.otherwise = {.var = copier.bind(loop.var),
                      .type = loop.type,
                      .begin = loop.begin,
                      .end = loop.end,
                      .step = loop.step,
                      .body = copier.body(loop.body),
                      .hint = loop.hint,
                      .mark = loop.mark};
  return result;
}

}  // namespace skald::imp
