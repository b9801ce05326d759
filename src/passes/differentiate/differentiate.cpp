// SPDX-License-Identifier: Apache-2.0
// Replaces derivatives by code that computes them.
//
//   before   let {y_2 : f32, d_3 : f32} =
//              jvp(\{x_1 : f32} : {f32} -> let {s_4 : f32} = mul_f32(x_1, x_1) in {s_4}, {a_5},
//              {1f32})
//
//   after    let {y_2 : f32} = mul_f32(a_5, a_5)
//            let {t_6 : f32} = mul_f32(a_5, 1f32)
//            …
//            let {d_3 : f32} = add_f32(t_6, t_7)
//
// Stage    SOACS.
// Needs    unique names.
// Gives    no jvp, vjp or with_vjp is left.
// Keeps    values, except that sums may be computed in another order.
// Cost     the code of forward mode is about three times that of the function; in reverse mode a
//          body inside d bodies is copied d+1 times.
// Tests    tests/golden/passes/differentiate/*.core, tests/programs/ad
//
// Derivatives inside of functions to be differentiated are replaced first, so that the rules see
// ordinary code, whatever is nested in what.  forward/forward.h and reverse/reverse.h say how the
// two modes work, docs/ad.md what can be differentiated.
#include "passes/differentiate/differentiate.h"

#include "core/ir/visit.h"
#include "passes/differentiate/base/adding_loops.h"
#include "passes/differentiate/base/limit_tapes.h"
#include "passes/differentiate/base/prepare.h"
#include "passes/differentiate/forward/forward.h"
#include "passes/differentiate/reverse/reverse.h"
#include "passes/early/early_products.h"
#include "passes/passes.h"

namespace skald::passes {

using namespace core;

namespace ad {

namespace {

class Differentiator {
 public:
  explicit Differentiator(Session& session) : session_(session) {
    session_.prepare = [this](Lambda& fn, bool reverse) {
      prepare(fn, reverse ? Rules::kKeep : Rules::kDrop);
    };
  }

  // Custom rules mean something directly inside of a function that is differentiated in reverse.
  enum class Rules : bool { kDrop, kKeep };

  void visit(Body& body, Rules rules) {
    std::vector<Stmt> old = std::move(body.stmts);
    Emit out(session_);
    for (Stmt& stmt : old) {
      out.set_loc(stmt.loc);
      if (as<Jvp>(stmt.exp) != nullptr)
        forward(std::move(stmt), out);
      else if (as<Vjp>(stmt.exp) != nullptr)
        reverse(std::move(stmt), rules, out);
      else if (as<WithVjp>(stmt.exp) != nullptr && rules == Rules::kDrop)
        drop_rule(std::move(stmt), out);
      else {
        for_each_body(stmt.exp, [&](Body& inner) { visit(inner, rules); });
        out.append(std::move(stmt));
      }
    }
    body.stmts = out.b().finish({}).stmts;
  }

 private:
  // The function, ready for the rules.
  void prepare(Lambda& fn, Rules rules) {
    inline_calls(session_, fn.body);
    visit(fn.body, rules);
    if (rules == Rules::kKeep) turn_adding_loops(session_, fn.body);
    split_combinators(session_, fn.body);
    remove_unused(fn.body);
  }

  // What a loop stores for each round anyway is as large.
  void move_products(Body& body) {
    const int moved = compute_products_early(
        body, {.prog = session_.prog,
               .type_of = [this](Name name) { return session_.type_of(name); },
               .limit = EarlyProducts::Memory::kLikeStates});
    if (moved == 0) return;
    remove_unused(body);
    session_.learn(body);
  }

  Activity activity_of(const Lambda& fn) {
    Activity activity(session_);
    activity.mark(fn.params);
    activity.spread(fn.body);
    return activity;
  }

  void forward(Stmt stmt, Emit& out) {
    Lambda& fn = as<Jvp>(stmt.exp)->fn;
    prepare(fn, Rules::kDrop);
    const Activity activity = activity_of(fn);
    Forward(session_, activity).derive(std::move(stmt), out);
  }

  void reverse(Stmt stmt, Rules rules, Emit& out) {
    Lambda& fn = as<Vjp>(stmt.exp)->fn;
    prepare(fn, Rules::kKeep);
    if (session_.tape_memory > 0)
      limit_tapes(session_, fn.body);
    else
      move_products(fn.body);
    Activity activity = activity_of(fn);
    Emit made(session_, stmt.loc);
    Reverse(session_, activity).derive(std::move(stmt), made);
    // What ran forward may still have rules, for a derivative around this one.
    Body body = made.b().finish({});
    if (rules == Rules::kDrop) visit(body, rules);
    for (Stmt& s : body.stmts) out.append(std::move(s));
  }

  void drop_rule(Stmt stmt, Emit& out) {
    WithVjp e = std::move(*as<WithVjp>(stmt.exp));
    visit(e.fn.body, Rules::kDrop);
    Body body = open_lambda(out, std::move(e.fn), e.args);
    for (Stmt& s : body.stmts) out.append(std::move(s));
    for (size_t k = 0; k < stmt.pat.size(); ++k)
      out.bind(stmt.pat[k].name, stmt.pat[k].type, body.result[k]);
  }

  Session& session_;
};

bool has_derivatives(const Body& body) {
  for (const Stmt& stmt : body.stmts) {
    if (as<Jvp>(stmt.exp) || as<Vjp>(stmt.exp) || as<WithVjp>(stmt.exp)) return true;
    bool inside = false;
    for_each_body(stmt.exp, [&](const Body& inner) { inside = inside || has_derivatives(inner); });
    if (inside) return true;
  }
  return false;
}

// Is this a derivative by values none of which is a float?
bool is_by_integers(const Exp& exp) {
  const Lambda* fn = as<Jvp>(exp) != nullptr   ? &as<Jvp>(exp)->fn
                     : as<Vjp>(exp) != nullptr ? &as<Vjp>(exp)->fn
                                               : nullptr;
  return fn != nullptr && !fn->params.empty() &&
         std::ranges::none_of(fn->params, [](const Param& p) { return is_float(p.type.elem); });
}

void find_integers(const Body& body, std::vector<Loc>& found) {
  for (const Stmt& stmt : body.stmts) {
    if (is_by_integers(stmt.exp)) found.push_back(stmt.loc);
    for_each_body(stmt.exp, [&](const Body& inner) { find_integers(inner, found); });
  }
}

}  // namespace

std::vector<Loc> derivatives_by_integers(const Program& prog) {
  std::vector<Loc> found;
  for (const Function& fn : prog.functions) find_integers(fn.body, found);
  return found;
}

bool has_derivatives(const Program& prog) {
  for (const Function& fn : prog.functions)
    if (has_derivatives(fn.body)) return true;
  return false;
}

std::vector<Problem> differentiate(Program& prog, int64_t tape_memory) {
  if (!has_derivatives(prog)) return {};
  Session session(prog);
  session.tape_memory = tape_memory;
  session.find_recursive();
  for (const Function& fn : prog.functions) {
    session.learn(fn.params);
    session.learn(fn.body);
  }
  for (Function& fn : prog.functions)
    if (has_derivatives(fn.body))
      Differentiator(session).visit(fn.body, Differentiator::Rules::kDrop);
  // More may be made on the way.
  for (size_t k = 0; k < session.made.size(); ++k)
    Differentiator(session).visit(session.made[k].body, Differentiator::Rules::kDrop);
  for (Function& fn : session.made) prog.functions.push_back(std::move(fn));
  return std::move(session.problems);
}

}  // namespace ad

Program differentiate(Program prog, PassContext& ctx) {
  const bool any = ad::has_derivatives(prog);
  for (const ad::Problem& problem : ad::differentiate(prog, ctx.device().tape_memory))
    ctx.fail(fmt::format("{}: not supported yet: {}",
                         prog.locs[prog.locs.outside_prelude(problem.loc)].text, problem.what));
  // Loops whose rounds are one launch want their state in two blocks that take turns.
  if (!any || ctx.device().groups) return prog;
  ad::Session session(prog);
  for (Function& fn : prog.functions) {
    session.learn(fn.params);
    session.learn(fn.body);
    ad::keep_states_in_tapes(session, fn.body);
  }
  return prog;
}

}  // namespace skald::passes
