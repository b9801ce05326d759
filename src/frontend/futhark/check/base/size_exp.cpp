// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/base/size_exp.h"

#include "frontend/futhark/check/base/literal.h"
#include "frontend/futhark/check/base/walk.h"
#include "support/bug.h"

namespace skald::futhark {

const Exp* strip_size(const Exp* e) {
  for (;;) {
    if (auto* p = std::get_if<EParens>(&e->node))
      e = p->inner.get();
    else if (auto* a = std::get_if<EAscript>(&e->node))
      e = a->inner.get();
    else if (auto* t = std::get_if<EAttr>(&e->node))
      e = t->inner.get();
    else if (auto* t = std::get_if<EAssert>(&e->node))
      e = t->inner.get();
    else
      return e;
  }
}

uint32_t size_var_id(const Exp* e) {
  if (!e) return 0;
  auto* v = std::get_if<EVar>(&strip_size(e)->node);
  return v && v->fields.empty() ? v->id : 0;
}

std::optional<int64_t> size_const_value(const Exp* e) {
  e = strip_size(e);
  if (auto* n = std::get_if<ENegate>(&e->node)) {
    auto v = size_const_value(n->arg.get());
    return v ? std::optional(-*v) : std::nullopt;
  }
  auto* l = std::get_if<ELiteral>(&e->node);
  if (!l || l->lit.kind == Literal::kFloat || l->lit.kind == Literal::kBool) return std::nullopt;
  if (!l->lit.suffix.empty() && l->lit.suffix != "i64") return std::nullopt;
  auto v = int_literal_value(l->lit.text);
  if (!v || *v > INT64_MAX) return std::nullopt;
  return static_cast<int64_t>(*v);
}

bool can_be_size(const Exp& e) {
  if (std::holds_alternative<ELambda>(e.node) || std::holds_alternative<ELet>(e.node) ||
      std::holds_alternative<ELetFun>(e.node) || std::holds_alternative<ELetWith>(e.node) ||
      std::holds_alternative<ELoop>(e.node) || std::holds_alternative<EMatch>(e.node) ||
      std::holds_alternative<ECoerce>(e.node))
    return false;
  bool ok = true;
  for_each_child(e, [&](const Exp& child) { ok = ok && can_be_size(child); });
  return ok;
}

namespace {

using Pairs = std::vector<std::pair<const Exp*, const Exp*>>;

bool add_dims(const std::vector<DimIndex>& a, const std::vector<DimIndex>& b, Pairs& out) {
  if (a.size() != b.size()) return false;
  auto add = [&](const Ptr<Exp>& x, const Ptr<Exp>& y) {
    if ((x == nullptr) != (y == nullptr)) return false;
    if (x) out.emplace_back(x.get(), y.get());
    return true;
  };
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].is_slice != b[i].is_slice) return false;
    if (!add(a[i].index, b[i].index) || !add(a[i].start, b[i].start) || !add(a[i].end, b[i].end) ||
        !add(a[i].stride, b[i].stride))
      return false;
  }
  return true;
}

bool same_name(uint32_t id_a, const QualName& a, uint32_t id_b, const QualName& b) {
  return id_a == id_b && (id_a != 0 || a.name == b.name);
}

bool same_fields(const std::vector<Ident>& a, const std::vector<Ident>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].name != b[i].name) return false;
  return true;
}

bool add_all(const std::vector<Ptr<Exp>>& a, const std::vector<Ptr<Exp>>& b, Pairs& out) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) out.emplace_back(a[i].get(), b[i].get());
  return true;
}

// By node: what both must have in common.  Parts that must be similar too go to `out`.  Other nodes
// are no sizes.
template <class Node>
bool similar_node(const Node&, const Node&, Pairs&) {
  return false;
}
bool similar_node(const EVar& x, const EVar& y, Pairs&) {
  return same_name(x.id, x.name, y.id, y.name) && same_fields(x.fields, y.fields);
}
bool similar_node(const ELiteral& x, const ELiteral& y, Pairs&) {
  if (x.lit.kind == Literal::kFloat || x.lit.kind == Literal::kBool)
    return x.lit.kind == y.lit.kind && x.lit.text == y.lit.text;
  return int_literal_value(x.lit.text) == int_literal_value(y.lit.text);
}
bool similar_node(const EString& x, const EString& y, Pairs&) {
  return x.bytes == y.bytes;
}
bool similar_node(const EBinary& x, const EBinary& y, Pairs& out) {
  if (!same_name(x.id, x.op, y.id, y.op)) return false;
  out.emplace_back(x.lhs.get(), y.lhs.get());
  out.emplace_back(x.rhs.get(), y.rhs.get());
  return true;
}
bool similar_node(const EApply& x, const EApply& y, Pairs& out) {
  out.emplace_back(x.fn.get(), y.fn.get());
  return add_all(x.args, y.args, out);
}
bool similar_node(const EIndex& x, const EIndex& y, Pairs& out) {
  out.emplace_back(x.array.get(), y.array.get());
  return add_dims(x.dims, y.dims, out);
}
bool similar_node(const EProject& x, const EProject& y, Pairs& out) {
  out.emplace_back(x.record.get(), y.record.get());
  return x.field.name == y.field.name;
}
bool similar_node(const ETuple& x, const ETuple& y, Pairs& out) {
  return add_all(x.elems, y.elems, out);
}
bool similar_node(const EArray& x, const EArray& y, Pairs& out) {
  return add_all(x.elems, y.elems, out);
}
bool similar_node(const EConstr& x, const EConstr& y, Pairs& out) {
  return x.name.name == y.name.name && add_all(x.args, y.args, out);
}
bool similar_node(const ERecord& x, const ERecord& y, Pairs& out) {
  if (x.fields.size() != y.fields.size()) return false;
  for (size_t i = 0; i < x.fields.size(); ++i) {
    if (x.fields[i].name.name != y.fields[i].name.name) return false;
    if (!x.fields[i].value || !y.fields[i].value) {
      if (x.fields[i].value || y.fields[i].value) return false;
      if (x.fields[i].name.id != y.fields[i].name.id) return false;
      continue;
    }
    out.emplace_back(x.fields[i].value.get(), y.fields[i].value.get());
  }
  return true;
}
bool similar_node(const ENegate& x, const ENegate& y, Pairs& out) {
  out.emplace_back(x.arg.get(), y.arg.get());
  return true;
}
bool similar_node(const ENot& x, const ENot& y, Pairs& out) {
  out.emplace_back(x.arg.get(), y.arg.get());
  return true;
}
bool similar_node(const ELocalOpen& x, const ELocalOpen& y, Pairs& out) {
  out.emplace_back(x.inner.get(), y.inner.get());
  return true;
}
bool similar_node(const EIf& x, const EIf& y, Pairs& out) {
  out.emplace_back(x.cond.get(), y.cond.get());
  out.emplace_back(x.then_branch.get(), y.then_branch.get());
  out.emplace_back(x.else_branch.get(), y.else_branch.get());
  return true;
}
bool similar_node(const ERange& x, const ERange& y, Pairs& out) {
  if (x.kind != y.kind || (x.step == nullptr) != (y.step == nullptr)) return false;
  out.emplace_back(x.start.get(), y.start.get());
  if (x.step) out.emplace_back(x.step.get(), y.step.get());
  out.emplace_back(x.end.get(), y.end.get());
  return true;
}
bool similar_node(const EOpSection& x, const EOpSection& y, Pairs&) {
  return same_name(x.id, x.op, y.id, y.op);
}
bool similar_node(const ELeftSection& x, const ELeftSection& y, Pairs& out) {
  out.emplace_back(x.lhs.get(), y.lhs.get());
  return same_name(x.id, x.op, y.id, y.op);
}
bool similar_node(const ERightSection& x, const ERightSection& y, Pairs& out) {
  out.emplace_back(x.rhs.get(), y.rhs.get());
  return same_name(x.id, x.op, y.id, y.op);
}
bool similar_node(const EPathSection& x, const EPathSection& y, Pairs& out) {
  if (x.path.size() != y.path.size()) return false;
  for (size_t i = 0; i < x.path.size(); ++i) {
    const auto &p = x.path[i].step, &q = y.path[i].step;
    if (p.index() != q.index()) return false;
    if (auto* f = std::get_if<Ident>(&p)) {
      if (f->name != std::get<Ident>(q).name) return false;
    } else if (!add_dims(std::get<1>(p), std::get<1>(q), out)) {
      return false;
    }
  }
  return true;
}

bool add_similar(const Exp& a, const Exp& b, Pairs& out) {
  return std::visit(
      [&](const auto& x) {
        return similar_node(x, std::get<std::remove_cvref_t<decltype(x)>>(b.node), out);
      },
      a.node);
}

}  // namespace

std::optional<Pairs> similar_sizes(const Exp* a, const Exp* b) {
  a = strip_size(a);
  b = strip_size(b);
  if (a == b) return Pairs{};
  if (a->node.index() != b->node.index()) return std::nullopt;
  Pairs out;
  if (!add_similar(*a, *b, out)) return std::nullopt;
  return out;
}

bool equal_sizes(const Exp* a, const Exp* b) {
  auto pairs = similar_sizes(a, b);
  if (!pairs) return false;
  for (auto [x, y] : *pairs)
    if (!equal_sizes(x, y)) return false;
  return true;
}

void free_in_size(const Exp& e, IdSet& out) {
  if (auto* v = std::get_if<EVar>(&e.node)) {
    if (v->id) out.insert(v->id);
    return;
  }
  if (auto* r = std::get_if<ERecord>(&e.node))
    for (const auto& field : r->fields)
      if (!field.value && field.name.id) out.insert(field.name.id);
  if (auto* b = std::get_if<EBinary>(&e.node))
    if (b->id) out.insert(b->id);
  for_each_child(e, [&](const Exp& child) { free_in_size(child, out); });
}

bool mentions(const Exp& e, uint32_t id) {
  IdSet vars;
  free_in_size(e, vars);
  return vars.contains(id);
}

namespace {

class Copier {
 public:
  Copier(OnSizeVar on_var, OnType on_type, const OnExp* on_exp = nullptr)
      : on_var_(std::move(on_var)), on_type_(std::move(on_type)), on_exp_(on_exp) {}

  Ptr<Exp> ptr(const Ptr<Exp>& e) { return e ? std::make_unique<Exp>(copy(*e)) : nullptr; }

  Exp copy(const Exp& e) {
    if (on_exp_)
      if (const Exp* r = (*on_exp_)(e)) return Copier({}, {}).copy(*r);
    if (auto* v = std::get_if<EVar>(&e.node)) {
      if (const Exp* r = v->id && on_var_ ? on_var_(v->id) : nullptr) return replaced(*v, *r, e);
    }
    if (auto* p = std::get_if<EParens>(&e.node)) return copy(*p->inner);
    if (auto* a = std::get_if<EAscript>(&e.node)) return copy(*a->inner);
    Exp out{node(e), e.span};
    out.type = type(e.type);
    out.ext = e.ext;
    return out;
  }

 private:
  const Type* type(const Type* t) { return t && on_type_ ? on_type_(t) : t; }

  std::vector<TypeInst> inst(const std::vector<TypeInst>& in) {
    std::vector<TypeInst> out = in;
    for (TypeInst& i : out) i.type = type(i.type);
    return out;
  }

  // r.f.g where r is replaced by an arbitrary expression.
  Exp replaced(const EVar& v, const Exp& by, const Exp& whole) {
    Exp out = Copier({}, on_type_).copy(by);
    if (v.fields.empty()) return out;
    if (auto* w = std::get_if<EVar>(&out.node)) {
      w->fields.insert(w->fields.end(), v.fields.begin(), v.fields.end());
    } else {
      for (const Ident& f : v.fields)
        out = Exp{EProject{std::make_unique<Exp>(std::move(out)), f}, whole.span};
    }
    out.type = type(whole.type);
    return out;
  }

  std::vector<Ptr<Exp>> list(const std::vector<Ptr<Exp>>& in) {
    std::vector<Ptr<Exp>> out;
    for (const auto& e : in) out.push_back(ptr(e));
    return out;
  }

  std::vector<DimIndex> dims(const std::vector<DimIndex>& in) {
    std::vector<DimIndex> out;
    for (const DimIndex& d : in)
      out.push_back({d.is_slice, ptr(d.index), ptr(d.start), ptr(d.end), ptr(d.stride), d.span});
    return out;
  }

  Exp::Node node(const Exp& e) {
    if (auto* x = std::get_if<ELiteral>(&e.node)) return *x;
    if (auto* x = std::get_if<EString>(&e.node)) return *x;
    if (auto* x = std::get_if<EVar>(&e.node)) return EVar{x->name, x->id, x->fields, inst(x->inst)};
    if (auto* x = std::get_if<EHole>(&e.node)) return *x;
    if (auto* x = std::get_if<ETuple>(&e.node)) return ETuple{list(x->elems)};
    if (auto* x = std::get_if<ERecord>(&e.node)) {
      ERecord out;
      for (const auto& f : x->fields) {
        Ptr<Exp> value = ptr(f.value);
        if (!value && on_var_)
          if (const Exp* r = on_var_(f.name.id)) value = std::make_unique<Exp>(copy(*r));
        out.fields.push_back({f.name, std::move(value)});
      }
      return out;
    }
    if (auto* x = std::get_if<EArray>(&e.node)) return EArray{list(x->elems)};
    if (auto* x = std::get_if<EIndex>(&e.node)) return EIndex{ptr(x->array), dims(x->dims)};
    if (auto* x = std::get_if<EProject>(&e.node)) return EProject{ptr(x->record), x->field};
    if (auto* x = std::get_if<ELocalOpen>(&e.node)) return ELocalOpen{x->module, ptr(x->inner)};
    if (auto* x = std::get_if<EApply>(&e.node)) return EApply{ptr(x->fn), list(x->args)};
    if (auto* x = std::get_if<EBinary>(&e.node))
      return EBinary{ptr(x->lhs), ptr(x->rhs), x->op, x->backquoted, x->id, inst(x->inst)};
    if (auto* x = std::get_if<ENegate>(&e.node)) return ENegate{ptr(x->arg)};
    if (auto* x = std::get_if<ENot>(&e.node)) return ENot{ptr(x->arg)};
    if (auto* x = std::get_if<EConstr>(&e.node)) return EConstr{x->name, list(x->args)};
    if (auto* x = std::get_if<ERange>(&e.node))
      return ERange{x->kind, ptr(x->start), ptr(x->step), ptr(x->end)};
    if (auto* x = std::get_if<EIf>(&e.node))
      return EIf{ptr(x->cond), ptr(x->then_branch), ptr(x->else_branch)};
    if (auto* x = std::get_if<EAttr>(&e.node)) return EAttr{x->attr, ptr(x->inner)};
    if (auto* x = std::get_if<EAssert>(&e.node)) return EAssert{ptr(x->cond), ptr(x->inner)};
    if (auto* x = std::get_if<EOpSection>(&e.node)) return EOpSection{x->op, x->id, inst(x->inst)};
    if (auto* x = std::get_if<ELeftSection>(&e.node))
      return ELeftSection{ptr(x->lhs), x->op, x->backquoted, x->id, inst(x->inst)};
    if (auto* x = std::get_if<ERightSection>(&e.node))
      return ERightSection{x->op, ptr(x->rhs), x->backquoted, x->id, inst(x->inst)};
    if (auto* x = std::get_if<EUpdate>(&e.node))
      return EUpdate{ptr(x->src), path(x->path), ptr(x->value)};
    if (auto* x = std::get_if<EPathSection>(&e.node)) return EPathSection{path(x->path)};
    SKALD_BUG("copy of an expression that cannot be a size");
  }

  std::vector<PathStep> path(const std::vector<PathStep>& in) {
    std::vector<PathStep> out;
    for (const PathStep& s : in) {
      PathStep step{{}, s.span};
      if (auto* f = std::get_if<Ident>(&s.step))
        step.step = *f;
      else
        step.step = dims(std::get<1>(s.step));
      out.push_back(std::move(step));
    }
    return out;
  }

  OnSizeVar on_var_;
  OnType on_type_;
  const OnExp* on_exp_;
};

}  // namespace

Exp copy_size(const Exp& e, const OnSizeVar& on_var, const OnType& on_type) {
  return Copier(on_var, on_type).copy(e);
}

Exp replace_in_size(const Exp& e, const OnExp& on_exp) {
  return Copier({}, {}, &on_exp).copy(e);
}

const Exp* subst_size(TypeFactory& f, const Exp* e, const OnSizeVar& on_var) {
  if (auto* v = std::get_if<EVar>(&e->node)) {
    const Exp* r = v->id ? on_var(v->id) : nullptr;
    if (!r) return e;
    if (v->fields.empty()) return strip_size(r);
    return f.keep(copy_size(*e, on_var));
  }
  if (std::holds_alternative<ELiteral>(e->node)) return e;
  IdSet vars;
  free_in_size(*e, vars);
  for (uint32_t v : vars)
    if (on_var(v)) return f.keep(copy_size(*e, on_var));
  return e;
}

namespace {

size_t count_uses(const Exp& e, uint32_t id) {
  if (auto* v = std::get_if<EVar>(&e.node)) return v->id == id;
  size_t n = 0;
  for_each_child(e, [&](const Exp& child) { n += count_uses(child, id); });
  return n;
}

}  // namespace

bool can_substitute(const Type* t, uint32_t id, const Exp& by) {
  constexpr size_t kMaxWeight = 2000;
  if (!can_be_size(by)) return false;
  const size_t weight = size_weight(by);
  bool ok = weight <= kMaxWeight;
  for_each_size(t, [&](const Exp* e, SizePos, const IdSet&) {
    ok = ok && size_weight(*e) + count_uses(*e, id) * weight <= kMaxWeight;
  });
  return ok;
}

size_t size_weight(const Exp& e) {
  size_t n = 1;
  for_each_child(e, [&](const Exp& child) { n += size_weight(child); });
  return n;
}

bool is_huge_size(const Exp& e) {
  constexpr size_t kHugeWeight = 1000;
  return size_weight(e) > kHugeWeight;
}

}  // namespace skald::futhark
