// SPDX-License-Identifier: Apache-2.0
// What forward and reverse mode have in common: the types of all names, code under construction,
// and what could not be differentiated.
//
// Read next: differentiate.cpp (the pass), activity.h, partials.h, forward/forward.h,
// reverse/reverse.h.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/edit/builder.h"
#include "core/ir/name_map.h"
#include "passes/differentiate/base/problem.h"

namespace skald::passes::ad {

using namespace core;

// Shared by all derivatives of a program.
struct Session {
  explicit Session(Program& p) : prog(p) {}

  Type type_of(const Operand& operand) const;
  // Remembers the types of everything that the code binds.
  void learn(const Body& body);
  void learn(const Stmt& stmt);
  void learn(const std::vector<Param>& params);
  void report(Loc loc, std::string what);
  // Finds the functions that call themselves, perhaps through others.
  void find_recursive();

  // A function of the program, or one made here.
  const Function* find(const std::string& name) const;

  Program& prog;
  NameMap<Type> types;
  std::vector<Problem> problems;
  std::unordered_set<std::string> recursive;  // functions
  // Derivatives of functions that call themselves: new functions, by the names of the old ones.
  std::deque<Function> made;
  std::unordered_map<std::string, std::string> tangents_of, cotangents_of;
  // Brings a function into the form that rules know; for reverse mode rules of one's own stay.
  std::function<void(Lambda&, bool reverse)> prepare;
  // Bytes that the tapes of a loop may take; 0: any number.
  int64_t tape_memory = 0;
};

// Can a value of this type have a tangent other than zero?
bool carries(const Type& type);

// Statements under construction; remembers the types of what they bind.
class Emit {
 public:
  explicit Emit(Session& session, Loc loc = {}) : session_(session), builder_(session.prog) {
    builder_.set_loc(loc);
  }

  Session& session() { return session_; }
  Builder& b() { return builder_; }
  Loc loc() const { return builder_.loc(); }
  void set_loc(Loc loc) { builder_.set_loc(loc); }
  Name fresh(std::string_view base) { return session_.prog.names.fresh(base); }

  Name let1(Type type, Exp exp, std::string_view base = "t", std::vector<Name> tokens = {});
  std::vector<Name> let(const std::vector<Type>& types, Exp exp, std::string_view base = "t",
                        std::vector<Name> tokens = {});
  void let_pat(std::vector<Param> pat, Exp exp, std::vector<Name> tokens = {});
  void append(Stmt stmt);
  // Gives an old name a value.
  void bind(Name name, const Type& type, const Operand& value);

  // Zero of that type; arrays are new.
  Operand zero(const Type& type);
  // Sum of two values of that type.
  Operand add(const Operand& x, const Operand& y, const Type& type);
  // Operators on scalars; constants are folded.
  Operand un(UnOpKind op, Prim type, const Operand& x);
  Operand bin(BinOpKind op, Prim type, const Operand& x, const Operand& y);
  Operand cmp(CmpOpKind op, Prim type, const Operand& x, const Operand& y);
  Operand convert(Prim from, Prim to, const Operand& x);
  Operand both(const Operand& x, const Operand& y);
  Operand either(const Operand& x, const Operand& y);
  Operand select(const Operand& cond, const Operand& x, const Operand& y);
  // The number of elements of that shape.
  Operand product(const std::vector<Operand>& shape);
  Operand neg(Prim type, const Operand& x) { return un(UnOpKind::kNeg, type, x); }
  Operand mul(Prim type, const Operand& x, const Operand& y);
  // The same value under a type whose sizes have other names.
  Operand coerce(const Operand& value, const Type& type);
  // The sum over the `count` outermost dimensions of an array of that type.
  Operand sum_outer(const Operand& array, const Type& type, int count);
  Name index(Name array, std::vector<DimSlice> slice, std::vector<Name> tokens = {});
  Operand row(Name array, const Operand& at);

  using Rows = std::vector<Operand>;
  // A map over arrays of `width` rows, or over the numbers below it: `f` gets the index last.
  std::vector<Name> map(const Operand& width, const std::vector<Name>& inputs,
                        const std::function<Rows(Emit&, const Rows&)>& f);
  // Statements and results; what nobody uses is left out.
  Body finish(std::vector<Operand> results);

 private:
  Operand known(const Operand& operand, Prim type);

  Session& session_;
  Builder builder_;
};

// An array of the given slice's shape, with the dimensions that it does not mention.
std::vector<Operand> slice_shape(const Type& array, const std::vector<DimSlice>& slice);
DimSlice at_index(Operand index);
DimSlice whole(Operand count);

// Leaves out statements that nobody uses.  Checks stay if something in `body` relies on them.
void remove_unused(Body& body);

// A copy whose names are known to the session.
Lambda fresh_lambda(Session& session, const Lambda& fn);
// The rest of a function applied to operands: its body with parameters bound in `out`.
Body open_lambda(Emit& out, Lambda fn, const std::vector<Operand>& args);

// A function on elements of these arrays that gives back its arguments.
Lambda same_values(const std::vector<Name>& arrays, Emit& out);
// x + y on values of these types.
Lambda addition(Session& session, const std::vector<Type>& types);
// Is it addition of numbers, component by component (also of whole arrays)?
bool is_addition(const Lambda& fn);

}  // namespace skald::passes::ad
