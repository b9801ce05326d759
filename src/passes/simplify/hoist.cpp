// SPDX-License-Identifier: Apache-2.0
// Moves code that does not depend on the iteration out of loops and functions of SOACs.
//
//   before   map(n, {xs}, \{x} -> let {k} = mul_i64(m, 2) … )
//   after    let {k} = mul_i64(m, 2)
//            map(n, {xs}, \{x} -> … )
//
//   hoist        scalar operators, which are total, and new arrays that nobody consumes
//   hoist-soac   reductions, scans, and maps that are large or call functions, of code that
//                cannot fail (total_soacs.cpp); elements they use that are read before are read
//                inside, where there is one
//   hoist-once   calls of constants, if they cannot fail
//   hoist-check  a check: it must hold if there is an iteration at all
//
//   before   map(n, {xs}, \{x} -> let {t} = assert(c, …) …)
//   after    let {none} = le_i64(n, 0)   let {ok} = or_bool(c, none)   let {t} = assert(ok, …)
//            map(n, {xs}, \{x} -> …)
#include <algorithm>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/simplify/rules.h"
#include "passes/simplify/total_soacs.h"

namespace skald::passes::simplify_rules {

using namespace core;

namespace {

// Makes an array without reading one; the memory is worth one allocation instead of many.
bool is_generator(const Stmt& stmt, const Env& env) {
  if (as<Iota>(stmt.exp) == nullptr) return false;
  return !env.is_kept_apart(stmt.pat[0].name);
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
      const bool is_read = !depends(inner) && is_scalar_read(inner);
      for (const Param& p : inner.pat) local_.insert(p.name);
      if (kept != k) body.stmts[kept] = std::move(inner);
      if (is_read) reads_[body.stmts[kept].pat[0].name] = &body.stmts[kept];
      ++kept;
    }
    body.stmts.erase(body.stmts.begin() + static_cast<ptrdiff_t>(kept), body.stmts.end());
  }
  void bind(const Param& p) { local_.insert(p.name); }

 private:
  bool is_local(const Operand& o) const {
    const Name* name = as_name(o);
    return name != nullptr && local_.contains(*name);
  }

  bool depends(const Stmt& inner) const {
    bool found = false;
    if (const Soac* soac = as<Soac>(inner.exp)) {
      for (const Name name : free_names(inner))
        found = found || (local_.contains(name) && !reads_.contains(name));
      // What its functions use can be read inside them, the rest cannot.
      found = found || is_local(soac->width) || operator_uses_local(*soac);
    } else {
      for_each_operand(inner.exp, [&](const Operand& o) { found = found || is_local(o); });
    }
    for (const Name token : inner.tokens) found = found || local_.contains(token);
    for (const Param& p : inner.pat)
      for (const Operand& dim : p.type.shape) found = found || is_local(dim);
    return found;
  }

  // An operator combines what it is given and reads nothing.
  bool operator_uses_local(const Soac& soac) const {
    for (const auto* ops : {&soac.scans, &soac.reduces})
      for (const Operator& op : *ops) {
        for (const Name name : free_names(op.fn))
          if (local_.contains(name)) return true;
        if (std::ranges::any_of(op.neutral, [&](const Operand& o) { return is_local(o); }))
          return true;
      }
    return false;
  }

  std::vector<const Stmt*> reads_of(const Lambda& fn) const {
    std::vector<const Stmt*> found;
    for (const Name name : free_names(fn))
      if (const auto at = reads_.find(name); at != reads_.end()) found.push_back(at->second);
    return found;
  }
  std::vector<const Stmt*> reads_of(const Soac& soac) const {
    std::vector<const Stmt*> found = reads_of(soac.fn);
    for (const Lambda& post : soac.post)
      for (const Stmt* read : reads_of(post)) found.push_back(read);
    return found;
  }

  //   let {b} = bs[0]   map(n, …, \{…} -> … b …)   →   map(n, …, \{…} -> let {b'} = bs[0] … b' …)
  void read_inside(Lambda& fn) {
    Substitution subst;
    std::vector<Stmt> code;
    for (const Stmt* read : reads_of(fn))
      code.push_back(copy_with_fresh_names(*read, env_.program().names, subst));
    substitute(fn.body, subst);
    fn.body.stmts.insert(fn.body.stmts.begin(), std::make_move_iterator(code.begin()),
                         std::make_move_iterator(code.end()));
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
    if (Soac* soac = as<Soac>(inner.exp); soac != nullptr && is_worth_storing(inner, env_) &&
                                          is_total(*soac, reads_of(*soac), env_)) {
      if (!ctx_.may_rewrite("hoist-soac")) return false;
      read_inside(soac->fn);
      for (Lambda& post : soac->post) read_inside(post);
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
  // Statements of the body that read an element of an array from outside.
  NameMap<const Stmt*> reads_;
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
