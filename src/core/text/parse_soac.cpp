// SPDX-License-Identifier: Apache-2.0
// Combinators, kernels and memory in the text form, in the order of exp.h.
#include "core/text/code_parser.h"
#include "core/text/text.h"

namespace skald::core::detail {

namespace {

// (width, inputs, function
Soac soac_head(CodeParser& p) {
  Soac e;
  p.tokens.expect("(");
  e.width = p.terms.operand();
  p.tokens.expect(",");
  e.inputs = p.terms.names();
  p.tokens.expect(",");
  e.fn = p.lambda();
  return e;
}

Exp map_exp(CodeParser& p) {
  Soac e = soac_head(p);
  p.tokens.expect(")");
  return e;
}

Exp soac_exp(CodeParser& p) {
  Soac e = soac_head(p);
  while (p.tokens.accept(",")) {
    if (e.post.empty() && e.reduces.empty() && p.tokens.accept("scan"))
      e.scans.push_back(p.op());
    else if (e.post.empty() && p.tokens.accept("reduce"))
      e.reduces.push_back(p.op());
    else if (e.post.empty() && p.tokens.accept("post"))
      e.post.push_back(p.lambda());
    else
      p.tokens.fail("expected scans, then reductions, then perhaps one post");
  }
  p.tokens.expect(")");
  return e;
}

// (width, inputs, to …, to …, function); `dest` reads what follows each `to`.
template <class Node, class F>
void writing_exp(CodeParser& p, Node& e, F&& dest) {
  p.tokens.expect("(");
  e.width = p.terms.operand();
  p.tokens.expect(",");
  e.inputs = p.terms.names();
  p.tokens.expect(",");
  while (p.tokens.accept("to")) {
    dest();
    p.tokens.expect(",");
  }
  e.fn = p.lambda();
  p.tokens.expect(")");
}

Exp hist_exp(CodeParser& p) {
  Hist e;
  writing_exp(p, e, [&] {
    HistOp& hist = e.ops.emplace_back();
    hist.shape = p.terms.shape();
    hist.dests = p.terms.names();
    p.tokens.expect("with");
    hist.op = p.op();
  });
  return e;
}

Exp scatter_exp(CodeParser& p) {
  Scatter e;
  writing_exp(p, e, [&] {
    ScatterDest& dest = e.dests.emplace_back();
    dest.shape = p.terms.shape();
    dest.dest = p.terms.name();
  });
  return e;
}

Exp with_acc_exp(CodeParser& p) {
  WithAcc e;
  p.tokens.expect("(");
  while (p.tokens.accept("acc")) {
    AccInput input;
    input.shape = p.terms.shape();
    input.arrays = p.terms.names();
    if (p.tokens.accept("with")) input.op.push_back(p.op());
    p.tokens.expect(",");
    e.inputs.push_back(std::move(input));
  }
  e.fn = p.lambda();
  p.tokens.expect(")");
  return e;
}

Exp update_acc_exp(CodeParser& p) {
  UpdateAcc e;
  p.tokens.expect("(");
  e.acc = p.terms.name();
  p.tokens.expect(",");
  e.indices = p.terms.operands();
  p.tokens.expect(",");
  e.values = p.terms.operands();
  p.tokens.expect(")");
  return e;
}

// ---- derivatives

// (function, {arguments}, {tangents})
template <class Node, auto kSeeds>
Exp derivative_exp(CodeParser& p) {
  Node e;
  p.tokens.expect("(");
  e.fn = p.lambda();
  p.tokens.expect(",");
  e.args = p.terms.operands();
  p.tokens.expect(",");
  e.*kSeeds = p.terms.operands();
  p.tokens.expect(")");
  return e;
}

Exp with_vjp_exp(CodeParser& p) {
  WithVjp e;
  p.tokens.expect("(");
  e.fn = p.lambda();
  p.tokens.expect(",");
  p.tokens.expect("rule");
  e.rule = p.lambda();
  p.tokens.expect(",");
  e.args = p.terms.operands();
  p.tokens.expect(")");
  return e;
}

// ---- kernels and memory

Domain domain(CodeParser& p) {
  Domain domain;
  const auto kind = p.tokens.peek().kind == Token::kWord
                        ? text::domain_from_name(p.tokens.peek().text)
                        : std::nullopt;
  if (!kind) {
    p.tokens.fail("expected flat, grid or seg");
    return domain;
  }
  p.tokens.skip();
  domain.kind = *kind;
  p.tokens.expect("(");
  if (!p.tokens.at_symbol(")") && !p.tokens.at_symbol(";")) {
    do {
      domain.dims.push_back(p.terms.operand());
    } while (p.tokens.accept(","));
  }
  if (p.tokens.accept(";"))
    domain.offsets = p.tokens.list(")", [&] { return p.terms.name(); });
  else
    p.tokens.expect(")");
  return domain;
}

Sink sink(CodeParser& p, Sink::Kind kind) {
  Sink sink;
  sink.kind = kind;
  sink.count = p.terms.integer();
  if (p.tokens.accept("classes")) sink.classes = p.terms.integer();
  if (p.tokens.accept("to")) {
    sink.shape = p.terms.shape();
    sink.dests = p.terms.names();
  }
  if (p.tokens.accept("with")) sink.op.push_back(p.op());
  return sink;
}

Exp kernel_exp(CodeParser& p) {
  Kernel e;
  e.space = p.terms.space();
  p.tokens.expect("(");
  e.domain = domain(p);
  p.tokens.expect(",");
  e.guarded = p.tokens.accept("guarded");
  e.pull = p.lambda();
  while (p.tokens.accept(",")) {
    const bool late = p.tokens.accept("late");
    const auto kind = p.tokens.peek().kind == Token::kWord
                          ? text::sink_from_name(p.tokens.peek().text)
                          : std::nullopt;
    if (e.post.empty() && kind) {
      p.tokens.skip();
      e.sinks.push_back(sink(p, *kind));
      e.sinks.back().late = late;
    } else if (e.post.empty() && !late && p.tokens.accept("post")) {
      e.post.push_back(p.lambda());
    } else {
      p.tokens.fail("expected sinks, then perhaps one post");
    }
  }
  p.tokens.expect(")");
  return e;
}

constexpr Form kSoacForms[] = {
    {"map", map_exp},
    {"soac", soac_exp},
    {"hist", hist_exp},
    {"scatter", scatter_exp},
    {"partition", of_fields<Partition, &Partition::width, &Partition::classes, &Partition::inputs,
                            &Partition::fn>},
    {"flatmap",
     of_fields<FlatMap, &FlatMap::width, &FlatMap::data, &FlatMap::inputs, &FlatMap::fn>},
    {"with_acc", with_acc_exp},
    {"update_acc", update_acc_exp},
    {"jvp", derivative_exp<Jvp, &Jvp::tangents>},
    {"vjp", derivative_exp<Vjp, &Vjp::cotangents>},
    {"with_vjp", with_vjp_exp},
    {"kernel", kernel_exp},
    {"alloc", of_fields<Alloc, &Alloc::bytes>},
    {"free", of_fields<Free, &Free::block>},
};

}  // namespace

std::span<const Form> soac_forms() {
  return kSoacForms;
}

}  // namespace skald::core::detail
