// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/base/rules.h"

#include <algorithm>

namespace skald::futhark {

namespace {

struct Rule {
  std::string_view code, text;
};

// Sorted by code.  The pages in docs/errors say the same at length, with examples.
constexpr Rule kRules[] = {
    {"alias-free-variable", "what a function returns may not share memory with a global value"},
    {"aliased-argument",
     "a `*` parameter takes its argument away, so no other argument may share its memory"},
    {"aliases-previously-returned",
     "a loop parameter that is consumed may not share memory with another one"},
    {"ambiguous-size", "every size must follow from the values that the expression is made of"},
    {"ambiguous-type", "nothing in the definition says what the type is"},
    {"anonymous-nonconstructive",
     "a hidden size must be the size of some array inside, or nothing could tell it"},
    {"anonymous-size", "all sizes must be written down here"},
    {"causality-check", "sizes are computed in the order of evaluation"},
    {"consuming-argument", "a function that is passed on may not consume while it is made"},
    {"consuming-loop-param-aliases",
     "what the loop consumes in the next round must belong to the loop alone"},
    {"contains-consumption", "a function may run many times, so it may not take anything away"},
    {"duplicate-constructor", "the constructors of a sum type must be different"},
    {"duplicate-definition", "a file or module defines a name at most once"},
    {"duplicate-field", "the fields of a record must be different"},
    {"duplicate-name", "the names in patterns and parameters must be different"},
    {"equality", "`==` compares values, and functions are none"},
    {"existential-param-ret", "a function cannot be called before the sizes it needs are known"},
    {"functional-type",
     "which function is called must be known at compile time, so functions cannot come out of "
     "branches, loops and arrays"},
    {"higher-order-entry", "functions cannot be passed to or from the outside"},
    {"inaccessible-size", "only the name of a whole parameter is visible outside of its pattern"},
    {"inclusion-shadows", "a module type has one type of a name"},
    {"lifted-element", "all elements of an array have the same shape"},
    {"lifted-type", "types with hidden sizes or functions must be marked `~` or `^`"},
    {"literal-out-of-bounds", "a literal without a suffix must fit its type"},
    {"loop-existential", "the sizes of loop parameters are those of their initial values"},
    {"loop-parameter-aliases-other",
     "a loop parameter that is consumed may not share memory with another one"},
    {"loop-pattern", "without `=`, the pattern of a loop is also its initial value"},
    {"loop-variant-escape", "a size that changes in the loop means nothing outside of it"},
    {"may-not-be-redefined", "`&&` and `||` evaluate their right side only if needed"},
    {"module-is-parametric", "a parametric module is a function from modules to modules"},
    {"nested-entry", "only definitions of the main file are visible from outside"},
    {"nonconstructive-entry", "the arguments of an entry point must tell all its sizes"},
    {"not-consumable", "only `*` parameters and values made locally may be consumed"},
    {"not-parametric", "only parametric modules take arguments"},
    {"occurs-check", "a type cannot be part of itself"},
    {"overlapping-update", "the array is overwritten while the value is still read"},
    {"polymorphic-entry", "types cannot be passed from the outside"},
    {"prelude-import", "the prelude is in scope everywhere"},
    {"recursion", "recursive functions are compiled once, for arguments that are plain values"},
    {"refine-type", "`with` refines an abstract type of the same parameters"},
    {"refutable-pattern", "only `match` may have patterns that do not fit every value"},
    {"return-aliased", "a `*` result belongs to the caller alone"},
    {"scope-violation", "what is chosen outside cannot depend on names bound inside"},
    {"self-aliasing-arg", "a `*` parameter may consume its components one after the other"},
    {"size-polymorphic-entry", "the arguments of an entry point must tell all its sizes"},
    {"size-polymorphic-value", "a value that is computed once has sizes that are known once"},
    {"too-many-constructors", "the tag of a sum type is a byte"},
    {"top-level-size", "a type with a hidden size needs a value around it that tells the size"},
    {"type-arguments", "a type takes exactly the arguments of its definition"},
    {"type-too-large", "every part of a type becomes a value of its own"},
    {"underscore-field", "a name that begins with `_` promises that it is not used"},
    {"underscore-use", "a name that begins with `_` promises that it is not used"},
    {"unify-consuming-param", "who calls the function must know whether it consumes"},
    {"unique-constant", "a top-level value is shared by all who use it"},
    {"unique-return-aliased", "a `*` result belongs to the caller alone"},
    {"unknown-name", "names are visible from the line after their definition"},
    {"unknown-param-def", "a function cannot be called before the sizes it needs are known"},
    {"unmatched-cases", "a match must have a case for every value"},
    {"unused-existential", "a hidden size must be the size of some array"},
    {"unused-size", "the value of a size parameter is taken from the size of an argument"},
    {"use-after-consume", "what was consumed is gone, and all that shares its memory with it"},
};

}  // namespace

std::string rule_of(std::string_view code) {
  const auto* it = std::ranges::lower_bound(kRules, code, {}, &Rule::code);
  return it != std::end(kRules) && it->code == code ? std::string(it->text) : std::string();
}

}  // namespace skald::futhark
