// SPDX-License-Identifier: Apache-2.0
// Moves code that does not depend on the iteration out of loops and functions of SOACs.
//
//   before   map(n, {xs}, \{x} -> let {k} = mul_i64(m, 2) … )
//   after    let {k} = mul_i64(m, 2)
//            map(n, {xs}, \{x} -> … )
//
//   hoist        scalar operators, which are total, and new arrays that nobody consumes
//   hoist-soac   reductions, scans, and maps that are large or call functions, of scalar code
//   hoist-once   calls of constants, if they cannot fail
//   hoist-check  a check: it must hold if there is an iteration at all
//
//   before   map(n, {xs}, \{x} -> let {t} = assert(c, …) …)
//   after    let {none} = le_i64(n, 0)   let {ok} = or_bool(c, none)   let {t} = assert(ok, …)
//            map(n, {xs}, \{x} -> …)
#include <algorithm>

#include "core/free_names.h"
#include "core/visit.h"
#include "passes/simplify/rules.h"

namespace skald::passes::simplify_rules {

using namespace core;

namespace {

bool is_total_scalar(const Exp& exp) {
  return as<UnOp>(exp) != nullptr || as<BinOp>(exp) != nullptr || as<CmpOp>(exp) != nullptr ||
         as<TernOp>(exp) != nullptr || as<Convert>(exp) != nullptr || as<Bitcast>(exp) != nullptr ||
         as<Select>(exp) != nullptr;
}

// Makes an array without reading one; the memory is worth one allocation instead of many.
bool is_generator(const Stmt& stmt, const Env& env) {
  if (as<Iota>(stmt.exp) == nullptr) return false;
  return !env.is_kept_apart(stmt.pat[0].name);
}

bool is_scalar_code(const Body& body) {
  return std::ranges::all_of(body.stmts, [](const Stmt& stmt) {
    return stmt.tokens.empty() && is_total_scalar(stmt.exp);
  });
}

// Does it take as long as many other operators?
bool is_function(const Exp& exp) {
  if (const BinOp* e = as<BinOp>(exp))
    return is_float(e->type) && (e->op == BinOpKind::kPow || e->op >= BinOpKind::kAtan2);
  const UnOp* e = as<UnOp>(exp);
  return e != nullptr && is_float(e->type) && e->op > UnOpKind::kSqrt;
}

// A reduction, a scan, or a map that is worth storing, of scalar code: it cannot fail.
bool is_whole_soac(const Stmt& stmt, const Env& env) {
  constexpr size_t kWorthStoring = 4;
  const Soac* soac = as<Soac>(stmt.exp);
  if (soac == nullptr || !stmt.tokens.empty() || !is_scalar_code(soac->fn.body)) return false;
  for (const auto* ops : {&soac->scans, &soac->reduces})
    for (const Operator& op : *ops)
      if (!is_scalar_code(op.fn.body)) return false;
  for (const Lambda& post : soac->post)
    if (!is_scalar_code(post.body)) return false;
  for (const Param& p : soac->fn.params)
    if (!p.type.is_scalar()) return false;
  bool arrays = false;
  for (const Param& p : stmt.pat) {
    arrays = arrays || p.type.is_array();
    if (p.type.is_array() && env.is_kept_apart(p.name)) return false;
  }
  const std::vector<Stmt>& code = soac->fn.body.stmts;
  return !arrays || !soac->scans.empty() || code.size() >= kWorthStoring ||
         std::ranges::any_of(code, [](const Stmt& inner) { return is_function(inner.exp); });
}

// How often the body runs, if that is known beforehand.
std::optional<Operand> iterations(const Exp& exp) {
  if (const Soac* e = as<Soac>(exp)) return e->width;
  if (const Hist* e = as<Hist>(exp)) return e->width;
  if (const Scatter* e = as<Scatter>(exp)) return e->width;
  if (const Partition* e = as<Partition>(exp)) return e->width;
  if (const FlatMap* e = as<FlatMap>(exp)) return e->width;
  if (const Loop* e = as<Loop>(exp))
    if (e->form == Loop::kFor && e->var.type.elem == Prim::kI64) return e->bound;
  return std::nullopt;
}

class Hoist {
 public:
  Hoist(Stmt& stmt, std::vector<Stmt>& out, Env& env, PassContext& ctx)
      : out_(out), env_(env), ctx_(ctx), count_(iterations(stmt.exp)) {}

  void from(Body& body, bool runs_for_every_iteration) {
    size_t kept = 0;
    for (size_t k = 0; k < body.stmts.size(); ++k) {
      Stmt& inner = body.stmts[k];
      if (!depends(inner) && move_out(inner, runs_for_every_iteration)) continue;
      for (const Param& p : inner.pat) local_.insert(p.name);
      if (kept != k) body.stmts[kept] = std::move(inner);
      ++kept;
    }
    body.stmts.erase(body.stmts.begin() + static_cast<ptrdiff_t>(kept), body.stmts.end());
  }
  void bind(const Param& p) { local_.insert(p.name); }

 private:
  bool depends(const Stmt& inner) const {
    bool found = false;
    if (as<Soac>(inner.exp) != nullptr)
      for (const Name name : free_names(inner)) found = found || local_.contains(name);
    for_each_operand(inner.exp, [&](const Operand& o) {
      const Name* name = as_name(o);
      found = found || (name != nullptr && local_.contains(*name));
    });
    for (const Name token : inner.tokens) found = found || local_.contains(token);
    for (const Param& p : inner.pat)
      for (const Operand& dim : p.type.shape) {
        const Name* name = as_name(dim);
        found = found || (name != nullptr && local_.contains(*name));
      }
    return found;
  }

  bool move_out(Stmt& inner, bool every) {
    if (is_total_scalar(inner.exp) || is_generator(inner, env_)) {
      if (!ctx_.may_rewrite("hoist")) return false;
      out_.push_back(std::move(inner));
      return true;
    }
    if (const Call* call = as<Call>(inner.exp);
        call != nullptr && env_.is_total_constant(call->fn)) {
      if (!ctx_.may_rewrite("hoist-once")) return false;
      out_.push_back(std::move(inner));
      return true;
    }
    if (is_whole_soac(inner, env_)) {
      if (!ctx_.may_rewrite("hoist-soac")) return false;
      out_.push_back(std::move(inner));
      return true;
    }
    Assert* check = as<Assert>(inner.exp);
    if (check == nullptr || !every || !count_ || !ctx_.may_rewrite("hoist-check")) return false;
    Name none, ok;
    const Type boolean = scalar_type(Prim::kBool);
    const Const* constant = as_const(*count_);
    if (constant == nullptr || int_value(*constant) <= 0) {
      out_.push_back(env_.make(boolean, CmpOp{CmpOpKind::kLe, Prim::kI64, *count_, const_i64(0)},
                               "none", inner.loc, &none));
      out_.push_back(env_.make(boolean,
                               BinOp{BinOpKind::kOr, Prim::kBool, check->cond, Operand{none}}, "ok",
                               inner.loc, &ok));
      check->cond = ok;
    }
    out_.push_back(std::move(inner));
    return true;
  }

  std::vector<Stmt>& out_;
  Env& env_;
  PassContext& ctx_;
  std::optional<Operand> count_;
  NameSet local_;
};

}  // namespace

void hoist_invariants(Stmt& stmt, std::vector<Stmt>& out, Env& env, PassContext& ctx) {
  // Branches run at most once; moving out of them would only make work.
  if (as<If>(stmt.exp) != nullptr || as<WithAcc>(stmt.exp) != nullptr) return;
  Hoist hoist(stmt, out, env, ctx);
  for_each_param(stmt.exp, [&](const Param& p) { hoist.bind(p); });
  const auto body_of = [&](Lambda& fn, bool every) { hoist.from(fn.body, every); };
  if (Soac* e = as<Soac>(stmt.exp)) {
    body_of(e->fn, true);
    for (Operator& op : e->scans) body_of(op.fn, false);
    for (Operator& op : e->reduces) body_of(op.fn, false);
    for (Lambda& post : e->post) body_of(post, true);
  } else if (Hist* e = as<Hist>(stmt.exp)) {
    body_of(e->fn, true);
  } else if (Scatter* e = as<Scatter>(stmt.exp)) {
    body_of(e->fn, true);
  } else if (Partition* e = as<Partition>(stmt.exp)) {
    body_of(e->fn, true);
  } else if (FlatMap* e = as<FlatMap>(stmt.exp)) {
    body_of(e->fn, true);
  } else if (Kernel* e = as<Kernel>(stmt.exp)) {
    body_of(e->pull, false);
  } else if (Loop* e = as<Loop>(stmt.exp)) {
    hoist.from(e->body, true);
  }
}

}  // namespace skald::passes::simplify_rules
