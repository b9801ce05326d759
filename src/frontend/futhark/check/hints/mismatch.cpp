// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/hints/mismatch.h"

#include <algorithm>

namespace skald::futhark {

namespace {

const Exp& without_parens(const Exp& e) {
  if (auto* p = std::get_if<EParens>(&e.node)) return without_parens(*p->inner);
  return e;
}

bool is_atom(const Exp& e) {
  return std::holds_alternative<EVar>(e.node) || std::holds_alternative<ELiteral>(e.node) ||
         std::holds_alternative<EIndex>(e.node) || std::holds_alternative<EProject>(e.node) ||
         std::holds_alternative<ETuple>(e.node) || std::holds_alternative<EArray>(e.node);
}

std::string name_of(Prim p) {
  return std::string(prim_name(p));
}

size_t rank_of(const Type* t) {
  size_t rank = 0;
  for (; t->kind == Type::kArray; t = t->elem) ++rank;
  return rank;
}

const Type* element_of(const Type* t) {
  while (t->kind == Type::kArray) t = t->elem;
  return t;
}

size_t parameters_of(const Type* t) {
  size_t count = 0;
  for (; t->kind == Type::kArrow; t = t->to) ++count;
  return count;
}

const Type* result_of_all(const Type* t) {
  while (t->kind == Type::kArrow) t = t->to;
  return t;
}

bool is_prim(const Type* t) {
  return t && t->kind == Type::kPrim;
}

// A number, also one whose type is open.
bool is_scalar(const Type* t) {
  return is_prim(t) || (t->kind == Type::kNamed && t->name.base == "number");
}

bool same(const Type* a, const Type* b) {
  if (a->kind != b->kind) return false;
  if (a->kind == Type::kPrim) return a->prim == b->prim;
  if (a->kind == Type::kArray) return same(a->elem, b->elem);
  return a == b;
}

std::string scalar_hint(Prim to, Prim from, const Exp* value) {
  if (value)
    if (std::string hint = literal_hint(*value, to); !hint.empty()) return hint;
  if (to == Prim::kBool) {
    const std::string zero = is_float(from) ? "0.0" : "0";
    return value ? "a number is no condition: write `" + short_text(without_parens(*value)) +
                       " != " + zero + "`"
                 : "a number is no condition: compare it with `!= " + zero + "`";
  }
  std::string out = conversion(to, from, value) + " converts it";
  if (is_float(from) && !is_float(to)) out += ", without its fraction";
  return out;
}

// `(-1)` looks like the section `(+ 1)`, but is a number.
std::string minus_hint(const Mismatch& m) {
  if (m.expected->kind != Type::kArrow || !m.value) return {};
  const Exp& value = without_parens(*m.value);
  if (const auto* minus = std::get_if<ENegate>(&value.node)) {
    const std::string text = text_of_argument(*minus->arg);
    return "`(-" + text + ")` is a number; the function that subtracts is `\\x -> x - " + text +
           "` or `(+ (-" + text + "))`";
  }
  if (std::holds_alternative<ELiteral>(value.node)) return "a function is needed here";
  return {};
}

// A function that returns a number where one is needed that answers a question.
std::string predicate_hint(const Mismatch& m) {
  if (!m.value || !is_prim(m.part_expected) || m.part_expected->prim != Prim::kBool) return {};
  const auto* fn = std::get_if<ELambda>(&without_parens(*m.value).node);
  if (!fn || m.expected->kind != Type::kArrow) return {};
  return "the function must say yes or no: compare its result, as in `" + short_text(*fn->body) +
         " == 0`";
}

// A function where its result is needed, or the other way round.
std::string function_hint(const Mismatch& m) {
  if (m.actual->kind == Type::kArrow && m.expected->kind != Type::kArrow &&
      m.expected->kind != Type::kMeta) {
    const size_t missing = parameters_of(m.actual);
    const std::string what = m.value ? "`" + short_text(*m.value) + "`" : "it";
    if (m.value && std::holds_alternative<ELambda>(without_parens(*m.value).node)) return {};
    return what + " is a function that still needs " + std::to_string(missing) + " argument" +
           (missing == 1 ? "" : "s");
  }
  if (m.expected->kind == Type::kArrow && m.actual->kind == Type::kArrow && m.value &&
      (std::holds_alternative<EApply>(without_parens(*m.value).node) ||
       std::holds_alternative<EVar>(without_parens(*m.value).node)) &&
      parameters_of(m.actual) > parameters_of(m.expected)) {
    const size_t have = parameters_of(m.actual), want = parameters_of(m.expected);
    return "`" + short_text(*m.value) + "` still needs " + std::to_string(have) +
           " arguments, but a function of " + std::to_string(want) + " is needed";
  }
  if (m.expected->kind == Type::kArrow && m.actual->kind != Type::kArrow &&
      m.actual->kind != Type::kMeta) {
    if (same(result_of_all(m.expected), m.actual) && m.value)
      return "a function is needed here: `\\_ -> " + short_text(*m.value) + "` is one";
    return "a function is needed here";
  }
  return {};
}

bool is_tuple_of_arrays(const Type* t) {
  return t->kind == Type::kRecord && is_tuple(*t) && t->fields.size() > 1 &&
         std::ranges::all_of(t->fields, [](auto& f) { return f.second->kind == Type::kArray; });
}

bool is_array_of_tuples(const Type* t) {
  return t->kind == Type::kArray && t->elem->kind == Type::kRecord && is_tuple(*t->elem);
}

std::string zip_hint(const Type* want, const Type* have) {
  if (is_tuple_of_arrays(want) && is_array_of_tuples(have))
    return "`unzip` makes a tuple of arrays of an array of tuples";
  if (is_array_of_tuples(want) && is_tuple_of_arrays(have))
    return "`zip` makes an array of tuples of several arrays";
  return {};
}

std::string array_hint(const Mismatch& m) {
  const Type *want = m.expected, *have = m.actual;
  const size_t want_rank = rank_of(want), have_rank = rank_of(have);
  if (element_of(want)->kind == Type::kMeta || element_of(have)->kind == Type::kMeta) return {};
  if (want_rank == have_rank) return {};
  if (!is_scalar(element_of(want)) || !is_scalar(element_of(have))) return zip_hint(want, have);
  const std::string what = m.value && is_atom(*m.value) ? short_text(*m.value) : "";
  if (want_rank == 0 && have_rank == 1 && is_scalar(want))
    return what.empty() ? "`map` applies a function to each element; `[i]` takes one of them"
                        : "`map f " + what + "` applies a function `f` to each element; `" + what +
                              "[i]` takes one of them";
  if (have_rank == 0 && want_rank == 1 && is_scalar(have))
    return what.empty()
               ? "`[x]` is an array of one element, `replicate n x` one of n"
               : "`[" + what + "]` is an array of one element, `replicate n " + what + "` one of n";
  if (want_rank + 1 == have_rank)
    return "it has a dimension too many: `map`, `flatten` or `[i]` take one away";
  if (have_rank + 1 == want_rank)
    return "it has a dimension too few: `[x]`, `unflatten` or `replicate n x` add one";
  return {};
}

std::string tuple_part_hint(const Mismatch& m) {
  if (m.expected->kind == Type::kRecord && is_tuple(*m.expected) && !m.expected->fields.empty() &&
      same(m.expected->fields[0].second, m.actual))
    return "its parts go together in one pair of parentheses, as in `f (x, y)`";
  return {};
}

// Fields that one record has and the other has not.
std::string record_hint(const Mismatch& m) {
  const Type *want = m.part_expected, *have = m.part_actual;
  if (!want || !have || want->kind != Type::kRecord || have->kind != Type::kRecord) return {};
  if (is_tuple(*want) || is_tuple(*have)) return {};
  std::vector<std::string> missing, extra, known;
  for (const auto& [name, field] : want->fields) {
    known.push_back(name);
    if (!find_field(*have, name)) missing.push_back(name);
  }
  for (const auto& [name, field] : have->fields)
    if (!find_field(*want, name)) extra.push_back(name);
  if (missing.size() == 1 && extra.size() == 1)
    return "the field must be called `" + missing[0] + "`, not `" + extra[0] + "`";
  std::string out;
  if (!missing.empty()) out = fmt::format("it lacks {}", fmt::join(missing, ", "));
  if (!extra.empty())
    out += (out.empty() ? "" : "; ") + fmt::format("it may not have {}", fmt::join(extra, ", "));
  return out;
}

}  // namespace

// Number literals that are written with a type.
std::string literal_hint(const Exp& value, Prim to) {
  const auto* lit = std::get_if<ELiteral>(&without_parens(value).node);
  if (!lit || lit->lit.kind == Literal::kBool || lit->lit.suffix.empty()) return {};
  return "write `" + lit->lit.text + name_of(to) + "`, or leave the suffix out";
}

std::string text_of_argument(const Exp& value) {
  const Exp& inner = without_parens(value);
  const std::string text = short_text(inner);
  return is_atom(inner) ? text : "(" + text + ")";
}

std::string applied(const std::string& function, const Exp* value) {
  constexpr size_t kLongest = 40;
  if (!value) return function + " …";
  const Exp& inner = without_parens(*value);
  const std::string text = short_text(inner);
  if (text.size() > kLongest || text.find('\n') != std::string::npos) return function + " (…)";
  return function + (is_atom(inner) ? " " + text : " (" + text + ")");
}

std::string conversion(Prim to, Prim from, const Exp* value) {
  return "`" + applied(name_of(to) + "." + name_of(from), value) + "`";
}

std::string mismatch_hint(const Mismatch& m) {
  if (!m.expected || !m.actual) return {};
  if (is_prim(m.expected) && is_prim(m.actual) && m.expected->prim != m.actual->prim)
    return scalar_hint(m.expected->prim, m.actual->prim, m.value);
  const size_t rank = rank_of(m.actual);
  if (rank == 1 && rank_of(m.expected) == 1 && is_prim(element_of(m.expected)) &&
      is_prim(element_of(m.actual)) && element_of(m.expected)->prim != Prim::kBool) {
    const std::string function =
        "map " + name_of(element_of(m.expected)->prim) + "." + name_of(element_of(m.actual)->prim);
    return "`" + applied(function, m.value) + "` converts its elements";
  }
  for (auto* hint :
       {minus_hint, predicate_hint, function_hint, array_hint, tuple_part_hint, record_hint})
    if (std::string text = hint(m); !text.empty()) return text;
  if (is_prim(m.part_expected) && is_prim(m.part_actual) &&
      m.part_expected->prim != m.part_actual->prim && m.part_expected->prim != Prim::kBool)
    return "`" + name_of(m.part_expected->prim) + "." + name_of(m.part_actual->prim) +
           "` converts " + name_of(m.part_actual->prim) + " to " + name_of(m.part_expected->prim);
  return {};
}

}  // namespace skald::futhark
