// SPDX-License-Identifier: Apache-2.0
// What is said about sizes that differ: where they come from, and what to do.
#include <algorithm>

#include "frontend/futhark/check/base/walk.h"
#include "frontend/futhark/check/hints/mismatch.h"
#include "frontend/futhark/check/sizes/unifying.h"

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

bool is_array(const Type* t) {
  return t->kind == Type::kArray;
}

}  // namespace

// A size that is computed somewhere and that nobody has given a name.
bool Sizes::is_invented(const Exp* e) {
  const SizeVar* v = find(size_var_id(e));
  if (!v || v->kind != SizeVar::kUnknown || v->plain.empty()) return false;
  const std::string& name = v->name.base;
  return name == "d" || name == "loop" || name == "range_dim";
}

// A type as people would write it: sizes without a name are left out.
std::string Sizes::show(const Type* t) {
  TypeMapper m;
  m.on_size = [this](const Exp* e) -> const Exp* {
    e = norm(e);
    SizeVar* v = find(size_var_id(e));
    const bool nameless = v && (v->name.base == "d" || v->name.base.starts_with("loop"));
    const bool open = v && ((!is_rigid(*v) && nameless) || v->kind == SizeVar::kWrong);
    return open || is_invented(e) ? nullptr : as_shown(e);
  };
  return pretty(*map_type(f_, t, m));
}

// The same with `[]` for sizes that are known only when the program runs.
std::string Sizes::show_open(const Type* t) {
  TypeMapper m;
  m.on_size = [this](const Exp* e) -> const Exp* {
    IdSet vars;
    e = norm(e);
    free_in_size(*e, vars);
    const bool written = std::ranges::all_of(vars, [&](uint32_t id) {
      const SizeVar* v = find(id);
      return !v || (v->kind == SizeVar::kParam && !v->of_type);
    });
    return written ? e : nullptr;
  };
  return pretty(*map_type(f_, t, m));
}

// Whether all its sizes have names, or are numbers.
bool Sizes::can_be_written(const Type* t) {
  return std::ranges::all_of(free_sizes(norm(t)), [&](uint32_t id) {
    const SizeVar* v = find(id);
    return !v || (v->kind == SizeVar::kParam && !v->of_type);
  });
}

// "\"n\"", or in words if nobody has given it a name.
std::string Sizes::size_words(const Exp* e) {
  e = norm(e);
  const SizeVar* v = find(size_var_id(e));
  if (v && v->kind == SizeVar::kUnknown && !v->plain.empty()) return v->plain;
  return quote(show(e));
}

void Sizes::label_origins(const Exp* e, std::vector<source::Label>& labels) {
  IdSet vars;
  free_in_size(*norm(e), vars);
  std::vector<uint32_t> in_order(vars.begin(), vars.end());
  std::ranges::sort(in_order);
  for (uint32_t id : in_order) {
    const SizeVar* v = find(id);
    if (!v || !v->span.known() || v->span.file.index < ctx_.first_user_file) continue;
    if (std::ranges::any_of(labels, [&](const source::Label& l) { return l.span == v->span; }))
      continue;
    if (v->kind == SizeVar::kParam)
      labels.push_back({v->span, "`" + v->name.base + "` comes from here"});
    if (v->kind == SizeVar::kUnknown && v->span.end > v->span.begin)
      labels.push_back(
          {v->span, v->plain.empty() ? "its size is known only here" : "its size is " + v->plain});
  }
}

std::string Sizes::size_headline(const Unifying& u) {
  const std::string value = u.why.value ? quote(short_text(*u.why.value)) : "this";
  if (u.irregular)
    return value +
           " returns arrays of different lengths, and all rows of an array are equally long";
  const std::string want = size_words(u.expected), have = size_words(u.actual);
  switch (u.why.role) {
    case SizeWhy::kArgument:
      return (u.why.function.empty() ? "the function" : quote(u.why.function)) +
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
    case SizeWhy::kOther: return "size " + want + " is needed here, but the size is " + have;
  }
  return {};
}

std::string Sizes::size_hint(const Unifying& u, const Type* expected, const Type* actual) {
  if (u.irregular)
    return "make all rows equally long (`replicate`, `take`), or compute one flat array";
  const Exp *want = norm(u.expected), *have = norm(u.actual);
  if (!is_array(expected) || !is_array(actual)) return {};
  if (u.why.role == SizeWhy::kResult && (is_constant(want) == is_constant(have))) {
    const std::string declare = "declare the result as `" + show_open(actual) + "`";
    if (is_constant(want)) return declare;
    if (same_words(show(want), show(have)))
      return "sizes are compared as they are written: " + declare;
  }
  if (is_constant(want) && is_constant(have)) return {};
  if (same_words(show(want), show(have)))
    return "sizes are compared as they are written; write both as `" + show(want) + "`";
  const std::string type = show(f_.with_unique(expected, false));
  const std::string check = applied("", u.why.value).substr(1) + " :> " + type;
  const SizeVar* v = find(size_var_id(have));
  const std::string checked =
      v && v->kind == SizeVar::kUnknown
          ? "if both are always equally long, `" + check +
                "` says so; it is checked when the program runs"
          : "`" + check + "` promises that they are equal; this is checked when the program runs";
  switch (u.why.role) {
    case SizeWhy::kResult:
      return "declare the result as `" + show_open(actual) +
             (can_be_written(actual) ? "`; or promise that the sizes are equal: `" + check + "`"
                                     : "`: `[]` leaves a size open");
    case SizeWhy::kLoop:
      return "`[]` in the type of the loop parameter leaves its size open, as in `loop (xs: " +
             std::string(expected->elem->kind == Type::kArray ? "[][]" : "[]") + "t) = …`";
    default: return can_be_written(expected) ? checked : std::string();
  }
}

bool Sizes::size_mismatch(Unifying& u, const Exp* a, const Exp* b) {
  u.expected = a;
  u.actual = b;
  auto is_inst = [&](const Exp* var, const Exp* other) {
    SizeVar* v = find(size_var_id(var));
    return v && is_bound(u, other) &&
           (v->kind == SizeVar::kInst || v->kind == SizeVar::kCopy ||
            v->kind == SizeVar::kExistential);
  };
  const bool first = is_inst(a, b);
  u.irregular = first || is_inst(b, a);
  if (u.irregular) {
    u.text = "Sizes do not match: " + quote(show(first ? b : a)) +
             " is known only inside of the function.\nThis is because a type parameter would be "
             "instantiated with a type containing anonymous sizes.";
    return false;
  }
  if (is_invented(a) || is_invented(b))
    u.text =
        "Sizes do not match: one is " + size_words(a) + ", the other is " + size_words(b) + ".";
  else
    u.text = "Sizes " + quote(show(a)) + " and " + quote(show(b)) + " do not match.";
  u.text += notes_for(a) + notes_for(b);
  return false;
}

// The size of a variable that is another one than needed follows it everywhere.
bool Sizes::told_before(const Unifying& u) {
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

void Sizes::report_mismatch(const Unifying& u, const Type* expected, const Type* actual) {
  std::string text = u.why.head ? u.why.head() : "";
  if (!u.text.empty()) text += (text.empty() ? "" : "\n\n") + u.text;
  if (!u.where.empty()) text += "\n" + u.where;
  std::vector<source::Label> labels = u.why.labels;
  std::string hint;
  Span at = u.why.span;
  if (u.expected) {
    text = size_headline(u) + "\n" + text;
    hint = size_hint(u, expected, actual);
    label_origins(u.expected, labels);
    label_origins(u.actual, labels);
    const Exp* value = u.why.value;
    while (value && std::holds_alternative<EParens>(value->node))
      value = std::get<EParens>(value->node).inner.get();
    const auto* fn = value ? std::get_if<ELambda>(&value->node) : nullptr;
    if (u.irregular && fn) at = fn->body->span;
  }
  report_.error(u.code.empty() ? "size-mismatch" : u.code, at, text, std::move(labels),
                std::move(hint));
}

namespace {

const TypeExp* ascribed_type(const Pat& p) {
  if (auto* x = std::get_if<PParens>(&p.node)) return ascribed_type(*x->inner);
  if (auto* x = std::get_if<PAttr>(&p.node)) return ascribed_type(*x->inner);
  if (auto* x = std::get_if<PAscript>(&p.node)) return x->type.get();
  return nullptr;
}

std::string first_name(const Pat& p) {
  std::string out;
  for_each_bound(p, [&](const Ident& n, const Pat&) {
    if (out.empty()) out = n.name;
  });
  return out;
}

}  // namespace

// A parameter of type []t takes arrays of any size, says its author.  If the body makes the size a
// number, or that of another parameter, calls with others fail.
void Sizes::warn_fixed_sizes(const FunParts& parts) {
  if (!ctx_.options.warnings || parts.span.file.index < ctx_.first_user_file) return;
  // The first parameter of each size that is still open.
  struct First {
    std::string name;
    Span decided;
  };
  std::unordered_map<uint32_t, First> first;
  for (const auto& p : *parts.params) {
    const TypeExp* te = ascribed_type(*p);
    auto known = te ? d_.type_exps.find(te) : d_.type_exps.end();
    if (known == d_.type_exps.end()) continue;
    for (const auto* names : {&known->second.anonymous, &known->second.exts})
      for (const VName& n : *names) {
        const SizeVar* v = find(n.id);
        auto written = ctx_.bound_at.find(n.id);
        if (!v || written == ctx_.bound_at.end()) continue;
        const Exp* size = strip_size(norm(f_.size_var(n)));
        const uint32_t id = size_var_id(size);
        const SizeVar* now = id ? find(id) : nullptr;
        const bool open = now && (now->kind == SizeVar::kFlex || now->name.base == "d");
        const auto [it, is_new] = first.emplace(id, First{first_name(*p), v->decided});
        if (open && is_new) continue;
        const std::string what = open ? "that of " + quote(it->second.name) : quote(show(size));
        source::Diagnostic w;
        w.severity = source::Severity::kWarning;
        w.code = "fixed-size";
        w.what = quote(first_name(*p)) + " is declared with any size, but its size must be " + what;
        w.labels.push_back({written->second, "`[]` says: any size"});
        const Span decided = v->decided.known() || !open ? v->decided : it->second.decided;
        if (decided.known() && decided.file.index >= ctx_.first_user_file)
          w.labels.push_back({decided, "here its size must be " + what});
        w.why = "calls with arrays of other sizes are rejected";
        w.hint = open ? "give both one size: `[n]` in front of the parameters, and in both types"
                      : "write the size that it must have: `[" + show(size) + "]`";
        ctx_.diagnostics.add(std::move(w));
      }
  }
}

}  // namespace skald::futhark
