// SPDX-License-Identifier: Apache-2.0
// Expressions as text, in the order of exp.h.
#include "core/text/printer.h"

namespace skald::core::detail {

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

void Printer::exp(const Tunable& e) {
  out_.print("tunable({}, {}, ", text::quote(e.param), text::quote(e.param_class));
  operand(e.fallback);
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

void Printer::numbered(std::string_view word, const Operand& width, int number,
                       const std::vector<Name>& inputs, const Lambda& fn) {
  out_ << word << '(';
  operand(width);
  out_.print(", {}, ", number);
  names(inputs);
  out_ << ", ";
  lambda(fn);
  out_ << ')';
}

void Printer::exp(const Partition& e) {
  numbered("partition", e.width, e.classes, e.inputs, e.fn);
}

void Printer::exp(const FlatMap& e) {
  numbered("flatmap", e.width, e.data, e.inputs, e.fn);
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

// ---- derivatives

void Printer::exp(const Jvp& e) {
  out_ << "jvp(";
  lambda(e.fn);
  out_ << ", ";
  operands(e.args);
  out_ << ", ";
  operands(e.tangents);
  out_ << ')';
}

void Printer::exp(const Vjp& e) {
  out_ << "vjp(";
  lambda(e.fn);
  out_ << ", ";
  operands(e.args);
  out_ << ", ";
  operands(e.cotangents);
  out_ << ')';
}

void Printer::exp(const WithVjp& e) {
  out_ << "with_vjp(";
  lambda(e.fn);
  Indented indented(out_);
  item();
  out_ << "rule ";
  lambda(e.rule);
  out_ << ", ";
  operands(e.args);
  out_ << ')';
}

// ---- kernels

void Printer::exp(const Kernel& e) {
  out_ << "kernel";
  space(e.space);
  out_ << '(' << text::domain_name(e.domain.kind);
  list("(", e.domain.dims, "", [&](const Operand& dim) { operand(dim); });
  if (!e.domain.offsets.empty())
    list("; ", e.domain.offsets, "", [&](Name offsets) { name(offsets); });
  out_ << "), " << (e.guarded ? "guarded " : "");
  Indented indented(out_);
  lambda(e.pull);
  for (const Sink& sink : e.sinks) {
    item();
    out_.print("{}{} {}", sink.late ? "late " : "", text::sink_name(sink.kind), sink.count);
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

}  // namespace skald::core::detail
