// SPDX-License-Identifier: Apache-2.0
// Sums that need no loop.
//
//   sum-affine   soac(n, {iota}, \i -> a·i + b, reduce (+) e)  =  e + n·b + a·n(n-1)/2
//   scan-same    soac(n, {…}, \… -> b, scan (+) 0)             =  map(n, {iota}, \i -> (i+1)·b)
//
// Integers wrap, and so does the closed form: both are exact modulo a power of two.
#include <unordered_map>

#include "core/ir/visit.h"
#include "passes/simplify/rules.h"

namespace skald::passes::simplify_rules {

using namespace core;

namespace {

// a·i + b, of a type.
struct Affine {
  Operand a, b;
};

class SumAffine {
 public:
  SumAffine(const Stmt& stmt, Env& env) : stmt_(stmt), soac_(*as<Soac>(stmt.exp)), env_(env) {}

  std::optional<Rewrite> sum() {
    if (!soac_.scans.empty() || soac_.reduces.size() != 1 || !adds(soac_.reduces[0]) || !follow())
      return std::nullopt;
    const Operator& op = soac_.reduces[0];
    const Prim type = op.fn.params[0].type.elem;
    const Affine sum = of(soac_.fn.body.result[0], type);
    const Operand rows = convert(Prim::kI64, type, soac_.width);
    const Operand same = binop(BinOpKind::kMul, type, rows, sum.b);
    const Operand pairs = convert(Prim::kI64, type, triangle());
    const Operand growing = binop(BinOpKind::kMul, type, pairs, sum.a);
    const Operand all = binop(BinOpKind::kAdd, type, same, growing);
    r_.exp = BinOp{BinOpKind::kAdd, type, op.neutral[0], all};
    return std::move(r_);
  }

  std::optional<Rewrite> sums_of_the_same() {
    if (!soac_.reduces.empty() || soac_.scans.size() != 1 || !adds(soac_.scans[0]) ||
        !is_zero(soac_.scans[0].neutral[0]) || !follow())
      return std::nullopt;
    const Prim type = soac_.scans[0].fn.params[0].type.elem;
    const Affine each = of(soac_.fn.body.result[0], type);
    if (!is_zero(each.a)) return std::nullopt;
    Name indices, next, number;
    r_.before.push_back(env_.make(array_of(soac_.width, scalar_type(Prim::kI64)),
                                  Iota{Prim::kI64, soac_.width, const_i64(0), const_i64(1)}, "is",
                                  stmt_.loc, &indices));
    Lambda fn;
    fn.params.push_back({env_.fresh("i"), scalar_type(Prim::kI64)});
    const auto let = [&](Prim prim, Exp exp, Name* name) {
      fn.body.stmts.push_back(env_.make(scalar_type(prim), std::move(exp), "sum", stmt_.loc, name));
    };
    let(Prim::kI64, BinOp{BinOpKind::kAdd, Prim::kI64, fn.params[0].name, const_i64(1)}, &next);
    if (type != Prim::kI64) let(type, Convert{Prim::kI64, type, next}, &next);
    let(type, BinOp{BinOpKind::kMul, type, next, each.b}, &number);
    fn.body.result.push_back(number);
    fn.results.push_back({{}, scalar_type(type)});
    r_.exp = Soac{soac_.width, {indices}, std::move(fn)};
    return std::move(r_);
  }

 private:
  static constexpr size_t kMostStatements = 8;

  // Is it a sum of integers, of the only value there is?
  bool adds(const Operator& op) const {
    const Body& body = op.fn.body;
    if (!soac_.post.empty() || op.fn.params.size() != 2 || soac_.fn.body.result.size() != 1 ||
        body.stmts.size() != 1)
      return false;
    const Type& type = op.fn.params[0].type;
    const BinOp* add = as<BinOp>(body.stmts[0].exp);
    const Name first = op.fn.params[0].name, second = op.fn.params[1].name;
    return type.is_scalar() && is_int(type.elem) && add != nullptr && add->op == BinOpKind::kAdd &&
           ((add->lhs == Operand{first} && add->rhs == Operand{second}) ||
            (add->lhs == Operand{second} && add->rhs == Operand{first})) &&
           body.result[0] == Operand{body.stmts[0].pat[0].name};
  }

  Affine of(const Operand& o, Prim type) const {
    const Name* name = as_name(o);
    const auto found = name == nullptr ? affine_.end() : affine_.find(*name);
    return found == affine_.end() ? Affine{const_int(type, 0), o} : found->second;
  }

  // Is everything in the function affine?
  bool follow() {
    if (soac_.fn.body.stmts.size() > kMostStatements) return false;
    for (size_t k = 0; k < soac_.inputs.size(); ++k) {
      const Iota* iota = env_.definition_as<Iota>(soac_.inputs[k]);
      if (iota == nullptr) return false;
      affine_.emplace(soac_.fn.params[k].name, Affine{iota->step, iota->start});
      for (const Name token : env_.tokens(soac_.inputs[k])) r_.tokens.push_back(token);
    }
    for (const Stmt& stmt : soac_.fn.body.stmts)
      if (!follow(stmt)) return false;
    return true;
  }
  bool follow(const Stmt& stmt) {
    if (!stmt.tokens.empty()) return false;
    Affine result;
    if (const Convert* e = as<Convert>(stmt.exp)) {
      // What is cut off above does not matter below.
      if (!is_int(e->from) || !is_int(e->to) || prim_size(e->to) > prim_size(e->from)) return false;
      const Affine x = of(e->arg, e->from);
      result.a = convert(e->from, e->to, x.a);
      result.b = convert(e->from, e->to, x.b);
    } else if (const BinOp* e = as<BinOp>(stmt.exp); e != nullptr && is_int(e->type)) {
      const Affine x = of(e->lhs, e->type), y = of(e->rhs, e->type);
      if (e->op == BinOpKind::kAdd || e->op == BinOpKind::kSub) {
        result.a = binop(e->op, e->type, x.a, y.a);
        result.b = binop(e->op, e->type, x.b, y.b);
      } else if (e->op == BinOpKind::kMul && (is_zero(x.a) || is_zero(y.a))) {
        const Operand factor = is_zero(x.a) ? x.b : y.b;
        const Affine& other = is_zero(x.a) ? y : x;
        result.a = binop(e->op, e->type, other.a, factor);
        result.b = binop(e->op, e->type, other.b, factor);
      } else {
        return false;
      }
    } else {
      return false;
    }
    affine_.emplace(stmt.pat[0].name, result);
    return true;
  }

  // n(n-1)/2, without a product that is halved after it wrapped.
  Operand triangle() {
    const Operand n = soac_.width;
    const Operand half = binop(BinOpKind::kLshr, Prim::kI64, n, const_i64(1));
    const Operand odd = binop(BinOpKind::kAnd, Prim::kI64, n, const_i64(1));
    const Operand less = binop(BinOpKind::kSub, Prim::kI64, n, const_i64(1));
    const Operand other = binop(BinOpKind::kAdd, Prim::kI64, less, odd);
    return binop(BinOpKind::kMul, Prim::kI64, half, other);
  }

  static bool is_zero(const Operand& o) {
    const Const* c = as_const(o);
    return c != nullptr && c->bits == 0;
  }

  Operand add(Prim type, Exp exp) {
    Name name;
    r_.before.push_back(env_.make(scalar_type(type), std::move(exp), "sum", stmt_.loc, &name));
    return name;
  }
  Operand binop(BinOpKind op, Prim type, const Operand& lhs, const Operand& rhs) {
    if (is_zero(rhs) && op != BinOpKind::kMul) return lhs;
    if (op == BinOpKind::kMul && (is_zero(lhs) || is_zero(rhs))) return const_int(type, 0);
    return add(type, BinOp{op, type, lhs, rhs});
  }
  Operand convert(Prim from, Prim to, const Operand& o) {
    if (from == to) return o;
    return is_zero(o) ? Operand{const_int(to, 0)} : add(to, Convert{from, to, o});
  }

  const Stmt& stmt_;
  const Soac& soac_;
  Env& env_;
  Rewrite r_;
  std::unordered_map<Name, Affine> affine_;
};

std::optional<Rewrite> sum_affine(const Stmt& stmt, Env& env) {
  return SumAffine(stmt, env).sum();
}

std::optional<Rewrite> scan_same(const Stmt& stmt, Env& env) {
  return SumAffine(stmt, env).sums_of_the_same();
}

}  // namespace

Rules sum_rules() {
  return {{"sum-affine", node_index<Soac>(), sum_affine},
          {"scan-same", node_index<Soac>(), scan_same}};
}

}  // namespace skald::passes::simplify_rules
