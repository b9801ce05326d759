// SPDX-License-Identifier: Apache-2.0
// Names, constants, operators, the builder, substitution, copying, equality and hashing.
#include <gtest/gtest.h>

#include "core/edit/builder.h"
#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"

namespace skald::core {
namespace {

TEST(NameTable, KeepsBasesAndMakesThemReadable) {
  NameTable names;
  const Name x = names.fresh("xs");
  EXPECT_EQ(names.text(x), "xs_1");
  EXPECT_EQ(names.base(names.fresh("<+>")), "___");
  EXPECT_EQ(names.base(names.fresh("2nd")), "_2nd");
  EXPECT_EQ(names.base(names.fresh("x'")), "x'");
  EXPECT_LE(names.base(names.fresh(std::string(1000, 'a'))).size(), 64u);
  EXPECT_EQ(names.text(names.fixed("far", 1000)), "far_1000");
  EXPECT_EQ(names.fresh("y").id, 1001u);
  EXPECT_EQ(names.base(Name{5000}), "");
}

TEST(NameTable, CopiesAndMoves) {
  NameTable names;
  const Name x = names.fresh("x");
  NameTable copy = names;
  NameTable moved = std::move(names);
  EXPECT_EQ(copy.text(x), "x_1");
  EXPECT_EQ(moved.text(x), "x_1");
  EXPECT_EQ(moved.text(moved.fresh("x")), "x_2");
}

TEST(Const, WrapsAndRounds) {
  EXPECT_EQ(const_int(Prim::kU8, 256 + 7).bits, 7u);
  EXPECT_EQ(int_value(const_int(Prim::kI8, 200)), -56);
  EXPECT_EQ(int_value(const_int(Prim::kU32, -1)), 0xffffffff);
  EXPECT_EQ(float_value(const_float(Prim::kF16, 1.0 / 3)), 0.333251953125);
  EXPECT_EQ(const_float(Prim::kF32, -0.0).bits, 0x80000000u);
}

TEST(Ops, MnemonicsRoundTrip) {
  for (int i = 0; i <= static_cast<int>(BinOpKind::kLdexp); ++i)
    EXPECT_EQ(binop_from_mnemonic(mnemonic(static_cast<BinOpKind>(i))), static_cast<BinOpKind>(i));
  for (int i = 0; i <= static_cast<int>(UnOpKind::kRound); ++i)
    EXPECT_EQ(unop_from_mnemonic(mnemonic(static_cast<UnOpKind>(i))), static_cast<UnOpKind>(i));
  EXPECT_FALSE(binop_from_mnemonic("plus"));
  EXPECT_TRUE(is_legal(BinOpKind::kAnd, Prim::kBool));
  EXPECT_FALSE(is_legal(BinOpKind::kAdd, Prim::kBool));
  EXPECT_EQ(result_type(UnOpKind::kClz, Prim::kU64), Prim::kI32);
}

TEST(LocTable, SharesEntriesAndPrintsTheCallChain) {
  LocTable locs;
  const Loc caller = locs.add("b.fut:9:1-9:4");
  const Loc inner = locs.add("a.fut:3:5-3:9", caller);
  EXPECT_EQ(locs.add("a.fut:3:5-3:9", caller), inner);
  EXPECT_NE(locs.add("a.fut:3:5-3:9"), inner);
  EXPECT_EQ(locs.backtrace(inner), "-> #0  a.fut:3:5-3:9\n   #1  b.fut:9:1-9:4");
}

TEST(Builder, FoldsConstants) {
  Program prog;
  Builder b(prog);
  const Operand n = prog.names.fresh("n");
  EXPECT_EQ(b.size_add(const_i64(2), const_i64(3)), Operand(const_i64(5)));
  EXPECT_EQ(b.size_mul(n, const_i64(1)), n);
  EXPECT_EQ(b.size_sub(n, n), Operand(const_i64(0)));
  EXPECT_EQ(b.logical_and(const_bool(true), n), n);
  EXPECT_EQ(b.convert(Prim::kI32, Prim::kF32, const_int(Prim::kI32, 2)),
            Operand(const_float(Prim::kF32, 2)));
  EXPECT_FALSE(b.check(const_bool(true), {}));
  EXPECT_TRUE(b.stmts().empty());
  const Operand m = b.size_add(n, const_i64(1));
  const Name token = b.check(b.cmpop(CmpOpKind::kLt, Prim::kI64, m, n), {std::string("no")});
  b.let1(scalar_type(Prim::kI64), Value{m}, "x", {token, Name{}});
  const Body body = b.finish({m});
  ASSERT_EQ(body.stmts.size(), 4u);
  EXPECT_EQ(body.stmts[3].tokens, std::vector<Name>{token});
  EXPECT_TRUE(b.stmts().empty());
}

// \{x} -> let {y} = add_i32(x, free) in {y}
Lambda add_free(Program& prog, Operand free) {
  Builder b(prog);
  const Name x = prog.names.fresh("x");
  const Operand y = b.binop(BinOpKind::kAdd, Prim::kI32, x, free, "y");
  return {.params = {{.name = x, .type = scalar_type(Prim::kI32)}},
          .results = {{.type = scalar_type(Prim::kI32)}},
          .body = b.finish({y})};
}

TEST(Rename, CopyHasFreshNamesAndIsEqual) {
  Program prog;
  const Name n = prog.names.fresh("n"), m = prog.names.fresh("m");
  const Lambda fn = add_free(prog, n);
  const Lambda copy = copy_with_fresh_names(fn, prog.names);
  EXPECT_NE(copy.params[0].name, fn.params[0].name);
  EXPECT_EQ(prog.names.base(copy.params[0].name), "x");
  EXPECT_EQ(free_names(copy), NameSet{n});
  EXPECT_TRUE(equal(fn, copy));
  EXPECT_EQ(structural_hash(fn), structural_hash(copy));

  const Lambda other = copy_with_fresh_names(fn, prog.names, {{n, m}});
  EXPECT_EQ(free_names(other), NameSet{m});
  EXPECT_FALSE(equal(fn, other));
  EXPECT_NE(structural_hash(fn), structural_hash(other));
}

TEST(Rename, SubstituteReachesTypesAndBodies) {
  Program prog;
  const Name n = prog.names.fresh("n"), xs = prog.names.fresh("xs");
  Exp exp = Soac{.width = n, .inputs = {xs}, .fn = add_free(prog, n)};
  substitute(exp, {{n, const_i64(3)}});
  EXPECT_EQ(as<Soac>(exp)->width, Operand(const_i64(3)));
  EXPECT_EQ(free_names(exp), NameSet{xs});
  Type type = array_of(Operand(n), scalar_type(Prim::kF32));
  substitute(type, {{n, const_i64(3)}});
  EXPECT_EQ(type, array_of(Operand(const_i64(3)), scalar_type(Prim::kF32)));
}

TEST(Equal, ABoundNameIsNotAFreeOne) {
  Program prog;
  const Name n = prog.names.fresh("n");
  const Lambda with_free = add_free(prog, n);
  Lambda with_bound = add_free(prog, n);
  substitute(with_bound, {{n, with_bound.params[0].name}});
  EXPECT_FALSE(equal(with_free, with_bound));
  EXPECT_FALSE(equal(with_bound, with_free));
}

}  // namespace
}  // namespace skald::core
