// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/define/local_checks.h"

#include <algorithm>

#include "frontend/futhark/check/base/literal.h"
#include "frontend/futhark/check/base/walk.h"
#include "frontend/futhark/check/define/exhaustive.h"

namespace skald::futhark {

namespace {

bool supports_equality(const Type* t) {
  switch (t->kind) {
    case Type::kPrim: return true;
    case Type::kArray: return supports_equality(t->elem);
    case Type::kRecord:
      return std::ranges::all_of(t->fields, [](auto& x) { return supports_equality(x.second); });
    case Type::kSum:
      return std::ranges::all_of(
          t->constrs, [](auto& c) { return std::ranges::all_of(c.second, supports_equality); });
    default: return false;
  }
}

class LocalChecks {
 public:
  explicit LocalChecks(DefState& d) : d_(d), report_(d.report) {}

  void irrefutable(const Pat& p) {
    const auto missing = unmatched_cases({&p});
    if (missing.empty()) return;
    report_.error("refutable-pattern", p.span,
                  "Refutable pattern not allowed here.\nUnmatched cases:" + list(missing), {},
                  "the value may also be `" + missing[0] + "`: use `match` and handle it");
  }

  void exp(Exp& e) {
    if (report_.halted()) return;
    if (auto* x = std::get_if<EMatch>(&e.node)) {
      if (!is_first_order(e.type))
        report_.error("functional-type", e.span,
                      "Match-expression returns type\n" + indented(pretty(*e.type)) +
                          "\nbut match-results may not be of function type.");
      std::vector<const Pat*> pats;
      for (const auto& c : x->cases) {
        pats.push_back(c.pat.get());
        pattern_literals(*c.pat);
      }
      const auto missing = unmatched_cases(pats);
      if (!missing.empty())
        report_.error("unmatched-cases", x->scrutinee->span,
                      "this match has no case for `" + missing[0] +
                          (missing.size() > 1 ? "`, among others" : "`") +
                          "\nUnmatched cases in match expression:" + list(missing),
                      {{x->scrutinee->span, "it may also be `" + missing[0] + "`"}},
                      "add `case " + missing[0] + " -> …`, or a last `case _ -> …`");
    } else if (std::holds_alternative<EIf>(e.node)) {
      if (!is_first_order(e.type))
        report_.error("functional-type", e.span,
                      "If-expression returns type\n" + indented(pretty(*e.type)) +
                          "\nbut if-results may not be of function type.");
    } else if (std::holds_alternative<EArray>(e.node)) {
      array_element(e.type->elem, e.span);
    } else if (auto* l = std::get_if<ELet>(&e.node)) {
      irrefutable(*l->pat);
    } else if (auto* f = std::get_if<ELambda>(&e.node)) {
      for (const auto& p : f->params) irrefutable(*p);
    } else if (auto* lf = std::get_if<ELetFun>(&e.node)) {
      for (const auto& p : lf->params) irrefutable(*p);
    } else if (auto* lp = std::get_if<ELoop>(&e.node)) {
      irrefutable(*lp->pat);
      if (lp->elem) irrefutable(*lp->elem);
      if (!is_first_order(lp->pat->type))
        report_.error("functional-type", lp->pat->span,
                      "Loop parameter inferred to have type\n" + indented(pretty(*lp->pat->type)) +
                          "\nbut a loop parameter may not be of function type.");
    } else if (auto* b = std::get_if<EBinary>(&e.node)) {
      if (is_equality(b)) {
        equality(b->lhs->type, e.span);
        if (b->lhs->type->kind == Type::kArray)
          d_.ctx.warn("array-equality", e.span,
                      "Comparing arrays with \"==\" is deprecated and will stop working in a "
                      "future revision of the language");
      }
    } else if (auto* s = std::get_if<EOpSection>(&e.node)) {
      if (is_equality(s)) equality(e.type->from, e.span);
    } else if (auto* ls = std::get_if<ELeftSection>(&e.node)) {
      if (is_equality(ls)) equality(ls->lhs->type, e.span);
    } else if (auto* rs = std::get_if<ERightSection>(&e.node)) {
      if (is_equality(rs)) equality(rs->rhs->type, e.span);
    } else if (auto* v = std::get_if<EVar>(&e.node)) {
      if (is_equality(v)) equality(e.type->from, e.span);
    } else if (auto* lit = std::get_if<ELiteral>(&e.node)) {
      return literal(lit->lit, false, e.type, e.span);
    } else if (auto* n = std::get_if<ENegate>(&e.node)) {
      if (auto* inner = std::get_if<ELiteral>(&n->arg->node))
        return literal(inner->lit, true, e.type, e.span);
    }
    for_each_child(e, [&](Exp& child) { exp(child); });
  }

 private:
  static std::string list(const std::vector<std::string>& items) {
    std::string out;
    for (const std::string& s : items) out += "\n  " + s;
    return out;
  }

  bool is_equality(const void* node) const {
    auto it = d_.refs.find(node);
    return it != d_.refs.end() && it->second->kind == ValEntry::kEquality;
  }

  void equality(const Type* t, Span span) {
    if (!supports_equality(t))
      report_.error("equality", span,
                    "Comparing equality of values of type\n" + indented(pretty(*t)) +
                        "\nwhich does not support equality.");
  }

  void array_element(const Type* t, Span span) {
    if (!is_function_free(t)) {
      report_.error("functional-type", span,
                    "Type\n" + indented(pretty(*t)) + "\nfound to be functional.");
      return;
    }
    for_each_named(t, [&](const Type* n) {
      if (n->lifted == Liftedness::kUnlifted) return;
      auto at = d_.ctx.bound_at.find(n->name.id);
      report_.error("lifted-type", span,
                    (at == d_.ctx.bound_at.end() ? "Type " + quote(n->name.base)
                                                 : "Type parameter " + quote(n->name.base) +
                                                       " bound at " + d_.ctx.where(at->second)) +
                        " is lifted and cannot be an array element.");
    });
  }

  void literal(const Literal& lit, bool negated, const Type* t, Span span) {
    if (!lit.suffix.empty() || lit.kind == Literal::kBool || t->kind != Type::kPrim) return;
    if (literal_fits(lit, negated, t->prim)) return;
    report_.error("literal-out-of-bounds", span,
                  "Literal " + std::string(negated ? "-" : "") + shortened(lit.text) +
                      " out of bounds for inferred type " + std::string(prim_name(t->prim)) + ".");
  }

  void pattern_literals(const Pat& p) {
    for_each_pat(p, [&](const Pat& q) {
      if (auto* l = std::get_if<PLiteral>(&q.node))
        literal(l->lit, l->lit.negative, q.type, q.span);
    });
  }

  DefState& d_;
  Reporter& report_;
};

}  // namespace

bool is_first_order(const Type* t) {
  bool ok = is_function_free(t);
  for_each_named(t, [&](const Type* n) { ok = ok && n->lifted < Liftedness::kLifted; });
  return ok;
}

void check_locally(DefState& d, const std::vector<Ptr<Pat>>& params, Exp& body) {
  LocalChecks checks(d);
  for (const auto& p : params) checks.irrefutable(*p);
  checks.exp(body);
}

namespace {

class RecursionCheck {
 public:
  RecursionCheck(DefState& d, const FunParts& parts) : d_(d), parts_(parts) {}

  static bool mentions(const Exp& e, uint32_t id) {
    if (auto* v = std::get_if<EVar>(&e.node))
      if (v->id == id) return true;
    bool found = false;
    for_each_child(e, [&](const Exp& c) { found = found || mentions(c, id); });
    return found;
  }

  void exp(const Exp& e, const std::vector<bool>& higher) {
    const std::string name = quote(parts_.name->name);
    if (auto* a = std::get_if<EApply>(&e.node)) {
      auto* f = std::get_if<EVar>(&a->fn->node);
      if (f && f->id == parts_.name->id) {
        if (a->args.size() != higher.size())
          d_.report.error("recursion", e.span,
                          "Recursive application of " + name +
                              " is not fully saturated: expected " + std::to_string(higher.size()) +
                              " arguments but got " + std::to_string(a->args.size()) + ".");
        for (size_t i = 0; i < higher.size() && i < a->args.size(); ++i) {
          if (higher[i]) {
            auto* v = std::get_if<EVar>(&a->args[i]->node);
            bool same = false;
            for_each_bound(*(*parts_.params)[i],
                           [&](const Ident& n, const Pat&) { same |= v && v->id == n.id; });
            if (!same)
              d_.report.error("recursion", a->args[i]->span,
                              "Higher-order argument in recursive application of " + name +
                                  " must be passed unchanged, i.e. be the corresponding "
                                  "parameter.");
          }
          exp(*a->args[i], higher);
        }
        return;
      }
    }
    if (auto* v = std::get_if<EVar>(&e.node); v && v->id == parts_.name->id)
      d_.report.error("recursion", e.span,
                      "Recursive reference to " + name +
                          " must be a fully saturated application, as it has a higher-order "
                          "parameter.");
    for_each_child(e, [&](const Exp& c) { exp(c, higher); });
  }

 private:
  DefState& d_;
  const FunParts& parts_;
};

}  // namespace

void check_recursion(DefState& d, const FunParts& parts, const Type* result) {
  if (parts.params->empty() || !RecursionCheck::mentions(*parts.body, parts.name->id)) return;
  if (!is_first_order(result)) {
    d.report.error("recursion", parts.span,
                   "Recursive function " + quote(parts.name->name) + " returns type\n" +
                       indented(pretty(*result)) +
                       "\nwhich is not first-order.\nWrite the function type as further "
                       "parameters instead.");
    return;
  }
  std::vector<bool> higher;
  for (const auto& p : *parts.params) higher.push_back(!is_first_order(p->type));
  if (std::ranges::find(higher, true) != higher.end())
    RecursionCheck(d, parts).exp(*parts.body, higher);
}

}  // namespace skald::futhark
