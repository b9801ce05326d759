// SPDX-License-Identifier: Apache-2.0
// Unsized inference of names, operators and applications.
#include <algorithm>

#include "frontend/futhark/check/infer/infer.h"

namespace skald::futhark {

void Infer::unknown(const char* space, const QualName& name, Span span) {
  if (names_.excused(name)) return report_.fail_silently();
  report_.error("unknown-name", span,
                std::string("Unknown ") + space + " " + quote(qual_text(name)));
}

ValEntry* Infer::lookup(const QualName& name, const void* node, Span span) {
  const Term t = names_.term(name);
  if (!t.val) return nullptr;
  if (!name.quals.empty() && name.quals[0] == "intrinsics" && t.val->intrinsic)
    ctx_.warn("intrinsics", span,
              "Using intrinsic functions directly can easily crash the compiler or result in "
              "wrong code generation");
  ValEntry* e = t.val;
  e->used = true;
  if (e->broken) report_.fail_silently();
  if (e->lazy && !e->lazy->done) {
    ctx_.pending.push_back(e->lazy);
    e->lazy->done = true;
  }
  d_.refs[node] = e;
  return e;
}

const Type* Infer::instantiate(ValEntry* entry, const QualName& name, std::vector<TypeInst>& inst,
                               Span span) {
  switch (entry->kind) {
    case ValEntry::kEquality: {
      const Type* t = uni_.fresh(span, Liftedness::kUnlifted);
      return f_.arrow(t, f_.arrow(t, f_.boolean()));
    }
    case ValEntry::kOverloaded: {
      const Type* t = uni_.fresh_prim(span, entry->overload);
      return f_.arrow(t, f_.arrow(t, entry->result_bool ? f_.boolean() : t));
    }
    case ValEntry::kSelf: return entry->type;
    default: break;
  }
  if (!entry->type) return uni_.fresh(span, Liftedness::kLifted);
  if (!entry->erased)
    entry->erased = entry->kind == ValEntry::kLocal ? entry->type : erase_sizes(f_, entry->type);
  if (entry->params.empty()) return entry->erased;
  if (entry->kind == ValEntry::kLocal) entry->erased = uni_.zonk(entry->erased);
  TypeSubst s;
  inst.clear();
  for (const TParam& p : entry->params) {
    if (p.is_size) {
      inst.push_back({p.name.id});
      continue;
    }
    const Type* t = uni_.fresh(span, p.lifted, p.name.base.c_str());
    s.types[p.name.id] = TypeDef{{}, t};
    inst.push_back({p.name.id, t});
    d_.insts.push_back({span, qual_text(name), p.lifted, t});
  }
  return subst_type(f_, entry->erased, s);
}

const Type* Infer::var(EVar& v, Span span) {
  // The longest prefix of qualifiers that names modules; what follows are fields of a value.
  QualName name = v.name;
  std::vector<Ident> fields;
  ValEntry* entry = lookup(name, &v, span);
  while (!entry && !name.quals.empty()) {
    fields.push_back(Ident{name.name, name.span});
    name.name = name.quals.back();
    name.quals.pop_back();
    entry = lookup(name, &v, span);
  }
  std::ranges::reverse(fields);
  if (!entry) {
    unknown("name", v.name, span);
    return uni_.fresh(span, Liftedness::kLifted);
  }
  if (v.name.name.size() > 1 && v.name.name[0] == '_') {
    report_.error("underscore-use", span,
                  "Use of " + quote(qual_text(v.name)) +
                      ": variables prefixed with underscore may not be accessed");
  }
  v.id = entry->name.id;
  v.fields = fields;
  const Type* t = instantiate(entry, name, v.inst, span);
  for (const Ident& field : fields) {
    const Type* ft = uni_.fresh(span, Liftedness::kLifted);
    uni_.unify(t, uni_.fresh_record(span, field.name, ft), {span});
    t = ft;
  }
  return t;
}

const Type* Infer::operator_type(const QualName& op, const void* node, uint32_t& id,
                                 std::vector<TypeInst>& inst, Span span) {
  ValEntry* entry = lookup(op, node, op.span.known() ? op.span : span);
  if (!entry) {
    unknown("name", op, op.span.known() ? op.span : span);
    return uni_.fresh(span, Liftedness::kLifted);
  }
  const bool builtin = entry->kind == ValEntry::kOverloaded || entry->kind == ValEntry::kEquality ||
                       (entry->intrinsic && entry->params.empty());
  id = builtin ? 0 : entry->name.id;
  return instantiate(entry, op, inst, span);
}

const Type* Infer::apply_one(const std::string& fname, size_t index, const Type* fn, const Exp* arg,
                             const Type* arg_type, Span span) {
  if (report_.failed()) return f_.unit();
  fn = uni_.shallow(fn);
  if (fn->kind == Type::kArrow) {
    const Type* want = fn->from;
    Reason why{arg ? arg->span : span};
    if (arg)
      why.head = [&, want, arg_type] {
        const std::string what = fname.empty() ? "function" : quote(fname);
        return "Cannot apply " + what + " to " + quote(short_text(*arg)) +
               " (invalid type).\nExpected: " + uni_.show(want) +
               "\nActual:   " + uni_.show(arg_type);
      };
    uni_.unify(arg_type, want, why);
    return fn->to;
  }
  const Type* from = uni_.fresh(span, Liftedness::kLifted);
  const Type* to = uni_.fresh(span, Liftedness::kLifted);
  const std::string what = fname.empty() ? "expression" : quote(fname);
  Reason why{span};
  if (arg)
    why.head = [&, fn] {
      if (index == 0)
        return "Cannot apply " + what + " as function, as it has non-function type:\n" +
               indented(uni_.show(fn));
      return "Cannot apply " + what + " to argument #" + std::to_string(index + 1) + " " +
             quote(short_text(*arg)) + ".\nFunction accepts only " + std::to_string(index) +
             " arguments.";
    };
  uni_.unify(fn, f_.arrow(from, to), why);
  if (report_.failed()) return to;
  return apply_one(fname, index, f_.arrow(from, to), arg, arg_type, span);
}

const Type* Infer::apply(EApply& e, Span span) {
  const Type* t = exp(*e.fn);
  std::string fname;
  if (auto* v = std::get_if<EVar>(&e.fn->node)) fname = qual_text(v->name);
  for (auto& arg : e.args) exp(*arg);
  for (size_t i = 0; i < e.args.size(); ++i)
    t = apply_one(fname, i, t, e.args[i].get(), e.args[i]->type, span);
  return t;
}

const Type* Infer::binary(EBinary& e, Span span) {
  const Type* op = operator_type(e.op, &e, e.id, e.inst, span);
  const Type* lhs = exp(*e.lhs);
  const Type* rhs = exp(*e.rhs);
  const std::string name = qual_text(e.op);
  const Type* t = apply_one(name, 0, op, e.lhs.get(), lhs, span);
  return apply_one(name, 1, t, e.rhs.get(), rhs, span);
}

}  // namespace skald::futhark
