// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/infer/call_hints.h"

#include <algorithm>

#include "frontend/futhark/check/hints/mismatch.h"

namespace skald::futhark {

// Where a function is defined, unless that is in the prelude.
Span CallHints::user_definition(const Exp& fn) {
  const auto* v = std::get_if<EVar>(&fn.node);
  auto ref = v ? d_.refs.find(v) : d_.refs.end();
  if (ref == d_.refs.end() || !v->fields.empty()) return {};
  const Span span = ref->second->span;
  return span.known() && span.file.index >= ctx_.first_user_file ? span : Span{};
}

namespace {

// Something that is no function stands before an argument.
std::string missing_operator_hint(const Exp& argument, bool is_array) {
  if (const auto* v = std::get_if<EVar>(&argument.node)) {
    if (v->name.name == "and") return "the operator is called `&&`";
    if (v->name.name == "or") return "the operator is called `||`";
    if (v->name.name == "mod") return "the operator is called `%`";
    if (v->name.name == "div") return "the operator is called `/`";
  }
  if (is_array) return "an element of an array is written `xs[i]`, without a blank";
  return "an operator or a comma may be missing before `" + short_text(argument) + "`";
}

}  // namespace

// The function has a result that is no function, and yet there is another argument.
const Type* CallHints::too_many_arguments(const EApply& e, size_t index, const Type* fn,
                                          Span span) {
  if (report_.halted()) return uni_.wrong(span);
  const auto* v = std::get_if<EVar>(&e.fn->node);
  const std::string what = v ? quote(qual_text(v->name)) : "expression";
  std::vector<source::Label> labels;
  const Span defined = user_definition(*e.fn);
  const bool ours = defined.known();
  if (index == 0) {
    if (ours) labels.push_back({defined, "bound here"});
    report_.error("type-mismatch", e.fn->span,
                  (v ? what : "this") + " is used as a function, but it is none\nCannot apply " +
                      what + " as function, as it has non-function type:\n" +
                      indented(uni_.show(fn)),
                  std::move(labels), missing_operator_hint(*e.args[0], fn->kind == Type::kArray));
    return uni_.wrong(span);
  }
  const size_t extra = e.args.size() - index;
  const Span from = e.args[index]->span;
  if (ours)
    labels.push_back(
        {defined, "it takes " + std::to_string(index) + " argument" + (index == 1 ? "" : "s")});
  std::string hint = extra == 1 ? "leave the last argument out" : "leave the last arguments out";
  bool plain = true;
  for (const auto& arg : e.args)
    plain = plain && (std::holds_alternative<EVar>(arg->node) ||
                      std::holds_alternative<ELiteral>(arg->node));
  if (plain && v && !ours) hint += ", or put the inner call into parentheses";
  report_.error("type-mismatch", source::join(from, e.args.back()->span),
                (v ? what : "the function") + " takes " + std::to_string(index) + " argument" +
                    (index == 1 ? "" : "s") + ", but gets " + std::to_string(e.args.size()) +
                    "\nCannot apply " + what + " to argument #" + std::to_string(index + 1) + " " +
                    quote(short_text(*e.args[index])) + ".\nFunction accepts only " +
                    std::to_string(index) + " argument" + (index == 1 ? "" : "s") + ".",
                std::move(labels), std::move(hint));
  return uni_.wrong(span);
}

// The function with its first arguments.
std::string CallHints::text_of_call(const EApply& e, size_t count) {
  std::string out = text_of_argument(*e.fn);
  for (size_t i = 0; i < count; ++i) out += " " + text_of_argument(*e.args[i]);
  return out;
}

// What argument number `index` should have been: one tuple and several arguments are easily
// confused, as are an array and its elements.
std::string CallHints::call_hint(const EApply& e, size_t index, const Type* fn) {
  if (fn->kind != Type::kArrow) return {};
  const Type* want = uni_.zonk(fn->from);
  const Type* have = uni_.zonk(e.args[index]->type);
  if (want->kind == Type::kPrim && have->kind == Type::kArray && have->elem->kind == Type::kPrim &&
      have->elem->prim == want->prim && index + 1 == e.args.size()) {
    const std::string call = text_of_call(e, index);
    return "`map " + (index == 0 ? call : "(" + call + ")") + " " +
           text_of_argument(*e.args[index]) + "` applies it to each element";
  }
  auto tuple_fields = [](const Type* t) {
    return t->kind == Type::kRecord && is_tuple(*t) ? t->fields.size() : 0;
  };
  std::string text;
  if (tuple_fields(want) > 1 && tuple_fields(want) == e.args.size() - index) {
    for (size_t i = index; i < e.args.size(); ++i)
      text += (text.empty() ? "" : ", ") + short_text(*e.args[i]);
    return "it takes one tuple: `" + text_of_call(e, index) + " (" + text + ")`";
  }
  const auto* tuple = std::get_if<ETuple>(&e.args[index]->node);
  size_t params = 0;
  for (const Type* t = fn; t->kind == Type::kArrow; t = t->to) ++params;
  if (!tuple || index != 0 || e.args.size() != 1 || tuple->elems.size() != params) return {};
  for (const auto& x : tuple->elems) text += " " + text_of_argument(*x);
  return "it takes its arguments one after the other: `" + text_of_call(e, 0) + text + "`";
}

// What the user may have meant by a number without a type that must be one.
std::string CallHints::fraction_hint(const Exp& literal, const Exp& other, Prim prim) {
  const std::string converted =
      conversion(Prim::kF64, prim, &other) + " or " + conversion(Prim::kF32, prim, &other);
  return "`" + short_text(literal) + "` has a fraction and `" + short_text(other) + "` is " +
         std::string(prim_name(prim)) + ": write " + converted + " to calculate with fractions";
}

// Of two numbers of different types the integer is converted: nothing is lost.
std::string CallHints::operand_hint(const EBinary& e, const Type* lhs, const Type* rhs) {
  lhs = uni_.zonk(lhs);
  rhs = uni_.zonk(rhs);
  auto is_fraction = [&](const Type* t) {
    return t->kind == Type::kMeta && uni_.meta(t->meta).kind == Meta::kPrims &&
           uni_.meta(t->meta).prims == kFloatPrims;
  };
  auto is_integer = [](const Type* t) {
    return t->kind == Type::kPrim && (prim_bit(t->prim) & kIntPrims) != 0;
  };
  if (is_fraction(rhs) && is_integer(lhs)) return fraction_hint(*e.rhs, *e.lhs, lhs->prim);
  if (is_fraction(lhs) && is_integer(rhs)) return fraction_hint(*e.lhs, *e.rhs, rhs->prim);
  if (lhs->kind != Type::kPrim || rhs->kind != Type::kPrim) return {};
  const PrimSet a = prim_bit(lhs->prim), b = prim_bit(rhs->prim);
  if (!(a & kNumberPrims) || !(b & kNumberPrims)) return {};
  if (std::string hint = literal_hint(*e.rhs, lhs->prim); !hint.empty()) return hint;
  if (std::string hint = literal_hint(*e.lhs, rhs->prim); !hint.empty()) return hint;
  const bool left = (a & kIntPrims) && (b & kFloatPrims);
  const bool either = ((a & kIntPrims) != 0) == ((b & kIntPrims) != 0);
  const std::string to_right = conversion(rhs->prim, lhs->prim, e.lhs.get());
  const std::string to_left = conversion(lhs->prim, rhs->prim, e.rhs.get());
  const std::string why = "both sides must have one type: ";
  if (either) return why + "write " + to_left + " or " + to_right;
  return why + "write " + (left ? to_right : to_left);
}

}  // namespace skald::futhark
