// SPDX-License-Identifier: Apache-2.0
// In code for devices, several quotients of f64 that follow each other are computed as usual ones
// are, and only if one of them is not, all is computed once more with the operator.
//
//   before   q = div(a, b); s = add(q, 1); r = div(s, d); y[i] = r;
//
//   after    q1, u1 = quick_div(a, b); s1 = add(q1, 1); r1, u2 = quick_div(s1, d);
//            var r = r1;
//            if (!(u1 & u2)) { q2 = slow_div(a, b); s2 = add(q2, 1); r2 = slow_div(s2, d); r = r2;
//            } y[i] = r;
//
// The operator has a branch for unusual numbers (zero, infinite, very small).  With one for each
// quotient nothing of one can begin before the one before it is done, and no load behind a quotient
// before it.  Results are those of the operator, bit for bit.
//
// What is computed once more is read from memory once more if the code is long: no register waits
// for what hardly ever happens.
//
// Target   devices; launches and the functions that they call.
// Needs    nothing.
// Gives    no three quotients of f64 by what is no constant in a row of statements that only
//          compute, but for very long rows.
// Keeps    everything else, all results too.
// Cost     linear in the code times the depth of bodies.
// Tests    tests/golden/passes/imp/quotients/*.imp
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "imp/ir/code.h"
#include "imp/passes/device_code.h"
#include "imp/passes/passes.h"
#include "imp/passes/scalar_exps.h"

namespace skald::imp {

namespace {

// Two are as quick with a branch each, which needs fewer registers.
constexpr int kFewestOfRow = 3;
// Longer rows of statements would become too much code twice.
constexpr size_t kMostOfRowTwice = 4096;
// What shorter ones have read stays in registers.
constexpr size_t kFewInRegisters = 192;

using RowNames = std::unordered_set<Name>;
using RowNew = std::unordered_map<Name, Name>;

bool is_quotient(const Stmt& stmt) {
  const auto* let = as<Let>(stmt);
  const auto* node = let == nullptr ? nullptr : std::get_if<core::BinOp>(&let->exp);
  return node != nullptr && node->op == BinOpKind::kDiv && node->type == Prim::kF64 &&
         core::as_const(node->rhs) == nullptr;
}

bool fits_row(const Stmt& stmt) {
  const auto* load = as<Load>(stmt);
  return load != nullptr ? !load->fresh && !load->near : as<Let>(stmt) != nullptr;
}

template <class S, class F>
void each_row_use(S& stmt, F&& use) {
  if (auto* let = as<Let>(stmt))
    each_operand(let->exp, use);
  else
    use(as<Load>(stmt)->index);
}

Name row_name(const Stmt& stmt) {
  const auto* let = as<Let>(stmt);
  return let != nullptr ? let->name : as<Load>(stmt)->name;
}
Prim row_type(const Stmt& stmt) {
  const auto* let = as<Let>(stmt);
  return let != nullptr ? let->type : as<Load>(stmt)->type;
}

Stmt copy_of_row(const Stmt& stmt) {
  if (const auto* let = as<Let>(stmt)) return Stmt{Let(*let)};
  return Stmt{Load(*as<Load>(stmt))};
}

class Quotients {
 public:
  Quotients(Program& prog, PassContext& ctx) : prog_(prog), ctx_(ctx) {}

  void rewrite(Body& body, const std::vector<Operand>& results) {
    for (Stmt& stmt : body.stmts) {
      if (const auto* alloc = as<Alloc>(stmt); alloc != nullptr && alloc->space == Space::kPrivate)
        own_.insert(alloc->name);
      for_each_body(stmt, [&](Body& inner) { rewrite(inner, {}); });
    }
    Code code(prog_);
    for (size_t begin = 0; begin < body.stmts.size();) {
      size_t end = begin;
      int quotients = 0;
      for (; end < body.stmts.size() && fits_row(body.stmts[end]); ++end)
        quotients += is_quotient(body.stmts[end]) ? 1 : 0;
      const bool fits = quotients >= kFewestOfRow && end - begin <= kMostOfRowTwice;
      if (fits && ctx_.may_rewrite()) {
        begin_ = begin;
        end_ = end;
        write_row(code, body, results);
      } else {
        if (end == begin) ++end;
        for (size_t k = begin; k < end; ++k) code.add(std::move(body.stmts[k].node));
      }
      begin = end;
    }
    body = code.finish();
  }

 private:
  // What is used after the row, of what it binds.
  RowNames used_after(const Body& body, const std::vector<Operand>& results) const {
    RowNames used;
    const auto use = [&](const Operand& operand) {
      if (const Name* name = core::as_name(operand)) used.insert(*name);
    };
    for (size_t k = end_; k < body.stmts.size(); ++k) note_uses(body.stmts[k], use);
    for (const Operand& result : results) use(result);
    return used;
  }
  template <class F>
  static void note_uses(const Stmt& stmt, F& use) {
    for_each_use(stmt, use);
    for_each_body(stmt, [&](const Body& inner) {
      for (const Stmt& each : inner.stmts) note_uses(each, use);
    });
  }

  void write_row(Code& code, Body& body, const std::vector<Operand>& results) {
    RowNames inexact;  // what depends on a quotient
    for (size_t k = begin_; k < end_; ++k) {
      bool is_inexact = is_quotient(body.stmts[k]);
      each_row_use(std::as_const(body.stmts[k]), [&](const Operand& operand) {
        const Name* name = core::as_name(operand);
        is_inexact = is_inexact || (name != nullptr && inexact.contains(*name));
      });
      if (is_inexact) inexact.insert(row_name(body.stmts[k]));
    }
    std::vector<Decl> given;  // what is used afterwards
    const RowNames after = used_after(body, results);
    for (size_t k = begin_; k < end_; ++k) {
      const Name name = row_name(body.stmts[k]);
      if (inexact.contains(name) && after.contains(name))
        given.push_back({name, scalar(row_type(body.stmts[k]))});
    }
    Code again(prog_);
    write_again(again, body, inexact, given);
    Operand usual = core::const_bool(true);
    RowNew quick;
    for (const Decl& each : given) quick.emplace(each.name, prog_.names.fresh_like(each.name));
    for (size_t k = begin_; k < end_; ++k) usual = write_quick(code, body.stmts[k], quick, usual);
    for (const Decl& each : given) code.add(Var{each.name, each.type.prim, quick.at(each.name)});
    const Operand unusual =
        code.let(Prim::kBool, core::UnOp{UnOpKind::kNot, Prim::kBool, usual}, "unusual");
    code.add(If{unusual, again.finish(), {}});
  }

  // The row with its quotients as the operator gives them.
  void write_again(Code& code, const Body& body, const RowNames& inexact,
                   const std::vector<Decl>& given) {
    const bool all_again = end_ - begin_ > kFewInRegisters;
    RowNames needed;
    for (const Decl& each : given) needed.insert(each.name);
    std::vector<size_t> wanted;
    for (size_t k = end_; k-- > begin_;) {
      const Stmt& stmt = body.stmts[k];
      const Name name = row_name(stmt);
      if (!needed.contains(name) || (!all_again && !inexact.contains(name))) continue;
      wanted.push_back(k);
      each_row_use(stmt, [&](const Operand& operand) {
        if (const Name* used = core::as_name(operand)) needed.insert(*used);
      });
    }
    RowNew names;
    for (auto k = wanted.rbegin(); k != wanted.rend(); ++k) {
      Stmt copy = copy_of_row(body.stmts[*k]);
      rename(copy, names);
      const Name old = row_name(copy), fresh = prog_.names.fresh_like(old);
      names.emplace(old, fresh);
      if (auto* let = as<Let>(copy)) let->name = fresh;
      if (auto* load = as<Load>(copy)) {
        load->name = fresh;
        // Else the compiler would keep what was loaded before.
        load->fresh = all_again && !own_.contains(load->block);
      }
      const auto* node = is_quotient(copy) ? &std::get<core::BinOp>(as<Let>(copy)->exp) : nullptr;
      if (node != nullptr)
        code.add(QuickQuotient{fresh, {}, node->lhs, node->rhs});
      else
        code.add(std::move(copy.node));
    }
    for (const Decl& each : given) code.add(Assign{each.name, names.at(each.name)});
  }

  static void rename(Stmt& stmt, const RowNew& names) {
    each_row_use(stmt, [&](Operand& operand) {
      const Name* name = core::as_name(operand);
      if (name == nullptr) return;
      if (const auto found = names.find(*name); found != names.end()) operand = found->second;
    });
  }

  Operand write_quick(Code& code, Stmt& stmt, const RowNew& quick, const Operand& usual) {
    rename(stmt, quick);
    Name name = row_name(stmt);
    if (const auto found = quick.find(name); found != quick.end()) name = found->second;
    if (auto* load = as<Load>(stmt)) load->name = name;
    if (auto* let = as<Let>(stmt)) let->name = name;
    if (!is_quotient(stmt)) {
      code.add(std::move(stmt.node));
      return usual;
    }
    const auto& node = std::get<core::BinOp>(as<Let>(stmt)->exp);
    const Name is_usual = prog_.names.fresh("usual");
    code.add(QuickQuotient{name, is_usual, node.lhs, node.rhs});
    return code.both(usual, is_usual, "usual");
  }

  Program& prog_;
  PassContext& ctx_;
  RowNames own_;  // blocks of a thread
  size_t begin_ = 0, end_ = 0;
};

}  // namespace

Program find_quotients(Program prog, PassContext& ctx) {
  for_each_device_body(prog, [&](Body& body, const std::vector<Operand>& results) {
    Quotients(prog, ctx).rewrite(body, results);
  });
  return prog;
}

}  // namespace skald::imp
