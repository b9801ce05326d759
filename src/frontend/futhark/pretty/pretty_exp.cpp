// SPDX-License-Identifier: Apache-2.0
// Expressions → text.
#include "frontend/futhark/parse/lex.h"
#include "frontend/futhark/parse/lex_literal.h"
#include "frontend/futhark/pretty/pretty_printer.h"

namespace skald::futhark {

namespace {

constexpr int kOpenLevel = 0;  // let, if, …: reach as far to the right as they can
constexpr int kAscriptionLevel = 1;
constexpr int kApplicationLevel = 15;
constexpr int kAtomLevel = 16;

template <class T>
const T* as(const Exp& e) {
  return std::get_if<T>(&e.node);
}

int op_level(const QualName& op, bool backquoted) {
  return backquoted ? kBackquoteLevel : operator_level(op.name);
}

int level_of(const Exp& e) {
  if (as<ELet>(e) || as<ELetFun>(e) || as<ELetWith>(e) || as<EIf>(e) || as<ELoop>(e) ||
      as<EMatch>(e) || as<ELambda>(e) || as<EAssert>(e) || as<EAttr>(e))
    return kOpenLevel;
  if (as<EAscript>(e) || as<ECoerce>(e)) return kAscriptionLevel;
  if (as<ERange>(e)) return kRangeLevel;
  if (as<EUpdate>(e)) return kWithLevel;
  if (const auto* b = as<EBinary>(e)) return op_level(b->op, b->backquoted);
  if (as<EApply>(e) || as<ENegate>(e) || as<ENot>(e)) return kApplicationLevel;
  if (const auto* c = as<EConstr>(e)) return c->args.empty() ? kAtomLevel : kApplicationLevel;
  return kAtomLevel;
}

// Whether an expression deserves lines of its own.
bool is_tall(const Exp& e) {
  if (as<ELet>(e) || as<ELetFun>(e) || as<ELetWith>(e) || as<ELoop>(e) || as<EMatch>(e))
    return true;
  if (const auto* x = as<EIf>(e))
    return as<EIf>(*x->else_branch) || is_tall(*x->then_branch) || is_tall(*x->else_branch);
  if (const auto* x = as<EAttr>(e)) return is_tall(*x->inner);
  if (const auto* x = as<EAssert>(e)) return is_tall(*x->inner);
  return false;
}

// Whether the last token of an expression belongs to a type.  What reaches as far to the right as
// it can stops there: in `let x = a in x : i32 + b` the sum's left side is the whole `let`.
bool ends_with_type(const Exp& e) {
  if (as<EAscript>(e) || as<ECoerce>(e)) return true;
  const Exp* last = nullptr;
  if (const auto* x = as<ELet>(e)) last = x->body.get();
  if (const auto* x = as<ELetFun>(e)) last = x->body.get();
  if (const auto* x = as<ELetWith>(e)) last = x->body.get();
  if (const auto* x = as<EIf>(e)) last = x->else_branch.get();
  if (const auto* x = as<ELoop>(e)) last = x->body.get();
  if (const auto* x = as<EMatch>(e)) last = x->cases.back().body.get();
  if (const auto* x = as<ELambda>(e)) last = x->body.get();
  if (const auto* x = as<EAssert>(e)) last = x->inner.get();
  if (const auto* x = as<EAttr>(e)) last = x->inner.get();
  if (const auto* x = as<EBinary>(e)) last = x->rhs.get();
  if (const auto* x = as<ERange>(e)) last = x->end.get();
  if (const auto* x = as<EUpdate>(e)) last = x->value.get();
  if (const auto* x = as<ENegate>(e)) last = x->arg.get();
  if (const auto* x = as<ENot>(e)) last = x->arg.get();
  if (const auto* x = as<EApply>(e); x && as<ELambda>(*x->args.back())) last = x->args.back().get();
  if (const auto* x = as<EConstr>(e); x && !x->args.empty() && as<ELambda>(*x->args.back()))
    last = x->args.back().get();
  return last != nullptr && ends_with_type(*last);
}

}  // namespace

void Printer::exp(const Exp& e, int level, bool last) {
  const int own = level_of(e);
  const bool fits = own >= level || (own == kOpenLevel &&
                                     (last || (level < kApplicationLevel && ends_with_type(e))));
  if (fits) {
    node(e);
  } else {
    out_ << '(';
    node(e);
    out_ << ')';
  }
}

void Printer::node(const Exp& e) {
  if (level_of(e) == kOpenLevel) {
    control(e);
  } else if (const auto* b = as<EBinary>(e)) {
    const int level = op_level(b->op, b->backquoted);
    const bool right = level == kPipeLeftLevel;
    exp(*b->lhs, right ? level + 1 : level, false);
    out_ << ' ';
    infix(b->op, b->backquoted);
    out_ << ' ';
    exp(*b->rhs, right ? level : level + 1);
  } else if (const auto* a = as<EApply>(e)) {
    exp(*a->fn, kAtomLevel, false);
    for (size_t i = 0; i < a->args.size(); ++i) {
      out_ << ' ';
      const bool lambda = i + 1 == a->args.size() && as<ELambda>(*a->args[i]) != nullptr;
      exp(*a->args[i], kAtomLevel, lambda);
    }
  } else if (const auto* c = as<EConstr>(e)) {
    out_ << '#' << c->name.name;
    for (const Ptr<Exp>& arg : c->args) {
      out_ << ' ';
      exp(*arg, kAtomLevel, arg == c->args.back() && as<ELambda>(*arg) != nullptr);
    }
  } else if (as<ENegate>(e) || as<ENot>(e)) {
    const Exp& arg = as<ENegate>(e) ? *as<ENegate>(e)->arg : *as<ENot>(e)->arg;
    // Two prefix operators in a row would be read as one, or as a comment.
    out_ << (as<ENegate>(e) ? '-' : '!') << (as<ENegate>(arg) || as<ENot>(arg) ? " " : "");
    exp(arg, kApplicationLevel);
  } else if (const auto* t = as<EAscript>(e)) {
    exp(*t->inner, kAscriptionLevel, false);
    out_ << " : ";
    type(*t->type);
  } else if (const auto* coerce = as<ECoerce>(e)) {
    exp(*coerce->inner, kAscriptionLevel, false);
    out_ << " :> ";
    type(*coerce->type);
  } else if (const auto* r = as<ERange>(e)) {
    range(*r);
  } else if (const auto* u = as<EUpdate>(e)) {
    exp(*u->src, kWithLevel, false);
    out_ << " with ";
    path(u->path, true, false);
    out_ << " = ";
    exp(*u->value, kWithLevel + 1);
  } else {
    atom(e);
  }
}

void Printer::atom(const Exp& e) {
  if (const auto* l = as<ELiteral>(e)) {
    literal(l->lit);
  } else if (const auto* s = as<EString>(e)) {
    string(s->bytes);
  } else if (const auto* v = as<EVar>(e)) {
    qual_name(v->name);
  } else if (as<EHole>(e)) {
    out_ << "???";
  } else if (const auto* p = as<EParens>(e)) {
    out_ << '(';
    exp(*p->inner);
    out_ << ')';
  } else if (const auto* tuple = as<ETuple>(e)) {
    out_ << '(';
    commas(tuple->elems, [&](const Ptr<Exp>& x) { exp(*x); });
    out_ << ')';
  } else if (const auto* array = as<EArray>(e)) {
    out_ << '[';
    commas(array->elems, [&](const Ptr<Exp>& x) { exp(*x); });
    out_ << ']';
  } else if (const auto* record = as<ERecord>(e)) {
    out_ << '{';
    commas(record->fields, [&](const ERecord::Field& f) {
      out_ << f.name.name;
      if (!f.value) return;
      out_ << " = ";
      exp(*f.value);
    });
    out_ << '}';
  } else if (const auto* index = as<EIndex>(e)) {
    exp(*index->array, kAtomLevel, false);
    dims(index->dims);
  } else if (const auto* proj = as<EProject>(e)) {
    exp(*proj->record, kAtomLevel, false);
    // 1.0 would be a float.
    out_ << (as<ELiteral>(*proj->record) ? " ." : ".") << proj->field.name;
  } else if (const auto* open = as<ELocalOpen>(e)) {
    qual_name(open->module);
    out_ << ".(";
    exp(*open->inner);
    out_ << ')';
  } else {
    section(e);
  }
}

void Printer::section(const Exp& e) {
  out_ << '(';
  if (const auto* op = as<EOpSection>(e)) {
    infix(op->op, !is_operator(op->op.name));
  } else if (const auto* left = as<ELeftSection>(e)) {
    const int level = op_level(left->op, left->backquoted);
    exp(*left->lhs, level == kPipeLeftLevel ? level + 1 : level, false);
    out_ << ' ';
    infix(left->op, left->backquoted);
  } else if (const auto* right = as<ERightSection>(e)) {
    infix(right->op, right->backquoted);
    out_ << ' ';
    exp(*right->rhs, kRangeLevel);
  } else if (const auto* steps = as<EPathSection>(e)) {
    path(steps->path, false, true);
  } else {
    SKALD_BUG("no text for this expression");
  }
  out_ << ')';
}

void Printer::range(const ERange& e) {
  exp(*e.start, kRangeLevel + 1, false);
  if (e.step) {
    out_ << "..";
    exp(*e.step, kRangeLevel + 1, false);
  }
  out_ << (e.kind == ERange::kInclusive ? "..." : e.kind == ERange::kUpTo ? "..<" : "..>");
  exp(*e.end, kRangeLevel);
}

void Printer::dims(const std::vector<DimIndex>& dims) {
  out_ << '[';
  commas(dims, [&](const DimIndex& d) { dim(d); });
  out_ << ']';
}

void Printer::dim(const DimIndex& d) {
  const auto part = [&](const Ptr<Exp>& e, bool last) {
    // The end of a let or lambda would take a following colon for itself.
    if (e) exp(*e, kRangeLevel, last);
  };
  if (!d.is_slice) return part(d.index, true);
  part(d.start, false);
  out_ << ':';
  part(d.end, d.stride == nullptr);
  if (d.stride) {
    out_ << ':';
    part(d.stride, true);
  }
}

// The first field of `r with f[i] = …` has no dot, a section (.[i]) has one before everything.
void Printer::path(const std::vector<PathStep>& steps, bool first_bare, bool dot_before_slice) {
  bool first = true;
  for (const PathStep& step : steps) {
    if (const auto* field = std::get_if<Ident>(&step.step)) {
      const bool number = field->name[0] >= '0' && field->name[0] <= '9';
      out_ << (first && first_bare && !number ? "" : ".") << field->name;
    } else {
      out_ << (first && dot_before_slice ? "." : "");
      dims(std::get<std::vector<DimIndex>>(step.step));
    }
    first = false;
  }
}

void Printer::body(const Exp& e) {
  if (is_tall(e)) {
    out_.newline();
    Indented indented(out_);
    exp(e);
  } else {
    out_ << ' ';
    exp(e);
  }
}

void Printer::control(const Exp& e) {
  if (const auto* x = as<EIf>(e)) {
    if_exp(*x);
  } else if (const auto* l = as<ELoop>(e)) {
    loop(*l);
  } else if (const auto* m = as<EMatch>(e)) {
    match(*m);
  } else if (const auto* f = as<ELambda>(e)) {
    out_ << '\\';
    const char* separator = "";
    for (const Ptr<Pat>& p : f->params) {
      out_ << separator;
      separator = " ";
      pat(*p);
    }
    if (f->result) {
      out_ << " : ";
      type(*f->result);
    }
    out_ << " ->";
    body(*f->body);
  } else if (const auto* a = as<EAssert>(e)) {
    out_ << "assert ";
    exp(*a->cond, kAtomLevel, false);
    body(*a->inner);
  } else if (const auto* t = as<EAttr>(e)) {
    attr(t->attr);
    out_ << ' ';
    exp(*t->inner);
  } else {
    let(e);
  }
}

void Printer::let(const Exp& e) {
  out_ << "let ";
  if (const auto* l = as<ELet>(e)) {
    for (const Ident& size : l->sizes) out_ << '[' << size.name << "] ";
    pat(*l->pat);
    let_rest(*l->value, *l->body, l->has_in);
  } else if (const auto* f = as<ELetFun>(e)) {
    out_ << f->name.name;
    type_params(f->tparams);
    for (const Ptr<Pat>& p : f->params) {
      out_ << ' ';
      pat(*p);
    }
    if (f->result) {
      out_ << " : ";
      type(*f->result);
    }
    let_rest(*f->value, *f->body, f->has_in);
  } else if (const auto* w = as<ELetWith>(e)) {
    out_ << w->dst.name;
    path(w->path, false, false);
    let_rest(*w->value, *w->body, w->has_in);
  }
}

void Printer::let_rest(const Exp& value, const Exp& rest, bool has_in) {
  out_ << " =";
  body(value);
  out_.newline();
  if (has_in) out_ << "in ";
  exp(rest);
}

void Printer::if_exp(const EIf& e) {
  const bool tall = as<EIf>(*e.else_branch) || is_tall(*e.then_branch) || is_tall(*e.else_branch);
  const auto gap = [&] { tall ? void(out_.newline()) : void(out_ << ' '); };
  out_ << "if ";
  exp(*e.cond);
  gap();
  out_ << "then";
  body(*e.then_branch);
  gap();
  out_ << "else";
  if (as<EIf>(*e.else_branch)) {
    out_ << ' ';
    exp(*e.else_branch);
  } else {
    body(*e.else_branch);
  }
}

void Printer::loop(const ELoop& e) {
  out_ << "loop ";
  pat(*e.pat);
  if (e.init) {
    out_ << " = ";
    exp(*e.init);
  }
  switch (e.form) {
    case ELoop::kFor: out_ << " for " << e.var.name << " < "; break;
    case ELoop::kForIn:
      out_ << " for ";
      pat(*e.elem);
      out_ << " in ";
      break;
    case ELoop::kWhile: out_ << " while "; break;
  }
  exp(*e.bound);
  out_ << " do";
  out_.newline();
  Indented indented(out_);
  exp(*e.body);
}

void Printer::match(const EMatch& e) {
  out_ << "match ";
  exp(*e.scrutinee);
  for (const EMatch::Case& c : e.cases) {
    out_.newline();
    out_ << "case ";
    pat(*c.pat);
    out_ << " ->";
    body(*c.body);
  }
}

void Printer::literal(const Literal& l) {
  if (l.negative) out_ << '-';
  if (l.kind != Literal::kChar) {
    out_ << l.text << l.suffix;
    return;
  }
  bool overflow = false;
  const auto code = static_cast<uint32_t>(integer_value(l, overflow));
  if (code == '\'' || code == '\\') {
    out_ << "'\\" << static_cast<char>(code) << '\'';
  } else if (code >= ' ' && code < 0x7f) {
    out_ << '\'' << static_cast<char>(code) << '\'';
  } else {
    out_.print("'\\{}'", code);
  }
}

void Printer::string(std::string_view bytes) {
  std::string text = "\"";
  bool after_number = false;
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    if (after_number && byte >= '0' && byte <= '9') text += "\\&";
    after_number = false;
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (c == '\n') {
      text += "\\n";
    } else if (c == '\t') {
      text += "\\t";
    } else if (byte < ' ' || byte == 0x7f) {
      text += fmt::format("\\{}", byte);
      after_number = true;
    } else {
      text += c;
    }
  }
  out_ << text << '"';
}

}  // namespace skald::futhark
