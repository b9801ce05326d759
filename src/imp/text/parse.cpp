// SPDX-License-Identifier: Apache-2.0
#include "imp/text/parse.h"

#include "core/text/scalar_operator.h"
#include "imp/text/constant.h"
#include "imp/text/parser.h"

namespace skald::imp {

namespace {
constexpr int kMaxDepth = 500;
}  // namespace

Program Parser::program() {
  skip_space();
  while (at_ < text_.size()) {
    if (accept("loc"))
      loc();
    else
      prog_.functions.push_back(function());
  }
  return std::move(prog_);
}

void Parser::loc() {
  const uint32_t index = number();
  std::string text = string();
  std::string function = accept("within") ? string() : std::string();
  Loc caller = {};
  if (accept("from")) caller.index = number();
  expect(";");
  if (caller.index >= prog_.locs.size() && caller.index != 0) fail("no such caller");
  if (prog_.locs.add(std::move(text), caller, std::move(function)).index != index)
    fail("places are out of order");
}

Function Parser::function() {
  Function fn;
  if (accept("entry")) fn.entry = string();
  fn.once = accept("once");
  if (accept("device")) {
    fn.kind = FunctionKind::kDevice;
    prog_.target = Target::kDevice;
  }
  expect("fn");
  fn.name = string();
  expect("(");
  while (!accept(")")) {
    if (!fn.params.empty()) expect(",");
    fn.params.push_back(decl());
  }
  expect("->");
  expect("(");
  while (!accept(")")) {
    if (!fn.results.empty()) expect(",");
    fn.results.push_back(type());
  }
  if (accept("arrays")) {
    expect("(");
    while (!accept(")")) {
      if (!fn.arrays.empty()) expect(",");
      expect("[");
      std::vector<Operand>& shape = fn.arrays.emplace_back();
      while (!accept("]")) {
        if (!shape.empty()) expect(",");
        shape.push_back(operand());
      }
    }
  }
  expect("{");
  while (peek() != "return") fn.body.stmts.push_back(stmt());
  expect("return");
  fn.ret = operands();
  expect(";");
  expect("}");
  return fn;
}

Body Parser::body() {
  if (++depth_ > kMaxDepth) fail(fmt::format("nested more than {} levels deep", kMaxDepth));
  Body out;
  expect("{");
  while (!accept("}")) out.stmts.push_back(stmt());
  --depth_;
  return out;
}

Stmt Parser::ended(Node node) {
  expect(";");
  return Stmt{std::move(node)};
}

Stmt Parser::stmt() {
  if (std::optional<Stmt> stmt = marked()) return std::move(*stmt);
  if (accept("if")) return if_stmt(false, Branch::kBranch);
  if (accept("maybe")) {
    expect("if");
    return if_stmt(true, Branch::kBranch);
  }
  if (accept("for")) return for_stmt(LoopHint::kNone, false);
  for (const auto& [word, hint] : {std::pair<std::string_view, LoopHint>("simd", LoopHint::kSimd),
                                   {"short", LoopHint::kShort},
                                   {"unroll", LoopHint::kUnroll}}) {
    if (!accept(word)) continue;
    expect("for");
    return for_stmt(hint, false);
  }
  if (accept("while")) return while_stmt(false);
  if (accept("call")) return call();
  if (peek() == "check") return check();
  if (accept("parallel")) return parallel();
  if (accept("atomic")) return atomic();
  if (accept("launch")) return launch();
  if (accept("barrier")) return ended(Barrier{});
  if (accept("warp_meet")) return ended(WarpMeet{});
  if (accept("fence")) return ended(Fence{});
  if (accept("matrix")) return matrix();
  if (accept("fresh")) return fresh();
  if (accept("near")) return near();
  if (accept("stop")) return ended(Stop{});
  if (accept("scan")) return scan(false);
  if (accept("transpose")) return transpose();
  if (accept("ordered")) return Stmt{Ordered{body()}};
  if (accept("attempt")) {
    expect("(");
    Operand position = operand();
    expect(")");
    return Stmt{Attempt{position, body()}};
  }
  if (accept("lock")) return lock();
  if (accept("var")) return var_stmt(Shape::kUniform);
  if (accept("block")) {
    const Name n = name();
    expect("=");
    return ended(BlockAssign{n, name()});
  }
  if (accept("free")) {
    expect("(");
    const Name n = name();
    expect(")");
    return ended(Free{n});
  }
  if (accept("copy")) return copy(false, false);
  if (accept("move")) return copy(true, false);
  if (accept("stream")) return accept("scan") ? scan(true) : copy(false, true);
  if (accept("fill")) return fill();
  if (accept("collect")) return collect();
  if (accept("trace")) return trace();
  if (const std::optional<Space> space = peek_space()) {
    next();
    see(*space);
    const Name n = name();
    expect("=");
    if (accept("null")) return ended(BlockVar{n, *space, {}});
    if (!accept("alloc")) return ended(BlockVar{n, *space, name()});
    expect("(");
    Operand bytes = operand();
    expect(")");
    const Loc loc = place();
    return ended(Alloc{n, *space, bytes, loc});
  }
  if (prim_from_name(peek())) return typed();
  const Name n = name();
  expect("=");
  return ended(Assign{n, operand()});
}

Stmt Parser::var_stmt(Shape shape) {
  const Prim t = prim();
  const Name n = name();
  expect("=");
  return ended(Var{n, t, operand(), shape});
}

Stmt Parser::typed(Shape shape) {
  const Prim t = prim();
  const Name n = name();
  if (peek() == "[") {
    Operand i = index();
    expect("=");
    Operand value = operand();
    return ended(Store{t, n, i, value, access()});
  }
  if (accept(",")) {
    const Name usual = name();
    expect("=");
    expect("quick_div");
    std::vector<Operand> args = operands();
    if (args.size() != 2) fail("quick_div takes two operands");
    return ended(QuickQuotient{n, usual, args[0], args[1]});
  }
  expect("=");
  if (std::optional<Const> c = constant_from_text(peek())) {
    next();
    return ended(Let{n, t, core::Value{*c}, shape});
  }
  const size_t start = at_;
  const std::string_view word = next();
  if (word == "slow_div") {
    std::vector<Operand> args = operands();
    if (args.size() != 2) fail("slow_div takes two operands");
    return ended(QuickQuotient{n, {}, args[0], args[1]});
  }
  if (word == "chunk_size") {
    std::vector<Operand> args = operands();
    if (args.size() != 2) fail("chunk_size takes two operands");
    return ended(ChunkSize{n, args[0], args[1]});
  }
  if (word == "earlier") return earlier(n, t);
  if (word == "fetch_add") return fetch_add(n, t);
  for (const ShuffleKind kind :
       {ShuffleKind::kUp, ShuffleKind::kDown, ShuffleKind::kXor, ShuffleKind::kIndex}) {
    if (word != shuffle_name(kind)) continue;
    std::vector<Operand> args = operands();
    if (args.size() != 2) fail("a shuffle takes two operands");
    return ended(Shuffle{n, t, kind, args[0], args[1]});
  }
  if (word == "ballot") {
    std::vector<Operand> args = operands();
    if (args.size() != 1) fail("ballot takes one operand");
    return ended(Ballot{n, args[0]});
  }
  if (word == "misaligned") return misaligned(n);
  if (word == "my_turn") {
    if (!operands().empty()) fail("my_turn takes no operands");
    return ended(MyTurn{n});
  }
  if (word == "workers") {
    if (!operands().empty()) fail("workers takes no operands");
    return ended(Workers{n});
  }
  if (word == "tunable" && accept("(")) {
    Tunable node{n, string(), {}, const_i64(0)};
    expect(",");
    node.param_class = string();
    expect(",");
    node.fallback = operand();
    expect(")");
    return ended(std::move(node));
  }
  if (peek() == "(") return ended(Let{n, t, operation(word), shape});
  at_ = start;
  const Name source = name();
  if (peek() == "[") {
    Operand i = index();
    return ended(Load{n, t, source, i, access()});
  }
  return ended(Let{n, t, core::Value{source}, shape});
}

Exp Parser::operation(std::string_view word) {
  if (word == "convert" || word == "bitcast") {
    expect("(");
    const Prim from = prim();
    expect(",");
    const Prim to = prim();
    expect(",");
    Operand arg = operand();
    expect(")");
    if (word == "convert") return core::Convert{from, to, arg};
    return core::Bitcast{from, to, arg};
  }
  std::vector<Operand> args = operands();
  if (word == "select" && args.size() == 3) return core::Select{args[0], args[1], args[2]};
  if (const auto op = core::text::ScalarOperator::find(word); op && op->arity() == args.size())
    return op->applied_to<Exp>(args);
  fail(fmt::format("no operation `{}` with {} operands", word, args.size()));
}

Stmt Parser::if_stmt(bool maybe, Branch branch) {
  If n{.maybe = maybe, .branch = branch};
  expect("(");
  n.cond = operand();
  expect(")");
  n.skips_then = accept("any");
  n.then_body = body();
  if (accept("else")) {
    n.skips_else = accept("any");
    n.else_body = body();
  }
  return Stmt{std::move(n)};
}

Stmt Parser::for_stmt(LoopHint hint, bool masked) {
  For n{.hint = hint, .masked = masked};
  expect("(");
  n.type = prim();
  n.var = name();
  expect("=");
  n.begin = operand();
  expect(";");
  name();
  expect("<");
  n.end = operand();
  expect(";");
  name();
  expect("+");
  expect("=");
  n.step = operand();
  expect(")");
  if (accept("vector")) n.counter = Shape::kVarying;
  if (accept("until")) n.until = name();
  n.alone = alone();
  if (accept("lanes")) n.lanes = plan();
  if (accept("beside")) n.beside = static_cast<int>(number());
  if (accept("ahead")) n.ahead = static_cast<int>(number());
  n.mark = loop_mark();
  n.body = body();
  return Stmt{std::move(n)};
}

Stmt Parser::while_stmt(bool masked) {
  While n{.masked = masked};
  expect("(");
  n.cond = operand();
  expect(")");
  n.alone = alone();
  n.mark = loop_mark();
  n.body = body();
  return Stmt{std::move(n)};
}

LoopMark Parser::loop_mark() {
  const bool polls = accept("poll");
  return {place(), polls};
}

Stmt Parser::call() {
  Call n;
  if (accept("beside")) n.beside = operand();
  expect("(");
  while (!accept(")")) {
    if (!n.results.empty()) expect(",");
    n.results.push_back(decl());
  }
  expect("=");
  n.fn = string();
  n.args = operands();
  n.loc = place();
  return ended(std::move(n));
}

Stmt Parser::check() {
  next();
  Check n;
  expect("(");
  n.cond = operand();
  while (!accept(")")) {
    expect(",");
    if (peek() == "\"")
      n.message.emplace_back(string());
    else
      n.message.emplace_back(operand());
  }
  n.loc = place();
  return ended(std::move(n));
}

Stmt Parser::launch() {
  Launch n;
  prog_.target = Target::kDevice;
  expect("(");
  n.group = name();
  expect("<");
  n.groups = operand();
  expect(";");
  n.thread = name();
  expect("<");
  n.threads = operand();
  expect(";");
  expect("scratch");
  n.scratch = operand();
  while (accept(";")) {
    if (accept("shared")) {
      n.shared = operand();
      continue;
    }
    expect("at_once");
    const Operand at_once = operand();
    if (core::as_const(at_once) == nullptr) fail("at_once is a constant");
    n.at_once = core::int_value(*core::as_const(at_once));
  }
  expect(")");
  n.loc = place();
  n.body = body();
  return Stmt{std::move(n)};
}

Stmt Parser::parallel() {
  const std::string_view form = next();
  if (form != "for" && form != "range" && form != "chunks") fail("expected a parallel loop");
  expect("(");
  std::vector<Name> names;
  do {
    names.push_back(name());
  } while (accept(","));
  const size_t expected = form == "for" ? 1 : form == "range" ? 2 : 3;
  if (names.size() != expected) fail("a wrong number of names in a parallel loop");
  expect("<");
  Operand count = operand();
  expect(";");
  expect(form == "chunks" ? "size" : "grain");
  Operand size = operand();
  expect(")");
  if (form == "for") {
    const LoopMark at = loop_mark();
    return Stmt{ParallelFor{names[0], count, size, body(), at}};
  }
  if (form == "range") return Stmt{ParallelRange{names[0], names[1], count, size, body()}};
  return Stmt{ParallelChunks{names[0], names[1], names[2], count, size, body()}};
}

Result<Program> parse(std::string_view text) {
  try {
    return Parser(text).program();
  } catch (const SyntaxError& e) {
    size_t line = 1, column = 1;
    for (char c : text.substr(0, e.at)) {
      ++column;
      if (c == '\n') ++line, column = 1;
    }
    return Failure(fmt::format("{}:{}: {}", line, column, e.what));
  }
}

}  // namespace skald::imp
