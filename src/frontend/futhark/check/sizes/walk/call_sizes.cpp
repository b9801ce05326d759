// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/sizes/walk/call_sizes.h"

#include <algorithm>

#include "frontend/futhark/check/sizes/walk/exp_sizes.h"

namespace skald::futhark {

namespace {

void bound_inside(const Type* t, IdSet& out) {
  if (!t || !t->has(Type::kArrows)) return;
  switch (t->kind) {
    case Type::kArray: return bound_inside(t->elem, out);
    case Type::kRecord:
      for (const auto& [name, field] : t->fields) bound_inside(field, out);
      return;
    case Type::kSum:
      for (const auto& [name, payload] : t->constrs)
        for (const Type* p : payload) bound_inside(p, out);
      return;
    case Type::kNamed:
      for (const TypeArg& a : t->args) bound_inside(a.type, out);
      return;
    case Type::kArrow:
      if (t->param.id) out.insert(t->param.id);
      for (const VName& e : t->exts) out.insert(e.id);
      bound_inside(t->from, out);
      return bound_inside(t->to, out);
    default: return;
  }
}

}  // namespace

const Type* CallSizes::op_type(const void* node, const QualName& op, std::vector<TypeInst>& inst,
                               Span span) {
  auto it = d_.refs.find(node);
  if (it == d_.refs.end()) return f_.unit();
  const ValEntry* entry = it->second;
  // A built-in operator on scalars adds nothing about sizes; its exact type is that of the
  // operands, which apply_one does not compare.
  if (entry->kind == ValEntry::kOverloaded || entry->kind == ValEntry::kEquality) return nullptr;
  return fresh_.of_name(node, op, inst, entry->erased ? entry->erased : f_.unit(), span);
}

const Type* CallSizes::apply(EApply& e, Span span, std::vector<VName>& ext) {
  const Type* t = exps_.exp(*e.fn);
  std::string fname;
  if (auto* v = std::get_if<EVar>(&e.fn->node)) fname = qual_text(v->name);
  for (auto& arg : e.args) exps_.exp(*arg);
  for (auto& arg : e.args) t = apply_one(fname, t, *arg, span, ext);
  return t;
}

// Existential sizes of the result become unknown sizes of this application.
const Type* CallSizes::result_of(const Type* fn, const std::string& what, Span span,
                                 std::vector<VName>& made) {
  const Type* to = table_.norm(fn->to);
  if (!fn->exts.empty()) {
    TypeSubst s;
    for (const VName& x : fn->exts) {
      const VName d = table_.unknown(
          span, x.base, "is unknown size returned by " + what + " at " + ctx_.where(span) + ".",
          "known only when " + what + " has run");
      s.sizes[x.id] = f_.size_var(d);
      made.push_back(d);
    }
    to = subst_type(f_, to, s);
  }
  // So do instantiated sizes that the argument showed to be existential.
  IdSet vars = free_sizes(to);
  bool any_pending = false;
  for (uint32_t v : vars) {
    SizeVar* s = table_.find(v);
    if (s && s->kind == SizeVar::kCopy) s = table_.find(s->canon);
    any_pending |= s && s->kind == SizeVar::kExistential;
  }
  if (any_pending) {
    const PendingSizes p = table_.pending_insts();
    TypeSubst s;
    for (uint32_t v : vars)
      if (auto it = p.reps.find(v); it != p.reps.end())
        s.sizes[v] = f_.size_var(table_.find(it->second)->name);
    to = subst_type(f_, to, s);
    to = scope_.free_killed(
        to, span,
        [&](const Exp& e) -> uint32_t {
          IdSet in;
          free_in_size(e, in);
          for (uint32_t v : in)
            if (p.ids.contains(v)) return v;
          return 0;
        },
        made);
  }
  return to;
}

// An existential size may not be needed for a parameter before it is produced.
bool CallSizes::check_produced(const Type* to, const Exp& arg, const std::string& what, Span span,
                               const std::vector<VName>& made) {
  IdSet problematic;
  for (const VName& m : made) problematic.insert(m.id);
  bound_inside(table_.norm(arg.type), problematic);
  if (!problematic.empty()) {
    IdSet produced, needed;
    find_produced(to, produced, needed);
    if (std::ranges::any_of(
            needed, [&](uint32_t v) { return problematic.contains(v) && !produced.contains(v); })) {
      report_.error(
          "existential-param-ret", span,
          "Cannot apply " + what + " to " + quote(short_text(arg)) +
              " (invalid type).\nExistential size would appear in function parameter of "
              "return type:\n" +
              indented(words_.show(to)),
          {},
          "let `" + short_text(arg) +
              "` return arrays of one size that is known before: it "
              "may be called several times, and other functions must fit all its results");
      return false;
    }
  }
  return true;
}

// The argument stands for the parameter in the sizes of the result.
const Type* CallSizes::with_argument(const Type* to, uint32_t param, Exp& arg,
                                     const std::string& what, std::vector<VName>& made) {
  TypeSubst s;
  if (can_substitute(to, param, arg)) {
    s.sizes[param] = strip_size(&arg);
  } else {
    ctx_.warn("size-expression-bind", arg.span,
              "Size expression with binding is replaced by unknown size");
    const VName d = table_.unknown(arg.span, "n",
                                   "is value of argument\n" + indented(short_text(arg)) +
                                       "\npassed to " + what + " at " + ctx_.where(arg.span) + ".",
                                   "the value of " + quote(short_text(arg)));
    s.sizes[param] = f_.size_var(d);
    made.push_back(d);
  }
  return subst_type(f_, to, s);
}

const Type* CallSizes::apply_one(const std::string& fname, const Type* fn, Exp& arg, Span span,
                                 std::vector<VName>& ext) {
  if (report_.halted() || !fn || fn->kind != Type::kArrow) return f_.unit();
  const Type* arg_type = arg.type;
  const Type* want = f_.with_unique(fn->from, false);
  const std::string what = fname.empty() ? "function" : quote(fname);
  const bool ok = unifier_.unify(want, arg_type,
                                 {arg.span,
                                  "use as function argument",
                                  [&] {
                                    return "Cannot apply " + what + " to " +
                                           quote(short_text(arg)) +
                                           " (invalid type).\nExpected: " + words_.show(want) +
                                           "\nActual:   " + words_.show(arg_type);
                                  },
                                  {},
                                  &arg,
                                  SizeWhy::kArgument,
                                  fname});
  if (!ok) return f_.with_unique(table_.with_wrong_sizes(fn->to), false);

  std::vector<VName> made;
  const Type* to = result_of(fn, what, span, made);
  if (!check_produced(to, arg, what, span, made)) return table_.with_wrong_sizes(to);
  if (fn->param.id && free_sizes(to).contains(fn->param.id))
    to = with_argument(to, fn->param.id, arg, what, made);
  if (to->kind != Type::kArrow) to = without_huge_sizes(to, what, span, made);
  ext.insert(ext.end(), made.begin(), made.end());
  return f_.with_unique(to, false);
}

// x ++ x, that twice, …: after forty steps nobody could write the size down.
const Type* CallSizes::without_huge_sizes(const Type* t, const std::string& what, Span span,
                                          std::vector<VName>& made) {
  bool huge = false;
  for_each_size(t, [&](const Exp* e, SizePos, const IdSet&) { huge = huge || is_huge_size(*e); });
  if (!huge) return t;
  TypeMapper m;
  m.on_size = [&](const Exp* e) -> const Exp* {
    if (!is_huge_size(*e)) return e;
    made.push_back(table_.unknown(
        span, "n",
        "is a long size expression returned by " + what + " at " + ctx_.where(span) + ".",
        "known only when " + what + " has run"));
    return f_.size_var(made.back());
  };
  return map_type(f_, t, m);
}

const Type* CallSizes::left_section(ELeftSection& e, const Type* unsized, Span span,
                                    std::vector<VName>& ext) {
  const Type* op = op_type(&e, e.op, e.inst, span);
  exps_.exp(*e.lhs);
  if (!op) return fresh_.replace_metas(unsized, span, false);
  const Type* t = apply_one(qual_text(e.op), op, *e.lhs, span, ext);
  if (t->kind != Type::kArrow && !report_.halted())
    report_.error("type-mismatch", span,
                  "Operator section with invalid operator of type " + words_.show(op));
  return t;
}

const Type* CallSizes::right_section(ERightSection& e, const Type* unsized, Span span,
                                     std::vector<VName>& ext) {
  const Type* op = op_type(&e, e.op, e.inst, span);
  exps_.exp(*e.rhs);
  if (!op) return fresh_.replace_metas(unsized, span, false);
  if (op->kind != Type::kArrow || op->to->kind != Type::kArrow) {
    report_.error("type-mismatch", span,
                  "Operator section with invalid operator of type " + words_.show(op));
    return f_.unit();
  }
  // (op e) is a function of the first operand: apply the operator with its parameters exchanged.
  const Type* inner = f_.arrow(op->from, op->to->to, op->param, op->to->exts);
  const Type* flipped = f_.arrow(op->to->from, inner, op->to->param, op->exts);
  return apply_one(qual_text(e.op), flipped, *e.rhs, span, ext);
}

const Type* CallSizes::binary(EBinary& x, const Type* unsized, Exp& e) {
  const Type* op = op_type(&x, x.op, x.inst, e.span);
  exps_.exp(*x.lhs);
  exps_.exp(*x.rhs);
  if (!op) {
    if (x.lhs->type->kind != Type::kPrim)
      unifier_.unify(x.lhs->type, x.rhs->type,
                     {x.rhs->span,
                      "use as function argument",
                      [&] {
                        return "Cannot apply " + quote(x.op.name) + " to " +
                               quote(short_text(*x.rhs)) +
                               " (invalid type).\nExpected: " + words_.show(x.lhs->type) +
                               "\nActual:   " + words_.show(x.rhs->type);
                      },
                      {},
                      x.rhs.get(),
                      SizeWhy::kArgument,
                      x.op.name});
    return uni_.zonk(unsized);
  }
  std::vector<VName> ext;
  const Type* t = apply_one(qual_text(x.op), op, *x.lhs, e.span, ext);
  return apply_one(qual_text(x.op), t, *x.rhs, e.span, e.ext);
}

}  // namespace skald::futhark
