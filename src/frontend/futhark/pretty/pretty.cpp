// SPDX-License-Identifier: Apache-2.0
// The interface of the printer, and semantic types.
#include "frontend/futhark/pretty/pretty.h"

#include "frontend/futhark/pretty/pretty_printer.h"

namespace skald::futhark {

template <class Print>
static std::string printed(Print print) {
  Printer printer;
  print(printer);
  return printer.take();
}

std::string pretty(const Program& prog) {
  return printed([&](Printer& printer) { printer.program(prog); });
}
std::string pretty(const Exp& exp) {
  return printed([&](Printer& printer) { printer.exp(exp); });
}
std::string pretty(const Pat& pat) {
  return printed([&](Printer& printer) { printer.pat(pat); });
}
std::string pretty(const TypeExp& type) {
  return printed([&](Printer& printer) { printer.type(type); });
}
std::string pretty(const Type& type) {
  return printed([&](Printer& printer) { printer.semantic(type); });
}

namespace {

int level_of(const Type& t) {
  switch (t.kind) {
    case Type::kArrow: return 0;
    case Type::kSum: return 1;
    case Type::kArray: return 2;
    case Type::kNamed: return t.unique ? 2 : t.args.empty() ? 4 : 3;
    default: return t.unique ? 2 : 4;
  }
}

}  // namespace

void Printer::semantic(const Type& t, int level) {
  const bool parens = level_of(t) < level;
  if (parens) out_ << '(';
  if (t.unique) out_ << '*';
  // The star takes what is as tight as an array.
  const bool inner_parens = t.unique && level_of(t) < 2;
  if (inner_parens) out_ << '(';
  switch (t.kind) {
    case Type::kPrim: out_ << prim_name(t.prim); break;
    case Type::kArray:
      out_ << '[';
      size(t.size);
      out_ << ']';
      semantic(*t.elem, 2);
      break;
    case Type::kRecord: semantic_record(t); break;
    case Type::kSum: semantic_sum(t); break;
    case Type::kArrow: semantic_arrow(t); break;
    case Type::kNamed:
      out_ << t.name.base;
      for (const TypeArg& arg : t.args) {
        out_ << ' ';
        if (arg.type != nullptr) {
          semantic(*arg.type, 4);
        } else {
          out_ << '[';
          size(arg.size);
          out_ << ']';
        }
      }
      break;
    case Type::kMeta: out_.print("t{}", t.meta); break;
  }
  if (inner_parens) out_ << ')';
  if (parens) out_ << ')';
}

void Printer::size(const Size& s) {
  if (s.exp != nullptr) exp(*s.exp);
}

void Printer::semantic_record(const Type& t) {
  const bool tuple = is_tuple(t);
  out_ << (tuple ? '(' : '{');
  commas(t.fields, [&](const auto& field) {
    if (!tuple) out_ << field.first << ": ";
    semantic(*field.second);
  });
  out_ << (tuple ? ')' : '}');
}

void Printer::semantic_sum(const Type& t) {
  const char* separator = "";
  for (const auto& [constr, payload] : t.constrs) {
    out_ << separator << '#' << constr;
    separator = " | ";
    for (const Type* part : payload) {
      out_ << ' ';
      semantic(*part, 4);
    }
  }
}

void Printer::semantic_arrow(const Type& t) {
  // A chain of arrows is a loop: curried functions may have many parameters.
  const Type* arrow = &t;
  for (;;) {
    if (arrow->param.id != 0 && !arrow->param.base.empty()) {
      out_ << '(' << arrow->param.base << ": ";
      semantic(*arrow->from);
      out_ << ')';
    } else {
      semantic(*arrow->from, 1);
    }
    out_ << " -> ";
    if (!arrow->exts.empty()) {
      out_ << '?';
      for (const VName& ext : arrow->exts) out_ << '[' << ext.base << ']';
      out_ << '.';
    }
    const Type* to = arrow->to;
    if (to->kind != Type::kArrow || to->unique) return semantic(*to);
    arrow = to;
  }
}

}  // namespace skald::futhark
