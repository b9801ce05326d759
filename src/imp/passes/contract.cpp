// SPDX-License-Identifier: Apache-2.0
// In code for devices, a product that goes into a sum is added to it without being rounded first,
// and what is divided by a square root is multiplied by its reciprocal.
//
//   before   t = mul(a, b); s = add(c, t);          after   s = fma(a, b, c);
//            t = mul(a, b); s = sub(t, c);                  s = fma(a, b, neg(c));
//            r = sqrt(x); q = div(a, r);                    y = rsqrt(x); q = mul(a, y);
//            r = sqrt(x); t = mul(x, r); q = div(a, t);     q = mul(mul(mul(a, y), y), y);
//
// The first saves an instruction, if the product is not needed besides, and is at least as exact.
// It does not depend on who else uses the product: so a sum is the same wherever it is computed, by
// itself or beside others (lower/gpu/shared_thunk.h).  The second is for f32 alone, where
// devices have an instruction for `rsqrt`: the error is at most that which OpenCL allows for the
// division and the root (2.5 and 3 units in the last place).  Each point of a kernel is rewritten
// by itself, so that all versions of a kernel compute the same.
//
// Target   devices; launches and the functions that they call.
// Needs    nothing.
// Gives    no product of floats that is an operand of a sum in the same body, later.
// Keeps    everything else.  What is not used any more stays for the device's compiler.
// Cost     linear.
// Tests    tests/golden/passes/imp/contract/*.imp
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "imp/ir/code.h"
#include "imp/passes/device_code.h"
#include "imp/passes/passes.h"

namespace skald::imp {

namespace {

class Contraction {
 public:
  Contraction(Program& prog, PassContext& ctx) : prog_(prog), ctx_(ctx) {}

  void code(Body& body, const std::vector<Operand>& results = {}) {
    count_uses(body);
    for (const Operand& result : results) count_use(result);
    rewrite(body);
  }

 private:
  void count_use(const Operand& operand) {
    if (const Name* name = core::as_name(operand)) ++uses_[*name];
  }
  void count_uses(const Body& body) {
    for (const Stmt& stmt : body.stmts) {
      for_each_use(stmt, [&](const Operand& operand) { count_use(operand); });
      for_each_body(stmt, [&](const Body& inner) { count_uses(inner); });
    }
  }

  // The definition of an operand as such an expression that is used only here, and whose operands
  // are what they were.
  template <class Node>
  const Node* only_here(const Operand& operand) const {
    const Name* name = core::as_name(operand);
    if (name == nullptr || uses_.at(*name) != 1) return nullptr;
    const auto found = known_.find(*name);
    return found == known_.end() ? nullptr : std::get_if<Node>(&found->second);
  }
  static const core::BinOp* product(const core::BinOp* node) {
    return node != nullptr && node->op == BinOpKind::kMul ? node : nullptr;
  }
  const core::BinOp* any_product(const Operand& operand) const {
    const Name* name = core::as_name(operand);
    const auto found = name == nullptr ? known_.end() : known_.find(*name);
    return found == known_.end() ? nullptr : product(std::get_if<core::BinOp>(&found->second));
  }
  const core::UnOp* root(const Operand& operand) const {
    const auto* node = only_here<core::UnOp>(operand);
    return node != nullptr && node->op == UnOpKind::kSqrt ? node : nullptr;
  }

  Operand negated(Code& code, Prim type, const Operand& operand) {
    return code.let(type, core::UnOp{UnOpKind::kNeg, type, operand}, "neg");
  }
  Operand times(Code& code, const Operand& a, const Operand& b) {
    return code.let(Prim::kF32, core::BinOp{BinOpKind::kMul, Prim::kF32, a, b}, "scaled");
  }

  // a + b or a - b, one of which is a product.
  std::optional<Exp> sum(Code& code, const core::BinOp& node) {
    const bool minus = node.op == BinOpKind::kSub;
    if (const core::BinOp* left = any_product(node.lhs))
      return core::TernOp{TernOpKind::kFma, node.type, left->lhs, left->rhs,
                          minus ? negated(code, node.type, node.rhs) : node.rhs};
    if (const core::BinOp* right = any_product(node.rhs))
      return core::TernOp{TernOpKind::kFma, node.type,
                          minus ? negated(code, node.type, right->lhs) : right->lhs, right->rhs,
                          node.lhs};
    return std::nullopt;
  }

  std::optional<Exp> quotient(Code& code, const core::BinOp& node) {
    if (node.type != Prim::kF32) return std::nullopt;
    const auto reciprocal = [&](const Operand& x) {
      return code.let(Prim::kF32, core::UnOp{UnOpKind::kRsqrt, Prim::kF32, x}, "reciprocal");
    };
    if (const core::UnOp* simple = root(node.rhs))
      return core::BinOp{BinOpKind::kMul, Prim::kF32, node.lhs, reciprocal(simple->arg)};
    const core::BinOp* cube = product(only_here<core::BinOp>(node.rhs));
    if (cube == nullptr) return std::nullopt;
    for (const bool left : {false, true}) {
      const core::UnOp* of = root(left ? cube->lhs : cube->rhs);
      const Operand other = left ? cube->rhs : cube->lhs;
      if (of == nullptr || !(of->arg == other)) continue;
      const Operand y = reciprocal(other);
      return core::BinOp{BinOpKind::kMul, Prim::kF32, times(code, times(code, node.lhs, y), y), y};
    }
    return std::nullopt;
  }

  std::optional<Exp> better(Code& code, const core::BinOp& node) {
    if (node.type != Prim::kF32 && node.type != Prim::kF64) return std::nullopt;
    if (node.op == BinOpKind::kAdd || node.op == BinOpKind::kSub) return sum(code, node);
    return node.op == BinOpKind::kDiv ? quotient(code, node) : std::nullopt;
  }

  // What depends on this variable is not what it was.
  void forget(Name variable) {
    std::erase_if(known_, [&](const auto& entry) {
      bool found = false;
      const auto use = [&](const Operand& operand) {
        found = found || operand == Operand{variable};
      };
      visit_exp(entry.second, [&](const auto& exp) {
        std::apply([&](const auto&... field) { (imp::detail::operands_of(field, use), ...); },
                   std::remove_cvref_t<decltype(exp)>::fields(exp));
      });
      return found;
    });
  }
  void forget_assigned(const Body& body) {
    for (const Stmt& stmt : body.stmts) {
      if (const auto* assign = as<Assign>(stmt)) forget(assign->var);
      for_each_body(stmt, [&](const Body& inner) { forget_assigned(inner); });
    }
  }

  void rewrite(Body& body) {
    Code code(prog_);
    for (Stmt& stmt : body.stmts) {
      if (auto* let = as<Let>(stmt)) {
        const auto* node = std::get_if<core::BinOp>(&let->exp);
        if (node != nullptr) {
          Code before(prog_);
          std::optional<Exp> exp = better(before, *node);
          if (exp && ctx_.may_rewrite()) {
            let->exp = std::move(*exp);
            Body made = before.finish();
            for (Stmt& inner : made.stmts) code.add(std::move(inner.node));
          }
        }
        known_.emplace(let->name, let->exp);
      } else if (const auto* assign = as<Assign>(stmt)) {
        forget(assign->var);
      }
      // Bodies know nothing of what is outside: a product may be the same for all rounds of a loop.
      for_each_body(stmt, [&](Body& inner) {
        auto outside = std::exchange(known_, {});
        rewrite(inner);
        known_ = std::move(outside);
        forget_assigned(inner);
      });
      code.add(std::move(stmt.node));
    }
    body = code.finish();
  }

  Program& prog_;
  PassContext& ctx_;
  std::unordered_map<Name, int> uses_;
  std::unordered_map<Name, Exp> known_;
};

}  // namespace

Program contract_products(Program prog, PassContext& ctx) {
  for_each_device_body(prog, [&](Body& body, const std::vector<Operand>& results) {
    Contraction(prog, ctx).code(body, results);
  });
  return prog;
}

}  // namespace skald::imp
