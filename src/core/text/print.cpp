// SPDX-License-Identifier: Apache-2.0
// The printer.  docs/ir.md shows the text form; parse.cpp reads it.
//
// One statement per line.  An expression with bodies starts on its own line, its bodies are
// indented by two spaces:
//
//   let {ys_5 : [n_0]f32} =
//     map(n_0, {xs_1}, \{x_2 : f32} : {f32} ->
//       let {r_4 : f32} = mul_f32(x_2, 2f32)
//       in {r_4})
#include "core/text/print.h"

#include "core/text/printer.h"

namespace skald::core {

namespace detail {

// ---- names, types, parameters

void Printer::name(Name n) {
  uint32_t number = n.id;
  if (options_.renumber)
    number = numbers_.try_emplace(n, static_cast<uint32_t>(numbers_.size())).first->second;
  out_.print("{}_{}", names_.base(n), number);
}

void Printer::operand(const Operand& o) {
  if (const Name* n = as_name(o))
    name(*n);
  else
    out_ << text::constant(*as_const(o));
}

// [n_0][4]
void Printer::dims(const std::vector<Operand>& shape) {
  for (const Operand& dim : shape) {
    out_ << '[';
    const Const* c = as_const(dim);
    if (c && c->type == Prim::kI64)
      out_.print("{}", int_value(*c));
    else
      operand(dim);
    out_ << ']';
  }
}

// Where a shape stands alone, an empty one must still be seen.
void Printer::shape(const std::vector<Operand>& shape) {
  if (shape.empty()) out_ << "[]";
  dims(shape);
}

// ` @device`, ` @device1`; nothing for the host.
void Printer::space(Space space) {
  if (space == Space::kHost) return;
  out_ << " @device";
  if (space != Space::kDevice0) out_.print("{}", device_number(space));
}

void Printer::type(const Type& type) {
  switch (type.kind) {
    case Type::kArray:
      dims(type.shape);
      out_ << prim_name(type.elem);
      space(type.space);
      break;
    case Type::kToken: out_ << "token"; break;
    case Type::kMem:
      out_ << "mem";
      space(type.space);
      break;
    case Type::kAcc:
      out_ << "acc(";
      shape(type.shape);
      list(", {", type.acc_elems, "})", [&](const Type& t) { this->type(t); });
      break;
  }
}

void Printer::param(const Param& p) {
  name(p.name);
  out_ << " : " << (p.unique ? "*" : "");
  type(p.type);
  for (const MemLoc& mem : p.mem) {
    out_ << " @ ";
    name(mem.block);
    if (mem == MemLoc{.block = mem.block}) continue;
    out_ << '[';
    operand(mem.offset);
    if (!mem.strides.empty())
      list("; ", mem.strides, "", [&](const Operand& stride) { operand(stride); });
    out_ << ']';
  }
}

void Printer::rets(const std::vector<Ret>& rets) {
  list("{", rets, "}", [&](const Ret& ret) {
    if (ret.name) {
      name(ret.name);
      out_ << " : ";
    }
    out_ << (ret.unique ? "*" : "");
    type(ret.type);
  });
}

void Printer::hints(const std::vector<std::string>& words) {
  if (words.empty()) return;
  list("#[", words, "]", [&](const std::string& word) { out_ << text::word(word); });
  out_.newline();
}

void Printer::place(Loc loc) {
  if (!locs_ || loc.index == 0) return;
  std::string_view word = " at ";
  for (; loc.index != 0; loc = (*locs_)[loc].caller) {
    const LocTable::Entry& entry = (*locs_)[loc];
    out_ << word << text::quote(entry.text);
    if (options_.locs && !entry.function.empty()) out_ << " within " << text::quote(entry.function);
    word = " from ";
  }
}

void Printer::entry(const EntryPoint& entry) {
  const auto values = [&](int sizes, const std::vector<EntryValue>& values) {
    out_.print("(sizes {}", sizes);
    for (const EntryValue& value : values) {
      out_ << ", ";
      if (!value.name.empty()) out_ << text::quote(value.name) << " : ";
      out_ << (value.unique ? "*" : "") << text::quote(value.type);
      if (value.count != 1) out_.print(" of {}", value.count);
      if (!value.layout.empty()) out_ << " as " << text::quote(value.layout);
    }
    out_ << ')';
  };
  out_ << "entry " << text::quote(entry.name) << ' ';
  values(entry.sizes, entry.params);
  out_ << " : ";
  values(entry.result_sizes, entry.results);
  if (entry.property) {
    out_ << " property(" << text::quote(entry.property->generator) << ", "
         << text::quote(entry.property->shrinker);
    if (entry.property->size) out_.print(", {}", *entry.property->size);
    out_ << ')';
  }
  out_.newline();
}

void Printer::function(const Function& fn) {
  if (fn.entry) entry(*fn.entry);
  hints(hint_words(fn.hints));
  out_ << "fun " << text::word(fn.name) << ' ';
  list("(", fn.params, ") : ", [&](const Param& p) { param(p); });
  rets(fn.results);
  if (options_.locs) place(fn.loc);
  out_ << " =";
  out_.newline();
  {
    Indented indented(out_);
    body_lines(fn.body);
  }
  out_.newline();
}

// ---- bodies and statements

// Can it stand on the line of its `let`?
static bool is_short(const Exp& exp) {
  if (const If* e = as<If>(exp)) return e->then_body.stmts.empty() && e->else_body.stmts.empty();
  if (as<WithAcc>(exp)) return false;
  bool has_bodies = false;
  for_each_body(exp, [&](const Body&) { has_bodies = true; });
  return !has_bodies;
}

void Printer::stmt(const Stmt& stmt) {
  if (!stmt.hints.empty()) hints(hint_words(stmt.hints));
  out_ << "let ";
  params(stmt.pat);
  out_ << " =";
  const bool on_own_line = !is_short(stmt.exp);
  if (on_own_line) {
    out_.newline();
    out_.indent();
  } else {
    out_ << ' ';
  }
  if (!stmt.tokens.empty()) {
    out_ << "after ";
    names(stmt.tokens);
    out_ << ' ';
  }
  visit(stmt.exp, [&](auto& e) { exp(e); });
  if (options_.locs || as<Assert>(stmt.exp)) place(stmt.loc);
  if (on_own_line) out_.dedent();
}

void Printer::body_lines(const Body& body) {
  for (const Stmt& s : body.stmts) {
    stmt(s);
    out_.newline();
  }
  out_ << "in ";
  operands(body.result);
}

// A body after `->`, `then`, `do`: on the same line if it has only results.
void Printer::block(const Body& body) {
  if (body.stmts.empty()) {
    out_ << ' ';
    operands(body.result);
    return;
  }
  out_.newline();
  Indented indented(out_);
  body_lines(body);
}

void Printer::lambda(const Lambda& fn) {
  out_ << '\\';
  params(fn.params);
  out_ << " : ";
  rets(fn.results);
  out_ << " ->";
  block(fn.body);
}

void Printer::op(const Operator& op) {
  if (op.commutative) out_ << "commutative ";
  operands(op.neutral);
  out_ << ' ';
  lambda(op.fn);
}

}  // namespace detail

std::string print(const Program& prog, const PrintOptions& options) {
  detail::Printer printer(prog.names, &prog.locs, options);
  printer.text("stage ");
  printer.text(stage_name(prog.stage));
  printer.newline();
  for (const Function& fn : prog.functions) {
    printer.newline();
    printer.function(fn);
  }
  return printer.take();
}

std::string print(const Function& fn, const Program& prog, const PrintOptions& options) {
  detail::Printer printer(prog.names, &prog.locs, options);
  printer.function(fn);
  return printer.take();
}

std::string print(const Stmt& stmt, const Program& prog) {
  detail::Printer printer(prog.names, &prog.locs, {});
  printer.stmt(stmt);
  return printer.take();
}

std::string print(const Type& type, const NameTable& names) {
  detail::Printer printer(names, nullptr, {});
  printer.type(type);
  return printer.take();
}

std::string print(const Operand& operand, const NameTable& names) {
  detail::Printer printer(names, nullptr, {});
  printer.operand(operand);
  return printer.take();
}

std::string print(const Const& c) {
  return text::constant(c);
}

}  // namespace skald::core
