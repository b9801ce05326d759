// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/hist/choice.h"

#include <algorithm>
#include <unordered_map>

#include "core/edit/rename.h"
#include "core/ir/visit.h"

namespace skald::imp {

namespace {

// Where the values of a body come from, as far as they are chosen among others.
class Sources {
 public:
  explicit Sources(const core::Body& body) { note(body); }
  bool is_among(const Operand& value, const Operand& a, const Operand& b) const {
    if (value == a || value == b) return true;
    const Name* name = core::as_name(value);
    const auto found = name != nullptr ? sources_.find(*name) : sources_.end();
    return found != sources_.end() &&
           std::ranges::all_of(found->second, [&](const Operand& x) { return is_among(x, a, b); });
  }

 private:
  void note(const core::Body& body) {
    for (const core::Stmt& stmt : body.stmts) {
      core::for_each_body(stmt.exp, [&](const core::Body& inner) { note(inner); });
      if (const auto* value = core::as<core::Value>(stmt.exp))
        sources_[stmt.pat[0].name] = {value->arg};
      if (const auto* select = core::as<core::Select>(stmt.exp))
        sources_[stmt.pat[0].name] = {select->then, select->otherwise};
      if (const auto* node = core::as<core::BinOp>(stmt.exp);
          node != nullptr &&
          (node->op == core::BinOpKind::kMin || node->op == core::BinOpKind::kMax))
        sources_[stmt.pat[0].name] = {node->lhs, node->rhs};
      if (const auto* branch = core::as<core::If>(stmt.exp))
        for (size_t k = 0; k < stmt.pat.size(); ++k)
          sources_[stmt.pat[k].name] = {branch->then_body.result[k], branch->else_body.result[k]};
    }
  }
  std::unordered_map<Name, std::vector<Operand>> sources_;
};

// Adds to a body what says whether it gives the second argument.
class Decision {
 public:
  Decision(const core::Operator& op, core::NameTable& names) : names_(names) {
    const size_t count = op.neutral.size();
    for (size_t k = 0; k < count; ++k) {
      first_.push_back(op.fn.params[k].name);
      second_.push_back(op.fn.params[count + k].name);
    }
  }

  // Are `values` of `body`, one for each component, all from the second argument?
  std::optional<Operand> about(core::Body& body, const std::vector<Operand>& values) {
    if (values == first_) return Operand{core::const_bool(false)};
    if (values == second_) return Operand{core::const_bool(true)};
    std::vector<size_t> makers;
    for (const Operand& value : values) {
      const auto found = std::ranges::find_if(body.stmts, [&](const core::Stmt& stmt) {
        return std::ranges::any_of(stmt.pat,
                                   [&](const core::Param& p) { return value == Operand{p.name}; });
      });
      if (found == body.stmts.end()) return std::nullopt;
      makers.push_back(static_cast<size_t>(found - body.stmts.begin()));
    }
    if (core::as<core::If>(body.stmts[makers[0]].exp) != nullptr)
      return about_branches(body, makers[0], values);
    return about_selects(body, makers);
  }

 private:
  // What the branches compute is done before, whichever is taken: comparisons cost less than jumps.
  std::optional<Operand> about_branches(core::Body& body, size_t at,
                                        const std::vector<Operand>& values) {
    auto& branch = *core::as<core::If>(body.stmts[at].exp);
    const auto decide = [&](core::Body& part) -> std::optional<Operand> {
      std::vector<Operand> inner;
      for (const Operand& value : values) {
        const auto found = std::ranges::find_if(
            body.stmts[at].pat, [&](const core::Param& p) { return value == Operand{p.name}; });
        if (found == body.stmts[at].pat.end()) return std::nullopt;
        inner.push_back(part.result[static_cast<size_t>(found - body.stmts[at].pat.begin())]);
      }
      return is_straight(part) ? about(part, inner) : std::nullopt;
    };
    const std::optional<Operand> if_so = decide(branch.then_body);
    const std::optional<Operand> if_not = decide(branch.else_body);
    if (!if_so || !if_not) return std::nullopt;
    const Operand cond = branch.cond;
    std::vector<core::Stmt> before;
    for (core::Body* part : {&branch.then_body, &branch.else_body})
      std::ranges::move(part->stmts, std::back_inserter(before));
    body.stmts.erase(body.stmts.begin() + static_cast<ptrdiff_t>(at));
    body.stmts.insert(body.stmts.begin() + static_cast<ptrdiff_t>(at),
                      std::make_move_iterator(before.begin()),
                      std::make_move_iterator(before.end()));
    return select(body, cond, *if_so, *if_not);
  }

  static bool is_straight(const core::Body& body) {
    return std::ranges::all_of(body.stmts, [](const core::Stmt& stmt) {
      bool inner = false;
      core::for_each_body(stmt.exp, [&](const core::Body&) { inner = true; });
      return !inner || core::as<core::If>(stmt.exp) != nullptr;
    });
  }

  Operand select(core::Body& body, const Operand& cond, const Operand& a, const Operand& b) {
    const Name taken = names_.fresh("taken");
    body.stmts.push_back(
        {{{taken, core::scalar_type(core::Prim::kBool)}}, core::Select{cond, a, b}});
    return taken;
  }

  std::optional<Operand> about_selects(core::Body& body, const std::vector<size_t>& makers) {
    std::vector<Operand> thens, otherwise;
    std::optional<Operand> cond;
    for (const size_t maker : makers) {
      const auto* node = core::as<core::Select>(body.stmts[maker].exp);
      if (node == nullptr || (cond && !(*cond == node->cond))) return std::nullopt;
      cond = node->cond;
      thens.push_back(node->then);
      otherwise.push_back(node->otherwise);
    }
    const std::optional<Operand> if_so = about(body, thens);
    const std::optional<Operand> if_not = about(body, otherwise);
    if (!if_so || !if_not) return std::nullopt;
    return select(body, *cond, *if_so, *if_not);
  }

  core::NameTable& names_;
  std::vector<Operand> first_, second_;
};

}  // namespace

bool picks_components(const core::Operator& op) {
  const Sources sources(op.fn.body);
  const size_t count = op.neutral.size();
  for (size_t k = 0; k < count; ++k)
    if (!sources.is_among(op.fn.body.result[k], op.fn.params[k].name, op.fn.params[count + k].name))
      return false;
  return true;
}

std::optional<core::Lambda> choice_of_second(const core::Operator& op, core::NameTable& names) {
  core::Lambda fn = core::copy_with_fresh_names(op.fn, names);
  core::Operator copy{std::move(fn), op.neutral};
  Decision decision(copy, names);
  const std::optional<Operand> taken = decision.about(copy.fn.body, copy.fn.body.result);
  if (!taken) return std::nullopt;
  copy.fn.results = {{{}, core::scalar_type(core::Prim::kBool)}};
  copy.fn.body.result = {*taken};
  return std::move(copy.fn);
}

}  // namespace skald::imp
