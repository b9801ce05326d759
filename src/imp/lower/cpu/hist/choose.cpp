// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/hist/choose.h"

#include <algorithm>

#include "core/ir/visit.h"

namespace skald::imp {

namespace {

// The last decision of a body whose results it is: an `if`, or a select of one component.
struct LastDecision {
  Operand cond;
  const core::Body *then_body = nullptr, *else_body = nullptr;  // of an `if`
  std::vector<Operand> then = {}, otherwise = {};               // of a select
};

std::optional<LastDecision> last_decision(const core::Body& body) {
  if (body.stmts.empty()) return std::nullopt;
  const core::Stmt& last = body.stmts.back();
  if (last.pat.size() != body.result.size()) return std::nullopt;
  for (size_t k = 0; k < last.pat.size(); ++k)
    if (!(body.result[k] == Operand{last.pat[k].name})) return std::nullopt;
  if (const auto* node = core::as<core::If>(last.exp))
    return LastDecision{node->cond, &node->then_body, &node->else_body};
  if (const auto* node = core::as<core::Select>(last.exp))
    return LastDecision{node->cond, nullptr, nullptr, {node->then}, {node->otherwise}};
  return std::nullopt;
}

// What bodies give that decisions lead to.
struct Outcomes {
  const std::vector<Operand>& olds;
  std::unordered_set<Name> bound = {};
  bool keeps = false, plain = true;
  std::vector<Operand> others = {};

  void note(const std::vector<Operand>& result) {
    if (result == olds) {
      keeps = true;
    } else {
      others.insert(others.end(), result.begin(), result.end());
    }
  }
  void note(const core::Body& body) {
    const std::optional<LastDecision> last = last_decision(body);
    const size_t before = body.stmts.size() - (last ? 1 : 0);
    for (size_t k = 0; k < body.stmts.size(); ++k) {
      const core::Stmt& stmt = body.stmts[k];
      for (const core::Param& p : stmt.pat) {
        bound.insert(p.name);
        plain = plain && p.type.is_scalar();
      }
      if (k == before) break;
      // Only what is computed without branches waits until it is needed.
      plain = plain && stmt.pat.size() == 1 && core::as<core::Assert>(stmt.exp) == nullptr &&
              core::as<core::Call>(stmt.exp) == nullptr;
      core::for_each_body(stmt.exp, [&](const core::Body&) { plain = false; });
    }
    if (!last) return note(body.result);
    if (last->then_body == nullptr) {
      note(last->then);
      return note(last->otherwise);
    }
    note(*last->then_body);
    note(*last->else_body);
  }
};

}  // namespace

bool keeps_or_replaces(const core::Body& body, const std::vector<Operand>& olds) {
  if (!last_decision(body)) return false;
  Outcomes outcomes{olds};
  outcomes.note(body);
  return outcomes.keeps && outcomes.plain && !outcomes.others.empty() &&
         std::ranges::none_of(outcomes.others, [&](const Operand& other) {
           const Name* name = core::as_name(other);
           return (name != nullptr && outcomes.bound.contains(*name)) ||
                  std::ranges::find(olds, other) != olds.end();
         });
}

void BinChoice::write(Code& code, const core::Body& body, std::unordered_set<Name> known) {
  constexpr int kMostSteps = 4;
  for (const core::Stmt& stmt : body.stmts)
    for (const core::Param& p : stmt.pat) bindings_[p.name] = &stmt;
  const auto give = [this](Code& at, const std::vector<Operand>& result) {
    if (!(result == olds_)) put_(at, result);
  };
  const std::optional<LastDecision> last = last_decision(body);
  if (!last) return give(code, body.result);
  const auto side = [&](const core::Body* inner, const std::vector<Operand>& result) -> Next {
    return [&, inner](Code& at, const std::unordered_set<Name>& there) {
      inner != nullptr ? write(at, *inner, there) : give(at, result);
    };
  };
  const Next yes = side(last->then_body, last->then), no = side(last->else_body, last->otherwise);
  // Code of a decision inside is there once.
  const auto is_short = [](const core::Body* inner) {
    return inner == nullptr || !last_decision(*inner);
  };
  const bool twice = is_short(last->then_body) && is_short(last->else_body);
  decide(code, last->cond, yes, no, twice, std::move(known), kMostSteps);
}

void BinChoice::decide(Code& code, const Operand& cond, const Next& yes, const Next& no, bool twice,
                       std::unordered_set<Name> known, int steps) {
  const core::BinOp* node = twice && steps > 0 ? connective(cond) : nullptr;
  if (node == nullptr) {
    need(code, cond, known);
    return code.branch(
        fn_.value(cond), [&](Code& at) { yes(at, known); }, [&](Code& at) { no(at, known); });
  }
  // The part that is no connective itself comes first.
  Operand first = node->lhs, second = node->rhs;
  if (connective(first) != nullptr && connective(second) == nullptr) std::swap(first, second);
  need(code, first, known);
  const auto rest = [&](Code& inner) { decide(inner, second, yes, no, twice, known, steps - 1); };
  // What follows if the first part alone decides.
  const Operand value = fn_.value(first);
  if (node->op == BinOpKind::kOr)
    code.branch(value, [&](Code& at) { yes(at, known); }, rest);
  else
    code.branch(value, rest, [&](Code& at) { no(at, known); });
}

const core::BinOp* BinChoice::connective(const Operand& o) const {
  const Name* name = core::as_name(o);
  const auto found = name == nullptr ? bindings_.end() : bindings_.find(*name);
  const core::BinOp* node =
      found == bindings_.end() ? nullptr : core::as<core::BinOp>(found->second->exp);
  if (node == nullptr || node->type != Prim::kBool) return nullptr;
  return node->op == BinOpKind::kAnd || node->op == BinOpKind::kOr ? node : nullptr;
}

void BinChoice::need(Code& code, const Operand& o, std::unordered_set<Name>& known) {
  const Name* name = core::as_name(o);
  if (name == nullptr || known.contains(*name)) return;
  if (const auto load = loads_.find(*name); load != loads_.end()) {
    load->second(code);
  } else if (const auto stmt = bindings_.find(*name); stmt != bindings_.end()) {
    core::for_each_operand(stmt->second->exp,
                           [&](const Operand& used) { need(code, used, known); });
    fn_.stmt(code, *stmt->second);
  } else {
    return;
  }
  known.insert(*name);
}

}  // namespace skald::imp
