// SPDX-License-Identifier: Apache-2.0
// Bodies, statements and expressions of the text form but combinators (parse_soac.cpp), in the
// order of exp.h.
#include "core/text/code_parser.h"
#include "core/text/text.h"

namespace skald::core::detail {

namespace {

Exp opaque_exp(CodeParser& p) {
  Opaque e;
  p.args(e.arg);
  return e;
}

Exp tunable_exp(CodeParser& p) {
  Tunable e;
  p.tokens.expect("(");
  e.param = p.terms.string();
  p.tokens.expect(",");
  e.param_class = p.terms.string();
  p.tokens.expect(",");
  e.fallback = p.terms.operand();
  p.tokens.expect(")");
  return e;
}

Exp select_exp(CodeParser& p) {
  Select e;
  p.args(e.cond, e.then, e.otherwise);
  return e;
}

Exp array_exp(CodeParser& p) {
  ArrayLit e;
  p.tokens.expect("(");
  e.row = p.terms.type();
  p.tokens.expect(",");
  e.elems = p.terms.operands();
  p.tokens.expect(")");
  return e;
}

Exp flat_index_exp(CodeParser& p) {
  FlatIndex e;
  p.args(e.array, e.offset, e.dims);
  return e;
}

Exp flat_update_exp(CodeParser& p) {
  FlatUpdate e;
  p.args(e.array, e.offset, e.dims, e.value);
  return e;
}

Exp concat_exp(CodeParser& p) {
  Concat e{};
  p.args(e.dim, e.size, e.arrays);
  return e;
}

Exp replicate_exp(CodeParser& p) {
  Replicate e;
  p.args(e.shape, e.value);
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

Exp reshape_exp(CodeParser& p) {
  Reshape e;
  p.args(e.shape, e.array);
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

Exp copy_exp(CodeParser& p) {
  Copy e;
  p.args(e.array);
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
    {"opaque", opaque_exp},
    {"tunable", tunable_exp},
    {"select", select_exp},
    {"array", array_exp},
    {"flat_index", flat_index_exp},
    {"flat_update", flat_update_exp},
    {"concat", concat_exp},
    {"replicate", replicate_exp},
    {"scratch", scratch_exp},
    {"reshape", reshape_exp},
    {"rearrange", rearrange_exp},
    {"copy", copy_exp},
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
  const auto split = [](std::string_view word) -> std::pair<std::string_view, std::optional<Prim>> {
    const size_t underscore = word.rfind('_');
    if (underscore == std::string_view::npos) return {word, std::nullopt};
    return {word.substr(0, underscore), prim_from_name(word.substr(underscore + 1))};
  };
  const auto [head, type] = split(token.text);
  if (type) {
    tokens.skip();
    if (const auto op = binop_from_mnemonic(head)) {
      BinOp e{*op, *type, {}, {}};
      args(e.lhs, e.rhs);
      return e;
    }
    if (const auto op = unop_from_mnemonic(head)) {
      UnOp e{*op, *type, {}};
      args(e.arg);
      return e;
    }
    if (const auto op = cmpop_from_mnemonic(head)) {
      CmpOp e{*op, *type, {}, {}};
      args(e.lhs, e.rhs);
      return e;
    }
    if (const auto op = ternop_from_mnemonic(head)) {
      TernOp e{*op, *type, {}, {}, {}};
      args(e.a, e.b, e.c);
      return e;
    }
    if (head == "iota") {
      Iota e{*type, {}, {}, {}};
      args(e.count, e.start, e.step);
      return e;
    }
    const auto [kind, from] = split(head);
    if (from && kind == "convert") {
      Convert e{*from, *type, {}};
      args(e.arg);
      return e;
    }
    if (from && kind == "bitcast") {
      Bitcast e{*from, *type, {}};
      args(e.arg);
      return e;
    }
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
