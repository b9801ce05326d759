// SPDX-License-Identifier: Apache-2.0
// Groups of a reduction's lanes that no border touches.  A loop over such groups cannot be cut into
// stretches, because its accumulators must stay in registers; each group asks instead.
//
//   before                                   after
//   for (k = 0; k < n; k += 16)              for (k = 0; k < n; k += 16)
//     simd for (i = 0; i < 16; i += 1) {       if (0 <= k - 1)
//       at = k + i                               simd for … lanes (once 16; borders left_1) { … }
//       left_1 = max(at - 1, 0)                else
//       sums[i] += xs[left_1]                    simd for … lanes (once 16) { … }
//     }
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

// Code before the group that tells whether all borders are the same in all of its lanes.
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

 private:
  Operand holds(const Border& border) {
    const core::CmpOp& c = border.comparison;
    const Operand first = at_first(border.linear_left ? c.lhs : c.rhs);
    const Operand last = code_.let(
        c.type, core::BinOp{BinOpKind::kAdd, c.type, first, core::const_int(c.type, lanes_ - 1)},
        "last");
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
};

}  // namespace

std::optional<InsideGroup> group_inside(const For& loop, LoopPlace& place, const Device& device,
                                        Program& prog) {
  if (!can_be_copied(loop.body)) return std::nullopt;
  LoopDecision inside = decide_inside(loop, place, device);
  if (inside.plan == nullptr) return std::nullopt;
  const LoopDecision anywhere = decide_lanes(loop, place, device);
  const double test = kBorderCost * static_cast<double>(inside.plan->borders.size());
  if (anywhere.plan != nullptr && anywhere.cost <= inside.cost + test / inside.plan->lanes())
    return std::nullopt;
  Code code(prog);
  const Operand cond = InsideTest(loop, *inside.plan, code).holds();
  Copier copier(prog);
  InsideGroup result{.test = code.finish(), .cond = cond, .decision = std::move(inside)};
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
