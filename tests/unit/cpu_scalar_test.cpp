// SPDX-License-Identifier: Apache-2.0
// Every scalar operator on every type, compiled, against core/scalar/scalar.h on special and random
// operands.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "codegen/cpu/compile.h"
#include "core/scalar/scalar.h"
#include "imp/verify/verify.h"
#include "runtime/context.h"

namespace skald::cpu {
namespace {

using core::Const;

// A program with one entry point per operation: out[0] = exp(in[0], in[1], in[2]).
class Operations {
 public:
  struct Case {
    std::string name;
    std::vector<Prim> operands;
    std::function<Const(const std::vector<Const>&)> expected;
  };

  using Args = std::vector<core::Operand>;
  void add(std::string name, std::vector<Prim> operands, Prim result,
           const std::function<imp::Exp(const Args&)>& make,
           std::function<Const(const std::vector<Const>&)> expected) {
    imp::Function fn;
    fn.name = name;
    fn.entry = name;
    std::vector<core::Operand> args;
    for (Prim p : operands) {
      fn.params.push_back({prog_.names.fresh("x"), imp::scalar(p)});
      args.push_back(fn.params.back().name);
    }
    fn.results = {imp::scalar(result)};
    const core::Name r = prog_.names.fresh("r");
    fn.body.stmts.push_back({imp::Let{r, result, make(args)}});
    fn.ret = {r};
    prog_.functions.push_back(std::move(fn));
    cases_.push_back({std::move(name), std::move(operands), std::move(expected)});
  }

  void run(int level);

 private:
  imp::Program prog_;
  std::vector<Case> cases_;
};

bool is_nan(const Const& c) {
  return is_float(c.type) && std::isnan(core::float_value(c));
}

std::vector<Const> interesting(Prim type, std::mt19937_64& random) {
  std::vector<Const> out;
  const uint64_t mask = prim_bits(type) == 64 ? ~uint64_t{0} : (uint64_t{1} << prim_bits(type)) - 1;
  const auto bits = [&](uint64_t b) {
    Const c{type, b & mask};
    // Whether a signalling NaN still signals after a conversion is the machine's business.
    if (is_nan(c)) c = core::const_float(type, NAN);
    out.push_back(c);
  };
  if (is_float(type)) {
    for (double v : {0.0,
                     -0.0,
                     1.0,
                     -1.0,
                     0.5,
                     1.5,
                     2.5,
                     -2.5,
                     3.0,
                     1e-8,
                     127.5,
                     255.7,
                     -128.9,
                     65504.0,
                     65520.0,
                     2147483647.0,
                     4294967296.0,
                     9.3e18,
                     1.9e19,
                     -1e30,
                     1e300,
                     double(INFINITY),
                     -double(INFINITY),
                     double(NAN)})
      out.push_back(core::const_float(type, v));
    for (int i = 0; i < 30; ++i)
      out.push_back(
          core::const_float(type, std::uniform_real_distribution<double>(-20, 20)(random)));
  } else {
    for (uint64_t v : {0, 1, 2, 3, 7, 8, 31, 32, 63, 64}) bits(v), bits(0 - v);
    bits(mask >> 1), bits((mask >> 1) + 1);
  }
  for (int i = 0; i < 20; ++i) bits(random());
  return out;
}

void Operations::run(int level) {
  imp::verify_or_bug(prog_, "building the test");
  const Result<CompiledProgram> compiled = compile(prog_, {.level = level});
  ASSERT_TRUE(compiled) << compiled.error();
  std::mt19937_64 random(1);
  SkaldContext ctx;
  for (const Case& c : cases_) {
    SkaldEntry entry = compiled->entry(c.name);
    ASSERT_NE(entry, nullptr) << c.name;
    int failures = 0;
    const auto check = [&](const std::vector<Const>& operands) {
      int64_t in[3] = {}, out[1] = {};
      for (size_t i = 0; i < operands.size(); ++i) in[i] = static_cast<int64_t>(operands[i].bits);
      ASSERT_EQ(entry(&ctx, in, out), 0);
      const Const expected = c.expected(operands);
      const Const got{expected.type, static_cast<uint64_t>(out[0])};
      if (got == expected || (is_nan(got) && is_nan(expected))) return;
      if (++failures > 3) return;
      ADD_FAILURE() << c.name
                    << fmt::format(": operands {:x} {:x} {:x}: expected {:x}, got {:x}", in[0],
                                   in[1], in[2], expected.bits, got.bits);
    };
    const std::vector<Const> first = interesting(c.operands[0], random);
    if (c.operands.size() == 1) {
      for (const Const& a : first) check({a});
      continue;
    }
    const std::vector<Const> second = interesting(c.operands[1], random);
    for (const Const& a : first)
      for (const Const& b : second) {
        if (c.operands.size() == 2)
          check({a, b});
        else
          check({a, b, first[random() % first.size()]});
      }
  }
}

void add_all(Operations& ops) {
  const auto name = [](std::string_view op, Prim t) {
    return fmt::format("{}_{}", op, prim_name(t));
  };
  for (Prim t : kAllPrims) {
    using Consts = std::vector<Const>;
    for (int k = 0; k <= static_cast<int>(core::UnOpKind::kRound); ++k) {
      const auto op = static_cast<core::UnOpKind>(k);
      if (!core::is_legal(op, t)) continue;
      ops.add(
          name(core::mnemonic(op), t), {t}, core::result_type(op, t),
          [&](const auto& a) { return core::UnOp{op, t, a[0]}; },
          [=](const Consts& a) { return core::eval(op, t, a[0]); });
    }
    for (int k = 0; k <= static_cast<int>(core::BinOpKind::kLdexp); ++k) {
      const auto op = static_cast<core::BinOpKind>(k);
      if (!core::is_legal(op, t)) continue;
      ops.add(
          name(core::mnemonic(op), t), {t, op == core::BinOpKind::kLdexp ? Prim::kI32 : t}, t,
          [&](const auto& a) { return core::BinOp{op, t, a[0], a[1]}; },
          [=](const Consts& a) { return core::eval(op, t, a[0], a[1]); });
    }
    for (int k = 0; k <= static_cast<int>(core::CmpOpKind::kLe); ++k) {
      const auto op = static_cast<core::CmpOpKind>(k);
      ops.add(
          name(core::mnemonic(op), t), {t, t}, Prim::kBool,
          [&](const auto& a) { return core::CmpOp{op, t, a[0], a[1]}; },
          [=](const Consts& a) { return core::eval(op, t, a[0], a[1]); });
    }
    for (int k = 0; k <= static_cast<int>(core::TernOpKind::kMadHi); ++k) {
      const auto op = static_cast<core::TernOpKind>(k);
      if (!core::is_legal(op, t)) continue;
      ops.add(
          name(core::mnemonic(op), t), {t, t, t}, t,
          [&](const auto& a) { return core::TernOp{op, t, a[0], a[1], a[2]}; },
          [=](const Consts& a) { return core::eval(op, t, a[0], a[1], a[2]); });
    }
    for (Prim to : kAllPrims) {
      ops.add(
          fmt::format("convert_{}_{}", prim_name(t), prim_name(to)), {t}, to,
          [&](const auto& a) { return core::Convert{t, to, a[0]}; },
          [=](const std::vector<Const>& a) { return core::eval_convert(t, to, a[0]); });
      if (prim_size(t) == prim_size(to) && t != Prim::kBool && to != Prim::kBool)
        ops.add(
            fmt::format("bitcast_{}_{}", prim_name(t), prim_name(to)), {t}, to,
            [&](const auto& a) { return core::Bitcast{t, to, a[0]}; },
            [=](const std::vector<Const>& a) { return core::eval_bitcast(t, to, a[0]); });
    }
  }
}

TEST(CpuScalar, AgreesWithTheReferenceOptimised) {
  Operations ops;
  add_all(ops);
  ops.run(2);
}

TEST(CpuScalar, AgreesWithTheReferenceUnoptimised) {
  Operations ops;
  add_all(ops);
  ops.run(0);
}

}  // namespace
}  // namespace skald::cpu
