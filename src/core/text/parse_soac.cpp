// SPDX-License-Identifier: Apache-2.0
// Combinators, kernels and memory in the text form, in the order of exp.h.
#include "core/text/parser.h"
#include "core/text/text.h"

namespace skald::core::detail {

Exp Parser::map_exp() {
  Soac e;
  expect("(");
  e.width = operand();
  expect(",");
  e.inputs = names();
  expect(",");
  e.fn = lambda();
  expect(")");
  return e;
}

Exp Parser::soac_exp() {
  Soac e;
  expect("(");
  e.width = operand();
  expect(",");
  e.inputs = names();
  expect(",");
  e.fn = lambda();
  while (accept(",")) {
    if (e.post.empty() && e.reduces.empty() && accept("scan"))
      e.scans.push_back(op());
    else if (e.post.empty() && accept("reduce"))
      e.reduces.push_back(op());
    else if (e.post.empty() && accept("post"))
      e.post.push_back(lambda());
    else
      fail("expected scans, then reductions, then perhaps one post");
  }
  expect(")");
  return e;
}

// (width, inputs, to …, to …, function); `dest` reads what follows each `to`.
template <class Node, class F>
void Parser::writing_exp(Node& e, F&& dest) {
  expect("(");
  e.width = operand();
  expect(",");
  e.inputs = names();
  expect(",");
  while (accept("to")) {
    dest();
    expect(",");
  }
  e.fn = lambda();
  expect(")");
}

Exp Parser::hist_exp() {
  Hist e;
  writing_exp(e, [&] {
    HistOp& hist = e.ops.emplace_back();
    hist.shape = shape();
    hist.dests = names();
    expect("with");
    hist.op = op();
  });
  return e;
}

Exp Parser::scatter_exp() {
  Scatter e;
  writing_exp(e, [&] {
    ScatterDest& dest = e.dests.emplace_back();
    dest.shape = shape();
    dest.dest = name();
  });
  return e;
}

Exp Parser::partition_exp() {
  Partition e{};
  args(e.width, e.classes, e.inputs, e.fn);
  return e;
}

Exp Parser::flatmap_exp() {
  FlatMap e{};
  args(e.width, e.data, e.inputs, e.fn);
  return e;
}

Exp Parser::with_acc_exp() {
  WithAcc e;
  expect("(");
  while (accept("acc")) {
    AccInput input;
    input.shape = shape();
    input.arrays = names();
    if (accept("with")) input.op.push_back(op());
    expect(",");
    e.inputs.push_back(std::move(input));
  }
  e.fn = lambda();
  expect(")");
  return e;
}

Exp Parser::update_acc_exp() {
  UpdateAcc e;
  expect("(");
  e.acc = name();
  expect(",");
  e.indices = operands();
  expect(",");
  e.values = operands();
  expect(")");
  return e;
}

// ---- kernels and memory

Domain Parser::domain() {
  Domain domain;
  const auto kind =
      peek().kind == Token::kWord ? text::domain_from_name(peek().text) : std::nullopt;
  if (!kind) {
    fail("expected flat, grid or seg");
    return domain;
  }
  ++at_;
  domain.kind = *kind;
  expect("(");
  if (!at_symbol(")") && !at_symbol(";")) {
    do {
      domain.dims.push_back(operand());
    } while (accept(","));
  }
  if (accept(";"))
    domain.offsets = list(")", [&] { return name(); });
  else
    expect(")");
  return domain;
}

Sink Parser::sink(Sink::Kind kind) {
  Sink sink;
  sink.kind = kind;
  sink.count = integer();
  if (accept("classes")) sink.classes = integer();
  if (accept("to")) {
    sink.shape = shape();
    sink.dests = names();
  }
  if (accept("with")) sink.op.push_back(op());
  return sink;
}

Exp Parser::kernel_exp() {
  Kernel e;
  e.space = space();
  expect("(");
  e.domain = domain();
  expect(",");
  e.guarded = accept("guarded");
  e.pull = lambda();
  while (accept(",")) {
    const bool late = accept("late");
    const auto kind =
        peek().kind == Token::kWord ? text::sink_from_name(peek().text) : std::nullopt;
    if (e.post.empty() && kind) {
      ++at_;
      e.sinks.push_back(sink(*kind));
      e.sinks.back().late = late;
    } else if (e.post.empty() && !late && accept("post")) {
      e.post.push_back(lambda());
    } else {
      fail("expected sinks, then perhaps one post");
    }
  }
  expect(")");
  return e;
}

Exp Parser::alloc_exp() {
  Alloc e;
  args(e.bytes);
  return e;
}

Exp Parser::free_exp() {
  Free e;
  args(e.block);
  return e;
}

}  // namespace skald::core::detail
