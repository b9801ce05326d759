// SPDX-License-Identifier: Apache-2.0
// Writes to accumulators under branches and in loops, as writes that can run in parallel.
//
//   before   if c_1 then                                 after   let {i_5, v_6} =
//              let {a_4} = update_acc(a_0, {i_2}, {v_3})           if c_1 then {i_2, v_3}
//              in {a_4}                                            else {-1, 0}
//            else {a_0}                                          update_acc(a_0, {i_5}, {v_6})
//
// What is out of bounds is ignored.  Several writes are merged one by one, first with first.
//
//   before   loop {a_1 = a_0} for j_2 < n_3 do           after   map(n_3, {a_0, iota}, \{a_1, j_2}
//   ->
//              … update_acc(a_1, …)                                … update_acc(a_1, …))
//
// if the loop carries nothing else, and the order of its writes does not matter: because the
// accumulator combines what it gets, or all rounds write to different places, or all write the
// same.
//
// Writes that stand one after another stay so: an iteration may overwrite what it wrote before.
//
// Tests: tests/golden/passes/lift/several_writes.core, tests/programs/accumulators
#include "passes/kernels/straighten.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <unordered_map>

#include "core/edit/builder.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"

namespace skald::passes {

using namespace core;

std::pair<Operand, Name> all_rounds(Builder& out, const Loop& loop) {
  const Prim prim = loop.var.type.elem;
  const Operand count = out.convert(prim, Prim::kI64, loop.bound, "count");
  const Operand width = out.binop(BinOpKind::kMax, Prim::kI64, count, const_i64(0), "width");
  const Name numbers =
      out.let1(array_of(width, loop.var.type),
               Iota{prim, width, const_int(prim, 0), const_int(prim, 1)}, "rounds");
  return {width, numbers};
}

namespace {

bool carries(const Type& type) {
  return type.kind == Type::kAcc;
}

bool gives_accumulator(const Stmt& stmt) {
  return std::ranges::any_of(stmt.pat, [](const Param& p) { return carries(p.type); });
}

constexpr int64_t kSmallFactor = 1 << 20;

// One write, as values.
struct Write {
  std::vector<Operand> indices, values;
  std::vector<Name> tokens;
};

// The writes that lead to an accumulator, in order, and the one they begin with.
struct WriteChain {
  Name from;
  Type type = {};
  std::vector<Write> writes = {};
};

// Nothing if there is more to it than writes of scalars.
std::optional<WriteChain> chain_to(const Body& body, Name acc) {
  WriteChain chain;
  for (size_t k = body.stmts.size(); k-- > 0;) {
    const Stmt& stmt = body.stmts[k];
    if (std::ranges::none_of(stmt.pat, [&](const Param& p) { return p.name == acc; })) continue;
    if (const auto* update = as<UpdateAcc>(stmt.exp)) {
      for (const Type& elem : stmt.pat[0].type.acc_elems)
        if (!elem.is_scalar()) return std::nullopt;
      chain.writes.push_back({update->indices, update->values, stmt.tokens});
      acc = update->acc;
    } else if (const auto* value = as<Value>(stmt.exp)) {
      acc = std::get<Name>(value->arg);
    } else {
      return std::nullopt;
    }
  }
  std::ranges::reverse(chain.writes);
  chain.from = acc;
  return chain;
}

class Straighten {
 public:
  Straighten(Program& prog, const std::function<bool(Name)>& combines)
      : prog_(prog), combines_(combines) {}

  void body(Body& body) {
    Builder out(prog_);
    for (Stmt& s : body.stmts) stmt(out, std::move(s));
    body = out.finish(std::move(body.result));
  }

 private:
  void stmt(Builder& out, Stmt stmt) {
    if (gives_accumulator(stmt)) {
      for_each_body(stmt.exp, [&](Body& inner) { body(inner); });
      if (as<If>(stmt.exp) != nullptr && branch(out, stmt)) return;
      if (as<Loop>(stmt.exp) != nullptr && loop(out, stmt)) return;
    }
    out.append(std::move(stmt));
  }

  // What a side gives instead of accumulators: the places and values of its writes, and after those
  // some that are ignored.
  Body without_writes(Body body, const std::vector<Param>& pat,
                      const std::vector<WriteChain>& chains, const std::vector<size_t>& counts) {
    Builder out(prog_);
    for (Stmt& s : body.stmts)
      if (!gives_accumulator(s)) out.append(std::move(s));
    std::vector<Operand> results;
    for (size_t k = 0; k < pat.size(); ++k)
      if (!carries(pat[k].type)) results.push_back(body.result[k]);
    for (size_t k = 0; k < chains.size(); ++k) {
      const WriteChain& chain = chains[k];
      for (size_t w = 0; w < counts[k]; ++w) {
        if (w >= chain.writes.size()) {
          results.insert(results.end(), chain.type.shape.size(), const_i64(-1));
          for (const Type& elem : chain.type.acc_elems) results.emplace_back(Const{elem.elem, 0});
          continue;
        }
        Write write = chain.writes[w];
        if (!write.tokens.empty())
          write.indices[0] = out.let1(scalar_type(Prim::kI64), Value{write.indices[0]}, "at",
                                      std::move(write.tokens));
        results.insert(results.end(), write.indices.begin(), write.indices.end());
        results.insert(results.end(), write.values.begin(), write.values.end());
      }
    }
    return out.finish(std::move(results));
  }

  bool branch(Builder& out, Stmt& stmt) {
    If& node = *as<If>(stmt.exp);
    std::vector<WriteChain> sides[2];
    std::vector<size_t> counts;
    std::vector<Param> kept, written;
    for (size_t k = 0; k < stmt.pat.size(); ++k) {
      if (!carries(stmt.pat[k].type)) {
        kept.push_back(stmt.pat[k]);
        continue;
      }
      std::optional<WriteChain> first =
          chain_to(node.then_body, std::get<Name>(node.then_body.result[k]));
      std::optional<WriteChain> second =
          chain_to(node.else_body, std::get<Name>(node.else_body.result[k]));
      if (!first || !second || !(first->from == second->from)) return false;
      first->type = second->type = stmt.pat[k].type;
      counts.push_back(std::max(first->writes.size(), second->writes.size()));
      sides[0].push_back(std::move(*first));
      sides[1].push_back(std::move(*second));
      written.push_back(stmt.pat[k]);
    }
    If plain{node.cond, without_writes(std::move(node.then_body), stmt.pat, sides[0], counts),
             without_writes(std::move(node.else_body), stmt.pat, sides[1], counts)};
    std::vector<std::vector<UpdateAcc>> updates;
    for (size_t k = 0; k < written.size(); ++k) {
      updates.emplace_back();
      for (size_t w = 0; w < counts[k]; ++w) {
        UpdateAcc update;
        for (size_t d = 0; d < written[k].type.shape.size(); ++d) {
          kept.push_back({prog_.names.fresh("at"), scalar_type(Prim::kI64)});
          update.indices.emplace_back(kept.back().name);
        }
        for (const Type& elem : written[k].type.acc_elems) {
          kept.push_back({prog_.names.fresh("value"), elem});
          update.values.emplace_back(kept.back().name);
        }
        updates.back().push_back(std::move(update));
      }
    }
    if (!kept.empty())
      out.append({std::move(kept), std::move(plain), stmt.tokens, stmt.hints, stmt.loc});
    out.set_loc(stmt.loc);
    for (size_t k = 0; k < written.size(); ++k) {
      Name acc = sides[0][k].from;
      for (size_t w = 0; w < counts[k]; ++w) {
        updates[k][w].acc = acc;
        const bool last = w + 1 == counts[k];
        acc = last ? written[k].name : prog_.names.fresh_like(written[k].name);
        out.let_pat({{acc, written[k].type}}, std::move(updates[k][w]));
      }
      if (counts[k] == 0) out.let_pat({written[k]}, Value{acc});
    }
    return true;
  }

  bool loop(Builder& out, Stmt& stmt) {
    Loop& node = *as<Loop>(stmt.exp);
    if (node.form != Loop::kFor) return false;
    for (size_t k = 0; k < node.params.size(); ++k) {
      const Param& p = node.params[k].param;
      if (!carries(p.type) || (!combines_(p.name) && !any_order(node, k))) return false;
    }
    out.set_loc(stmt.loc);
    const auto [width, rounds] = all_rounds(out, node);
    Soac map;
    map.width = width;
    for (LoopParam& p : node.params) {
      map.inputs.push_back(std::get<Name>(p.init));
      map.fn.params.push_back({p.param.name, p.param.type});
      map.fn.results.push_back({{}, p.param.type});
    }
    map.inputs.push_back(rounds);
    map.fn.params.push_back(node.var);
    map.fn.body = std::move(node.body);
    stmt.exp = std::move(map);
    out.append(std::move(stmt));
    return true;
  }

  // Do all rounds write to different places, or all the same value?
  static bool any_order(const Loop& loop, size_t k) {
    const auto chain = chain_to(loop.body, std::get<Name>(loop.body.result[k]));
    if (!chain || !(chain->from == loop.params[k].param.name) || chain->writes.size() != 1)
      return false;
    std::unordered_map<Name, const Stmt*> bound = {{loop.var.name, nullptr}};
    for (const Stmt& stmt : loop.body.stmts)
      for (const Param& p : stmt.pat) bound.emplace(p.name, &stmt);
    const auto fixed = [&](const Operand& o) {
      const Name* name = as_name(o);
      return name == nullptr || !bound.contains(*name);
    };
    const std::function<bool(const Operand&)> differs = [&](const Operand& o) {
      if (fixed(o)) return false;
      const Stmt* stmt = bound.at(*as_name(o));
      if (stmt == nullptr) return true;
      if (const auto* value = as<Value>(stmt->exp)) return differs(value->arg);
      if (const auto* wide = as<Convert>(stmt->exp))
        return wide->to == Prim::kI64 && wide->from == Prim::kI32 && differs(wide->arg);
      const auto* op = as<BinOp>(stmt->exp);
      if (op == nullptr || (op->type != Prim::kI64 && op->type != Prim::kI32)) return false;
      if (op->op == BinOpKind::kAdd || op->op == BinOpKind::kSub)
        return (differs(op->lhs) && fixed(op->rhs)) || (fixed(op->lhs) && differs(op->rhs));
      // A product must not wrap around.
      if (op->op != BinOpKind::kMul || op->type != Prim::kI64) return false;
      const Operand& factor = as_const(op->lhs) != nullptr ? op->lhs : op->rhs;
      const Operand& other = as_const(op->lhs) != nullptr ? op->rhs : op->lhs;
      if (as_const(factor) == nullptr) return false;
      const int64_t by = int_value(*as_const(factor));
      return by != 0 && std::abs(by) < kSmallFactor && differs(other);
    };
    const Write& write = chain->writes[0];
    return std::ranges::any_of(write.indices, differs) || std::ranges::all_of(write.values, fixed);
  }

  Program& prog_;
  const std::function<bool(Name)>& combines_;
};

}  // namespace

void straighten_writes(Program& prog, Body& body, const std::function<bool(Name)>& combines) {
  Straighten(prog, combines).body(body);
}

}  // namespace skald::passes
