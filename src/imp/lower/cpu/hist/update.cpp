// SPDX-License-Identifier: Apache-2.0
// What one point does to its bin.
//
// An operator that chooses between what is in the bin and something else, as min, max and argmax
// do, writes only if the bin changes: the branch is foreseen more often than not, and the next
// point of the bin does not wait for the store.  Components of the bin that the decision does not
// need are not even read: in "better value, or equal value and lower index" nearly all indices.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "imp/lower/cpu/hist/hist.h"

namespace skald::imp {

using core::Operator;

namespace {

// How the results of an operator follow from a condition: it either keeps what is in the bin, or
// puts other values there.
struct Choice {
  Operand cond;
  bool keeps = false;  // … if the condition holds
  std::vector<Operand> others;
};

// Splits such an operator, applied, into the statements before the choice and the choice itself.
// `olds` are what is in the bin.  No choice: `body` is as before.
std::optional<Choice> take_choice(core::Body& body, const std::vector<Operand>& olds) {
  if (body.stmts.empty()) return std::nullopt;
  const core::Stmt& last = body.stmts.back();
  Choice choice;
  const auto decide = [&](const Operand& cond, const std::vector<Operand>& yes,
                          const std::vector<Operand>& no) {
    choice.cond = cond;
    choice.keeps = yes == olds;
    choice.others = choice.keeps ? no : yes;
    return choice.keeps || no == olds;
  };
  if (last.pat.size() != olds.size()) return std::nullopt;
  for (size_t k = 0; k < olds.size(); ++k)
    if (!(body.result[k] == Operand{last.pat[k].name})) return std::nullopt;
  if (const core::If* node = core::as<core::If>(last.exp)) {
    if (!node->then_body.stmts.empty() || !node->else_body.stmts.empty() ||
        !decide(node->cond, node->then_body.result, node->else_body.result))
      return std::nullopt;
  } else if (const core::Select* node = core::as<core::Select>(last.exp)) {
    if (!decide(node->cond, {node->then}, {node->otherwise})) return std::nullopt;
  } else {
    return std::nullopt;
  }
  // The statements before it must be plain scalar code, and the new values there from the start.
  for (size_t k = 0; k + 1 < body.stmts.size(); ++k) {
    const core::Stmt& stmt = body.stmts[k];
    bool plain = stmt.pat.size() == 1 && stmt.pat[0].type.is_scalar() &&
                 core::as<core::Assert>(stmt.exp) == nullptr &&
                 core::as<core::Call>(stmt.exp) == nullptr;
    core::for_each_body(stmt.exp, [&](const core::Body&) { plain = false; });
    for (const Operand& other : choice.others)
      plain = plain && !(other == Operand{stmt.pat[0].name});
    if (!plain) return std::nullopt;
  }
  for (const Operand& other : choice.others)
    if (std::find(olds.begin(), olds.end(), other) != olds.end()) return std::nullopt;
  body.stmts.pop_back();
  return choice;
}

// min and max of integers choose too.
std::optional<CmpOpKind> chooses(const core::Lambda& fn) {
  if (fn.params.size() != 2 || fn.body.stmts.size() != 1) return std::nullopt;
  const core::BinOp* node = core::as<core::BinOp>(fn.body.stmts[0].exp);
  if (node == nullptr || !is_int(node->type) || prim_size(node->type) < 4) return std::nullopt;
  const Operand a = fn.params[0].name, b = fn.params[1].name;
  if (!(fn.body.result[0] == Operand{fn.body.stmts[0].pat[0].name}) ||
      !((node->lhs == a && node->rhs == b) || (node->lhs == b && node->rhs == a)))
    return std::nullopt;
  // Is the new value compared with the old one to be put there?
  if (node->op == BinOpKind::kMin) return CmpOpKind::kLt;
  if (node->op == BinOpKind::kMax) return CmpOpKind::kLe;
  return std::nullopt;
}

}  // namespace

namespace {

// Decides a choice step by step, each with only the statements and loads that it needs.
class BinChoice {
 public:
  using Emit = std::function<void(Code&)>;

  // `loads` are what the bin holds, by name; `replace` is emitted at most kMostSteps times.
  BinChoice(FunctionLowering& fn, const core::Body& body, std::unordered_map<Name, Emit> loads,
            Emit replace)
      : fn_(fn), body_(body), loads_(std::move(loads)), replace_(std::move(replace)) {}

  void decide(Code& code, const Operand& cond, bool keeps, std::unordered_set<Name> known = {},
              int steps = kMostSteps) {
    const core::BinOp* node = steps > 0 ? connective(cond) : nullptr;
    const Emit nothing = [](Code&) {};
    if (node == nullptr) {
      need(code, cond, known);
      const Operand value = fn_.value(cond);
      return keeps ? code.branch(value, nothing, replace_) : code.branch(value, replace_);
    }
    // The part that is no connective itself comes first.
    Operand first = node->lhs, second = node->rhs;
    if (connective(first) != nullptr && connective(second) == nullptr) std::swap(first, second);
    need(code, first, known);
    const Operand value = fn_.value(first);
    const auto rest = [&](Code& inner) { decide(inner, second, keeps, known, steps - 1); };
    // What follows if the first part alone decides.
    const bool is_or = node->op == BinOpKind::kOr;
    const Emit decided = is_or == keeps ? nothing : replace_;
    is_or ? code.branch(value, decided, rest) : code.branch(value, rest, decided);
  }

 private:
  static constexpr int kMostSteps = 4;

  const core::Stmt* binding(const Operand& o) const {
    const Name* name = core::as_name(o);
    for (const core::Stmt& stmt : body_.stmts)
      if (name != nullptr && stmt.pat[0].name == *name) return &stmt;
    return nullptr;
  }
  const core::BinOp* connective(const Operand& o) const {
    const core::Stmt* stmt = binding(o);
    const core::BinOp* node = stmt == nullptr ? nullptr : core::as<core::BinOp>(stmt->exp);
    if (node == nullptr || node->type != Prim::kBool) return nullptr;
    return node->op == BinOpKind::kAnd || node->op == BinOpKind::kOr ? node : nullptr;
  }
  // Emits what `o` depends on and is not there yet.
  void need(Code& code, const Operand& o, std::unordered_set<Name>& known) {
    const Name* name = core::as_name(o);
    if (name == nullptr || known.contains(*name)) return;
    if (const auto load = loads_.find(*name); load != loads_.end()) {
      load->second(code);
    } else if (const core::Stmt* stmt = binding(o)) {
      core::for_each_operand(stmt->exp, [&](const Operand& used) { need(code, used, known); });
      fn_.stmt(code, *stmt);
    } else {
      return;
    }
    known.insert(*name);
  }

  FunctionLowering& fn_;
  const core::Body& body_;
  std::unordered_map<Name, Emit> loads_;
  Emit replace_;
};

}  // namespace

bool may_keep_bin(KernelWriter& kernel, const Operator& op) {
  if (chooses(op.fn)) return true;
  core::Body body = core::copy_with_fresh_names(op.fn.body, kernel.fn.prog.names);
  const auto half = op.fn.params.begin() + static_cast<ptrdiff_t>(op.fn.params.size() / 2);
  std::vector<Operand> olds;
  for (auto p = op.fn.params.begin(); p != half; ++p) olds.push_back(p->name);
  return take_choice(body, olds).has_value();
}

std::vector<Operand> bin_of(const SinkInfo& info, const std::vector<Operand>& values) {
  const auto first = values.begin() + static_cast<ptrdiff_t>(info.values);
  return {first, first + static_cast<ptrdiff_t>(info.sink->shape.size())};
}

void hist_update(KernelWriter& kernel, Code& code, const SinkInfo& info,
                 const std::vector<ArrayPlace>& dests, const std::vector<Operand>& values) {
  const std::vector<Operand> at = bin_of(info, values);
  const std::vector<Operand> all = kernel.sink_values(info, values);
  code.branch(kernel.in_bounds(code, at, info), [&](Code& inner) {
    update_bin(kernel, inner, info.sink->op[0], dests, at,
               {all.begin() + static_cast<ptrdiff_t>(at.size()), all.end()});
  });
}

void hist_atomic_update(KernelWriter& kernel, Code& code, const SinkInfo& info,
                        const std::vector<Operand>& values) {
  const std::vector<Operand> all = kernel.sink_values(info, values);
  const std::vector<Operand> at(all.begin(), all.end() - 1);
  code.branch(kernel.in_bounds(code, at, info), [&](Code& inside) {
    const ArrayPlace& dest = kernel.result_place(info.results);
    inside.add(Atomic{*exact_operator(*info.sink), dest.type.elem, dest.loc.block,
                      address(inside, dest, at), all.back()});
  });
}

void update_all(KernelWriter& kernel, Code& code, const std::vector<BinsOfSink>& bins,
                const std::vector<Operand>& values) {
  std::vector<bool> done(bins.size());
  for (size_t k = 0; k < bins.size(); ++k) {
    if (done[k]) continue;
    const SinkInfo& first = bins[k].info;
    const std::vector<Operand> at = bin_of(first, values);
    code.branch(kernel.in_bounds(code, at, first), [&](Code& inner) {
      for (size_t j = k; j < bins.size(); ++j) {
        const SinkInfo& info = bins[j].info;
        if (!(bin_of(info, values) == at) || !(info.sink->shape == first.sink->shape)) continue;
        done[j] = true;
        const std::vector<Operand> all = kernel.sink_values(info, values);
        update_bin(kernel, inner, info.sink->op[0], bins[j].dests, at,
                   {all.begin() + static_cast<ptrdiff_t>(at.size()), all.end()});
      }
    });
  }
}

void update_bin(KernelWriter& kernel, Code& code, const Operator& op,
                const std::vector<ArrayPlace>& dests, const std::vector<Operand>& at,
                const std::vector<Operand>& values) {
  std::unordered_map<Name, BinChoice::Emit> loads;
  std::vector<Operand> olds;
  for (const ArrayPlace& dest : dests) {
    const Name old = code.fresh("old");
    olds.push_back(old);
    loads.emplace(old, [&, old, &dest = dest](Code& inner) {
      inner.add(Load{old, dest.type.elem, dest.loc.block, address(inner, dest, at)});
    });
  }
  const auto load_all = [&] {
    for (const Operand& old : olds) loads.at(std::get<Name>(old))(code);
  };
  const auto store = [&](Code& inner, const std::vector<Operand>& next) {
    for (size_t k = 0; k < dests.size(); ++k) kernel.fn.store(inner, dests[k], at, next[k]);
  };
  if (const std::optional<CmpOpKind> cmp = chooses(op.fn)) {
    load_all();
    const bool less = *cmp == CmpOpKind::kLt;
    const Operand better =
        code.let(Prim::kBool,
                 core::CmpOp{CmpOpKind::kLt, op.fn.params[0].type.elem, less ? values[0] : olds[0],
                             less ? olds[0] : values[0]},
                 "better");
    return code.branch(better, [&](Code& inner) { store(inner, values); });
  }
  const bool keeps = may_keep_bin(kernel, op);
  core::Substitution subst;
  for (size_t k = 0; k < dests.size(); ++k) {
    subst.emplace(op.fn.params[k].name, olds[k]);
    // old + (x + 1) must not become (old + x) + 1: the next point of the bin waits for it.
    const Prim type = op.fn.params[k].type.elem;
    Operand value = values[k];
    if (!keeps && core::as_name(value) != nullptr && is_int(type) && prim_size(type) >= 4)
      value = code.let(type, core::Bitcast{type, type, value}, "value");
    subst.emplace(op.fn.params[dests.size() + k].name, value);
  }
  core::Body body = core::copy_with_fresh_names(op.fn.body, kernel.fn.prog.names, std::move(subst));
  kernel.fn.flows.add(body);
  const std::optional<Choice> choice = take_choice(body, olds);
  const auto value_all = [&](const std::vector<Operand>& list) {
    std::vector<Operand> result;
    for (const Operand& o : list) result.push_back(kernel.fn.value(o));
    return result;
  };
  if (!choice) {
    load_all();
    kernel.fn.body(code, body);
    return store(code, value_all(body.result));
  }
  const auto replace = [&](Code& inner) { store(inner, value_all(choice->others)); };
  BinChoice(kernel.fn, body, std::move(loads), replace).decide(code, choice->cond, choice->keeps);
}

}  // namespace skald::imp
