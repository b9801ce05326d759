// SPDX-License-Identifier: Apache-2.0
//
//   before   loop s = a for i < n do           after   let ys = map (\r -> map (\w -> r · w) W) xs
//              let y = … xs[i] …                       loop s = a for i < n do
//                                                        let y = ys[i]
//
// Stage    SOACS.
// Needs    inlined functions; only entry points are looked at.
// Gives    no product in a loop of the host that needs only the number of the round, if it is known
//          to be one.
// Keeps    values, except that sums may be computed in another order.
// Cost     the values of all rounds of a part are stored.
// Tests    tests/golden/passes/early_products/*.core, tests/programs/early_products
#include "passes/early/early_products.h"

#include <algorithm>

#include "core/edit/builder.h"
#include "core/edit/strip_mine.h"
#include "core/ir/visit.h"
#include "passes/early/round_products.h"
#include "passes/early/sums_in_maps.h"
#include "passes/passes.h"

namespace skald::passes {

using namespace core;

namespace {

class ProductMover {
 public:
  explicit ProductMover(const EarlyProducts& how) : how_(how) {}

  void visit(Body& body) {
    std::vector<Stmt> old = std::move(body.stmts);
    body.stmts.clear();
    for (Stmt& stmt : old) {
      if (auto* branch = as<If>(stmt.exp)) {
        visit(branch->then_body);
        visit(branch->else_body);
      }
      Loop* loop = as<Loop>(stmt.exp);
      if (loop != nullptr) visit(loop->body);
      if (loop != nullptr && !stmt.hints.unroll) {
        Builder out(how_.prog);
        out.set_loc(stmt.loc);
        change(stmt, out);
        std::ranges::move(out.stmts(), std::back_inserter(body.stmts));
      }
      body.stmts.push_back(std::move(stmt));
    }
  }
  int changed() const { return changed_; }

 private:
  std::vector<RoundProduct> products_of(const Loop& loop) const {
    std::vector<RoundProduct> found = find_round_products(loop, how_.type_of);
    if (how_.limit == EarlyProducts::Memory::kInParts) return found;
    std::vector<Type> states;
    for (const LoopParam& p : loop.params)
      if (p.param.type.is_array()) states.push_back(p.param.type);
    std::erase_if(found, [&](const RoundProduct& product) {
      return !std::ranges::all_of(product.types,
                                  [&](const Type& type) { return fits_one_of(type, states); });
    });
    return found;
  }

  void change(Stmt& stmt, Builder& out) {
    Loop& loop = *as<Loop>(stmt.exp);
    std::vector<RoundProduct> products = products_of(loop);
    if (products.empty() || !how_.may_rewrite()) return;
    ++changed_;
    if (how_.limit == EarlyProducts::Memory::kLikeStates)
      return move_round_products(loop, products, how_.prog, how_.type_of, out);
    const Operand rounds = rounds_of(out, loop);
    const Operand bytes = bytes_of(products, out);
    const Operand most = rounds_in_memory(bytes, out);
    const Const* known = as_const(rounds);
    if (known != nullptr && as_const(most) != nullptr &&
        int_value(*known) <= int_value(*as_const(most)))
      return move_round_products(loop, products, how_.prog, how_.type_of, out);
    // Rounded up.
    const Operand up = out.size_add(rounds, out.size_sub(most, const_i64(1)));
    const Operand parts = out.binop(BinOpKind::kDiv, Prim::kI64, up, most, "parts");
    Loop outer = strip_mined(out, std::move(loop), {parts, most});
    const auto inner = std::ranges::find_if(
        outer.body.stmts, [](const Stmt& s) { return as<Loop>(s.exp) != nullptr; });
    Loop& part = *as<Loop>(inner->exp);
    products = find_round_products(part, how_.type_of);
    Builder before(how_.prog);
    before.set_loc(stmt.loc);
    move_round_products(part, products, how_.prog, how_.type_of, before);
    outer.body.stmts.insert(inner, std::make_move_iterator(before.stmts().begin()),
                            std::make_move_iterator(before.stmts().end()));
    stmt.exp = std::move(outer);
  }

  // What the products of a round take.
  static Operand bytes_of(const std::vector<RoundProduct>& products, Builder& out) {
    Operand bytes = const_i64(0);
    for (const RoundProduct& product : products)
      for (const Type& type : product.types) {
        Operand each = const_i64(prim_size(type.elem));
        for (const Operand& dim : type.shape) each = out.size_mul(each, dim);
        bytes = out.size_add(bytes, each);
      }
    return bytes;
  }
  Operand rounds_in_memory(const Operand& bytes, Builder& out) const {
    const auto most = [&](const Operand& x) {
      return out.binop(BinOpKind::kMax, Prim::kI64, x, const_i64(1), "most");
    };
    return most(out.binop(BinOpKind::kDiv, Prim::kI64, const_i64(how_.memory), most(bytes)));
  }

  const EarlyProducts& how_;
  int changed_ = 0;
};

}  // namespace

int compute_products_early(Body& body, const EarlyProducts& how) {
  ProductMover mover(how);
  mover.visit(body);
  return mover.changed();
}

Program early_products(Program prog, PassContext& ctx) {
  for (Function& fn : prog.functions) {
    if (!fn.entry) continue;
    NameMap<Type> types;
    for (const Param& p : fn.params) types.insert_or_assign(p.name, p.type);
    learn_types(fn.body, types);
    compute_products_early(fn.body, {.prog = prog,
                                     .type_of =
                                         [&](Name name) {
                                           const auto found = types.find(name);
                                           return found == types.end() ? scalar_type(Prim::kI64)
                                                                       : found->second;
                                         },
                                     .memory = ctx.device().early_memory,
                                     .may_rewrite = [&] { return ctx.may_rewrite("loop"); }});
  }
  return prog;
}

}  // namespace skald::passes
