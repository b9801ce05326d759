// SPDX-License-Identifier: Apache-2.0
// Types and patterns as written, names and attributes → text.
#include "frontend/futhark/parse/lex.h"
#include "frontend/futhark/pretty/pretty_printer.h"

namespace skald::futhark {

void Printer::name(const Ident& x) {
  if (is_operator(x.name)) {
    out_ << '(' << x.name << ')';
  } else {
    out_ << x.name;
  }
}

void Printer::qual_name(const QualName& q) {
  for (const std::string& qual : q.quals) out_ << qual << '.';
  out_ << q.name;
}

void Printer::infix(const QualName& op, bool backquoted) {
  if (backquoted) out_ << '`';
  qual_name(op);
  if (backquoted) out_ << '`';
}

void Printer::attr(const Attr& a) {
  const auto inner = [&](const auto& self, const Attr& x) -> void {
    out_ << x.name;
    if (x.args.empty()) return;
    out_ << '(';
    commas(x.args, [&](const Attr& arg) { self(self, arg); });
    out_ << ')';
  };
  out_ << "#[";
  inner(inner, a);
  out_ << ']';
}

// Each with a space in front.
void Printer::type_params(const std::vector<TypeParam>& params) {
  for (const TypeParam& p : params) {
    const std::string& text = p.name.name;
    if (p.kind == TypeParam::kSize) {
      out_ << " [" << text << ']';
      continue;
    }
    out_ << (p.lifted == Liftedness::kLifted       ? " '^"
             : p.lifted == Liftedness::kSizeLifted ? " '~"
                                                   : " '");
    // A one-letter name with a prime would look like a character literal.
    if (p.lifted == Liftedness::kUnlifted && text.size() > 1 && text[1] == '\'') out_ << ' ';
    out_ << text;
  }
}

void Printer::type(const TypeExp& t) {
  if (const auto* var = std::get_if<TEVar>(&t.node)) {
    qual_name(var->name);
  } else if (const auto* parens = std::get_if<TEParens>(&t.node)) {
    this->parens([&] { type(*parens->inner); });
  } else if (const auto* tuple = std::get_if<TETuple>(&t.node)) {
    this->parens([&] { commas(tuple->elems, [&](const Ptr<TypeExp>& x) { type(*x); }); });
  } else if (const auto* record = std::get_if<TERecord>(&t.node)) {
    out_ << '{';
    commas(record->fields, [&](const TERecord::Field& f) {
      out_ << f.name.name << ": ";
      type(*f.type);
    });
    out_ << '}';
  } else if (const auto* array = std::get_if<TEArray>(&t.node)) {
    out_ << '[';
    if (array->size) exp(*array->size);
    out_ << ']';
    type(*array->elem);
  } else if (const auto* unique = std::get_if<TEUnique>(&t.node)) {
    // Two stars in a row would be an operator.
    out_ << (std::holds_alternative<TEUnique>(unique->inner->node) ? "* " : "*");
    type(*unique->inner);
  } else if (const auto* apply = std::get_if<TEApply>(&t.node)) {
    type(*apply->fn);
    out_ << ' ';
    if (apply->type_arg) {
      type(*apply->type_arg);
    } else {
      out_ << '[';
      if (apply->size_arg) exp(*apply->size_arg);
      out_ << ']';
    }
  } else if (const auto* arrow = std::get_if<TEArrow>(&t.node)) {
    if (arrow->param) out_ << '(' << arrow->param->name << ": ";
    type(*arrow->from);
    out_ << (arrow->param ? ") -> " : " -> ");
    type(*arrow->to);
  } else if (const auto* sum = std::get_if<TESum>(&t.node)) {
    const char* separator = "";
    for (const TESum::Constr& c : sum->constrs) {
      out_ << separator << '#' << c.name.name;
      separator = " | ";
      for (const Ptr<TypeExp>& payload : c.payload) {
        out_ << ' ';
        type(*payload);
      }
    }
  } else if (const auto* exists = std::get_if<TEExists>(&t.node)) {
    out_ << '?';
    for (const Ident& dim : exists->dims) out_ << '[' << dim.name << ']';
    out_ << '.';
    type(*exists->inner);
  }
}

void Printer::pat(const Pat& p) {
  if (const auto* var = std::get_if<PVar>(&p.node)) {
    name(var->name);
  } else if (std::holds_alternative<PWild>(p.node)) {
    out_ << '_';
  } else if (const auto* parens = std::get_if<PParens>(&p.node)) {
    this->parens([&] { pat(*parens->inner); });
  } else if (const auto* tuple = std::get_if<PTuple>(&p.node)) {
    this->parens([&] { commas(tuple->elems, [&](const Ptr<Pat>& x) { pat(*x); }); });
  } else if (const auto* record = std::get_if<PRecord>(&p.node)) {
    out_ << '{';
    commas(record->fields, [&](const PRecord::Field& f) {
      out_ << f.name.name;
      if (!f.pat) return;
      const auto* ascript = std::get_if<PAscript>(&f.pat->node);
      const auto* same = ascript ? std::get_if<PVar>(&ascript->inner->node) : nullptr;
      if (same != nullptr && same->name.name == f.name.name) {
        out_ << ": ";
        type(*ascript->type);
      } else {
        out_ << " = ";
        pat(*f.pat);
      }
    });
    out_ << '}';
  } else if (const auto* lit = std::get_if<PLiteral>(&p.node)) {
    literal(lit->lit);
  } else if (const auto* constr = std::get_if<PConstr>(&p.node)) {
    out_ << '#' << constr->name.name;
    for (const Ptr<Pat>& arg : constr->args) {
      out_ << ' ';
      pat(*arg);
    }
  } else if (const auto* ascript = std::get_if<PAscript>(&p.node)) {
    pat(*ascript->inner);
    out_ << ": ";
    type(*ascript->type);
  } else if (const auto* attribute = std::get_if<PAttr>(&p.node)) {
    attr(attribute->attr);
    out_ << ' ';
    pat(*attribute->inner);
  }
}

}  // namespace skald::futhark
