// SPDX-License-Identifier: Apache-2.0
#include "imp/simd/lanes_analysis.h"

#include "imp/visit.h"

namespace skald::imp {

namespace {

// Work in loops of unknown length counts this much more.
constexpr double kLoopWeight = 16;

bool is_ring_operator(BinOpKind op) {
  return op == BinOpKind::kAdd || op == BinOpKind::kSub || op == BinOpKind::kMul;
}

bool is_extension(const core::Convert& e) {
  return is_int(e.from) && is_int(e.to) && prim_size(e.from) < prim_size(e.to);
}

Const least(Prim type) {
  const int bits = 8 * static_cast<int>(prim_size(type));
  return core::const_int(type, is_signed_int(type) ? -(int64_t{1} << (bits - 1)) : 0);
}

}  // namespace

LanesAnalysis::LanesAnalysis(const For& loop, const std::vector<Border>& borders)
    : loop_var_(loop.var),
      constant_(core::as_const(loop.begin) != nullptr && core::as_const(loop.end) != nullptr) {
  for (const Border& border : borders)
    (border.extends ? extensions_ : border_names_).insert(border.name);
  const Const* step = core::as_const(loop.step);
  if (loop.type != Prim::kI64 || step == nullptr || core::int_value(*step) != 1)
    refuse("the loop does not count by one");
  survey(loop.body);
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
  if (has_check_) find_needed(loop.body);
  measure(loop.body, {});
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

// ---- borders

const Exp* LanesAnalysis::definition(Name name) const {
  const auto found = definitions_.find(name);
  return found == definitions_.end() ? nullptr : found->second;
}

// Can it be computed before the body runs, from what is outside and the loop's variable?
bool LanesAnalysis::known_before(const Operand& operand, int depth) const {
  const Name* name = core::as_name(operand);
  if (name == nullptr || *name == loop_var_ || !bound_.contains(*name)) return true;
  const Exp* exp = definition(*name);
  if (exp == nullptr || depth == 0) return false;
  if (const auto* e = std::get_if<core::Value>(exp)) return known_before(e->arg, depth - 1);
  if (const auto* e = std::get_if<core::Bitcast>(exp)) return known_before(e->arg, depth - 1);
  if (const auto* e = std::get_if<core::Convert>(exp)) return known_before(e->arg, depth - 1);
  const auto* e = std::get_if<core::BinOp>(exp);
  return e != nullptr && is_ring_operator(e->op) && known_before(e->lhs, depth - 1) &&
         known_before(e->rhs, depth - 1);
}

std::vector<Border> LanesAnalysis::borders() const {
  constexpr size_t kMostBorders = 16;
  constexpr int kMostSteps = 6;
  std::vector<Border> found;
  for (const Let* let : lets_) {
    if (const auto* e = std::get_if<core::Convert>(&let->exp); e != nullptr && is_extension(*e) &&
                                                               is_contiguous(e->arg) &&
                                                               known_before(e->arg, kMostSteps))
      found.push_back({let->name,
                       {CmpOpKind::kLt, e->from, e->arg, least(e->from)},
                       /*linear_left=*/true,
                       /*extends=*/true});
    const auto* e = std::get_if<core::CmpOp>(&let->exp);
    if (e == nullptr || !is_int(e->type)) continue;
    const Value a = value(e->lhs), b = value(e->rhs);
    const bool linear_left = a.shape == Shape::kLinear && b.shape == Shape::kUniform;
    const bool linear_right = b.shape == Shape::kLinear && a.shape == Shape::kUniform;
    if (!linear_left && !linear_right) continue;
    if ((linear_left ? a : b).stride != 1) continue;
    if (!known_before(e->lhs, kMostSteps) || !known_before(e->rhs, kMostSteps)) continue;
    found.push_back({let->name, *e, linear_left});
  }
  if (found.size() > kMostBorders) found.clear();
  return found;
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
    if (extensions_.contains(n->name))
      set(n->name, value(std::get<core::Convert>(n->exp).arg));
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

// ---- what the body is made of

void LanesAnalysis::touch(Name block, Prim type) {
  const auto found = private_.find(block);
  if (found == private_.end()) return;
  if (touched_.insert(block).second)
    found->second = type;
  else if (found->second != type)
    refuse("an array of a lane holds elements of different types");
}

// Arrays that are copied to each other must be laid out alike.
void LanesAnalysis::unify_copied_types() {
  for (bool again = true; again && obstacle_.empty();) {
    again = false;
    for (const auto& [a, b] : private_copies_) {
      const bool known_a = touched_.contains(a), known_b = touched_.contains(b);
      if (known_a == known_b && (!known_a || private_.at(a) == private_.at(b))) continue;
      touch(known_a ? b : a, private_.at(known_a ? a : b));
      again = true;
    }
  }
}

void LanesAnalysis::survey(const Body& body) {
  for (const Stmt& stmt : body.stmts) {
    ++work_.statements;
    for_each_binder(stmt, [&](Name name, const Type&, BinderScope) { bound_.insert(name); });
    if (const auto* let = as<Let>(stmt)) {
      lets_.push_back(let);
      definitions_.emplace(let->name, &let->exp);
    }
    visit(stmt.node, [&](const auto& n) {
      using N = std::remove_cvref_t<decltype(n)>;
      if constexpr (std::is_same_v<N, Alloc>) {
        if (n.space != Space::kScratch) return refuse("it allocates on the heap");
        private_.emplace(n.name, Prim::kI8);
        const Const* bytes = core::as_const(n.bytes);
        if (bytes == nullptr || core::int_value(*bytes) > kSmallArray) has_large_arrays_ = true;
      } else if constexpr (std::is_same_v<N, Load> || std::is_same_v<N, Store> ||
                           std::is_same_v<N, Fill>) {
        touch(n.block, n.type);
        if constexpr (std::is_same_v<N, Load>) read_.insert(n.block);
      } else if constexpr (std::is_same_v<N, CopyBytes>) {
        if (n.overlap && (is_private(n.dest) || is_private(n.src)))
          refuse("it moves within an array of a lane");
        if (is_private(n.dest) && is_private(n.src)) private_copies_.emplace_back(n.dest, n.src);
        read_.insert(n.src);
      } else if constexpr (std::is_same_v<N, Check>) {
        has_check_ = true;
      } else if constexpr (std::is_same_v<N, For> || std::is_same_v<N, While>) {
        work_.has_loop = true;
        if constexpr (std::is_same_v<N, For>) find_exit(n);
      } else if constexpr (std::is_same_v<N, BlockVar>) {
        if (n.space != Space::kView || (n.init && !is_private(n.init)))
          return refuse("a name stands for different blocks");
        private_.emplace(n.name, Prim::kI8);
        if (n.init) private_copies_.emplace_back(n.name, n.init);
      } else if constexpr (std::is_same_v<N, BlockAssign>) {
        if (!is_private(n.var) || !is_private(n.value))
          return refuse("a name stands for different blocks");
        private_copies_.emplace_back(n.var, n.value);
      } else if constexpr (std::is_same_v<N, Call>) {
        refuse("it calls \"" + n.fn + "\"");
      } else if constexpr (!std::is_same_v<N, Let> && !std::is_same_v<N, Var> &&
                           !std::is_same_v<N, Assign> && !std::is_same_v<N, Tunable> &&
                           !std::is_same_v<N, If>) {
        refuse("it holds a statement that lanes cannot run");
      }
    });
    for_each_body(stmt, [&](const Body& inner) { survey(inner); });
  }
}

void LanesAnalysis::find_exit(const For& loop) {
  const Name variable = early_exit(loop);
  // It must be a variable of the iteration's own.
  if (!variable || !bound_.contains(variable)) return;
  exits_.emplace(&loop, variable);
  for (const Stmt& stmt : loop.body.stmts)
    if (const auto* branch = as<If>(stmt); branch && is_before_assignment(loop, variable, *branch))
      taken_.insert(branch);
}

void LanesAnalysis::collect_writes(const Body& body, std::unordered_set<Name>& written) const {
  const auto write = [&](Name block) {
    if (!is_private(block)) written.insert(block);
  };
  for (const Stmt& stmt : body.stmts) {
    if (const auto* n = as<Store>(stmt)) write(n->block);
    if (const auto* n = as<Fill>(stmt)) write(n->block);
    if (const auto* n = as<CopyBytes>(stmt)) write(n->dest);
    for_each_body(stmt, [&](const Body& inner) { collect_writes(inner, written); });
  }
}

void LanesAnalysis::survey_order(const Body& body, std::unordered_set<Name> written) {
  for (const Stmt& stmt : body.stmts) {
    const std::unordered_set<Name> before = written;
    for_each_body(stmt, [&](const Body& inner) { collect_writes(inner, written); });
    if (const auto* n = as<Store>(stmt); n && !is_private(n->block)) written.insert(n->block);
    if (const auto* n = as<Fill>(stmt); n && !is_private(n->block)) written.insert(n->block);
    if (const auto* n = as<CopyBytes>(stmt); n && !is_private(n->dest)) written.insert(n->dest);
    const bool loop = as<For>(stmt) != nullptr || as<While>(stmt) != nullptr;
    // The second time through a loop, what it writes has been written.
    for_each_body(stmt, [&](const Body& inner) { survey_order(inner, loop ? written : before); });
    if (as<Check>(stmt) != nullptr) written_before_check_.insert(written.begin(), written.end());
  }
}

// ---- work

namespace {

int log2_size(Prim type) {
  switch (prim_size(type)) {
    case 1: return 0;
    case 2: return 1;
    case 4: return 2;
    default: return 3;
  }
}

// Roughly, in simple instructions of scalar code; `per_lane` says that vectors do not help.
struct OperatorCost {
  double cost = 1;
  bool per_lane = false;
  // Out of the vector and back.
  double moves = 3;
  // Only some machines have a vector form, of this cost.
  bool is_long = false;
  double long_cost = 1;
};

constexpr double kDivision = 6, kLongDivision = 20, kSquareRoot = 6, kFunction = 20;
// Two operands out of the vector, and what makes quotients exact in vectors.
constexpr double kDivisionMoves = 5;
// A check that many iterations share a branch for (codegen/cpu/side_by_side.cpp).
constexpr double kCheck = 0.25;

OperatorCost cost_of(const Exp& exp) {
  if (const auto* e = std::get_if<core::BinOp>(&exp)) {
    switch (e->op) {
      case BinOpKind::kDiv:
      case BinOpKind::kMod:
      case BinOpKind::kQuot:
      case BinOpKind::kRem:
        if (is_float(e->type)) return {e->op == BinOpKind::kDiv ? kDivision : kFunction};
        // It is a product, of which the upper half is needed, or a division of floats
        // (codegen/cpu/vector_division.cpp); NEON has no product of 64 bits.
        if (prim_size(e->type) < 8) return {kDivision};
        return {.cost = kDivision,
                .moves = core::as_const(e->rhs) == nullptr ? kDivisionMoves : 3,
                .is_long = true,
                .long_cost = kLongDivision};
      case BinOpKind::kMul:
        // NEON and AVX2 have no product of 64-bit integers.
        return {.is_long = e->type == Prim::kI64 || e->type == Prim::kU64};
      case BinOpKind::kPow: return {kFunction, !is_float(e->type)};
      case BinOpKind::kAtan2:
      case BinOpKind::kHypot: return {kFunction};
      case BinOpKind::kAtan2Pi:
      case BinOpKind::kNextafter:
      case BinOpKind::kLdexp: return {kFunction, true};
      default: return {};
    }
  }
  if (const auto* e = std::get_if<core::UnOp>(&exp)) {
    if (!is_float(e->type)) return {};
    if (e->op < UnOpKind::kSqrt) return {};
    if (e->op == UnOpKind::kSqrt || e->op == UnOpKind::kRsqrt) return {kSquareRoot};
    const bool rounding = e->op == UnOpKind::kCeil || e->op == UnOpKind::kFloor ||
                          e->op == UnOpKind::kTrunc || e->op == UnOpKind::kRound;
    return rounding ? OperatorCost{} : OperatorCost{kFunction};
  }
  if (const auto* e = std::get_if<core::Convert>(&exp)) {
    // 64-bit integers and 32-bit floats convert one by one on most machines.
    const bool mixed =
        is_float(e->from) != is_float(e->to) && prim_size(e->from) != prim_size(e->to);
    return {.is_long = mixed && std::max(prim_size(e->from), prim_size(e->to)) == 8};
  }
  return {};
}

// Could scalar code run this loop in vectors of its own, because it goes along the memory and
// carries nothing from one iteration to the next?
bool runs_along_memory(const For& loop) {
  bool innermost = true;
  for (const Stmt& stmt : loop.body.stmts)
    if (as<For>(stmt) != nullptr || as<While>(stmt) != nullptr) innermost = false;
  if (!innermost) return false;
  const LanesAnalysis inside(loop);
  return inside.obstacle().empty() && !inside.has_check() && inside.work().per_lane == 0 &&
         inside.work().long_lane == 0;
}

}  // namespace

bool LanesAnalysis::diverges(const Stmt& stmt) const {
  if (const auto* n = as<If>(stmt)) return is_divergent(n);
  if (const auto* n = as<For>(stmt)) return is_divergent(n);
  const auto* n = as<While>(stmt);
  return n != nullptr && is_divergent(n);
}

// Bools that only checks use are cheap: scalar code has a branch for several iterations at once.
void LanesAnalysis::find_needed(const Body& body) {
  for (auto stmt = body.stmts.rbegin(); stmt != body.stmts.rend(); ++stmt) {
    for_each_body(*stmt, [&](const Body& inner) { find_needed(inner); });
    if (as<Check>(*stmt) != nullptr) continue;
    const auto* let = as<Let>(*stmt);
    if (let != nullptr && let->type == Prim::kBool && !needed_.contains(let->name)) continue;
    for_each_use(*stmt, [&](const Operand& operand) {
      if (const Name* name = core::as_name(operand)) needed_.insert(*name);
    });
  }
}

void LanesAnalysis::measure(const Body& body, const Place& place) {
  const double weight = place.weight;
  const auto vector_work = [&](Prim type, double cost) {
    // Masks are as wide as most of what they mask.
    double& work =
        type == Prim::kBool ? work_.bools : work_.varying[static_cast<size_t>(log2_size(type))];
    work += cost * weight;
    work_.scalar += cost * weight * place.scalar;
  };
  const auto access = [&](Name block, Prim type, const Operand& index, bool is_load) {
    const bool simple = is_private(block) ? is_uniform(index) : is_contiguous(index);
    if (simple) {
      // What is as small as a loop of constant length stays in registers: accumulators.
      const bool in_registers = constant_ && index == Operand{loop_var_};
      if (!is_private(block) && !in_registers) work_.accesses += weight;
      return vector_work(type == Prim::kBool ? Prim::kI8 : type, 1);
    }
    // Vector accesses, and picking the elements out of the registers.
    if (const int64_t step = stride(index); !is_private(block) && !place.divergent &&
                                            is_small_stride(step) && (is_load || step == -1)) {
      work_.varying[static_cast<size_t>(log2_size(type))] +=
          static_cast<double>(2 * std::abs(step)) * weight;
      work_.accesses += static_cast<double>(2 * std::abs(step)) * weight;
      work_.scalar += weight * place.scalar;
      return;
    }
    work_.scalar += weight * place.scalar;
    if (is_uniform(index)) {
      work_.uniform += weight;
      return;
    }
    // An address, the access, and moving the element to or from its lane; a branch where the lane
    // may be inactive.
    constexpr double kEachLane = 5, kEachActiveLane = 8;
    work_.per_lane += (place.divergent ? kEachActiveLane : kEachLane) * weight;
  };
  for (const Stmt& stmt : body.stmts) {
    if (const auto* n = as<Let>(stmt)) {
      const OperatorCost cost = cost_of(n->exp);
      work_.has_function = work_.has_function || cost.cost >= kFunction;
      if (shape(n->name) != Shape::kVarying) {
        work_.uniform += weight;
        work_.scalar += weight * place.scalar;
      } else if (cost.is_long) {
        work_.long_vector += cost.long_cost * weight;
        work_.operations += cost.long_cost * weight;
        work_.long_lane += (cost.cost + cost.moves) * weight;
        work_.scalar += cost.cost * weight * place.scalar;
      } else if (cost.per_lane) {
        work_.per_lane += (cost.cost + cost.moves) * weight;
        work_.scalar += cost.cost * weight * place.scalar;
      } else if (has_check_ && n->type == Prim::kBool && !needed_.contains(n->name)) {
        work_.uniform += kCheck * weight;
        work_.scalar += kCheck * weight * place.scalar;
      } else if (std::get_if<core::Value>(&n->exp) == nullptr) {
        const auto* compared = std::get_if<core::CmpOp>(&n->exp);
        vector_work(compared != nullptr ? compared->type : n->type, cost.cost);
        work_.operations += cost.cost * weight;
      }
    } else if (const auto* n = as<Load>(stmt)) {
      access(n->block, n->type, n->index, true);
    } else if (const auto* n = as<Store>(stmt)) {
      access(n->block, n->type, n->index, false);
    } else if (as<CopyBytes>(stmt) != nullptr || as<Fill>(stmt) != nullptr) {
      // One call, or element by element in every lane.
      work_.per_lane += 4 * kLoopWeight * weight;
      work_.scalar += kLoopWeight * weight * place.scalar;
    } else if (as<Check>(stmt) != nullptr) {
      work_.scalar += kCheck * weight * place.scalar;
      work_.uniform += weight;
    } else {
      work_.scalar += weight * place.scalar;
      work_.uniform += weight;
    }
    Place inside = place;
    const auto* loop = as<For>(stmt);
    if (loop != nullptr || as<While>(stmt) != nullptr)
      inside.weight = std::min(weight * kLoopWeight, 1e6);
    inside.divergent = place.divergent || diverges(stmt);
    // Lanes that differ go both ways, scalar code goes one.
    if (as<If>(stmt) != nullptr && diverges(stmt)) inside.scalar *= 0.5;
    constexpr double kInVectors = 0.25;
    if (loop != nullptr && runs_along_memory(*loop)) inside.scalar *= kInVectors;
    for_each_body(stmt, [&](const Body& inner) { measure(inner, inside); });
  }
}

}  // namespace skald::imp
