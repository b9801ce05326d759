// SPDX-License-Identifier: Apache-2.0
// The printer behind pretty.h.
//
// A tree made by the parser holds every pair of parentheses that was written, so printing it needs
// none of its own.  Trees made by substitution (sizes in types) may lack them; expressions
// therefore know the level they are wanted at and put parentheses around themselves if they bind
// more loosely.
//
// pretty_exp.cpp prints expressions, pretty_type.cpp types and patterns as written, pretty_dec.cpp
// declarations and modules.
#pragma once

#include "frontend/futhark/ast/ast.h"
#include "frontend/futhark/ast/types.h"
#include "support/writer.h"

namespace skald::futhark {

template <class List, class Item>
void print_commas(Writer& out, const List& list, Item item) {
  const char* separator = "";
  for (const auto& x : list) {
    out << separator;
    separator = ", ";
    item(x);
  }
}

class Printer {
 public:
  std::string take() { return out_.take(); }

  void program(const Program& prog);
  void dec(const Dec& d);

  // `level` as in lex.h; 0 takes anything.  In last position, constructs that reach as far to the
  // right as they can (let, lambdas, …) need no parentheses.
  void exp(const Exp& e, int level = 0, bool last = true);
  void pat(const Pat& p);
  void type(const TypeExp& t);

 private:
  template <class List, class Item>
  void commas(const List& list, Item item) {
    print_commas(out_, list, item);
  }
  // One below the other, in braces.
  template <class List, class Item>
  void block(const List& list, Item item) {
    out_ << '{';
    if (!list.empty()) {
      out_.newline();
      const Indented indented(out_);
      for (const auto& x : list) {
        item(*x);
        out_.newline();
      }
    }
    out_ << '}';
  }
  template <class Inside>
  void parens(Inside inside) {
    out_ << '(';
    inside();
    out_ << ')';
  }
  void name(const Ident& x);  // operators in parentheses
  void qual_name(const QualName& q);
  void infix(const QualName& op, bool backquoted);
  void attr(const Attr& a);
  void literal(const Literal& l);
  void string(std::string_view bytes);
  void type_params(const std::vector<TypeParam>& params);
  void doc(std::string_view text);
  void doc_and_attrs(std::string_view text, const std::vector<Attr>& attrs);

  // pretty_exp.cpp
  void node(const Exp& e);
  void control(const Exp& e);
  void section(const Exp& e);
  void atom(const Exp& e);
  // After `=`, `->` and the like: on the same line if it is short, else indented on its own.
  void body(const Exp& e);
  void let_rest(const Exp& value, const Exp& rest, bool has_in);
  void let(const Exp& e);
  void if_exp(const EIf& e);
  void loop(const ELoop& e);
  void match(const EMatch& e);
  void range(const ERange& e);
  void dims(const std::vector<DimIndex>& dims);
  void dim(const DimIndex& d);
  void path(const std::vector<PathStep>& steps, bool first_bare, bool dot_before_slice);

  // pretty_dec.cpp
  void val(const DVal& v);
  void mod(const ModExp& m);
  void mod_param(const ModParam& p);
  void mod_type(const ModTypeExp& m);
  void spec(const Spec& s);
  void type_head(Liftedness lifted, const Ident& name, const std::vector<TypeParam>& params);

  Writer out_;
};

}  // namespace skald::futhark
