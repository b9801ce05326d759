// SPDX-License-Identifier: Apache-2.0
// Counts in no more bits than what is compared has.
//
//                                                 for (b = 0; b < n; b += 2³⁰) {
//                                                   u32 short[l] = 0; …
//   for (i = 0; i < n; i += 1)                      for (i = b; i < min(b + 2³⁰, n); i += 1)
//     simd for (l = 0; l < 16; …) {                   simd for (l = 0; l < 16; …) {
//       bool c = lt_f32(…);                             bool c = lt_f32(…);
//       i64 lanes[l] += i64(c);               →         u32 short[l] += u32(c);
//     }                                               }
//                                                   i64 lanes[l] += i64(short[l]); …
//                                                 }
//
// A comparison of f32 gives a vector of 32-bit masks; to add them to numbers of 64 bits they have
// to be widened, and twice as many registers added.  The rounds of a loop are cut into blocks so
// that the narrow counts cannot overflow.  The same for variables in loops inside of `simd for`.
//
// Stage    imp for the cpu.
// Needs    the lanes of loops (`narrow`).
// Gives    loops in two levels where something is counted.
// Keeps    everything else.
// Cost     linear in the size of the program, times the counts of a loop.
// Tests    tests/golden/passes/imp/counts/*.imp, tests/golden/stages/counts_imp.fut
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "imp/analysis/facts.h"
#include "imp/ir/visit.h"
#include "imp/passes/passes.h"

namespace skald::imp {

namespace {

// Rounds that a count of 1, 2 or 4 bytes can stand.
int64_t most_rounds(int bytes) {
  return bytes == 1 ? 255 : bytes == 2 ? 65535 : int64_t{1} << 30;
}

Prim unsigned_of(int bytes) {
  return bytes == 1 ? Prim::kU8 : bytes == 2 ? Prim::kU16 : Prim::kU32;
}

std::optional<int64_t> constant(const Operand& operand) {
  const Const* c = core::as_const(operand);
  return c == nullptr || !is_int(c->type) ? std::nullopt : std::optional(core::int_value(*c));
}

// Something that is counted in a loop: total = total + (cond ? 1 : 0).
struct Count {
  Prim type;           // of the total
  Name total;          // a block, or a variable
  Name lane;           // of a block: the variable of the loop over its lanes
  Operand lanes;       // how many there are
  Name loaded, added;  // the total before (of a block) and after
  Operand cond;
  int bytes;  // enough for a while
  bool in_lanes() const { return static_cast<bool>(lane); }
};

class Counting {
 public:
  Counting(Program& prog, const Function& fn, PassContext& ctx) : prog_(prog), ctx_(ctx) {
    find_shared(fn.body);
  }

  void body(Body& body, const For* simd) {
    std::vector<Stmt> out;
    for (Stmt& stmt : body.stmts) {
      auto* loop = as<For>(stmt);
      const bool lanes = loop != nullptr && loop->hint == LoopHint::kSimd;
      for_each_body(stmt, [&](Body& inner) { this->body(inner, lanes ? loop : simd); });
      if (loop == nullptr || lanes || !rewrite(*loop, simd, out)) out.push_back(std::move(stmt));
    }
    body.stmts = std::move(out);
  }

 private:
  // Blocks that have other names too.
  void find_shared(const Body& body) {
    for (const Stmt& stmt : body.stmts) {
      const auto add = [&](const Operand& operand) {
        if (const Name* name = core::as_name(operand)) shared_.insert(*name);
      };
      if (as<BlockVar>(stmt) || as<BlockAssign>(stmt) || as<Call>(stmt)) for_each_use(stmt, add);
      for_each_body(stmt, [&](const Body& inner) { find_shared(inner); });
    }
  }

  static bool has_check(const Body& body) {
    return std::ranges::any_of(body.stmts, [](const Stmt& stmt) {
      bool found = as<Check>(stmt) != nullptr;
      for_each_body(stmt, [&](const Body& inner) { found = found || has_check(inner); });
      return found;
    });
  }

  // ---- what is counted

  // What the statements of one body bind.
  struct Bound {
    std::unordered_map<Name, const Exp*> exps;
    std::unordered_map<Name, const Load*> loads;

    explicit Bound(const Body& body) {
      for (const Stmt& stmt : body.stmts) {
        if (const auto* let = as<Let>(stmt)) exps[let->name] = &let->exp;
        if (const auto* load = as<Load>(stmt)) loads[load->name] = load;
      }
    }
    template <class Node>
    const Node* exp(const Operand& operand) const {
      const Name* name = core::as_name(operand);
      if (name == nullptr || !exps.contains(*name)) return nullptr;
      return std::get_if<Node>(exps.at(*name));
    }
  };

  // The bytes of what is compared for it; 0 if that is not known.
  static int width(const Operand& cond, const Bound& bound) {
    const Name* name = core::as_name(cond);
    if (name == nullptr) return 0;
    if (const auto load = bound.loads.find(*name); load != bound.loads.end()) return 1;
    if (const auto* cmp = bound.exp<core::CmpOp>(cond)) return prim_size(cmp->type);
    if (const auto* copy = bound.exp<core::Value>(cond)) return width(copy->arg, bound);
    if (const auto* unop = bound.exp<core::UnOp>(cond))
      return unop->type == Prim::kBool ? width(unop->arg, bound) : 0;
    if (const auto* both = bound.exp<core::BinOp>(cond)) {
      if (both->type != Prim::kBool) return 0;
      const int left = width(both->lhs, bound), right = width(both->rhs, bound);
      return left == 0 || right == 0 ? 0 : std::max(left, right);
    }
    return 0;
  }

  // The condition if the operand is 1 where it holds, and otherwise 0.
  static std::optional<Operand> counted(const Operand& operand, const Bound& bound) {
    if (const auto* convert = bound.exp<core::Convert>(operand))
      return convert->from == Prim::kBool ? std::optional(convert->arg) : std::nullopt;
    if (const auto* select = bound.exp<core::Select>(operand))
      if (constant(select->then) == 1 && constant(select->otherwise) == 0) return select->cond;
    return std::nullopt;
  }

  // added = before + counted
  static std::optional<Count> find_sum(const Operand& added, Prim type, const Bound& bound,
                                       const auto& is_before) {
    const auto* sum = bound.exp<core::BinOp>(added);
    if (sum == nullptr || sum->op != BinOpKind::kAdd || !is_int(type)) return std::nullopt;
    for (const auto& [before, other] : {std::pair(sum->lhs, sum->rhs), {sum->rhs, sum->lhs}}) {
      if (core::as_name(before) == nullptr || !is_before(*core::as_name(before))) continue;
      const std::optional<Operand> cond = counted(other, bound);
      if (!cond) continue;
      const int bytes = width(*cond, bound);
      if (bytes == 0 || bytes >= prim_size(type)) continue;
      return Count{type,  {},   {}, const_i64(0), *core::as_name(before), *core::as_name(added),
                   *cond, bytes};
    }
    return std::nullopt;
  }

  // In accumulators side by side.
  void find_in_lanes(const For& loop, const For& lanes, std::vector<Count>& counts) const {
    if (lanes.hint != LoopHint::kSimd || constant(lanes.begin) != 0 || constant(lanes.step) != 1 ||
        !constant(lanes.end))
      return;
    const Bound bound(lanes.body);
    for (const Stmt& stmt : lanes.body.stmts) {
      const auto* store = as<Store>(stmt);
      if (store == nullptr || shared_.contains(store->block)) continue;
      if (!(store->index == Operand{lanes.var}) || count_uses(loop.body, store->block) != 2)
        continue;
      std::optional<Count> count = find_sum(store->value, store->type, bound, [&](Name before) {
        const auto load = bound.loads.find(before);
        return load != bound.loads.end() && load->second->block == store->block &&
               load->second->index == Operand{lanes.var} && load->second->type == store->type;
      });
      if (!count || count_uses(lanes.body, count->loaded) != 1 ||
          count_uses(lanes.body, count->added) != 1)
        continue;
      count->total = store->block;
      count->lane = lanes.var;
      count->lanes = lanes.end;
      counts.push_back(*count);
    }
  }

  // In variables.
  static void find_in_variables(const For& loop, std::vector<Count>& counts) {
    const Bound bound(loop.body);
    for (const Stmt& stmt : loop.body.stmts) {
      const auto* assign = as<Assign>(stmt);
      if (assign == nullptr || count_uses(loop.body, assign->var) != 2) continue;
      const auto* sum = bound.exp<core::BinOp>(assign->value);
      if (sum == nullptr) continue;
      std::optional<Count> count = find_sum(assign->value, sum->type, bound,
                                            [&](Name before) { return before == assign->var; });
      if (!count || count_uses(loop.body, count->added) != 1) continue;
      count->total = assign->var;
      counts.push_back(*count);
    }
  }

  // ---- the loop

  bool rewrite(For& loop, const For* simd, std::vector<Stmt>& out) {
    if (loop.type != Prim::kI64 || !constant(loop.step) || has_check(loop.body)) return false;
    std::vector<Count> counts;
    for (const Stmt& stmt : loop.body.stmts)
      if (const auto* lanes = as<For>(stmt)) find_in_lanes(loop, *lanes, counts);
    if (simd != nullptr) {
      // The blocks should be the same in all lanes.
      const std::unordered_set<Name> inner = bound_or_assigned(simd->body);
      const auto outside = [&](const Operand& o) {
        const Name* name = core::as_name(o);
        return name == nullptr || (!inner.contains(*name) && !(*name == simd->var));
      };
      if (outside(loop.begin) && outside(loop.end)) find_in_variables(loop, counts);
    }
    const std::unordered_set<Name> inner = bound_or_assigned(loop.body);
    std::erase_if(counts, [&](const Count& c) { return c.in_lanes() && inner.contains(c.total); });
    std::erase_if(counts, [&](const Count&) { return !ctx_.may_rewrite("count in fewer bits"); });
    if (counts.empty()) return false;
    int least = 4;
    for (const Count& count : counts) least = std::min(least, count.bytes);
    const int64_t block = most_rounds(least) * *constant(loop.step);
    std::vector<Name> shorts;
    std::vector<Stmt> start, end;
    for (const Count& count : counts) shorts.push_back(start_short(count, start));
    for (size_t k = 0; k < counts.size(); ++k) add_up(counts[k], shorts[k], end);
    for (size_t k = 0; k < counts.size(); ++k) count_in(loop.body, counts[k], shorts[k]);
    // for (b = begin; b < end; b += block) { start; for (i = b; i < min(b + block, end)); end }
    const Name first = prog_.names.fresh("block"), left = prog_.names.fresh("left");
    const Name size = prog_.names.fresh("size"), last = prog_.names.fresh("last");
    const auto binop = [&](Name name, BinOpKind op, const Operand& a, const Operand& b) {
      start.push_back(Stmt{Let{name, Prim::kI64, core::BinOp{op, Prim::kI64, a, b}}});
    };
    binop(left, BinOpKind::kSub, loop.end, first);
    binop(size, BinOpKind::kMin, left, const_i64(block));
    binop(last, BinOpKind::kAdd, first, size);
    For outer{first, Prim::kI64, loop.begin, loop.end, const_i64(block), {}, LoopHint::kNone};
    outer.mark = loop.mark;
    loop.begin = first;
    loop.end = last;
    start.push_back(Stmt{std::move(loop)});
    for (Stmt& stmt : end) start.push_back(std::move(stmt));
    outer.body = Body(std::move(start));
    out.push_back(Stmt{std::move(outer)});
    return true;
  }

  Stmt lane_loop(const Count& count, Name lane, std::vector<Stmt> body) {
    return Stmt{For{lane, Prim::kI64, const_i64(0), count.lanes, const_i64(1),
                    Body(std::move(body)), LoopHint::kSimd}};
  }

  Name start_short(const Count& count, std::vector<Stmt>& out) {
    const Prim type = unsigned_of(count.bytes);
    const Name name = prog_.names.fresh("short");
    if (!count.in_lanes()) {
      out.push_back(Stmt{Var{name, type, core::const_int(type, 0)}});
      return name;
    }
    out.push_back(
        Stmt{Alloc{name, Space::kScratch, const_i64(*constant(count.lanes) * prim_size(type))}});
    const Name lane = prog_.names.fresh("l");
    std::vector<Stmt> body;
    body.push_back(Stmt{Store{type, name, lane, core::const_int(type, 0)}});
    out.push_back(lane_loop(count, lane, std::move(body)));
    return name;
  }

  // total = total + short
  void add_up(const Count& count, Name counter, std::vector<Stmt>& out) {
    const Prim type = unsigned_of(count.bytes);
    const Name lane = prog_.names.fresh("l"), before = prog_.names.fresh("count");
    const Name some = prog_.names.fresh("count"), wide = prog_.names.fresh("count");
    const Name total = prog_.names.fresh("count");
    std::vector<Stmt> body;
    if (count.in_lanes()) {
      body.push_back(Stmt{Load{before, count.type, count.total, lane}});
      body.push_back(Stmt{Load{some, type, counter, lane}});
    }
    const Operand narrow = count.in_lanes() ? some : counter;
    const Operand old = count.in_lanes() ? before : count.total;
    body.push_back(Stmt{Let{wide, count.type, core::Convert{type, count.type, narrow}}});
    body.push_back(
        Stmt{Let{total, count.type, core::BinOp{BinOpKind::kAdd, count.type, old, wide}}});
    if (count.in_lanes()) {
      body.push_back(Stmt{Store{count.type, count.total, lane, total}});
      out.push_back(lane_loop(count, lane, std::move(body)));
      return;
    }
    body.push_back(Stmt{Assign{count.total, total}});
    for (Stmt& stmt : body) out.push_back(std::move(stmt));
  }

  // Makes the loop's body count in `counter`.
  void count_in(Body& body, const Count& count, Name counter) {
    const Prim type = unsigned_of(count.bytes);
    std::vector<Stmt> out;
    for (Stmt& stmt : body.stmts) {
      if (auto* lanes = as<For>(stmt);
          count.in_lanes() && lanes != nullptr && lanes->var == count.lane)
        count_in(lanes->body, count, counter);
      if (auto* load = as<Load>(stmt); load != nullptr && load->name == count.loaded) {
        load->type = type;
        load->block = counter;
      }
      if (auto* let = as<Let>(stmt); let != nullptr && let->name == count.added) {
        const Name one = prog_.names.fresh("one");
        out.push_back(Stmt{Let{one, type, core::Convert{Prim::kBool, type, count.cond}}});
        const Operand before = count.in_lanes() ? count.loaded : counter;
        let->type = type;
        let->exp = core::BinOp{BinOpKind::kAdd, type, before, one};
      }
      if (auto* store = as<Store>(stmt); store != nullptr && store->block == count.total) {
        store->type = type;
        store->block = counter;
      }
      if (auto* assign = as<Assign>(stmt); assign != nullptr && assign->var == count.total)
        assign->var = counter;
      out.push_back(std::move(stmt));
    }
    body.stmts = std::move(out);
    drop_unused(body);
  }

  Program& prog_;
  PassContext& ctx_;
  std::unordered_set<Name> shared_;
};

}  // namespace

Program narrow_counts(Program prog, PassContext& ctx) {
  for (Function& fn : prog.functions) {
    if (fn.kind != FunctionKind::kHost) continue;
    Counting counting(prog, fn, ctx);
    counting.body(fn.body, nullptr);
  }
  return prog;
}

}  // namespace skald::imp
