// SPDX-License-Identifier: Apache-2.0
// Reductions inside a thunk: sums over the rows of an irregular matrix, and the like.
//
//   flat(n), \{i} -> let o = offsets[i] … loop {acc = 0} for j < length do acc + xs[o + j]
//
// Where neighbouring rounds of the inner loop read neighbouring elements and neighbouring points do
// not, the points run one by one and the loop in vector lanes, as in lanes.cpp.  The loop must come
// from a reduction by a commutative operator (the attribute says so), because the association
// changes.
//
//   lanes 0 … 15 of 16 rounds at a time ─► halves added to each other: 8, 4, 2, 1
//
// Loops that also read from scattered places keep four accumulators in variables instead.
#include <algorithm>

#include "core/rename.h"
#include "core/visit.h"
#include "imp/lower/kernel_lowering.h"
#include "imp/lower/strides.h"

namespace skald::imp {

using core::as;
using core::as_name;
using core::Sink;

namespace {

// Shorter loops run one by one.
constexpr int64_t kWorthInside = 24;
// Accumulators of loops that gather.
constexpr int64_t kInnerStreams = 4;

bool is_plain(const core::Body& body) {
  for (const core::Stmt& stmt : body.stmts) {
    const bool refused = as<core::Call>(stmt.exp) != nullptr ||
                         as<core::Alloc>(stmt.exp) != nullptr ||
                         as<core::Loop>(stmt.exp) != nullptr;
    bool plain = !refused;
    core::for_each_body(stmt.exp, [&](const core::Body& inner) {
      plain = plain && is_plain(inner);
      for (const core::Param& p : stmt.pat) plain = plain && p.type.is_scalar();
    });
    for (const core::Param& p : stmt.pat) plain = plain && p.type.kind != core::Type::kMem;
    if (!plain) return false;
  }
  return true;
}

int uses(const core::Body& body, Name name) {
  int count = 0;
  for (const Operand& o : body.result) count += o == Operand{name} ? 1 : 0;
  for (const core::Stmt& stmt : body.stmts) {
    core::for_each_operand(stmt.exp,
                           [&](const Operand& o) { count += o == Operand{name} ? 1 : 0; });
    core::for_each_body(stmt.exp, [&](const core::Body& inner) { count += uses(inner, name); });
  }
  return count;
}

// x op neutral is x, bit by bit.
std::optional<Const> identity_of(BinOpKind op, Prim type) {
  if (op == BinOpKind::kAdd)
    return is_float(type) ? core::const_float(type, -0.0) : core::const_int(type, 0);
  if (op == BinOpKind::kMul)
    return is_float(type) ? core::const_float(type, 1) : core::const_int(type, 1);
  return std::nullopt;
}

// The operator that makes the next value of parameter k: acc op (something else).
const core::BinOp* step_of(const core::Loop& loop, size_t k) {
  const Name acc = loop.params[k].param.name;
  const Name* next = as_name(loop.body.result[k]);
  if (next == nullptr) return nullptr;
  for (const core::Stmt& stmt : loop.body.stmts) {
    if (stmt.pat.size() != 1 || !(stmt.pat[0].name == *next)) continue;
    const auto* node = as<core::BinOp>(stmt.exp);
    if (node == nullptr || !stmt.tokens.empty() || !identity_of(node->op, node->type))
      return nullptr;
    const bool one = (node->lhs == Operand{acc}) != (node->rhs == Operand{acc});
    return one && uses(loop.body, acc) == 1 && uses(loop.body, *next) == 1 ? node : nullptr;
  }
  return nullptr;
}

bool is_marked(const core::Stmt& stmt) {
  return std::find(stmt.attrs.begin(), stmt.attrs.end(), "reduction") != stmt.attrs.end();
}

// A loop that this file can do.
const core::Loop* reduction_of(const core::Stmt& stmt) {
  const auto* loop = as<core::Loop>(stmt.exp);
  if (loop == nullptr || !is_marked(stmt) || loop->form != core::Loop::kFor ||
      loop->var.type.elem != Prim::kI64 || !is_plain(loop->body))
    return nullptr;
  const Const* bound = core::as_const(loop->bound);
  if (bound != nullptr && core::int_value(*bound) < kWorthInside) return nullptr;
  for (size_t k = 0; k < loop->params.size(); ++k)
    if (!loop->params[k].param.type.is_scalar() || step_of(*loop, k) == nullptr) return nullptr;
  return loop->params.empty() ? nullptr : loop;
}

}  // namespace

bool KernelLowering::should_reduce_inside() const {
  if (fn_.target_ != Target::kCpu || kernel_.domain.kind == core::Domain::kSeg) return false;
  const auto outer = [&](Name array) -> const ArrayPlace& { return fn_.place(array); };
  std::vector<const core::Stmt*> before;
  bool found = false;
  for (const core::Stmt& stmt : kernel_.pull.body.stmts) {
    const core::Loop* loop = reduction_of(stmt);
    if (loop == nullptr) {
      // Another loop decides for itself which way it reads.
      if (as<core::Loop>(stmt.exp) != nullptr) return false;
      before.push_back(&stmt);
      continue;
    }
    std::vector<const core::Stmt*> inside;
    for (const core::Stmt& inner : loop->body.stmts) inside.push_back(&inner);
    const AccessCount along = count_accesses(inside, loop->var.name, outer);
    const Name index = kernel_.pull.params.back().name;
    const AccessCount without = count_accesses(before, index, outer);
    inside.insert(inside.begin(), before.begin(), before.end());
    const AccessCount with = count_accesses(inside, index, outer);
    if (along.contiguous == 0 || with.scattered == without.scattered) return false;
    found = true;
  }
  return found;
}

bool FunctionLowering::reduction_loop(Code& code, const core::Stmt& stmt) {
  const core::Loop* found = reduce_inside_ ? reduction_of(stmt) : nullptr;
  if (found == nullptr) return false;
  const core::Loop& node = *found;
  const size_t count = node.params.size();
  std::vector<const core::BinOp*> steps;
  std::vector<Name> lanes;
  for (size_t k = 0; k < count; ++k) {
    const core::Param& p = node.params[k].param;
    steps.push_back(step_of(node, k));
    code.add(Var{p.name, p.type.elem, value(node.params[k].init)});
  }
  const Operand bound = value(node.bound);
  // One round; the accumulators come as operands, their next values go back.
  const auto round = [&](Code& at, const Operand& i, const std::vector<Operand>& accs) {
    core::Substitution subst;
    subst.emplace(node.var.name, i);
    for (size_t k = 0; k < count; ++k) subst.emplace(node.params[k].param.name, accs[k]);
    const core::Body copy = core::copy_with_fresh_names(node.body, prog_.names, std::move(subst));
    flows_.add(copy);
    body(at, copy);
    std::vector<Operand> next;
    for (const Operand& result : copy.result) next.push_back(value(result));
    return next;
  };
  const auto from_on = [&](Code& at, const Operand& first) {
    at.short_loop(first, bound, [&](Code& inner, const Operand& i) {
      std::vector<Operand> accs;
      for (const core::LoopParam& p : node.params) accs.emplace_back(p.param.name);
      const std::vector<Operand> next = round(inner, i, accs);
      for (size_t k = 0; k < count; ++k) inner.add(Assign{node.params[k].param.name, next[k]});
    });
  };
  const auto one_by_one = [&](Code& at) { from_on(at, const_i64(0)); };
  const auto in_lanes = [&](Code& at) {
    for (size_t k = 0; k < count; ++k) {
      const Prim type = steps[k]->type;
      lanes.push_back(at.alloc(Space::kScratch, const_i64(kLanes * prim_size(type)), "lanes"));
      at.loop(
          const_i64(0), const_i64(kLanes),
          [&](Code& inner, const Operand& lane) {
            inner.add(Store{type, lanes[k], lane, *identity_of(steps[k]->op, type)});
          },
          1, LoopHint::kSimd);
    }
    const auto feed = [&](Code& here, const Operand& first) {
      here.loop(
          const_i64(0), const_i64(kLanes),
          [&](Code& inner, const Operand& lane) {
            std::vector<Operand> accs;
            for (size_t k = 0; k < count; ++k)
              accs.push_back(inner.load(steps[k]->type, lanes[k], lane, "lane"));
            const std::vector<Operand> next = round(inner, inner.add_i64(first, lane), accs);
            for (size_t k = 0; k < count; ++k)
              inner.add(Store{steps[k]->type, lanes[k], lane, next[k]});
          },
          1, LoopHint::kSimd);
    };
    const Operand rest = at.binop(BinOpKind::kAnd, bound, const_i64(kLanes - 1), "rest");
    const Operand whole = at.sub_i64(bound, rest);
    at.loop(const_i64(0), whole, feed, kLanes);
    // Not into the lanes, which never need memory if nothing but whole vectors touches them.
    from_on(at, whole);
    for (int64_t half = kLanes / 2; half > 0; half /= 2)
      for (size_t k = 0; k < count; ++k)
        at.loop(
            const_i64(0), const_i64(half),
            [&](Code& inner, const Operand& lane) {
              const Prim type = steps[k]->type;
              const Operand low = inner.load(type, lanes[k], lane, "low");
              const Operand high =
                  inner.load(type, lanes[k], inner.add_i64(lane, const_i64(half)), "high");
              inner.add(Store{type, lanes[k], lane,
                              inner.let(type, core::BinOp{steps[k]->op, type, low, high}, "both")});
            },
            1, half > 1 ? LoopHint::kSimd : LoopHint::kShort);
    for (size_t k = 0; k < count; ++k) {
      const Name acc = node.params[k].param.name;
      const Operand all = at.load(steps[k]->type, lanes[k], const_i64(0), "all");
      at.add(Assign{acc, at.let(steps[k]->type, core::BinOp{steps[k]->op, steps[k]->type, acc, all},
                                "total")});
    }
  };
  // Rounds i … i+3 side by side; the first accumulator is that of the loop.
  const auto in_streams = [&](Code& at) {
    std::vector<std::vector<Name>> accs(static_cast<size_t>(kInnerStreams));
    for (size_t s = 0; s < accs.size(); ++s)
      for (size_t k = 0; k < count; ++k)
        accs[s].push_back(
            s == 0 ? node.params[k].param.name
                   : at.var(steps[k]->type, *identity_of(steps[k]->op, steps[k]->type), "acc"));
    const auto feed = [&](Code& here, const Operand& i, size_t s) {
      const std::vector<Operand> next = round(here, i, {accs[s].begin(), accs[s].end()});
      for (size_t k = 0; k < count; ++k) here.add(Assign{accs[s][k], next[k]});
    };
    const Operand rest = at.binop(BinOpKind::kAnd, bound, const_i64(kInnerStreams - 1), "rest");
    const Operand whole = at.sub_i64(bound, rest);
    at.loop(
        const_i64(0), whole,
        [&](Code& inner, const Operand& i) {
          for (size_t s = 0; s < accs.size(); ++s)
            feed(inner, inner.add_i64(i, const_i64(static_cast<int64_t>(s))), s);
        },
        kInnerStreams, LoopHint::kShort);
    at.short_loop(whole, bound, [&](Code& inner, const Operand& i) { feed(inner, i, 0); });
    for (size_t half = accs.size() / 2; half > 0; half /= 2)
      for (size_t s = 0; s < half; ++s)
        for (size_t k = 0; k < count; ++k)
          at.add(Assign{accs[s][k], at.let(steps[k]->type,
                                           core::BinOp{steps[k]->op, steps[k]->type, accs[s][k],
                                                       accs[s + half][k]},
                                           "both")});
  };
  std::vector<const core::Stmt*> inside;
  for (const core::Stmt& inner : node.body.stmts) inside.push_back(&inner);
  const auto outer = [&](Name array) -> const ArrayPlace& { return place(array); };
  if (count_accesses(inside, node.var.name, outer).scattered > 0)
    in_streams(code);
  else
    code.branch(code.less_i64(bound, const_i64(kWorthInside)), one_by_one, in_lanes);
  for (size_t k = 0; k < count; ++k) alias_[stmt.pat[k].name] = node.params[k].param.name;
  return true;
}

}  // namespace skald::imp
