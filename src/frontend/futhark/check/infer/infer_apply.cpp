// SPDX-License-Identifier: Apache-2.0
// Unsized inference of names, operators and applications.
#include <algorithm>

#include "frontend/futhark/check/hints/mismatch.h"
#include "frontend/futhark/check/infer/infer.h"

namespace skald::futhark {

const Type* Infer::var(EVar& v, Span span) {
  // The longest prefix of qualifiers that names modules; what follows are fields of a value.
  QualName name = v.name;
  std::vector<Ident> fields;
  ValEntry* entry = locals_.lookup(name, &v, span);
  Span rest = name.span;
  while (!entry && !name.quals.empty()) {
    const auto length = static_cast<uint32_t>(name.name.size());
    const bool narrow = rest.end - rest.begin > length;
    fields.push_back(
        Ident{name.name, narrow ? Span{rest.file, rest.end - length, rest.end} : rest});
    if (narrow) rest.end -= length + 1;
    name.name = name.quals.back();
    name.quals.pop_back();
    entry = locals_.lookup(name, &v, span);
  }
  std::ranges::reverse(fields);
  if (!entry) return locals_.unknown(NameKind::kValue, v.name, span);
  if (v.name.name.size() > 1 && v.name.name[0] == '_') {
    report_.error("underscore-use", span,
                  "Use of " + quote(qual_text(v.name)) +
                      ": variables prefixed with underscore may not be accessed");
  }
  v.id = entry->name.id;
  v.fields = fields;
  const Type* t = locals_.instantiate(entry, name, v.inst, span);
  for (const Ident& field : fields) {
    const Type* ft = uni_.fresh(span, Liftedness::kLifted);
    if (!uni_.unify(t, uni_.fresh_record(span, field.name, ft), {field.span}))
      return uni_.wrong(span);
    t = ft;
  }
  return t;
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
        const std::string plain =
            uni_.plain_types((fname.empty() ? "the function" : what) + " needs ", want, arg_type,
                             quote(short_text(*arg)));
        return plain + "Cannot apply " + what + " to " + quote(short_text(*arg)) +
               " (invalid type).\n" + uni_.show_both("Expected: ", want, "Actual:   ", arg_type);
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
  const Span defined = hints_.user_definition(*e.fn);
  for (size_t i = 0; i < e.args.size(); ++i) {
    const Type* fn = uni_.shallow(t);
    if (uni_.is_wrong(fn)) return fn;
    const bool is_number = fn->kind == Type::kMeta && uni_.meta(fn->meta).kind == Meta::kPrims;
    if ((fn->kind != Type::kArrow && fn->kind != Type::kMeta) || is_number)
      return hints_.too_many_arguments(e, i, fn, span);
    const size_t said = report_.count();
    t = apply_one(fname, i, t, e.args[i].get(), e.args[i]->type, span,
                  {[&] { return hints_.call_hint(e, i, fn); }, defined});
    // Whether those that follow fit cannot be known.
    if (report_.count() != said && i + 1 < e.args.size()) return uni_.wrong(span);
  }
  return t;
}

const Type* Infer::binary(EBinary& e, Span span) {
  const Type* op = locals_.operator_type(e.op, &e, e.id, e.inst, span);
  const Type* lhs = exp(*e.lhs);
  const Type* rhs = exp(*e.rhs);
  const std::string name = qual_text(e.op);
  const Type* t = apply_one(name, 0, op, e.lhs.get(), lhs, span, {[&] {
                              return name == "^" ? "`^` is exclusive or; the power is `" +
                                                       text_of_argument(*e.lhs) + " ** " +
                                                       text_of_argument(*e.rhs) + "`"
                                                 : std::string();
                            }});
  return apply_one(name, 1, t, e.rhs.get(), rhs, span,
                   {[&] { return hints_.operand_hint(e, lhs, rhs); }});
}

}  // namespace skald::futhark
