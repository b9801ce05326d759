// SPDX-License-Identifier: Apache-2.0
// Propagates copies and constants and folds scalar code.
//
//   before   let {a_1 : i32} = 3i32
//            let {b_2 : i32} = add_i32(a_1, 4i32)
//            let {c_3 : i32} = b_2
//
//   after    every use of a_1 is 3i32, of b_2 and c_3 is 7i32
//
// Stage    any.
// Needs    unique names.
// Gives    no statement copies a scalar or array under another name; operators on constants are
// gone.
//          Statements that became unused stay: dead-code removes them.
// Keeps    checks that may fail; tokens of checks that cannot fail disappear.
// Cost     linear.
// Tests    tests/golden/passes/simplify/*.core
#include "core/builder.h"
#include "core/rename.h"
#include "core/scalar.h"
#include "core/visit.h"
#include "passes/passes.h"

namespace skald::passes {

using namespace core;

namespace {

bool is_int_const(const Operand& o, int64_t value) {
  const Const* c = as_const(o);
  return c != nullptr && is_int(c->type) && int_value(*c) == value;
}

std::optional<Operand> fold(const UnOp& e) {
  if (const Const* c = as_const(e.arg)) return eval(e.op, e.type, *c);
  return std::nullopt;
}

// x + 0, x - 0, x * 1, x / 1 on integers; x && true and friends on bools.
std::optional<Operand> fold(const BinOp& e) {
  const Const *a = as_const(e.lhs), *b = as_const(e.rhs);
  if (a != nullptr && b != nullptr) return eval(e.op, e.type, *a, *b);
  if (is_int(e.type)) {
    const bool right_zero = is_int_const(e.rhs, 0), right_one = is_int_const(e.rhs, 1);
    if (right_zero && (e.op == BinOpKind::kAdd || e.op == BinOpKind::kSub ||
                       e.op == BinOpKind::kOr || e.op == BinOpKind::kXor))
      return e.lhs;
    if (right_one &&
        (e.op == BinOpKind::kMul || e.op == BinOpKind::kDiv || e.op == BinOpKind::kQuot))
      return e.lhs;
    if (is_int_const(e.lhs, 0) &&
        (e.op == BinOpKind::kAdd || e.op == BinOpKind::kOr || e.op == BinOpKind::kXor))
      return e.rhs;
    if (is_int_const(e.lhs, 1) && e.op == BinOpKind::kMul) return e.rhs;
    if (e.op == BinOpKind::kMul && (right_zero || is_int_const(e.lhs, 0)))
      return const_int(e.type, 0);
    if (e.op == BinOpKind::kSub && e.lhs == e.rhs) return const_int(e.type, 0);
  }
  if (e.type == Prim::kBool && (e.op == BinOpKind::kAnd || e.op == BinOpKind::kOr)) {
    const Operand neutral = const_bool(e.op == BinOpKind::kAnd);
    if (e.lhs == neutral) return e.rhs;
    if (e.rhs == neutral || e.lhs == e.rhs) return e.lhs;
    if (a != nullptr || b != nullptr) return const_bool(e.op == BinOpKind::kOr);
  }
  return std::nullopt;
}

std::optional<Operand> fold(const CmpOp& e) {
  const Const *a = as_const(e.lhs), *b = as_const(e.rhs);
  if (a != nullptr && b != nullptr) return eval(e.op, e.type, *a, *b);
  if (!is_float(e.type) && e.lhs == e.rhs)
    return const_bool(e.op == CmpOpKind::kEq || e.op == CmpOpKind::kLe);
  return std::nullopt;
}

std::optional<Operand> fold(const TernOp& e) {
  const Const *a = as_const(e.a), *b = as_const(e.b), *c = as_const(e.c);
  if (a != nullptr && b != nullptr && c != nullptr) return eval(e.op, e.type, *a, *b, *c);
  return std::nullopt;
}

std::optional<Operand> fold(const Convert& e) {
  if (e.from == e.to) return e.arg;
  if (const Const* c = as_const(e.arg)) return eval_convert(e.from, e.to, *c);
  return std::nullopt;
}

std::optional<Operand> fold(const Bitcast& e) {
  if (e.from == e.to) return e.arg;
  if (const Const* c = as_const(e.arg)) return eval_bitcast(e.from, e.to, *c);
  return std::nullopt;
}

std::optional<Operand> fold(const Select& e) {
  if (const Const* c = as_const(e.cond)) return c->bits != 0 ? e.then : e.otherwise;
  if (e.then == e.otherwise) return e.then;
  return std::nullopt;
}

// What the expression equals, if that is an operand.
std::optional<Operand> fold(const Exp& exp) {
  if (const Value* e = as<Value>(exp)) return e->arg;
  if (const UnOp* e = as<UnOp>(exp)) return fold(*e);
  if (const BinOp* e = as<BinOp>(exp)) return fold(*e);
  if (const CmpOp* e = as<CmpOp>(exp)) return fold(*e);
  if (const TernOp* e = as<TernOp>(exp)) return fold(*e);
  if (const Convert* e = as<Convert>(exp)) return fold(*e);
  if (const Bitcast* e = as<Bitcast>(exp)) return fold(*e);
  if (const Select* e = as<Select>(exp)) return fold(*e);
  return std::nullopt;
}

class Simplify {
 public:
  explicit Simplify(PassContext& ctx) : ctx_(ctx) {}

  void visit(Body& body) {
    std::vector<Stmt> old = std::move(body.stmts);
    body.stmts.clear();
    for (Stmt& stmt : old) visit(body, std::move(stmt));
    for (Operand& result : body.result) result = now(result);
  }

  void remember_type(const Param& p) {
    if (p.type.is_array()) types_[p.name] = p.type;
  }

  Operand now(const Operand& o) const {
    const Name* name = as_name(o);
    if (name == nullptr) return o;
    const auto found = known_.find(*name);
    return found == known_.end() ? o : found->second;
  }

 private:
  void visit(Body& body, Stmt stmt) {
    map_operands(stmt.exp, [&](const Operand& o) { return now(o); });
    for (Param& p : stmt.pat) rename_sizes(p);
    drop_passed_tokens(stmt);
    if (splice_known_branch(body, stmt)) return;
    for_each_param(stmt.exp, [&](const Param& p) { remember_type(p); });
    for_each_body(stmt.exp, [&](Body& inner) { visit(inner); });
    if (const Assert* check = as<Assert>(stmt.exp);
        check != nullptr && check->cond == Operand{const_bool(true)}) {
      if (ctx_.may_rewrite()) {
        passed_.insert(stmt.pat[0].name);
        return;
      }
    }
    if (const Reshape* reshape = as<Reshape>(stmt.exp)) bypass_coercion(*reshape, stmt);
    // A value that waits for a check keeps its statement.
    if (stmt.tokens.empty() && stmt.pat.size() == 1) {
      if (std::optional<Operand> value = fold(stmt.exp); value && ctx_.may_rewrite()) {
        known_[stmt.pat[0].name] = *value;
        return;
      }
    }
    for (const Param& p : stmt.pat) remember_type(p);
    body.stmts.push_back(std::move(stmt));
  }

  void rename_sizes(Param& p) {
    for (Operand& dim : p.type.shape) dim = now(dim);
    for (Type& elem : p.type.acc_elems)
      for (Operand& dim : elem.shape) dim = now(dim);
    for (MemLoc& loc : p.mem) {
      loc.offset = now(loc.offset);
      for (Operand& stride : loc.strides) stride = now(stride);
    }
  }

  void drop_passed_tokens(Stmt& stmt) {
    std::erase_if(stmt.tokens, [&](Name token) { return passed_.contains(token); });
  }

  // A coercion to the shape the array has anyway is a copy.
  void bypass_coercion(const Reshape& reshape, Stmt& stmt) {
    const auto type = types_.find(reshape.array);
    if (type == types_.end() || type->second.shape != reshape.shape) return;
    stmt.exp = Value{reshape.array};
  }

  //   if true then {a} else {b}   →   a
  bool splice_known_branch(Body& body, Stmt& stmt) {
    If* branch = as<If>(stmt.exp);
    const Const* cond = branch == nullptr ? nullptr : as_const(branch->cond);
    if (cond == nullptr || !ctx_.may_rewrite()) return false;
    Body taken = std::move(cond->bits != 0 ? branch->then_body : branch->else_body);
    for (Stmt& inner : taken.stmts) {
      inner.tokens.insert(inner.tokens.end(), stmt.tokens.begin(), stmt.tokens.end());
      visit(body, std::move(inner));
    }
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      const Operand value = taken.result[k];
      const Name* name = as_name(value);
      Stmt bind{{}, Value{value}, {}, {}, stmt.loc};
      if (stmt.pat[k].type.is_array() && name != nullptr)
        bind.exp = Reshape{*name, stmt.pat[k].type.shape};
      bind.pat.push_back(std::move(stmt.pat[k]));
      visit(body, std::move(bind));
    }
    return true;
  }

  PassContext& ctx_;
  std::unordered_map<Name, Operand> known_;
  std::unordered_map<Name, Type> types_;
  // Tokens of checks that cannot fail.
  std::unordered_set<Name> passed_;
};

}  // namespace

Program simplify(Program prog, PassContext& ctx) {
  for (Function& fn : prog.functions) {
    Simplify pass(ctx);
    for (const Param& p : fn.params) pass.remember_type(p);
    pass.visit(fn.body);
  }
  return prog;
}

}  // namespace skald::passes
