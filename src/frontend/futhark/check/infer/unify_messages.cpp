// SPDX-License-Identifier: Apache-2.0
// What is said about types that do not fit.
#include <algorithm>

#include "frontend/futhark/check/hints/mismatch.h"
#include "frontend/futhark/check/infer/unify.h"

namespace skald::futhark {

std::string Unifier::prims_text(PrimSet set) const {
  std::string out;
  for (Prim p : kAllPrims)
    if (set & prim_bit(p)) out += (out.empty() ? "" : ", ") + std::string(prim_name(p));
  return out;
}

std::string Unifier::prims_words(PrimSet set) const {
  if (set == kNumberPrims) return "a number";
  if (set == kFloatPrims) return "a floating-point number";
  if (set == kIntPrims) return "an integer";
  if (set == kSignedPrims) return "a signed integer";
  return "one of " + prims_text(set);
}

std::string Unifier::constrs_text(const Meta& m) {
  std::string out;
  for (const auto& [name, payload] : m.constrs) {
    out += (out.empty() ? "#" : " | #") + name;
    for (const Type* p : payload) out += " " + show(p);
  }
  return out;
}

// What is not known is called ?a, ?b, … in a message.
std::string Unifier::unknown_name(uint32_t id) {
  auto it = std::ranges::find(shown_, id);
  const auto at = static_cast<size_t>(it - shown_.begin());
  if (it == shown_.end()) shown_.push_back(id);
  const std::string number = at < 26 ? "" : std::to_string(at / 26);
  return std::string("?") + static_cast<char>('a' + at % 26) + number;
}

std::string Unifier::show(const Type* t) {
  TypeMapper m;
  m.on_leaf = [this](const Type* leaf) {
    if (leaf->kind == Type::kNamed) {
      // Types of different modules may have the same name.
      auto it = ctx_.abstract_names.find(leaf->name.id);
      if (it == ctx_.abstract_names.end()) return leaf;
      Type qualified = *leaf;
      qualified.name.base = it->second;
      return f_.make(std::move(qualified));
    }
    if (leaf->kind != Type::kMeta) return leaf;
    const Meta info = metas_[leaf->meta];
    std::string name;
    if (info.kind == Meta::kPrims) {
      if (info.prims == kNumberPrims) name = "number";
      if (info.prims == kFloatPrims) name = "float";
      if (info.prims == kIntPrims) name = "integer";
    } else if (info.kind == Meta::kRecord) {
      for (const auto& [field, type] : info.fields) name += field + ": " + show(type) + ", ";
      name = "{" + name + "...}";
    } else if (info.kind == Meta::kSum) {
      name = "(" + constrs_text(info) + " | ...)";
    }
    if (name.empty()) name = unknown_name(leaf->meta);
    return f_.named({name, 0}, Liftedness::kUnlifted);
  };
  return pretty(*map_type(f_, zonk(t), m));
}

std::string Unifier::show_both(std::string_view before_a, const Type* a, std::string_view before_b,
                               const Type* b) {
  std::string text = std::string(before_a) + show(a);
  text += "\n" + std::string(before_b) + show(b);
  return text;
}

void Unifier::report(const Type* a, const Type* b, const Reason& why) {
  std::string text;
  if (!whole_) {
    if (why.head) {
      text = why.head();
    } else {
      text = plain_head(a, b, why) + "Cannot unify\n";
      text += indented(show(a));
      text += "\nwith\n" + indented(show(b));
    }
    if (!note_.empty()) text += "\n" + note_;
  } else {
    text = note_;
    if (why.head) text += "\n" + why.head();
  }
  std::vector<source::Label> labels = why.labels;
  labels.insert(labels.end(), blamed_.begin(), blamed_.end());
  report_.error(code_.empty() ? "type-mismatch" : code_, why.span, text, std::move(labels),
                hint_for(a, b, why));
}

constexpr std::string_view kSomeFunction = "a function";

// A type for a sentence; empty if it is too long, or nothing is known about it.
std::string Unifier::plain_type(const Type* t) {
  constexpr size_t kLongest = 40;
  t = zonk(t);
  if (t->kind == Type::kMeta && metas_[t->meta].kind == Meta::kPrims)
    return prims_words(metas_[t->meta].prims);
  std::string text = show(t);
  if (text.find('?') != std::string::npos) {
    if (t->kind == Type::kArrow) return std::string(kSomeFunction);
    return t->kind == Type::kArray ? "an array" : "";
  }
  return text.size() <= kLongest && text.find('\n') == std::string::npos ? text : "";
}

std::string Unifier::plain_types(const std::string& before, const Type* expected,
                                 const Type* actual, const std::string& what) {
  std::string want = plain_type(expected);
  const std::string have = plain_type(actual);
  if (want.empty() || have.empty() || want == have) return {};
  const bool functions = zonk(expected)->kind == Type::kArrow && zonk(actual)->kind == Type::kArrow;
  if (functions && have == kSomeFunction) return {};
  if (functions && want == kSomeFunction) want += " of another type";
  return before + want + ", but " + what + " is " + have + "\n";
}

std::string Unifier::plain_head(const Type* a, const Type* b, const Reason& why) {
  const bool first = why.own == Reason::kFirst;
  if (!why.value) return {};
  return plain_types("the type must be ", first ? b : a, first ? a : b, "this");
}

std::string Unifier::hint_for(const Type* a, const Type* b, const Reason& why) {
  if (!hint_.empty()) return hint_;
  if (why.hint)
    if (std::string hint = why.hint(); !hint.empty()) return hint;
  const bool first = why.own == Reason::kFirst;
  Mismatch m;
  // A number whose type is open is no longer a variable, but also none of the primitive types.
  TypeMapper numbers;
  numbers.on_leaf = [this](const Type* leaf) {
    const bool is_number = leaf->kind == Type::kMeta && metas_[leaf->meta].kind == Meta::kPrims;
    return is_number ? f_.named({"number", 0}, Liftedness::kUnlifted) : leaf;
  };
  auto known = [&](const Type* t) { return map_type(f_, zonk(t), numbers); };
  m.actual = known(first ? a : b);
  m.expected = known(first ? b : a);
  if (clash_a_) {
    m.part_actual = known(first ? clash_a_ : clash_b_);
    m.part_expected = known(first ? clash_b_ : clash_a_);
  }
  m.value = why.value;
  std::string hint = mismatch_hint(m);
  if (hint.empty() && fraction_)
    hint = "a number with a fraction is f32 or f64; `i32.f64 x` rounds it toward zero";
  return hint;
}

}  // namespace skald::futhark
