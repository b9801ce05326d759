// SPDX-License-Identifier: Apache-2.0
// Types during inference: constructors applied to types, and variables that stand for a type yet to
// be found, each with the class it must belong to.
//
// Constructors: int float bool char; "[]" (one argument), "," and "->" (two), and datatypes.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace skald::nesl {

struct Type;
using TypeRef = Type*;

// A class is a set of base types, or all types.
using ClassSet = uint8_t;
inline constexpr ClassSet kIntBit = 1, kFloatBit = 2, kBoolBit = 4, kCharBit = 8;
inline constexpr ClassSet kAnyClass = 0xFF;
inline constexpr ClassSet kNumberClass = kIntBit | kFloatBit;
inline constexpr ClassSet kOrdinalClass = kIntBit | kFloatBit | kCharBit;
inline constexpr ClassSet kLogicalClass = kIntBit | kBoolBit;

// 0 if there is no such class.
ClassSet class_from_name(std::string_view name);
std::string class_name(ClassSet set);
// The bit of a base type; 0 for others.
ClassSet base_bit(std::string_view name);

struct Type {
  std::string name = {};  // of a constructor; a variable has none
  std::vector<TypeRef> args = {};
  // What a variable turned out to be; for others, an equal type that stands for it, so that parts
  // that occur often are looked at once.
  TypeRef link = nullptr;
  ClassSet members = kAnyClass;  // of a variable
  bool is_variable() const { return name.empty(); }
};

// Owns all types of a program.
class Types {
 public:
  TypeRef variable(ClassSet members = kAnyClass);
  TypeRef make(std::string name, std::vector<TypeRef> args = {});
  TypeRef sequence(TypeRef element) { return make("[]", {element}); }
  TypeRef pair(TypeRef a, TypeRef b) { return make(",", {a, b}); }
  TypeRef arrow(TypeRef from, TypeRef to) { return make("->", {from, to}); }
  TypeRef base(std::string_view name) { return make(std::string(name)); }

  // A copy with new variables for all that are not known.
  TypeRef instantiate(TypeRef type);
  TypeRef instantiate(TypeRef type, std::map<TypeRef, TypeRef>& fresh);

  // Makes two types equal.  False if they cannot be; variables may be changed then, too.
  bool unify(TypeRef a, TypeRef b);

 private:
  bool bind(TypeRef variable, TypeRef to);
  std::deque<Type> all_;
};

// What a variable turned out to be, if it is known.
TypeRef resolved(TypeRef type);
// Whether it has more parts, written out, than that.
bool is_larger(TypeRef type, int limit);

// "[int]", "(a, b) -> [a]"; `names` are those that variables have already.
std::string type_text(TypeRef type, std::map<TypeRef, std::string>& names);
// With the classes: "[a] -> a :: (a in number)".
std::string type_text(TypeRef type);

}  // namespace skald::nesl
