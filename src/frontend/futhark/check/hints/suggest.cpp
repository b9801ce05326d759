// SPDX-License-Identifier: Apache-2.0
#include "frontend/futhark/check/hints/suggest.h"

#include <algorithm>
#include <iterator>

namespace skald::futhark {

namespace {

struct Elsewhere {
  std::string_view name, hint;
};

// Sorted by name.
constexpr Elsewhere kTypes[] = {
    {"Bool", "the type is called `bool`"},
    {"Double", "the type is called `f64`"},
    {"Float", "the type is called `f32` or `f64`"},
    {"Int", "the type is called `i32` or `i64`; sizes and indices are `i64`"},
    {"String", "strings are arrays of bytes: `[]u8`"},
    {"boolean", "the type is called `bool`"},
    {"byte", "the type is called `u8`"},
    {"char", "characters are bytes: `u8`"},
    {"double", "the type is called `f64`"},
    {"float", "the type is called `f32` or `f64`"},
    {"int", "the type is called `i32` or `i64`; sizes and indices are `i64`"},
    {"integer", "the type is called `i32` or `i64`; sizes and indices are `i64`"},
    {"isize", "the type is called `i64`"},
    {"list", "there are only arrays: `[]i32` is an array of `i32`"},
    {"long", "the type is called `i64`"},
    {"number", "number types have a size: `i32`, `i64`, `f32`, `f64` and others"},
    {"real", "the type is called `f32` or `f64`"},
    {"short", "the type is called `i16`"},
    {"string", "strings are arrays of bytes: `[]u8`"},
    {"uint", "the type is called `u32` or `u64`"},
    {"unit", "the empty tuple is written `()`"},
    {"unsigned", "the type is called `u32` or `u64`"},
    {"usize", "sizes and indices are `i64`"},
    {"void", "the empty tuple is written `()`"},
};

constexpr Elsewhere kValues[] = {
    {"/=", "inequality is written `!=`"},
    {"<>", "inequality is written `!=`"},
    {"=>", "a function is written `\\x -> …`"},
    {"=/=", "inequality is written `!=`"},
    {"False", "the value is called `false`"},
    {"True", "the value is called `true`"},
    {"append", "arrays are joined with `xs ++ ys`"},
    {"array", "an array is written `[1, 2, 3]`, or made by `replicate n x` or `tabulate n f`"},
    {"concat_map", "there are no arrays of arrays of different lengths; see `flatten`"},
    {"cons", "`[x] ++ xs` puts an element in front"},
    {"div", "integers are divided with `/`"},
    {"double", "`f64.i64 n` makes an f64 of an i64; write the type that you have behind the dot"},
    {"elem", "`any (== x) xs` says whether x is among the elements"},
    {"enumerate", "`zip (indices xs) xs` pairs elements with their indices"},
    {"float", "`f32.i64 n` makes an f32 of an i64; write the type that you have behind the dot"},
    {"fold", "use `reduce` for associative operators, `foldl` and `foldr` for others"},
    {"foldl1", "use `reduce` with a neutral element, or `foldl`"},
    {"for", "a loop is written `loop acc = start for i < n do …`"},
    {"int", "`i64.f32 x` makes an i64 of an f32; write the type that you have behind the dot"},
    {"len", "the number of elements is `length xs`"},
    {"mod", "the remainder is `x % y`"},
    {"not", "negation is written `!x`"},
    {"null", "there is no null; a sum type such as `#some x | #none` says that a value is missing"},
    {"otherwise", "the last branch is written `else`, or `case _`"},
    {"print", "programs return their results; `trace x` prints a value while it runs"},
    {"range", "`iota n` is 0, 1, …, n-1; `a..<b` goes from a to b-1"},
    {"rem", "the remainder is `x % y`"},
    {"return", "a function is its last expression; there is no `return`"},
    {"seq", "`a..<b` goes from a to b-1"},
    {"size", "the number of elements is `length xs`"},
    {"skip", "use `drop k xs`"},
    {"sort", "sorting is not part of the prelude; libraries have `radix_sort` and `merge_sort`"},
    {"sqr", "write `x * x` or `x ** 2`"},
    {"square", "write `x * x` or `x ** 2`"},
    {"where", "local definitions come first: `let y = … in …`"},
    {"while", "a loop is written `loop x = start while condition do …`"},
    {"xor", "exclusive or is `a ^ b` for integers and `a != b` for bool"},
    {"zipWith", "use `map2`"},
    {"zipwith", "use `map2`"},
    {"zip_with", "use `map2`"},
};

template <size_t N>
std::string find(const Elsewhere (&table)[N], std::string_view name) {
  const auto* it = std::ranges::find(table, name, &Elsewhere::name);
  return it == std::end(table) ? std::string() : std::string(it->hint);
}

}  // namespace

std::string attribute_hint(const std::string& name) {
  static const std::vector<std::string> kKnown = {
      "blank",     "break",           "flattening", "incremental_flattening",
      "inline",    "noinline",        "opaque",     "param",
      "prop",      "scratch",         "sequential", "sequential_inner",
      "stripmine", "trace",           "unroll",     "unsafe",
      "warn",      "sequential_outer"};
  if (name.size() < 4 || std::ranges::find(kKnown, name) != kKnown.end()) return {};
  return did_you_mean(nearest(name, kKnown));
}

std::string known_elsewhere_as_value(std::string_view name) {
  return find(kValues, name);
}

std::string known_elsewhere_as_type(std::string_view name) {
  return find(kTypes, name);
}

}  // namespace skald::futhark
