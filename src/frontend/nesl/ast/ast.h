// SPDX-License-Identifier: Apache-2.0
// The syntax of NESL as a tree.
//
// Names are folded to lower case.  Operators, subscripts and the like are calls of functions of the
// library (Var::is_library), whatever the program calls its own things.  Tuples are pairs nested to
// the right: (a, b, c) is Pair{a, Pair{b, c}}, in expressions, patterns and types alike.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "source/source.h"

namespace skald::nesl {

using source::Span;

struct Exp;
using ExpPtr = std::unique_ptr<Exp>;
struct Pattern;
using PatternPtr = std::unique_ptr<Pattern>;
struct TypeExp;
using TypeExpPtr = std::unique_ptr<TypeExp>;

// A type as it is written.  `name` is "int", a type variable, a datatype, or one of "[]", "," and
// "->", which have one, two and two arguments.
struct TypeExp {
  Span span;
  std::string name;
  std::vector<TypeExpPtr> args;
};

// a in number
struct ClassBound {
  Span span;
  std::string variable, class_name;
};

struct PatternVar {
  std::string name;
};
struct PatternPair {
  PatternPtr first, second;
};
// vect(p): what is inside a value of a datatype.
struct PatternRecord {
  std::string name;
  PatternPtr inner;
};
struct Pattern {
  Span span;
  std::variant<PatternVar, PatternPair, PatternRecord> node;
};

struct IntLit {
  int64_t value;
};
struct FloatLit {
  double value;
};
struct BoolLit {
  bool value;
};
struct CharLit {
  uint8_t value;
};
struct StringLit {
  std::string text;
};
struct Var {
  std::string name;
  bool is_library = false;  // not what the program calls so
};
struct Apply {
  ExpPtr fn, arg;
};
struct Pair {
  ExpPtr first, second;
};
struct If {
  ExpPtr cond, then, otherwise;
};
struct Let {
  PatternPtr pattern;
  ExpPtr value, body;
};
// pattern => body
struct Lambda {
  PatternPtr pattern;
  ExpPtr body;
};
struct Source {
  PatternPtr pattern;
  ExpPtr sequence;
};
// {body : sources | filter}
struct Each {
  bool is_serial = false;
  ExpPtr body;
  std::vector<Source> sources;
  ExpPtr filter;  // may be null
};
struct SequenceLit {
  std::vector<ExpPtr> elements;
};
// [] type
struct EmptySequence {
  TypeExpPtr element;
};
// [start : end : stride]
struct Range {
  ExpPtr start, end;
  ExpPtr stride;  // may be null
};
struct Time {
  ExpPtr value;
};
// name := value, an argument by name or a parameter with a default.
struct Named {
  std::string name;
  ExpPtr value;
};
// An expression that stands elsewhere: a default, or an argument that got company.
struct Borrowed {
  const Exp* exp;
};
struct Exp {
  Span span;
  std::variant<IntLit, FloatLit, BoolLit, CharLit, StringLit, Var, Apply, Pair, If, Let, Lambda,
               Each, SequenceLit, EmptySequence, Range, Time, Named, Borrowed>
      node;
};

// The type that a function or datatype is declared with.
struct Signature {
  TypeExpPtr type;
  std::vector<ClassBound> bounds;
};
// A parameter that callers may leave out.
struct DefaultParam {
  std::string name;
  ExpPtr value;
};
struct FunctionDef {
  std::string name;
  Span name_span;
  PatternPtr param;
  std::vector<DefaultParam> defaults;  // the last parameters
  int plain_params = 0;                // before them; only counted if there are defaults
  std::optional<Signature> signature;
  ExpPtr body;  // null: declared only
};
struct DatatypeDef {
  std::string name;
  Span name_span;
  Signature inner;
};
// A null pattern stands for `it`.
struct Binding {
  PatternPtr pattern;
  ExpPtr value;
};
struct Form {
  Span span;
  std::variant<FunctionDef, DatatypeDef, Binding> node;
};
struct SourceProgram {
  std::vector<Form> forms;
};

// Calls `visit` with the expressions directly inside, from left to right.
void for_each_child(const Exp& exp, const std::function<void(const Exp&)>& visit);

// The names that a pattern binds, from left to right.
std::vector<std::string> bound_names(const Pattern& pattern);

}  // namespace skald::nesl
