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
#include "core/print.h"

#include "core/text.h"
#include "core/visit.h"
#include "support/writer.h"

namespace skald::core {

namespace {

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
  void shape(const std::vector<Operand>& shape);
  void param(const Param& p);
  void params(const std::vector<Param>& ps) {
    list("{", ps, "}", [&](const Param& p) { param(p); });
  }
  void rets(const std::vector<Ret>& rets);
  void attrs(const std::vector<std::string>& attrs);
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

void Printer::type(const Type& type) {
  switch (type.kind) {
    case Type::kArray:
      dims(type.shape);
      out_ << prim_name(type.elem);
      break;
    case Type::kToken: out_ << "token"; break;
    case Type::kMem: out_ << "mem"; break;
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

void Printer::attrs(const std::vector<std::string>& attrs) {
  if (attrs.empty()) return;
  list("#[", attrs, "]", [&](const std::string& attr) { out_ << text::word(attr); });
  out_.newline();
}

void Printer::place(Loc loc) {
  if (!locs_ || loc.index == 0) return;
  std::string_view word = " at ";
  for (; loc.index != 0; loc = (*locs_)[loc].caller) {
    out_ << word << text::quote((*locs_)[loc].text);
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
    }
    out_ << ')';
  };
  out_ << "entry " << text::quote(entry.name) << ' ';
  values(entry.sizes, entry.params);
  out_ << " : ";
  values(entry.result_sizes, entry.results);
  out_.newline();
}

void Printer::function(const Function& fn) {
  if (fn.entry) entry(*fn.entry);
  attrs(fn.attrs);
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
bool is_short(const Exp& exp) {
  if (const If* e = as<If>(exp)) return e->then_body.stmts.empty() && e->else_body.stmts.empty();
  if (as<WithAcc>(exp)) return false;
  bool has_bodies = false;
  for_each_body(exp, [&](const Body&) { has_bodies = true; });
  return !has_bodies;
}

void Printer::stmt(const Stmt& stmt) {
  attrs(stmt.attrs);
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

// ---- arrays

void Printer::exp(const ArrayLit& e) {
  out_ << "array(";
  type(e.row);
  out_ << ", ";
  operands(e.elems);
  out_ << ')';
}

void Printer::slice(const std::vector<DimSlice>& slice) {
  list("[", slice, "]", [&](const DimSlice& dim) {
    operand(dim.start);
    if (dim.is_index) return;
    out_ << " for ";
    operand(dim.count);
    if (dim.stride == Operand{const_i64(1)}) return;
    out_ << " by ";
    operand(dim.stride);
  });
}

void Printer::exp(const Index& e) {
  name(e.array);
  slice(e.slice);
}

void Printer::exp(const Update& e) {
  name(e.array);
  out_ << " with ";
  slice(e.slice);
  out_ << " = ";
  operand(e.value);
}

void Printer::flat_dims(const std::vector<FlatDim>& dims) {
  list("{", dims, "}", [&](const FlatDim& dim) {
    operand(dim.count);
    out_ << " by ";
    operand(dim.stride);
  });
}

void Printer::exp(const FlatIndex& e) {
  out_ << "flat_index(";
  name(e.array);
  out_ << ", ";
  operand(e.offset);
  out_ << ", ";
  flat_dims(e.dims);
  out_ << ')';
}

void Printer::exp(const FlatUpdate& e) {
  out_ << "flat_update(";
  name(e.array);
  out_ << ", ";
  operand(e.offset);
  out_ << ", ";
  flat_dims(e.dims);
  out_ << ", ";
  name(e.value);
  out_ << ')';
}

void Printer::exp(const Concat& e) {
  out_.print("concat({}, ", e.dim);
  operand(e.size);
  out_ << ", ";
  names(e.arrays);
  out_ << ')';
}

void Printer::exp(const Replicate& e) {
  out_ << "replicate(";
  shape(e.shape);
  out_ << ", ";
  operand(e.value);
  out_ << ')';
}

void Printer::exp(const Scratch& e) {
  out_ << "scratch(";
  dims(e.shape);
  out_ << prim_name(e.elem) << ')';
}

void Printer::exp(const Reshape& e) {
  out_ << "reshape(";
  shape(e.shape);
  out_ << ", ";
  name(e.array);
  out_ << ')';
}

void Printer::exp(const Rearrange& e) {
  list("rearrange((", e.perm, "), ", [&](int dim) { out_.print("{}", dim); });
  name(e.array);
  out_ << ')';
}

// ---- control

void Printer::exp(const Assert& e) {
  out_ << "assert(";
  operand(e.cond);
  for (const MessagePart& part : e.message) {
    out_ << ", ";
    if (const auto* words = std::get_if<std::string>(&part))
      out_ << text::quote(*words);
    else
      operand(std::get<Operand>(part));
  }
  out_ << ')';
}

void Printer::exp(const If& e) {
  out_ << "if ";
  operand(e.cond);
  out_ << " then";
  block(e.then_body);
  if (e.then_body.stmts.empty() && e.else_body.stmts.empty())
    out_ << ' ';
  else
    out_.newline();
  out_ << "else";
  block(e.else_body);
}

void Printer::exp(const Loop& e) {
  list("loop {", e.params, "}", [&](const LoopParam& p) {
    param(p.param);
    out_ << " = ";
    operand(p.init);
  });
  if (e.form == Loop::kFor) {
    out_ << " for ";
    param(e.var);
    out_ << " < ";
    operand(e.bound);
  } else {
    out_ << " while ";
    name(e.cond);
  }
  out_ << " do";
  block(e.body);
}

void Printer::exp(const Call& e) {
  out_ << "call " << text::word(e.fn);
  list("(", e.args, ")", [&](const Operand& o) { operand(o); });
}

// ---- combinators

void Printer::exp(const Soac& e) {
  out_ << (e.is_map() ? "map(" : "soac(");
  width_and_inputs(e.width, e.inputs);
  out_ << ", ";
  if (e.is_map()) {
    lambda(e.fn);
    out_ << ')';
    return;
  }
  Indented indented(out_);
  lambda(e.fn);
  for (const Operator& scan : e.scans) {
    item();
    out_ << "scan ";
    op(scan);
  }
  for (const Operator& reduce : e.reduces) {
    item();
    out_ << "reduce ";
    op(reduce);
  }
  for (const Lambda& post : e.post) {
    item();
    out_ << "post ";
    lambda(post);
  }
  out_ << ')';
}

void Printer::exp(const Hist& e) {
  out_ << "hist(";
  width_and_inputs(e.width, e.inputs);
  Indented indented(out_);
  for (const HistOp& hist : e.ops) {
    item();
    out_ << "to ";
    shape(hist.shape);
    out_ << ' ';
    names(hist.dests);
    out_ << " with ";
    op(hist.op);
  }
  item();
  lambda(e.fn);
  out_ << ')';
}

void Printer::exp(const Scatter& e) {
  out_ << "scatter(";
  width_and_inputs(e.width, e.inputs);
  Indented indented(out_);
  for (const ScatterDest& dest : e.dests) {
    item();
    out_ << "to ";
    shape(dest.shape);
    out_ << ' ';
    name(dest.dest);
  }
  item();
  lambda(e.fn);
  out_ << ')';
}

void Printer::exp(const Partition& e) {
  out_ << "partition(";
  operand(e.width);
  out_.print(", {}, ", e.classes);
  names(e.inputs);
  out_ << ", ";
  lambda(e.fn);
  out_ << ')';
}

void Printer::exp(const FlatMap& e) {
  out_ << "flatmap(";
  operand(e.width);
  out_.print(", {}, ", e.data);
  names(e.inputs);
  out_ << ", ";
  lambda(e.fn);
  out_ << ')';
}

void Printer::exp(const WithAcc& e) {
  out_ << "with_acc(";
  Indented indented(out_);
  for (const AccInput& input : e.inputs) {
    out_ << "acc ";
    shape(input.shape);
    out_ << ' ';
    names(input.arrays);
    for (const Operator& combine : input.op) {
      out_ << " with ";
      op(combine);
    }
    item();
  }
  lambda(e.fn);
  out_ << ')';
}

void Printer::exp(const UpdateAcc& e) {
  out_ << "update_acc(";
  name(e.acc);
  out_ << ", ";
  operands(e.indices);
  out_ << ", ";
  operands(e.values);
  out_ << ')';
}

// ---- kernels

void Printer::exp(const Kernel& e) {
  out_ << "kernel(" << text::domain_name(e.domain.kind);
  list("(", e.domain.dims, "", [&](const Operand& dim) { operand(dim); });
  if (!e.domain.offsets.empty())
    list("; ", e.domain.offsets, "", [&](Name offsets) { name(offsets); });
  out_ << "), " << (e.guarded ? "guarded " : "");
  Indented indented(out_);
  lambda(e.pull);
  for (const Sink& sink : e.sinks) {
    item();
    out_.print("{} {}", text::sink_name(sink.kind), sink.count);
    if (sink.classes != 0) out_.print(" classes {}", sink.classes);
    if (!sink.shape.empty() || !sink.dests.empty()) {
      out_ << " to ";
      shape(sink.shape);
      out_ << ' ';
      names(sink.dests);
    }
    for (const Operator& combine : sink.op) {
      out_ << " with ";
      op(combine);
    }
  }
  for (const Lambda& post : e.post) {
    item();
    out_ << "post ";
    lambda(post);
  }
  out_ << ')';
}

}  // namespace

std::string print(const Program& prog, const PrintOptions& options) {
  Printer printer(prog.names, &prog.locs, options);
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
  Printer printer(prog.names, &prog.locs, options);
  printer.function(fn);
  return printer.take();
}

std::string print(const Stmt& stmt, const Program& prog) {
  Printer printer(prog.names, &prog.locs, {});
  printer.stmt(stmt);
  return printer.take();
}

std::string print(const Type& type, const NameTable& names) {
  Printer printer(names, nullptr, {});
  printer.type(type);
  return printer.take();
}

std::string print(const Operand& operand, const NameTable& names) {
  Printer printer(names, nullptr, {});
  printer.operand(operand);
  return printer.take();
}

std::string print(const Const& c) {
  return text::constant(c);
}

}  // namespace skald::core
