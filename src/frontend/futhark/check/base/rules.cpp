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
    {"unknown-param-def", "a function cannot be called before the sizes it needs are known"},
    {"unmatched-cases", "a match must have a case for every value"},
    {"unused-existential", "a hidden size must be the size of some array"},
    {"unused-size", "the value of a size parameter is taken from the size of an argument"},
    {"use-after-consume", "what was consumed is gone, and all that shares its memory with it"},
};

// Sorted by code.  What to do where the message itself knows nothing better.
constexpr Rule kWays[] = {
    {"anonymous-nonconstructive", "give the type a size parameter, as in `type t [n] = …`"},
    {"cyclic-import", "move what both files need into a third one"},
    {"duplicate-constructor", "rename one of them"},
    {"duplicate-definition", "rename one of them"},
    {"duplicate-field", "leave one of them out, or rename it"},
    {"duplicate-name", "rename one of them"},
    {"equality", "compare what the functions return, or other parts of the values"},
    {"functional-type", "apply the function inside, and pass its result on"},
    {"inaccessible-size", "make the size a parameter of its own, as in `(n: i64)`"},
    {"lifted-element", "keep plain values in the array, and apply the function when it is needed"},
    {"literal-out-of-bounds", "take a wider type, or a smaller number"},
    {"loop-variant-escape",
     "promise the size that is needed in each round, with `:>`; or cut it out, with `take`"},
    {"may-not-be-redefined", "choose another name for the operator"},
    {"module-is-parametric", "apply it to a module first: `m (arg)`"},
    {"nested-entry", "make an entry point at the top level that calls it"},
    {"not-parametric", "leave the argument out"},
    {"occurs-check", "write down the types of the parameters, and see which does not fit"},
    {"refine-type", "refine a type that the module type leaves open, as in `type t`"},
    {"scope-violation", "write down the type of what is bound outside"},
    {"size-expression-bind", "give the size a name before, with `let`, and use the name"},
    {"size-polymorphic-value", "make the size a parameter, as in `(n: i64)`"},
    {"top-level-size", "write the size in the type, as in `[3]i32`"},
    {"underscore-use", "give it a name without `_`"},
    {"unify-consuming-param", "consume a copy inside: `\\x -> f (copy x)`"},
    {"unknown-param-def",
     "give the function all its arguments, or bind the argument with `let` first"},
    {"unused-existential", "leave the size out"},
    {"unused-size", "leave it out, or make it the size of a parameter"},
};

// Sorted by code.  Headlines for messages that begin with a type.
constexpr Rule kHeadlines[] = {
    {"aliased-argument", "a consumed argument shares memory with another argument"},
    {"anonymous-nonconstructive", "a size parameter that no value tells"},
    {"causality-check", "a size is needed before it is known"},
    {"consuming-argument", "an argument that is a function consumes something"},
    {"contains-consumption", "a function that may run many times consumes something"},
    {"equality", "these values cannot be compared"},
    {"functional-type", "a function stands where only plain values may be"},
    {"inaccessible-size", "this size cannot be seen from outside"},
    {"lifted-type", "the type hides sizes or functions, which is not allowed here"},
    {"overlapping-update", "the new value may share memory with the array that is changed"},
    {"recursion", "a recursive function must return plain values"},
    {"size-mismatch", "the types do not fit"},
    {"type-mismatch", "the types do not fit"},
};

template <size_t N>
std::string text_for(const Rule (&rules)[N], std::string_view code) {
  const auto* it = std::ranges::lower_bound(rules, code, {}, &Rule::code);
  return it != std::end(rules) && it->code == code ? std::string(it->text) : std::string();
}

}  // namespace

std::string rule_of(std::string_view code) {
  return text_for(kRules, code);
}

std::string way_out_of(std::string_view code) {
  return text_for(kWays, code);
}

std::string headline_of(std::string_view code) {
  return text_for(kHeadlines, code);
}

}  // namespace skald::futhark
