// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/sizes/solve/size_messages.h"

#include <algorithm>

#include "frontend/futhark/check/hints/mismatch.h"

namespace skald::futhark {

namespace {

bool is_constant(const Exp* e) {
  return std::holds_alternative<ELiteral>(e->node);
}

// The same words in another order: `n + 1` and `1 + n`.
bool same_words(std::string a, std::string b) {
  if (a == b) return false;
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}

// Whether the results of a function that is passed to it become an array.
bool makes_rows(const std::string& function) {
  return function.starts_with("map") || function.starts_with("tabulate");
}

bool is_array(const Type* t) {
  return t->kind == Type::kArray;
}

}  // namespace

std::string SizeMessages::headline(const Unifying& u) {
  const std::string value = u.why.value ? quote(short_text(*u.why.value)) : "this";
  if (u.irregular)
    return value + " returns arrays of different lengths, " +
           (u.why.function.empty() || makes_rows(u.why.function)
                ? "and all rows of an array are equally long"
                : "but " + quote(u.why.function) + " needs one length for all of them");
  const std::string want = words_.of(u.expected), have = words_.of(u.actual);
  const std::string function = u.why.function.empty() ? "the function" : quote(u.why.function);
  switch (u.why.role) {
    case SizeWhy::kArgument:
      if (u.part == Unifying::kReturned)
        return function + " needs results of size " + want + " from " + value +
               ", but their size is " + have;
      if (u.part == Unifying::kParameter)
        return value + " takes size " + want + ", but " + function + " passes size " + have;
      return function +
             (want.starts_with('"') ? " needs size " + want + " here"
                                    : " needs a size that is " + want) +
             ", but that of " + value + " is " + have;
    case SizeWhy::kResult: return "the result must have size " + want + ", but its size is " + have;
    case SizeWhy::kLoop:
      return "the size changes in the loop: it must stay " + want + ", but becomes " + have;
    case SizeWhy::kElement:
      return "all elements of an array must be equally long, but the first has size " + want +
             " and this has " + have;
    case SizeWhy::kUpdate:
      return "the part that is overwritten has size " + want + ", but that of " + value + " is " +
             have;
    case SizeWhy::kInitial:
      return "the loop needs size " + want + " from the beginning, but that of " + value + " is " +
             have;
    case SizeWhy::kPattern:
      return "the pattern asks for size " + want + ", but that of the value is " + have;
    case SizeWhy::kOther: return "size " + want + " is needed here, but the size is " + have;
  }
  return {};
}

std::string SizeMessages::hint(const Unifying& u, const Type* expected, const Type* actual) {
  if (u.irregular && (u.why.function.empty() || makes_rows(u.why.function)))
    return "make all rows equally long (`replicate`, `take`), or compute one flat array";
  if (u.irregular)
    return "call the function here instead of passing it on, or make its results equally long";
  const Exp *want = table_.norm(u.expected), *have = table_.norm(u.actual);
  if (!is_array(expected) || !is_array(actual)) return {};
  if (u.why.role == SizeWhy::kResult && (is_constant(want) == is_constant(have))) {
    const std::string declare = "declare the result as `" + words_.show_open(actual) + "`";
    if (is_constant(want)) return declare;
    if (same_words(words_.show(want), words_.show(have)))
      return "sizes are compared as they are written: " + declare;
  }
  if (is_constant(want) && is_constant(have)) return {};
  if (same_words(words_.show(want), words_.show(have)))
    return "sizes are compared as they are written; write both as `" + words_.show(want) + "`";
  const std::string type = words_.show(f_.with_unique(expected, false));
  const std::string check = applied("", u.why.value).substr(1) + " :> " + type;
  const SizeVar* v = table_.find(size_var_id(have));
  const std::string checked =
      v && v->kind == SizeVar::kUnknown
          ? "if both are always equally long, `" + check +
                "` says so; it is checked when the program runs"
          : "`" + check + "` promises that they are equal; this is checked when the program runs";
  switch (u.why.role) {
    case SizeWhy::kResult:
      return "declare the result as `" + words_.show_open(actual) +
             (words_.can_be_written(actual)
                  ? "`; or promise that the sizes are equal: `" + check + "`"
                  : "`: `[]` leaves a size open");
    case SizeWhy::kLoop:
      return "`[]` in the type of the loop parameter leaves its size open, as in `loop (xs: " +
             std::string(expected->elem->kind == Type::kArray ? "[][]" : "[]") + "t) = …`";
    default: return words_.can_be_written(expected) ? checked : std::string();
  }
}

bool SizeMessages::explain(Unifying& u, const Exp* a, const Exp* b) {
  u.expected = a;
  u.actual = b;
  auto is_inst = [&](const Exp* var, const Exp* other) {
    SizeVar* v = table_.find(size_var_id(var));
    return v && is_bound(u, other) &&
           (v->kind == SizeVar::kInst || v->kind == SizeVar::kCopy ||
            v->kind == SizeVar::kExistential);
  };
  const bool first = is_inst(a, b);
  u.irregular = first || is_inst(b, a);
  if (u.irregular) {
    const std::string inner = words_.show(first ? b : a);
    u.text = "Sizes do not match: " + (inner == "d" ? "one" : quote(inner)) +
             " is known only inside of the function.\nThis is because a type parameter would be "
             "instantiated with a type containing anonymous sizes.";
    return false;
  }
  if (words_.is_invented(a) || words_.is_invented(b))
    u.text = "Sizes do not match: one is " + words_.of(a) + ", the other is " + words_.of(b) + ".";
  else
    u.text = "Sizes " + quote(words_.show(a)) + " and " + quote(words_.show(b)) + " do not match.";
  u.text += words_.notes_for(a) + words_.notes_for(b);
  return false;
}

// The size of a variable that is another one than needed follows it everywhere.
bool SizeMessages::told_before(const Unifying& u) {
  const Exp* value = u.why.value;
  while (value && std::holds_alternative<EParens>(value->node))
    value = std::get<EParens>(value->node).inner.get();
  const auto* variable = value ? std::get_if<EVar>(&value->node) : nullptr;
  if (!variable || !u.expected || u.irregular) return false;
  const bool told = std::ranges::any_of(told_, [&](const Told& t) {
    return t.variable == variable->id && equal_sizes(t.expected, u.expected) &&
           equal_sizes(t.actual, u.actual);
  });
  if (!told) told_.push_back({variable->id, u.expected, u.actual});
  return told;
}

void SizeMessages::report(const Unifying& u, const Type* expected, const Type* actual) {
  std::string text = u.why.head ? u.why.head() : "";
  if (!u.text.empty()) text += (text.empty() ? "" : "\n\n") + u.text;
  if (!u.where.empty()) text += "\n" + u.where;
  std::vector<source::Label> labels = u.why.labels;
  std::string way_out = u.way_out;
  if (!u.plain.empty()) text = u.plain + "\n" + text;
  Span at = u.why.span;
  if (u.expected) {
    text = headline(u) + "\n" + text;
    way_out = hint(u, expected, actual);
    words_.label_origins(u.expected, labels);
    words_.label_origins(u.actual, labels);
    const Exp* value = u.why.value;
    while (value && std::holds_alternative<EParens>(value->node))
      value = std::get<EParens>(value->node).inner.get();
    const auto* fn = value ? std::get_if<ELambda>(&value->node) : nullptr;
    if (u.irregular && fn) at = fn->body->span;
  }
  report_.error(u.code.empty() ? "size-mismatch" : u.code, at, text, std::move(labels),
                std::move(way_out));
}

}  // namespace skald::futhark
