// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/sizes/causality.h"

#include <algorithm>
#include <functional>

#include "frontend/futhark/check/base/walk.h"

namespace skald::futhark {

namespace {

class CausalityCheck {
 public:
  using Ids = std::vector<uint32_t>;
  CausalityCheck(Context& ctx, Reporter& report,
                 const std::function<const SizeVar*(uint32_t)>& unknown)
      : ctx_(ctx), report_(report), unknown_(unknown) {}

  // Returns the sizes that evaluating the expression makes known.
  Ids exp(Exp& e) {
    if (report_.halted()) return {};
    Ids made;
    if (auto* v = std::get_if<EVar>(&e.node)) {
      need(e.type, quote(qual_text(v->name)), e.span);
    } else if (std::holds_alternative<EPathSection>(e.node)) {
      need(e.type, "projection section", e.span);
    } else if (std::holds_alternative<ELeftSection>(e.node) ||
               std::holds_alternative<ERightSection>(e.node)) {
      children(e, made);
      need(e.type, "operator section", e.span);
    } else if (std::holds_alternative<EHole>(e.node)) {
      need(e.type, "hole", e.span);
    } else if (auto* a = std::get_if<EArray>(&e.node)) {
      if (a->elems.empty()) need(e.type, "empty array", e.span);
      children(e, made);
    } else if (auto* f = std::get_if<ELambda>(&e.node)) {
      for (const auto& p : f->params) need(p->type, pretty(*p), p->span);
      exp(*f->body);  // what it computes is not known outside
    } else if (auto* l = std::get_if<ELet>(&e.node)) {
      sequence({l->value.get(), l->body.get()}, made);
    } else if (auto* m = std::get_if<EMatch>(&e.node)) {
      const Ids first = exp(*m->scrutinee);
      const size_t depth = learn(first);
      for (auto& c : m->cases) add(made, exp(*c.body));
      forget(depth);
      add(made, first);
    } else if (auto* ap = std::get_if<EApply>(&e.node)) {
      std::vector<Exp*> order;
      for (size_t i = ap->args.size(); i-- > 0;) order.push_back(ap->args[i].get());
      order.push_back(ap->fn.get());
      sequence(order, made);
    } else if (auto* b = std::get_if<EBinary>(&e.node)) {
      sequence({b->lhs.get(), b->rhs.get()}, made);
    } else if (auto* c = std::get_if<EConstr>(&e.node)) {
      std::vector<Exp*> order;
      for (auto& arg : c->args) order.push_back(arg.get());
      const size_t depth = known_stack_.size();
      for (Exp* x : order) {
        const Ids now = exp(*x);
        learn(now);
        add(made, now);
      }
      need(e.type, quote("#" + c->name.name), e.span);
      forget(depth);
    } else {
      children(e, made);
    }
    for (const VName& x : e.ext) made.push_back(x.id);
    return made;
  }

 private:
  static void add(Ids& to, const Ids& from) { to.insert(to.end(), from.begin(), from.end()); }

  size_t learn(const Ids& ids) {
    const size_t depth = known_stack_.size();
    for (uint32_t id : ids)
      if (known_.insert(id).second) known_stack_.push_back(id);
    return depth;
  }
  void forget(size_t depth) {
    while (known_stack_.size() > depth) {
      known_.erase(known_stack_.back());
      known_stack_.pop_back();
    }
  }

  void children(Exp& e, Ids& made) {
    for_each_child(e, [&](Exp& child) { add(made, exp(child)); });
  }

  void sequence(const std::vector<Exp*>& order, Ids& made) {
    const size_t depth = known_stack_.size();
    for (Exp* e : order) {
      const Ids now = exp(*e);
      learn(now);
      add(made, now);
    }
    forget(depth);
  }

  void need(const Type* t, const std::string& what, Span span) {
    if (!t || t->kind == Type::kPrim) return;
    for (uint32_t v : free_sizes(t)) {
      const SizeVar* s = unknown_(v);
      if (!s || known_.contains(v)) continue;
      // Once is enough.
      known_.insert(v);
      const bool named = !s->plain.empty();
      report_.error(
          "causality-check", span,
          (named ? "the size of this is " + s->plain + ", and it is needed before\n" : "") +
              "Causality check: size " + quote(s->name.base) + " needed for type of " + what +
              ":\n" + indented(pretty(*t)) + "\nBut " + quote(s->name.base) + " is computed at " +
              ctx_.where(s->span) + ".",
          {{s->span, "computed here"}},
          "give what is computed there a name before: `let ys = " + shortened_source(s->span) +
              "`");
      return;
    }
  }

  // The source text of a place, if it fits into a sentence.
  std::string shortened_source(Span span) const {
    constexpr size_t kLongest = 50;
    const std::string text(ctx_.sources.text(span));
    return text.size() <= kLongest && text.find('\n') == std::string::npos ? text : "…";
  }

  Context& ctx_;
  Reporter& report_;
  const std::function<const SizeVar*(uint32_t)>& unknown_;
  IdSet known_;
  Ids known_stack_;
};

}  // namespace

void check_causality(DefState& d, SizeTable& table, Exp& body) {
  const std::function<const SizeVar*(uint32_t)> unknown = [&](uint32_t id) -> const SizeVar* {
    SizeVar* v = table.find(id);
    return v && v->kind == SizeVar::kUnknown ? v : nullptr;
  };
  CausalityCheck(d.ctx, d.report, unknown).exp(body);
}

}  // namespace skald::futhark
