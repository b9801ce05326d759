// SPDX-License-Identifier: Apache-2.0
// Bodies, statements and expressions of the text form but combinators (parse_soac.cpp), in the
// order of exp.h.
#include "core/text/code_parser.h"
#include "core/text/scalar_operator.h"
#include "core/text/text.h"

namespace skald::core::detail {

namespace {

Exp array_exp(CodeParser& p) {
  ArrayLit e;
  p.tokens.expect("(");
  e.row = p.terms.type();
  p.tokens.expect(",");
  e.elems = p.terms.operands();
  p.tokens.expect(")");
  return e;
}

Exp scratch_exp(CodeParser& p) {
  Scratch e{};
  p.tokens.expect("(");
  e.shape = p.terms.dims();
  e.elem = p.terms.prim();
  p.tokens.expect(")");
  return e;
}

Exp rearrange_exp(CodeParser& p) {
  Rearrange e;
  p.tokens.expect("(");
  p.tokens.expect("(");
  e.perm = p.tokens.list(")", [&] { return p.terms.integer(); });
  p.tokens.expect(",");
  e.array = p.terms.name();
  p.tokens.expect(")");
  return e;
}

Exp assert_exp(CodeParser& p) {
  Assert e;
  p.tokens.expect("(");
  e.cond = p.terms.operand();
  while (p.tokens.accept(",")) {
    if (p.tokens.peek().kind == Token::kString)
      e.message.push_back(p.terms.string());
    else
      e.message.push_back(p.terms.operand());
  }
  p.tokens.expect(")");
  return e;
}

Exp if_exp(CodeParser& p) {
  If e;
  e.cond = p.terms.operand();
  p.tokens.expect("then");
  e.then_body = p.body();
  p.tokens.expect("else");
  e.else_body = p.body();
  return e;
}

Exp loop_exp(CodeParser& p) {
  Loop e;
  e.params = p.tokens.braces([&] {
    LoopParam one;
    one.param = p.terms.param();
    p.tokens.expect("=");
    one.init = p.terms.operand();
    return one;
  });
  if (p.tokens.accept("while")) {
    e.form = Loop::kWhile;
    e.cond = p.terms.name();
  } else {
    p.tokens.expect("for");
    e.var = p.terms.param();
    p.tokens.expect("<");
    e.bound = p.terms.operand();
  }
  p.tokens.expect("do");
  e.body = p.body();
  return e;
}

Exp call_exp(CodeParser& p) {
  Call e;
  e.fn = p.terms.word();
  p.tokens.expect("(");
  e.args = p.tokens.list(")", [&] { return p.terms.operand(); });
  return e;
}

constexpr Form kPlainForms[] = {
    {"opaque", of_fields<Opaque, &Opaque::arg>},
    {"tunable", of_fields<Tunable, &Tunable::param, &Tunable::param_class, &Tunable::fallback>},
    {"select", of_fields<Select, &Select::cond, &Select::then, &Select::otherwise>},
    {"array", array_exp},
    {"flat_index", of_fields<FlatIndex, &FlatIndex::array, &FlatIndex::offset, &FlatIndex::dims>},
    {"flat_update", of_fields<FlatUpdate, &FlatUpdate::array, &FlatUpdate::offset,
                              &FlatUpdate::dims, &FlatUpdate::value>},
    {"concat", of_fields<Concat, &Concat::dim, &Concat::size, &Concat::arrays>},
    {"replicate", of_fields<Replicate, &Replicate::shape, &Replicate::value>},
    {"scratch", scratch_exp},
    {"reshape", of_fields<Reshape, &Reshape::shape, &Reshape::array>},
    {"rearrange", rearrange_exp},
    {"copy", of_fields<Copy, &Copy::array>},
    {"assert", assert_exp},
    {"if", if_exp},
    {"loop", loop_exp},
    {"call", call_exp},
};

}  // namespace

Body CodeParser::body() {
  const TokenCursor::Nest nest(tokens);
  Body body;
  while (tokens.at_word("let") || tokens.at_symbol("#")) body.stmts.push_back(stmt());
  if (!tokens.at_symbol("{")) tokens.expect("in");
  body.result = terms.operands();
  return body;
}

Stmt CodeParser::stmt() {
  Stmt stmt;
  stmt.hints = terms.hints<Hints>();
  tokens.expect("let");
  stmt.pat = tokens.braces([&] { return terms.param(); });
  tokens.expect("=");
  if (tokens.accept("after")) stmt.tokens = terms.names();
  stmt.exp = exp();
  stmt.loc = terms.place();
  return stmt;
}

Lambda CodeParser::lambda() {
  Lambda fn;
  tokens.expect("\\");
  fn.params = tokens.braces([&] { return terms.param(); });
  tokens.expect(":");
  fn.results = tokens.braces([&] { return terms.ret(); });
  tokens.expect("->");
  fn.body = body();
  return fn;
}

Operator CodeParser::op() {
  Operator op;
  op.commutative = tokens.accept("commutative");
  op.neutral = terms.operands();
  op.fn = lambda();
  return op;
}

Exp CodeParser::exp() {
  const Token& token = tokens.peek();
  if (terms.at_name()) return name_exp();
  if (token.kind != Token::kWord || prim_from_name(token.text) || token.text == "true" ||
      token.text == "false")
    return Value{terms.operand()};
  for (const std::span<const Form> forms : {std::span<const Form>(kPlainForms), soac_forms()}) {
    for (const Form& form : forms) {
      if (form.word != token.text) continue;
      tokens.skip();
      return form.parse(*this);
    }
  }
  return scalar_op();
}

// add_i32(a, b), convert_i32_f32(a), iota_i64(n, a, b)
Exp CodeParser::scalar_op() {
  const Token& token = tokens.peek();
  if (const auto op = text::ScalarOperator::find(token.text)) {
    tokens.skip();
    Operand operands[3];
    for (size_t k = 0; k < op->arity(); ++k) {
      tokens.expect(k == 0 ? "(" : ",");
      field(operands[k]);
    }
    tokens.expect(")");
    return op->applied_to<Exp>(operands);
  }
  const auto [head, type] = text::split_type(token.text);
  const auto [kind, from] = text::split_type(head);
  if (type && (head == "iota" || (from && (kind == "convert" || kind == "bitcast")))) {
    tokens.skip();
    if (head == "iota") {
      Iota e{*type, {}, {}, {}};
      args(e.count, e.start, e.step);
      return e;
    }
    Operand arg;
    args(arg);
    if (kind == "convert") return Convert{*from, *type, arg};
    return Bitcast{*from, *type, arg};
  }
  tokens.fail(token, fmt::format("there is no operation `{}`", token.text));
  return Value{};
}

// x_1, xs_1[…], xs_1 with […] = v_2
Exp CodeParser::name_exp() {
  const Name first = terms.name();
  if (tokens.at_symbol("[")) return Index{first, slice()};
  if (!tokens.accept("with")) return Value{first};
  Update e{first, slice(), {}};
  tokens.expect("=");
  e.value = terms.operand();
  return e;
}

std::vector<DimSlice> CodeParser::slice() {
  tokens.expect("[");
  return tokens.list("]", [&] {
    DimSlice dim;
    dim.start = terms.operand();
    if (tokens.accept("for")) {
      dim.is_index = false;
      dim.count = terms.operand();
      if (tokens.accept("by")) dim.stride = terms.operand();
    }
    return dim;
  });
}

std::vector<FlatDim> CodeParser::flat_dims() {
  return tokens.braces([&] {
    FlatDim dim;
    dim.count = terms.operand();
    tokens.expect("by");
    dim.stride = terms.operand();
    return dim;
  });
}

}  // namespace skald::core::detail
