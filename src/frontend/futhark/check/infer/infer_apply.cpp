// SPDX-License-Identifier: Apache-2.0
// Unsized inference of names, operators and applications.
#include <algorithm>

#include "frontend/futhark/check/hints/mismatch.h"
#include "frontend/futhark/check/infer/infer.h"

namespace skald::futhark {

const Type* Infer::unknown(NameKind kind, const QualName& name, Span span) {
  const Type* wrong = uni_.wrong(span);
  if (names_.excused(name)) {
    report_.fail_silently();
    return wrong;
  }
  source::Diagnostic d;
  d.code = "unknown-name";
  d.what = std::string("Unknown ") + (kind == NameKind::kType ? "type " : "name ") +
           quote(qual_text(name));
  // A program may have millions of them.
  if (report_.halted() || report_.said(d.what)) return wrong;
  if (kind == NameKind::kValue && in_size_) kind = NameKind::kSize;
  NameHelp help = explain_unknown(ctx_, names_, kind, name);
  d.labels = std::move(help.labels);
  d.labels.insert(d.labels.begin(), {span, ""});
  d.why = std::move(help.why);
  d.hint = std::move(help.hint);
  report_.error(std::move(d));
  return wrong;
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
  if (!entry->type) return uni_.wrong(span);
  if (!entry->erased && entry->kind == ValEntry::kLocal) entry->erased = entry->type;
  if (!entry->erased) {
    const TypeFactory::Use lasting(f_, f_.lasting());
    entry->erased = erase_sizes(f_, entry->type);
  }
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
  Span rest = name.span;
  while (!entry && !name.quals.empty()) {
    const auto length = static_cast<uint32_t>(name.name.size());
    const bool narrow = rest.end - rest.begin > length;
    fields.push_back(
        Ident{name.name, narrow ? Span{rest.file, rest.end - length, rest.end} : rest});
    if (narrow) rest.end -= length + 1;
    name.name = name.quals.back();
    name.quals.pop_back();
    entry = lookup(name, &v, span);
  }
  std::ranges::reverse(fields);
  if (!entry) return unknown(NameKind::kValue, v.name, span);
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
    if (!uni_.unify(t, uni_.fresh_record(span, field.name, ft), {field.span}))
      return uni_.wrong(span);
    t = ft;
  }
  return t;
}

const Type* Infer::operator_type(const QualName& op, const void* node, uint32_t& id,
                                 std::vector<TypeInst>& inst, Span span) {
  ValEntry* entry = lookup(op, node, op.span.known() ? op.span : span);
  if (!entry) return unknown(NameKind::kValue, op, op.span.known() ? op.span : span);
  const bool builtin = entry->kind == ValEntry::kOverloaded || entry->kind == ValEntry::kEquality ||
                       (entry->intrinsic && entry->params.empty());
  id = builtin ? 0 : entry->name.id;
  return instantiate(entry, op, inst, span);
}

const Type* Infer::apply_one(const std::string& fname, size_t index, const Type* fn, const Exp* arg,
                             const Type* arg_type, Span span, const CallNotes& notes) {
  if (report_.halted()) return uni_.wrong(span);
  fn = uni_.shallow(fn);
  if (fn->kind == Type::kArrow) {
    const Type* want = fn->from;
    Reason why{arg ? arg->span : span};
    why.value = arg;
    why.hint = notes.hint;
    if (notes.defined.known()) why.labels.push_back({notes.defined, "defined here"});
    if (arg)
      why.head = [&, want, arg_type] {
        const std::string what = fname.empty() ? "function" : quote(fname);
        return uni_.plain_types((fname.empty() ? "the function" : what) + " needs ", want, arg_type,
                                quote(short_text(*arg))) +
               "Cannot apply " + what + " to " + quote(short_text(*arg)) +
               " (invalid type).\nExpected: " + uni_.show(want) +
               "\nActual:   " + uni_.show(arg_type);
      };
    if (uni_.unify(arg_type, want, why)) return fn->to;
    // What the argument has no say in is known nevertheless.
    return fn->to->has(Type::kMetas) ? uni_.wrong(span) : fn->to;
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
  if (!uni_.unify(fn, f_.arrow(from, to), why)) return uni_.wrong(span);
  return apply_one(fname, index, f_.arrow(from, to), arg, arg_type, span);
}

const Type* Infer::apply(EApply& e, Span span) {
  const Type* t = exp(*e.fn);
  std::string fname;
  if (auto* v = std::get_if<EVar>(&e.fn->node)) fname = qual_text(v->name);
  for (auto& arg : e.args) exp(*arg);
  const Span defined = user_definition(*e.fn);
  for (size_t i = 0; i < e.args.size(); ++i) {
    const Type* fn = uni_.shallow(t);
    if (uni_.is_wrong(fn)) return fn;
    const bool is_number = fn->kind == Type::kMeta && uni_.meta(fn->meta).kind == Meta::kPrims;
    if ((fn->kind != Type::kArrow && fn->kind != Type::kMeta) || is_number)
      return too_many_arguments(e, i, fn, span);
    const size_t said = report_.count();
    t = apply_one(fname, i, t, e.args[i].get(), e.args[i]->type, span,
                  {[&] { return call_hint(e, i, fn); }, defined});
    // Whether those that follow fit cannot be known.
    if (report_.count() != said && i + 1 < e.args.size()) return uni_.wrong(span);
  }
  return t;
}

const Type* Infer::binary(EBinary& e, Span span) {
  const Type* op = operator_type(e.op, &e, e.id, e.inst, span);
  const Type* lhs = exp(*e.lhs);
  const Type* rhs = exp(*e.rhs);
  const std::string name = qual_text(e.op);
  const Type* t = apply_one(name, 0, op, e.lhs.get(), lhs, span, {[&] {
                              return name == "^" ? "`^` is exclusive or; the power is `" +
                                                       text_of_argument(*e.lhs) + " ** " +
                                                       text_of_argument(*e.rhs) + "`"
                                                 : std::string();
                            }});
  return apply_one(name, 1, t, e.rhs.get(), rhs, span, {[&] { return operand_hint(e, lhs, rhs); }});
}

}  // namespace skald::futhark
