// SPDX-License-Identifier: Apache-2.0
// Bodies, statements and expressions of the text form but combinators (parse_soac.cpp), in the
// order of exp.h.
#include "core/text/parser.h"
#include "core/text/text.h"

namespace skald::core::detail {

const Parser::Form Parser::kForms[] = {
    {"opaque", &Parser::opaque_exp},
    {"tunable", &Parser::tunable_exp},
    {"select", &Parser::select_exp},
    {"array", &Parser::array_exp},
    {"flat_index", &Parser::flat_index_exp},
    {"flat_update", &Parser::flat_update_exp},
    {"concat", &Parser::concat_exp},
    {"replicate", &Parser::replicate_exp},
    {"scratch", &Parser::scratch_exp},
    {"reshape", &Parser::reshape_exp},
    {"rearrange", &Parser::rearrange_exp},
    {"copy", &Parser::copy_exp},
    {"assert", &Parser::assert_exp},
    {"if", &Parser::if_exp},
    {"loop", &Parser::loop_exp},
    {"call", &Parser::call_exp},
    {"map", &Parser::map_exp},
    {"soac", &Parser::soac_exp},
    {"hist", &Parser::hist_exp},
    {"scatter", &Parser::scatter_exp},
    {"partition", &Parser::partition_exp},
    {"flatmap", &Parser::flatmap_exp},
    {"with_acc", &Parser::with_acc_exp},
    {"update_acc", &Parser::update_acc_exp},
    {"kernel", &Parser::kernel_exp},
    {"alloc", &Parser::alloc_exp},
    {"free", &Parser::free_exp},
};

Body Parser::body() {
  Body body;
  if (++depth_ > kMaxDepth) fail("too deeply nested");
  while (at_word("let") || at_symbol("#")) body.stmts.push_back(stmt());
  if (!at_symbol("{")) expect("in");
  body.result = operands();
  --depth_;
  return body;
}

Stmt Parser::stmt() {
  Stmt stmt;
  stmt.hints = hints<Hints>();
  expect("let");
  stmt.pat = braces([&] { return param(); });
  expect("=");
  if (accept("after")) stmt.tokens = names();
  stmt.exp = exp();
  stmt.loc = place();
  return stmt;
}

Lambda Parser::lambda() {
  Lambda fn;
  expect("\\");
  fn.params = braces([&] { return param(); });
  expect(":");
  fn.results = braces([&] { return ret(); });
  expect("->");
  fn.body = body();
  return fn;
}

Operator Parser::op() {
  Operator op;
  op.commutative = accept("commutative");
  op.neutral = operands();
  op.fn = lambda();
  return op;
}

Exp Parser::exp() {
  const Token& token = peek();
  if (at_name()) return name_exp();
  if (token.kind != Token::kWord || prim_from_name(token.text) || token.text == "true" ||
      token.text == "false")
    return Value{operand()};
  for (const Form& form : kForms) {
    if (form.word != token.text) continue;
    ++at_;
    return (this->*form.parse)();
  }
  return scalar_op();
}

// add_i32(a, b), convert_i32_f32(a), iota_i64(n, a, b)
Exp Parser::scalar_op() {
  const Token& token = peek();
  const auto split = [](std::string_view word) -> std::pair<std::string_view, std::optional<Prim>> {
    const size_t underscore = word.rfind('_');
    if (underscore == std::string_view::npos) return {word, std::nullopt};
    return {word.substr(0, underscore), prim_from_name(word.substr(underscore + 1))};
  };
  const auto [head, type] = split(token.text);
  if (type) {
    ++at_;
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
  fail(token, fmt::format("there is no operation `{}`", token.text));
  return Value{};
}

// x_1, xs_1[…], xs_1 with […] = v_2
Exp Parser::name_exp() {
  const Name first = name();
  if (at_symbol("[")) return Index{first, slice()};
  if (!accept("with")) return Value{first};
  Update e{first, slice(), {}};
  expect("=");
  e.value = operand();
  return e;
}

std::vector<DimSlice> Parser::slice() {
  expect("[");
  return list("]", [&] {
    DimSlice dim;
    dim.start = operand();
    if (accept("for")) {
      dim.is_index = false;
      dim.count = operand();
      if (accept("by")) dim.stride = operand();
    }
    return dim;
  });
}

Exp Parser::opaque_exp() {
  Opaque e;
  args(e.arg);
  return e;
}

Exp Parser::tunable_exp() {
  Tunable e;
  expect("(");
  e.param = string();
  expect(",");
  e.param_class = string();
  expect(",");
  e.fallback = operand();
  expect(")");
  return e;
}

Exp Parser::select_exp() {
  Select e;
  args(e.cond, e.then, e.otherwise);
  return e;
}

Exp Parser::array_exp() {
  ArrayLit e;
  expect("(");
  e.row = type();
  expect(",");
  e.elems = operands();
  expect(")");
  return e;
}

std::vector<FlatDim> Parser::flat_dims() {
  return braces([&] {
    FlatDim dim;
    dim.count = operand();
    expect("by");
    dim.stride = operand();
    return dim;
  });
}

Exp Parser::flat_index_exp() {
  FlatIndex e;
  args(e.array, e.offset, e.dims);
  return e;
}

Exp Parser::flat_update_exp() {
  FlatUpdate e;
  args(e.array, e.offset, e.dims, e.value);
  return e;
}

Exp Parser::concat_exp() {
  Concat e{};
  args(e.dim, e.size, e.arrays);
  return e;
}

Exp Parser::replicate_exp() {
  Replicate e;
  args(e.shape, e.value);
  return e;
}

Exp Parser::scratch_exp() {
  Scratch e{};
  expect("(");
  e.shape = dims();
  e.elem = prim();
  expect(")");
  return e;
}

Exp Parser::reshape_exp() {
  Reshape e;
  args(e.shape, e.array);
  return e;
}

Exp Parser::rearrange_exp() {
  Rearrange e;
  expect("(");
  expect("(");
  e.perm = list(")", [&] { return integer(); });
  expect(",");
  e.array = name();
  expect(")");
  return e;
}

Exp Parser::copy_exp() {
  Copy e;
  args(e.array);
  return e;
}

Exp Parser::assert_exp() {
  Assert e;
  expect("(");
  e.cond = operand();
  while (accept(",")) {
    if (peek().kind == Token::kString)
      e.message.push_back(string());
    else
      e.message.push_back(operand());
  }
  expect(")");
  return e;
}

Exp Parser::if_exp() {
  If e;
  e.cond = operand();
  expect("then");
  e.then_body = body();
  expect("else");
  e.else_body = body();
  return e;
}

Exp Parser::loop_exp() {
  Loop e;
  e.params = braces([&] {
    LoopParam p;
    p.param = param();
    expect("=");
    p.init = operand();
    return p;
  });
  if (accept("while")) {
    e.form = Loop::kWhile;
    e.cond = name();
  } else {
    expect("for");
    e.var = param();
    expect("<");
    e.bound = operand();
  }
  expect("do");
  e.body = body();
  return e;
}

Exp Parser::call_exp() {
  Call e;
  e.fn = word();
  expect("(");
  e.args = list(")", [&] { return operand(); });
  return e;
}

}  // namespace skald::core::detail
