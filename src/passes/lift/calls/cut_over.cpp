// SPDX-License-Identifier: Apache-2.0
// When calls of a recursive function are left to one thread each.
//
// What a thread runs is not sequential for that: calls that do not need each other's results run
// side by side there too (imp/passes/forks.cpp), each call's own loops do not.  So where the work
// of a call is linear in its elements, the first levels of the recursion cost little even if one
// thread alone does them, less than batches cost.  Where it is not, few elements say nothing about
// the work (a board with few queens has most ways left), so that the number of calls decides.
#include "passes/lift/calls/cut_over.h"

#include <fmt/format.h>

#include "core/ir/visit.h"
#include "passes/lift/batch/instance_kernel.h"
#include "passes/lift/batch/kernels.h"

namespace skald::passes::lift {

using namespace core;

namespace {

// Calls on fewer elements than this may be left to one thread each, and so are batches that have
// little altogether.
constexpr int64_t kShortCall = 32768;
constexpr int64_t kLittle = 16384;
// The same for functions whose own work is linear.  One thread does the first two levels of a
// million elements in about the time that launching the kernels of four levels takes.
constexpr int64_t kLittleIfLinear = 1 << 20;
// A call may have this part of all elements: then all threads have something to do to the end.  Of
// few elements a larger part, because a level of the recursion costs more than it saves.
constexpr int64_t kFewCalls = 8, kManyCalls = 64;
// On a device threads that go together wait for the longest call, and the arrays of a call should
// fit what a thread has of its own.  Where calls have that many elements on the average at least,
// nobody asks for the longest.
constexpr int64_t kShortOnDevice = 128, kAverageOnDevice = 256;

}  // namespace

static Operand threshold(Builder& out, const Function& fn, std::string_view what, int64_t value) {
  return out.let1(scalar_type(Prim::kI64),
                  Tunable{fmt::format("{}.{}", fn.name, what),
                          fmt::format("threshold({}, )", value), const_i64(value)},
                  "threshold");
}

Operand fork_threshold(Builder& out, const Function& fn) {
  return threshold(out, fn, "fork_elements", kLittleIfLinear);
}

// How many elements the instances have in these arrays, put together by each of the operators.
static std::vector<Name> elements_of(Lifting& lifting, Batch& b,
                                     const std::vector<const Param*>& arrays,
                                     std::initializer_list<BinOpKind> operators) {
  InstanceKernel kernel(lifting.prog, b.width, {});
  Point at{lifting, b, kernel.body, kernel.s};
  Operand size = const_i64(0);
  for (const Param* p : arrays)
    size = at.body.size_add(size, at.element_count(p->type, p->type.rank() > 1));
  for (const BinOpKind op : operators)
    kernel.combine(Sink::kReduce, combining(lifting.prog, op, Prim::kI64, const_i64(0)), size);
  return kernel.finish(*lifting.out, "elements");
}

// What the host knows is asked first: how much data there is.
static Operand cut_over_on_device(Lifting& lifting, Batch& b, const Function& fn,
                                  const std::vector<const Param*>& arrays) {
  const auto at_most = [&](Operand value, Operand limit, std::string_view name) {
    return lifting.out->cmpop(CmpOpKind::kLe, Prim::kI64, value, limit, name);
  };
  Operand data = const_i64(0);
  for (const Param* p : arrays)
    if (const Found found = b.find(p->name); found.value != nullptr)
      data = lifting.out->size_add(data, found.value->total);
  const Operand average = threshold(*lifting.out, fn, "cut_over_average", kAverageOnDevice);
  Operand worth = at_most(data, lifting.out->size_mul(b.width, average), "worth");
  if (!lifting.facts.is_linear(fn)) {
    const Operand many =
        threshold(*lifting.out, fn, "cut_over_calls", lifting.ctx.device().half_busy);
    worth = lifting.out->logical_and(worth, at_most(many, b.width, "enough"));
  }
  Builder asked(lifting.prog);
  asked.set_loc(lifting.loc);
  Operand is_short = const_bool(false);
  {
    const WritesTo here(lifting, asked);
    const Name most = elements_of(lifting, b, arrays, {BinOpKind::kMax})[0];
    is_short = at_most(most, threshold(asked, fn, "cut_over_size", kShortOnDevice), "short");
  }
  const Name cut = lifting.prog.names.fresh("cut");
  lifting.out->let_pat({{cut, scalar_type(Prim::kBool)}},
                       If{worth, asked.finish({is_short}), Body({}, {const_bool(false)})});
  return cut;
}

Operand cut_over(Lifting& lifting, Batch& b, const Function& fn) {
  std::vector<const Param*> arrays;
  for (const Param& p : fn.params)
    if (b.form_of(p.type) != Form::kRegular) arrays.push_back(&p);
  const auto enough_calls = [&](int64_t calls) {
    const Operand many = threshold(*lifting.out, fn, "cut_over_calls", calls);
    return lifting.out->cmpop(CmpOpKind::kLe, Prim::kI64, many, b.width, "enough");
  };
  const Device& device = lifting.ctx.device();
  if (arrays.empty()) return enough_calls(device.own_space ? device.half_busy : device.parallelism);
  if (device.own_space) return cut_over_on_device(lifting, b, fn, arrays);
  const std::vector<Name> sums =
      elements_of(lifting, b, arrays, {BinOpKind::kAdd, BinOpKind::kMax});
  const auto part = [&](int64_t calls) {
    return lifting.out->binop(BinOpKind::kQuot, Prim::kI64, sums[0], const_i64(calls), "part");
  };
  // One after the other: arguments of a call are evaluated in any order.
  const Operand of_few_calls = part(kFewCalls);
  const Operand short_call = threshold(*lifting.out, fn, "cut_over_size",
                                       lifting.facts.is_linear(fn) ? kLittleIfLinear : kShortCall);
  const Operand large_part =
      lifting.out->binop(BinOpKind::kMin, Prim::kI64, of_few_calls, short_call, "part");
  const Operand of_many_calls = part(kManyCalls);
  const Operand most =
      lifting.out->binop(BinOpKind::kMax, Prim::kI64, large_part, of_many_calls, "most");
  const Operand short_ones = lifting.out->cmpop(CmpOpKind::kLe, Prim::kI64, sums[1], most, "short");
  const Operand at_most = threshold(*lifting.out, fn, "cut_over_elements",
                                    lifting.facts.is_linear(fn) ? kLittleIfLinear : kLittle);
  const Operand little = lifting.out->cmpop(CmpOpKind::kLe, Prim::kI64, sums[0], at_most, "little");
  if (lifting.facts.is_linear(fn)) return lifting.out->logical_or(little, short_ones);
  const Operand enough = enough_calls(device.parallelism);
  return lifting.out->let1(scalar_type(Prim::kBool), Select{little, enough, short_ones}, "cut");
}

}  // namespace skald::passes::lift
