// SPDX-License-Identifier: Apache-2.0
#include "imp/simd/lanes_analysis.h"

#include "imp/ir/visit.h"

namespace skald::imp {

namespace {

bool is_ring_operator(BinOpKind op) {
  return op == BinOpKind::kAdd || op == BinOpKind::kSub || op == BinOpKind::kMul;
}

}  // namespace

LanesAnalysis::LanesAnalysis(const For& loop, const std::vector<Border>& borders)
    : loop_var_(loop.var),
      constant_(core::as_const(loop.begin) != nullptr && core::as_const(loop.end) != nullptr) {
  for (const Border& border : borders) borders_.emplace(border.name, border.kind);
  const Const* step = core::as_const(loop.step);
  if (loop.type != Prim::kI64 || step == nullptr || core::int_value(*step) != 1)
    refuse("the loop does not count by one");
  survey(loop.body);
  survey_collected(loop.body);
  survey_shifted(loop.body);
  unify_copied_types();
  if (!obstacle_.empty()) return;
  if (has_check_) {
    survey_order(loop.body, {});
  }
  values_[loop.var] = {Shape::kLinear, 1};
  // Shapes only grow, so this ends.
  do {
    changed_ = false;
    contexts_ = 0;
    body(loop.body, 0);
  } while (changed_);
  count_gathers(loop.body);
  measure_work(loop, *this, work_);
}

// ---- shapes

LanesAnalysis::Value LanesAnalysis::value(const Operand& operand) const {
  const Name* name = core::as_name(operand);
  if (name == nullptr) return {};
  const auto found = values_.find(*name);
  return found == values_.end() ? Value{} : found->second;
}

Shape LanesAnalysis::shape(const Operand& operand) const {
  return value(operand).shape;
}

bool LanesAnalysis::is_contiguous(const Operand& index) const {
  const Value v = value(index);
  return v.shape == Shape::kLinear && v.stride == 1;
}

void LanesAnalysis::set(Name name, Value value) {
  auto [found, fresh] = values_.emplace(name, Value{});
  if (found->second == value || found->second.shape > value.shape) return;
  found->second = value;
  changed_ = true;
}

LanesAnalysis::Value LanesAnalysis::result(const Exp& exp) const {
  Shape widest = Shape::kUniform;
  const auto look = [&](const Operand& o) { widest = std::max(widest, value(o).shape); };
  visit_exp(exp, [&](const auto& e) {
    std::apply([&](const auto&... field) { (detail::operands_of(field, look), ...); },
               std::remove_cvref_t<decltype(e)>::fields(e));
  });
  if (widest != Shape::kLinear) return {widest, 0};
  if (const auto* e = std::get_if<core::Value>(&exp)) return value(e->arg);
  if (const auto* e = std::get_if<core::Convert>(&exp)) {
    // Truncation is compatible with sums and products; extension is not, if they wrap.
    if (is_int(e->from) && is_int(e->to) && prim_size(e->to) <= prim_size(e->from))
      return value(e->arg);
  }
  if (const auto* e = std::get_if<core::Bitcast>(&exp))
    if (is_int(e->from) && is_int(e->to)) return value(e->arg);
  if (const auto* e = std::get_if<core::Select>(&exp); e && is_uniform(e->cond)) {
    const Value a = value(e->then), b = value(e->otherwise);
    return {Shape::kLinear, a == b ? a.stride : 0};
  }
  if (const auto* e = std::get_if<core::BinOp>(&exp); e && is_int(e->type)) {
    const Value a = value(e->lhs), b = value(e->rhs);
    const bool linear_a = a.shape == Shape::kLinear, linear_b = b.shape == Shape::kLinear;
    if (!is_ring_operator(e->op)) return {Shape::kVarying, 0};
    if (e->op == BinOpKind::kMul) {
      if (linear_a && linear_b) return {Shape::kVarying, 0};
      const Operand& factor = linear_a ? e->rhs : e->lhs;
      const int64_t stride = linear_a ? a.stride : b.stride;
      const Const* c = core::as_const(factor);
      if (c == nullptr || stride == 0) return {Shape::kLinear, 0};
      const int64_t times = core::int_value(*c);
      constexpr int64_t kSmall = 1 << 20;
      if (std::abs(times) > kSmall || std::abs(stride) > kSmall) return {Shape::kLinear, 0};
      return {Shape::kLinear, stride * times};
    }
    if (!linear_b) return a;
    const int sign = e->op == BinOpKind::kSub ? -1 : 1;
    if (!linear_a) return {Shape::kLinear, sign * b.stride};
    if (a.stride == 0 || b.stride == 0) return {Shape::kLinear, 0};
    return {Shape::kLinear, a.stride + sign * b.stride};
  }
  return {Shape::kVarying, 0};
}

// ---- walking

void LanesAnalysis::body(const Body& body, int context) {
  for (const Stmt& s : body.stmts) stmt(s, context);
}

void LanesAnalysis::divergent_body(const Body& inner, const void* key) {
  divergent_.insert(key);
  body(inner, ++contexts_);
}

void LanesAnalysis::stmt(const Stmt& stmt, int context) {
  const auto not_linear = [](Value v) {
    return v.shape == Shape::kUniform ? v : Value{Shape::kVarying, 0};
  };
  if (const auto* n = as<Let>(stmt)) {
    if (const Operand* linear = linear_side(*n))
      set(n->name, value(*linear));
    else if (!is_border(n->name))
      set(n->name, result(n->exp));
  } else if (const auto* n = as<Var>(stmt)) {
    variables_[n->name] = {context};
    set(n->name, not_linear(value(n->init)));
  } else if (const auto* n = as<Assign>(stmt)) {
    const auto declared = variables_.find(n->var);
    if (declared == variables_.end()) return refuse("a variable from outside is assigned");
    if (declared->second.context != context)
      set(n->var, {Shape::kVarying, 0});
    else
      set(n->var, not_linear(value(n->value)));
  } else if (const auto* n = as<Load>(stmt)) {
    if (is_private(n->block) || !is_uniform(n->index)) set(n->name, {Shape::kVarying, 0});
  } else if (const auto* n = as<Earlier>(stmt)) {
    set(n->name, {Shape::kVarying, 0});
  } else if (const auto* n = as<Tunable>(stmt)) {
    if (!is_uniform(n->fallback)) refuse("a parameter's default differs between lanes");
  } else if (const auto* n = as<Alloc>(stmt)) {
    if (!is_uniform(n->bytes)) refuse("lanes allocate arrays of different sizes");
  } else if (const auto* n = as<BlockVar>(stmt)) {
    variables_[n->name] = {context};
  } else if (const auto* n = as<BlockAssign>(stmt)) {
    const auto declared = variables_.find(n->var);
    if (declared == variables_.end() || declared->second.context != context)
      refuse("lanes choose different blocks");
  } else if (const auto* n = as<CopyBytes>(stmt)) {
    if ((is_private(n->dest) || is_private(n->src)) && !is_uniform(n->bytes))
      refuse("lanes copy arrays of different sizes");
  } else if (const auto* n = as<Fill>(stmt)) {
    if (is_private(n->block) && !is_uniform(n->count))
      refuse("lanes fill arrays of different sizes");
  } else if (const auto* n = as<If>(stmt)) {
    if (is_uniform(n->cond)) {
      body(n->then_body, context);
      body(n->else_body, context);
    } else if (is_taken(*n)) {
      body(n->then_body, context);
    } else {
      divergent_body(n->then_body, n);
      divergent_body(n->else_body, n);
    }
  } else if (const auto* n = as<For>(stmt)) {
    const bool same_values = is_uniform(n->begin) && is_uniform(n->step);
    set(n->var, {same_values ? Shape::kUniform : Shape::kVarying, 0});
    const Name exit = exit_variable(*n);
    const bool same_exit = !exit || is_uniform(exit);
    if (same_values && is_uniform(n->end) && same_exit)
      body(n->body, context);
    else
      divergent_body(n->body, n);
  } else if (const auto* n = as<While>(stmt)) {
    if (is_uniform(n->cond))
      body(n->body, context);
    else
      divergent_body(n->body, n);
  }
}

}  // namespace skald::imp
