// SPDX-License-Identifier: Apache-2.0
// Declarations and modules → text.
#include "frontend/futhark/parse/lex.h"
#include "frontend/futhark/pretty/pretty_printer.h"

namespace skald::futhark {

void Printer::doc(std::string_view text) {
  const char* start = "-- |";
  for (;;) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    out_ << start << (line.empty() ? "" : " ") << line;
    out_.newline();
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
    start = "--";
  }
}

void Printer::doc_and_attrs(std::string_view text, const std::vector<Attr>& attrs) {
  if (!text.empty()) doc(text);
  for (const Attr& a : attrs) {
    attr(a);
    out_.newline();
  }
}

void Printer::program(const Program& prog) {
  // The first documentation comment of a file belongs to the file.
  const bool needs_doc = !prog.decs.empty() && !prog.decs.front()->doc.empty();
  if (!prog.doc.empty() || needs_doc) {
    doc(prog.doc);
    out_.newline();
  }
  bool first = true;
  for (const Ptr<Dec>& d : prog.decs) {
    if (!first) out_.newline();
    first = false;
    dec(*d);
    out_.newline();
  }
}

void Printer::type_head(Liftedness lifted, const Ident& name,
                        const std::vector<TypeParam>& params) {
  out_ << (lifted == Liftedness::kLifted       ? "type^ "
           : lifted == Liftedness::kSizeLifted ? "type~ "
                                               : "type ")
       << name.name;
  type_params(params);
}

void Printer::dec(const Dec& d) {
  doc_and_attrs(d.doc, d.attrs);
  if (const auto* v = std::get_if<DVal>(&d.node)) {
    val(*v);
  } else if (const auto* t = std::get_if<DType>(&d.node)) {
    type_head(t->lifted, t->name, t->params);
    out_ << " = ";
    type(*t->definition);
  } else if (const auto* m = std::get_if<DModule>(&d.node)) {
    out_ << "module " << m->name.name;
    for (const ModParam& p : m->params) {
      out_ << ' ';
      mod_param(p);
    }
    if (m->type) {
      out_ << " : ";
      mod_type(*m->type);
    }
    out_ << " = ";
    mod(*m->body);
  } else if (const auto* mt = std::get_if<DModType>(&d.node)) {
    out_ << "module type " << mt->name.name << " = ";
    mod_type(*mt->body);
  } else if (const auto* open = std::get_if<DOpen>(&d.node)) {
    out_ << "open ";
    mod(*open->module);
  } else if (const auto* import = std::get_if<DImport>(&d.node)) {
    out_ << "import ";
    string(import->path);
  } else if (const auto* local = std::get_if<DLocal>(&d.node)) {
    out_ << "local ";
    if (!local->inner->doc.empty()) out_.newline();
    dec(*local->inner);
  }
}

void Printer::val(const DVal& v) {
  out_ << (v.is_entry ? "entry " : v.spelled_let ? "let " : "def ");
  if (v.infix) {
    pat(*v.params.at(0));
    out_ << ' ';
    infix({{}, v.name.name, {}}, !is_operator(v.name.name));
    out_ << ' ';
    pat(*v.params.at(1));
  } else {
    name(v.name);
    type_params(v.tparams);
    for (const Ptr<Pat>& p : v.params) {
      out_ << ' ';
      pat(*p);
    }
  }
  if (v.result) {
    out_ << " : ";
    type(*v.result);
  }
  out_ << " =";
  body(*v.body);
}

void Printer::mod_param(const ModParam& p) {
  out_ << '(' << p.name.name << ": ";
  mod_type(*p.type);
  out_ << ')';
}

void Printer::mod(const ModExp& m) {
  if (const auto* var = std::get_if<MVar>(&m.node)) {
    qual_name(var->name);
  } else if (const auto* parens = std::get_if<MParens>(&m.node)) {
    this->parens([&] { mod(*parens->inner); });
  } else if (const auto* block = std::get_if<MDecs>(&m.node)) {
    this->block(block->decs, [&](const Dec& d) { dec(d); });
  } else if (const auto* ascript = std::get_if<MAscript>(&m.node)) {
    mod(*ascript->inner);
    out_ << " : ";
    mod_type(*ascript->type);
  } else if (const auto* lambda = std::get_if<MLambda>(&m.node)) {
    out_ << '\\';
    mod_param(lambda->param);
    if (lambda->result) {
      out_ << " : ";
      mod_type(*lambda->result);
    }
    out_ << " -> ";
    mod(*lambda->body);
  } else if (const auto* apply = std::get_if<MApply>(&m.node)) {
    mod(*apply->fn);
    out_ << ' ';
    mod(*apply->arg);
  } else if (const auto* import = std::get_if<MImport>(&m.node)) {
    out_ << "import ";
    string(import->path);
  }
}

void Printer::mod_type(const ModTypeExp& m) {
  if (const auto* var = std::get_if<MTVar>(&m.node)) {
    qual_name(var->name);
  } else if (const auto* parens = std::get_if<MTParens>(&m.node)) {
    this->parens([&] { mod_type(*parens->inner); });
  } else if (const auto* block = std::get_if<MTSpecs>(&m.node)) {
    this->block(block->specs, [&](const Spec& s) { spec(s); });
  } else if (const auto* with = std::get_if<MTWith>(&m.node)) {
    mod_type(*with->inner);
    out_ << " with ";
    qual_name(with->type);
    type_params(with->params);
    out_ << " = ";
    type(*with->definition);
  } else if (const auto* arrow = std::get_if<MTArrow>(&m.node)) {
    if (arrow->param) out_ << '(' << arrow->param->name << ": ";
    mod_type(*arrow->from);
    out_ << (arrow->param ? ") -> " : " -> ");
    mod_type(*arrow->to);
  }
}

void Printer::spec(const Spec& s) {
  doc_and_attrs(s.doc, s.attrs);
  if (const auto* v = std::get_if<SpecVal>(&s.node)) {
    out_ << "val ";
    name(v->name);
    type_params(v->tparams);
    out_ << " : ";
    type(*v->type);
  } else if (const auto* t = std::get_if<SpecType>(&s.node)) {
    type_head(t->lifted, t->name, t->params);
    if (t->definition) {
      out_ << " = ";
      type(*t->definition);
    }
  } else if (const auto* m = std::get_if<SpecModule>(&s.node)) {
    out_ << "module " << m->name.name << " : ";
    mod_type(*m->type);
  } else if (const auto* i = std::get_if<SpecInclude>(&s.node)) {
    out_ << "include ";
    mod_type(*i->type);
  }
}

}  // namespace skald::futhark
