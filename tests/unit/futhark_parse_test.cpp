// SPDX-License-Identifier: Apache-2.0
// The Futhark parser and its printer: what is accepted, how it is grouped, how mistakes are found.
#include <gtest/gtest.h>

#include "frontend/futhark/ast/ast_equal.h"
#include "frontend/futhark/parse/parse.h"
#include "frontend/futhark/pretty/pretty.h"

namespace skald::futhark {
namespace {

struct Parsed {
  source::SourceMap sources;
  source::Diagnostics diagnostics;
  Program program;
  std::vector<std::string> messages() const {
    std::vector<std::string> out;
    for (const source::Diagnostic& d : diagnostics.all()) out.push_back(d.what);
    return out;
  }
};

void parse_into(Parsed& out, std::string text) {
  const source::FileId file = out.sources.add("test.fut", std::move(text));
  out.program = parse_program(file, out.sources, out.diagnostics);
}

// ---- Grouping: an expression with all its parentheses written out -------------------------------

std::string grouped(const Exp& e);

std::string grouped_all(const std::vector<Ptr<Exp>>& list) {
  std::string out;
  for (const Ptr<Exp>& e : list) out += " " + grouped(*e);
  return out;
}

std::string grouped(const Exp& e) {
  if (const auto* b = std::get_if<EBinary>(&e.node))
    return "(" + grouped(*b->lhs) + " " + b->op.name + " " + grouped(*b->rhs) + ")";
  if (const auto* a = std::get_if<EApply>(&e.node))
    return "(" + grouped(*a->fn) + grouped_all(a->args) + ")";
  if (const auto* n = std::get_if<ENegate>(&e.node)) return "(-" + grouped(*n->arg) + ")";
  if (const auto* n = std::get_if<ENot>(&e.node)) return "(!" + grouped(*n->arg) + ")";
  if (const auto* p = std::get_if<EParens>(&e.node)) return grouped(*p->inner);
  if (const auto* r = std::get_if<ERange>(&e.node))
    return "(" + grouped(*r->start) + (r->step ? " .. " + grouped(*r->step) : "") + " to " +
           grouped(*r->end) + ")";
  if (const auto* u = std::get_if<EUpdate>(&e.node))
    return "(" + grouped(*u->src) + " with " + grouped(*u->value) + ")";
  if (const auto* t = std::get_if<EAscript>(&e.node))
    return "(" + grouped(*t->inner) + " : " + pretty(*t->type) + ")";
  if (const auto* l = std::get_if<ELet>(&e.node))
    return "(let " + grouped(*l->value) + " in " + grouped(*l->body) + ")";
  if (const auto* i = std::get_if<EIf>(&e.node))
    return "(if " + grouped(*i->cond) + " " + grouped(*i->then_branch) + " " +
           grouped(*i->else_branch) + ")";
  if (const auto* l = std::get_if<ELambda>(&e.node)) return "(\\ " + grouped(*l->body) + ")";
  if (const auto* i = std::get_if<EIndex>(&e.node)) return "(" + grouped(*i->array) + " index)";
  if (const auto* p = std::get_if<EProject>(&e.node))
    return "(" + grouped(*p->record) + " . " + p->field.name + ")";
  if (const auto* c = std::get_if<EConstr>(&e.node))
    return "(#" + c->name.name + grouped_all(c->args) + ")";
  return pretty(e);
}

std::string group(const std::string& text) {
  source::SourceMap sources;
  source::Diagnostics diagnostics;
  const source::FileId file = sources.add("test.fut", text);
  const Ptr<Exp> e = parse_expression(file, sources, diagnostics);
  if (e == nullptr)
    return diagnostics.all().empty() ? "nothing" : "error: " + diagnostics.all().front().what;
  return grouped(*e);
}

TEST(FutharkParse, Operators) {
  EXPECT_EQ(group("a + b * c - d"), "((a + (b * c)) - d)");
  EXPECT_EQ(group("a ** b ** c"), "((a ** b) ** c)");
  EXPECT_EQ(group("a <| b <| c"), "(a <| (b <| c))");
  EXPECT_EQ(group("xs |> f == y"), "(xs |> (f == y))");
  EXPECT_EQ(group("a |> b <| c"), "(a |> (b <| c))");
  EXPECT_EQ(group("a || b && c == d | e << f + g * h ** i"),
            "(a || (b && (c == (d | (e << (f + (g * (h ** i))))))))");
  EXPECT_EQ(group("a >-> b + c"), "(a >-> (b + c))");
  EXPECT_EQ(group("a `f` b + c `g` d"), "((a f (b + c)) g d)");
  EXPECT_EQ(group("a +. b *. c"), "(a +. (b *. c))");
}

TEST(FutharkParse, PrefixAndApplication) {
  EXPECT_EQ(group("-f x ** 2"), "((-(f x)) ** 2)");
  EXPECT_EQ(group("f -x"), "(f - x)");
  EXPECT_EQ(group("- -x"), "(-(-x))");
  EXPECT_EQ(group("!a[i].f"), "(!((a index) . f))");
  EXPECT_EQ(group("f a[i] (b)"), "(f (a index) b)");
  EXPECT_EQ(group("f x \\y -> y + 1"), "(f x (\\ (y + 1)))");
  EXPECT_EQ(group("xs |> map \\y -> y |> f"), "(xs |> (map (\\ (y |> f))))");
  EXPECT_EQ(group("#foo a 1 + 2"), "((#foo a 1) + 2)");
  EXPECT_EQ(group("f #foo a"), "(f (#foo) a)");
}

TEST(FutharkParse, LowLevels) {
  EXPECT_EQ(group("a..b...c + d"), "(a .. b to (c + d))");
  EXPECT_EQ(group("0..<n : t"), "((0 to n) : t)");
  EXPECT_EQ(group("a + b with [0] = c + d with f = e"), "(((a + b) with (c + d)) with e)");
  EXPECT_EQ(group("a `f` b with [0] = c"), "(a f (b with c))");
  EXPECT_EQ(group("1 + let x = a in x + b : t"), "(1 + (let a in ((x + b) : t)))");
  EXPECT_EQ(group("if a then b else c + d"), "(if a b (c + d))");
  EXPECT_EQ(group("let x = a let y = b in c"), "(let a in (let b in c))");
}

TEST(FutharkParse, Sections) {
  EXPECT_EQ(group("(+)"), "(+)");
  EXPECT_EQ(group("(-)"), "(-)");
  EXPECT_EQ(group("(a * b +)"), "(a * b +)");
  EXPECT_EQ(group("(+ a * b)"), "(+ a * b)");
  EXPECT_EQ(group("(- a)"), "(-a)");
  EXPECT_EQ(group("(M.- a)"), "(M.- a)");
  EXPECT_EQ(group("(`f` a)"), "(`f` a)");
  EXPECT_EQ(group("(a `M.f`)"), "(a `M.f`)");
  EXPECT_EQ(group("(.f[i].0)"), "(.f[i].0)");
  EXPECT_EQ(group("(.[i, j:k])"), "(.[i, j:k])");
  EXPECT_EQ(group("(a + b *)"), "error: Unexpected token: ')', expected an expression");
}

// ---- Round trip: what was parsed, printed and parsed again is the same --------------------------

void expect_round_trip(const std::string& text) {
  Parsed first, second;
  parse_into(first, text);
  ASSERT_TRUE(first.messages().empty()) << text << "\n" << first.messages()[0];
  const std::string printed = pretty(first.program);
  parse_into(second, printed);
  ASSERT_TRUE(second.messages().empty()) << printed << "\n" << second.messages()[0];
  EXPECT_TRUE(equal(first.program, second.program)) << printed;
  EXPECT_EQ(pretty(second.program), printed);
}

TEST(FutharkPretty, RoundTripOfExpressions) {
  for (const char* text : {
           "- -1",
           "!(-x)",
           "a - -b",
           "1 .0",
           "1.5f32",
           "0x1.8p3",
           "0b1i8",
           "0rXIV",
           "'\\''",
           "'\\n'",
           "'a'",
           "\"a\\n\\1\\&2\\\"\\\\ \xce\xbb\"",
           "???",
           "()",
           "(a, b,)",
           "[]",
           "[1, 2,]",
           "{}",
           "{a = 1, b, 0 = c}",
           "a[]",
           "a[i, :, i:, :j, i:j, ::k, i::k, :j:k, i:j:k]",
           "a[let x = 1 in x]",
           "r.f.0.g",
           "M.(a + b)",
           "(M.N.+ x)",
           "a M.+ b",
           "#c",
           "#c 1 (#d 2)",
           "x : [n]i32 : t",
           "x :> [m]i32",
           "(x : i32) + 1",
           "let x = 1 in x : i32 + 1",
           "1..2...10",
           "10..9..>0",
           "if a then b else if c then d else e",
           "let [n] (xs: [n]i32) = iota 3 in n",
           "let (a, {b, c = _, d: i32}) = x let y = 1 in y",
           "let f 't [n] (x: t) (y: [n]i32) : t = x in f",
           "let a[i, j] = v in a",
           "let r.f[i].0 = v in r",
           "r with f = 1",
           "r with .0[i].g = 1 with [0] = 2",
           "\\x (y: i32) {z} : i32 -> x",
           "loop x for i < n do x",
           "loop x = 1 while true do x",
           "loop (x, y) = (1, 2) for (a, b) in c do x",
           "match x case #a 1 -> 1 case #b (-1) 'c' -> 2 case {a = _, b} -> 3 case -2 -> 4",
           "#[unsafe] a[i]",
           "#[trace(x, 1, y(z))] (a)",
           "assert (a > b) c",
           "f a \\x -> g \\y -> x",
           "(`f`)",
           "(a `f`)",
           "x `M.f` y",
           "(== 1)",
           "(1 ==)",
       }) {
    expect_round_trip("def x = " + std::string(text));
  }
}

TEST(FutharkPretty, RoundTripOfDeclarations) {
  for (const char* text : {
           "entry main [n] 't '~u '^v (x: [n]t) (_: u) : v = x",
           "def (+) (x: i32) y = x",
           "def x + y = 1",
           "def (x: i32) `f` {y} : i32 = 1",
           "let f () = 1",
           "def f ' a' (x: a') = x",
           "type t = i32",
           "type~ t [n] 'a = [n]a",
           "type^ t = i32 -> *[]i32 -> * *i32",
           "type s = #a i32 ([1]i32) | #b | #c {x: i32, 0: bool}",
           "type u = M.t [n] [] (a, b) -> (n: i64) -> ?[m][k].[m][k]#a",
           "module m = { def x = 1 local open import \"a/b\" }",
           "module m (p: {type t val x : t}) : mt with t = p.t with u 'a [n] = [n]a = p { } (q r)",
           "module m = \\(p: mt) : (mt) -> p : nt",
           "module m = (import \"x\") : mt",
           "module type mt = {\n-- | doc\nval x [n] 'a : a\n#[a] val (+) : i32\ntype t\ntype~ u = "
           "i32\n"
           "module n : mt include x with t = i32}",
           "module type f = (x: a) -> b -> c with t = i32",
           "open m n",
           "import \"lib/x\"",
           "local module m = n",
           "-- | The file.\n--  More.\n\n-- | A declaration.\n#[inline]\ndef x = 1",
           "def x = 1\n-- | Doc\nlocal def y = 2\nlocal -- | inner\ndef z = 2",
       })
    expect_round_trip(text);
}

TEST(FutharkPretty, EqualityTellsProgramsApart) {
  Parsed a, b, c;
  parse_into(a, "def x = (1 + 2)");
  parse_into(b, "def x =   (1+2) -- the same");
  parse_into(c, "def x = 1 + 2");
  EXPECT_TRUE(equal(a.program, b.program));
  EXPECT_FALSE(equal(a.program, c.program));
}

// ---- Mistakes -----------------------------------------------------------------------------------

// Messages and names of the declarations that survived, separated by "; ".
std::string mistakes(const std::string& text) {
  Parsed parsed;
  parse_into(parsed, text);
  std::string out;
  for (const std::string& message : parsed.messages()) out += message + "; ";
  for (const Ptr<Dec>& d : parsed.program.decs)
    if (const auto* val = std::get_if<DVal>(&d->node)) out += val->name.name + " ";
  return out;
}

TEST(FutharkParseErrors, OneMessagePerMistake) {
  EXPECT_EQ(mistakes("def a = 1 +\ndef b = 2"),
            "Unexpected token: 'def', expected an expression; b ");
  EXPECT_EQ(mistakes("def a = f (1 * * 2) [2 * ] 3\ndef b = 2"),
            "Unexpected token: '*', expected an expression; "
            "Unexpected token: ']', expected an expression; b ");
  EXPECT_EQ(mistakes("def a = (1 + (2 * 3\ndef b = 2"),
            "Unexpected token: 'def', expected `)`; b ");
  EXPECT_EQ(mistakes("def a = 1)\ndef b = 2"),
            "Unexpected token: ')', expected a declaration; a b ");
  EXPECT_EQ(mistakes("def a =\n  let x = 1\ndef b = 2"),
            "Unexpected \"def\", expected `in` or another `let`; b ");
  EXPECT_EQ(mistakes("def a = if x = 1 then 2 else 3\ndef b = 2"),
            "Unexpected token: '=', expected `then`; b ");
  EXPECT_EQ(mistakes("def a = 1 ..2\ndef b = 2"),
            "a range needs `...`, `..<` or `..>` in front of its end; b ");
  EXPECT_EQ(mistakes("def (a, b) = 1\ndef b = 2"), "patterns cannot be bound at top level; b ");
  EXPECT_EQ(mistakes("def in = 1\ndef b = 2"),
            "Unexpected token: 'in', expected the name of a definition; b ");
  EXPECT_EQ(mistakes("def a = \"\\q\" + \xc3\xa9\ndef b = 2").substr(0, 15), "bad string: the");
  EXPECT_EQ(mistakes("def a = x[0] [1]\ndef b = 2"),
            "this bracket does not index: a space stands before it; b ");
  EXPECT_EQ(mistakes("def a = 1"), "a ");
}

TEST(FutharkParseErrors, GoesOnInsideModules) {
  Parsed parsed;
  parse_into(parsed, "module m = {\n  def a = \n  def b = 2 }\ndef c = 3 4 :\ndef d = 4");
  EXPECT_EQ(parsed.messages().size(), 2u);
  ASSERT_EQ(parsed.program.decs.size(), 2u);
  const auto& module = std::get<DModule>(parsed.program.decs[0]->node);
  EXPECT_EQ(std::get<MDecs>(module.body->node).decs.size(), 1u);
}

TEST(FutharkParseErrors, GivesUpOnGarbage) {
  Parsed parsed;
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "def ";
  parse_into(parsed, text);
  EXPECT_LE(parsed.messages().size(), 101u);
  EXPECT_GT(parsed.messages().size(), 1u);
}

// ---- Size ---------------------------------------------------------------------------------------

std::string repeat(std::string_view text, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += text;
  return out;
}

TEST(FutharkParseDepth, DeepInputIsReported) {
  constexpr int kDeep = 20000, kLong = kMaxHeight + 1000;
  for (const std::string& body : {
           repeat("(", kDeep) + "1" + repeat(")", kDeep),
           repeat("[", kDeep),
           repeat("let a = 1 in ", kLong) + "a",
           repeat("if a then b else ", kLong) + "a",
           "a" + repeat(" + a", kLong),
           "a" + repeat(" <| a", kDeep),
           "a" + repeat(" : t", kLong),
           "a" + repeat("[0]", kLong),
           "a" + repeat(" with f = a", kLong),
           repeat("- ", kDeep) + "a",
           repeat("\\x -> ", kDeep) + "a",
           repeat("match a case b -> ", kDeep) + "a",
           repeat("#[a] ", kDeep) + "a",
           repeat("f (let a = [{b=", kDeep),
           "a : " + repeat("[1]", kDeep),
           "a : t" + repeat(" -> t", kDeep),
           "a : t" + repeat(" t", kDeep),
           "a : " + repeat("* ", kDeep),
           "\\ " + repeat("(", kDeep),
       }) {
    Parsed parsed;
    parse_into(parsed, "def x = " + body + "\ndef y = 1\n");
    ASSERT_FALSE(parsed.diagnostics.all().empty()) << body.substr(0, 20);
    EXPECT_EQ(parsed.diagnostics.all().front().code, "nesting-too-deep") << body.substr(0, 20);
  }
}

TEST(FutharkParseDepth, ReasonableDepthIsAccepted) {
  const int deep = kMaxDepth - 20;
  for (const std::string& body :
       {repeat("(", deep) + "1" + repeat(")", deep), repeat("let a = 1 in ", deep) + "a",
        repeat("if a then b else ", deep) + "a", "a" + repeat(" + a", deep),
        repeat("f <| ", deep) + "a", "a" + repeat(".b", 50000), "f" + repeat(" a", 50000),
        "[" + repeat("1,", 50000) + "]"})
    expect_round_trip("def x = " + body);
}

// ---- Semantic types -----------------------------------------------------------------------------

TEST(FutharkPretty, SemanticTypes) {
  TypeArena arena;
  const auto prim = [&](Prim p) { return arena.make({.kind = Type::kPrim, .prim = p}); };
  const auto variable = [&](const char* name) {
    Exp e{EVar{.name = {{}, name, {}}, .id = 7}, {}};
    return Size{arena.keep(std::move(e))};
  };
  const auto array = [&](const char* n, const Type* elem, bool unique = false) {
    return arena.make({.kind = Type::kArray, .unique = unique, .size = variable(n), .elem = elem});
  };
  const auto record = [&](std::vector<std::pair<std::string, const Type*>> fields) {
    return arena.make({.kind = Type::kRecord, .fields = std::move(fields)});
  };
  const auto arrow = [&](VName param, const Type* from, const Type* to,
                         std::vector<VName> exts = {}) {
    return arena.make(
        {.kind = Type::kArrow, .param = param, .from = from, .to = to, .exts = std::move(exts)});
  };
  const Type* i32 = prim(Prim::kI32);
  const Type* i64 = prim(Prim::kI64);
  const Type* f32 = prim(Prim::kF32);
  const Type* pair = record({{"0", i32}, {"1", prim(Prim::kBool)}});
  const Type* sum = arena.make({.kind = Type::kSum, .constrs = {{"a", {i32}}, {"b", {}}}});
  const Type* named = arena.make(
      {.kind = Type::kNamed, .name = {"t", 3}, .args = {{sum}, {nullptr, variable("n")}}});
  EXPECT_EQ(pretty(*arrow({}, array("n", f32), arrow({}, pair, array("k", f32, true)))),
            "[n]f32 -> (i32, bool) -> *[k]f32");
  EXPECT_EQ(pretty(*arrow({"n", 1}, i64, array("n", f32))), "(n: i64) -> [n]f32");
  EXPECT_EQ(pretty(*arrow({}, i32, array("n", f32), {{"n", 2}})), "i32 -> ?[n].[n]f32");
  EXPECT_EQ(pretty(*arrow({}, arrow({}, i32, i32), i32)), "(i32 -> i32) -> i32");
  EXPECT_EQ(pretty(*sum), "#a i32 | #b");
  EXPECT_EQ(pretty(*array("n", sum)), "[n](#a i32 | #b)");
  EXPECT_EQ(pretty(*named), "t (#a i32 | #b) [n]");
  EXPECT_EQ(pretty(*record({{"x", i32}, {"y", array("m", array("n", i32))}})),
            "{x: i32, y: [m][n]i32}");
  EXPECT_EQ(pretty(*record({})), "()");
  EXPECT_EQ(pretty(*arena.make({.kind = Type::kArray, .elem = i32})), "[]i32");
}

// Sizes made by substitution have no parentheses of their own.
TEST(FutharkPretty, AddsParenthesesWhereTheyAreMissing) {
  const auto var = [](const char* name) {
    return std::make_unique<Exp>(Exp{EVar{.name = {{}, name, {}}}, {}});
  };
  const auto binary = [](Ptr<Exp> a, const char* op, Ptr<Exp> b) {
    return std::make_unique<Exp>(
        Exp{EBinary{.lhs = std::move(a), .rhs = std::move(b), .op = {{}, op, {}}}, {}});
  };
  EXPECT_EQ(pretty(*binary(binary(var("a"), "+", var("b")), "*", var("c"))), "(a + b) * c");
  EXPECT_EQ(pretty(*binary(var("a"), "-", binary(var("b"), "-", var("c")))), "a - (b - c)");
  EXPECT_EQ(pretty(*binary(binary(var("a"), "-", var("b")), "-", var("c"))), "a - b - c");
}

}  // namespace
}  // namespace skald::futhark
