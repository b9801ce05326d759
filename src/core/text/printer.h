// SPDX-License-Identifier: Apache-2.0
// The printer's class, private to print.cpp (names, types, functions, statements) and print_exp.cpp
// (expressions).
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/visit.h"
#include "core/text/print.h"
#include "core/text/text.h"
#include "support/writer.h"

namespace skald::core::detail {

class Printer {
 public:
  Printer(const NameTable& names, const LocTable* locs, const PrintOptions& options)
      : names_(names), locs_(locs), options_(options) {}
  std::string take() { return out_.take(); }

  void function(const Function& fn);
  void stmt(const Stmt& stmt);
  void type(const Type& type);
  void operand(const Operand& o);
  void newline() { out_.newline(); }
  void text(std::string_view text) { out_ << text; }

 private:
  // `begin`, the items separated by commas, `end`.
  template <class Items, class F>
  void list(std::string_view begin, const Items& items, std::string_view end, F&& item) {
    out_ << begin;
    bool first = true;
    for (const auto& x : items) {
      if (!first) out_ << ", ";
      first = false;
      item(x);
    }
    out_ << end;
  }
  void operands(const std::vector<Operand>& os) {
    list("{", os, "}", [&](const Operand& o) { operand(o); });
  }
  void names(const std::vector<Name>& ns) {
    list("{", ns, "}", [&](Name n) { name(n); });
  }
  template <class... Args>
  void call(std::string_view head, const Args&... args) {
    out_ << head << '(';
    int i = 0;
    ((out_ << (i++ ? ", " : ""), operand(args)), ...);
    out_ << ')';
  }

  void name(Name n);
  void dims(const std::vector<Operand>& shape);
  void space(Space space);
  void shape(const std::vector<Operand>& shape);
  void param(const Param& p);
  void params(const std::vector<Param>& ps) {
    list("{", ps, "}", [&](const Param& p) { param(p); });
  }
  void rets(const std::vector<Ret>& rets);
  void numbered(std::string_view word, const Operand& width, int number,
                const std::vector<Name>& inputs, const Lambda& fn);
  void hints(const std::vector<std::string>& words);
  void place(Loc loc);
  void entry(const EntryPoint& entry);
  void slice(const std::vector<DimSlice>& slice);
  void flat_dims(const std::vector<FlatDim>& dims);

  void body_lines(const Body& body);
  void block(const Body& body);
  void lambda(const Lambda& fn);
  void op(const Operator& op);
  // The next item of a parenthesised list that takes a line for each item.
  void item() {
    out_ << ",";
    out_.newline();
  }
  void width_and_inputs(const Operand& width, const std::vector<Name>& inputs) {
    operand(width);
    out_ << ", ";
    names(inputs);
  }

  void exp(const Value& e) { operand(e.arg); }
  void exp(const Opaque& e) { call("opaque", e.arg); }
  void exp(const Tunable& e);
  void exp(const UnOp& e) { call(op_name(mnemonic(e.op), e.type), e.arg); }
  void exp(const BinOp& e) { call(op_name(mnemonic(e.op), e.type), e.lhs, e.rhs); }
  void exp(const CmpOp& e) { call(op_name(mnemonic(e.op), e.type), e.lhs, e.rhs); }
  void exp(const TernOp& e) { call(op_name(mnemonic(e.op), e.type), e.a, e.b, e.c); }
  void exp(const Convert& e) { call(op_name(op_name("convert", e.from), e.to), e.arg); }
  void exp(const Bitcast& e) { call(op_name(op_name("bitcast", e.from), e.to), e.arg); }
  void exp(const Select& e) { call("select", e.cond, e.then, e.otherwise); }
  void exp(const ArrayLit& e);
  void exp(const Index& e);
  void exp(const Update& e);
  void exp(const FlatIndex& e);
  void exp(const FlatUpdate& e);
  void exp(const Concat& e);
  void exp(const Iota& e) { call(op_name("iota", e.type), e.count, e.start, e.step); }
  void exp(const Replicate& e);
  void exp(const Scratch& e);
  void exp(const Reshape& e);
  void exp(const Rearrange& e);
  void exp(const Copy& e) { call("copy", Operand{e.array}); }
  void exp(const Assert& e);
  void exp(const If& e);
  void exp(const Loop& e);
  void exp(const Call& e);
  void exp(const Soac& e);
  void exp(const Hist& e);
  void exp(const Scatter& e);
  void exp(const Partition& e);
  void exp(const FlatMap& e);
  void exp(const WithAcc& e);
  void exp(const UpdateAcc& e);
  void exp(const Jvp& e);
  void exp(const Vjp& e);
  void exp(const WithVjp& e);
  void exp(const Kernel& e);
  void exp(const Alloc& e) { call("alloc", e.bytes); }
  void exp(const Free& e) { call("free", Operand{e.block}); }

  static std::string op_name(std::string_view mnemonic, Prim type) {
    return fmt::format("{}_{}", mnemonic, prim_name(type));
  }

  Writer out_;
  const NameTable& names_;
  const LocTable* locs_;
  const PrintOptions options_;
  std::unordered_map<Name, uint32_t> numbers_;
};

}  // namespace skald::core::detail
