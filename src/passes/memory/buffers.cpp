// SPDX-License-Identifier: Apache-2.0
// Moves allocations out of loops.
//
//   before   loop {m_1 : mem = m_0, xs_2 @ m_1 = …} … do        after   let {a_5 : mem} = alloc(b)
//              let {n_3 : mem} = alloc(b)                               let {b_6 : mem} = alloc(b)
//              let {t_4 : mem} = alloc(c)                               let {t_4 : mem} = alloc(c)
//              let {ys_5 @ n_3} = … xs_2 …                              loop {m_1 : mem = m_0, xs_2
//              @ m_1 = …, in {n_3, ys_5}                                                 p_7 : mem
//              = a_5, q_8 : mem = b_6} … do
//                                                                         let {ys_5 @ p_7} = … xs_2
//                                                                         … in {p_7, ys_5, q_8,
//                                                                         p_7}
//
// A block that no round hands on (t) is allocated once.  An array that every round replaces gets
// two blocks that take turns: round k writes the one that round k-1 does not read.  The initial
// value is never written to, so it may belong to anybody; if it is ours and dead, it serves as the
// second block.
//
// Stage    MEMORY.
// Needs    no frees yet.
// Gives    loops whose sizes do not change allocate nothing.
// Keeps    results and checks.  A loop that does not run allocates nothing; a size that is
// negative,
//          which a check inside would find, counts as nothing.
// Cost     linear in the program times the depth of loops.
// Tests    tests/golden/passes/hoist_memory/*.core, tests/programs/memory
#include "passes/memory/buffers.h"

#include <algorithm>

#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "passes/memory/reuse.h"
#include "passes/memory/scalars.h"
#include "passes/passes.h"

namespace skald::passes {

using namespace core;

namespace {

constexpr int kMaxDepth = 40;

}  // namespace

void Buffers::add_dims(const Param& param) {
  for (const Operand& dim : param.type.shape)
    if (const Name* name = as_name(dim)) dims_.push_back(*name);
}

void Buffers::body(Body& body, const std::vector<Param>& params) {
  std::vector<Stmt> out;
  out.reserve(body.stmts.size());
  const size_t outside = dims_.size();
  for (size_t k = 0; k < body.stmts.size(); ++k) {
    Stmt& stmt = body.stmts[k];
    const size_t here = dims_.size();
    for_each_param(stmt.exp, [&](const Param& p) { add_dims(p); });
    std::vector<Around> branches = branches_;
    if (as<If>(stmt.exp) != nullptr)
      branches_.push_back({out, body, k});
    else
      branches_.clear();
    for_each_body(stmt.exp, [&](Body& inner) { this->body(inner, {}); });
    branches_.swap(branches);
    dims_.resize(here);
    if (as<Loop>(stmt.exp) != nullptr) loop({out, body, k}, stmt);
    for (const Param& p : stmt.pat) add_dims(p);
    out.push_back(std::move(stmt));
  }
  dims_.resize(outside);
  body.stmts = std::move(out);
  // Before the body's own loop takes the allocations out.
  reuse_blocks(body, params, block_of_, values_, ctx_);
}

void Buffers::learn(const Body& body, Inside& inside) const {
  for (const Stmt& stmt : body.stmts) {
    for (const Param& p : stmt.pat) inside.bound.insert(p.name);
    for_each_param(stmt.exp, [&](const Param& p) { inside.bound.insert(p.name); });
    if (analysis::is_pure_scalar(stmt)) inside.scalars[stmt.pat[0].name] = &stmt;
    for_each_body(stmt.exp, [&](const Body& inner) { learn(inner, inside); });
  }
}

Operand unguarded(Operand bytes, const NameMap<const Stmt*>& scalars) {
  while (const Name* name = as_name(bytes)) {
    const auto found = scalars.find(*name);
    const Select* select = found == scalars.end() ? nullptr : as<Select>(found->second->exp);
    if (select == nullptr || !(select->otherwise == Operand{const_i64(0)})) break;
    bytes = Operand(select->then);
  }
  return bytes;
}

bool Buffers::is_invariant(const Operand& operand, const Inside& inside, int depth) const {
  const Name* name = as_name(operand);
  if (name == nullptr || !inside.bound.contains(*name)) return true;
  const auto found = inside.scalars.find(*name);
  if (found == inside.scalars.end() || depth > kMaxDepth) return false;
  bool all = true;
  for_each_operand(found->second->exp,
                   [&](const Operand& o) { all = all && is_invariant(o, inside, depth + 1); });
  return all;
}

std::optional<Operand> Buffers::outside(const Operand& operand, Inside& inside, Builder& out,
                                        int depth) {
  const Name* name = as_name(operand);
  if (name == nullptr || !inside.bound.contains(*name)) return operand;
  if (const auto done = inside.copied.find(*name); done != inside.copied.end()) return done->second;
  const auto found = inside.scalars.find(*name);
  if (found == inside.scalars.end() || depth > kMaxDepth) return std::nullopt;
  const Stmt& stmt = *found->second;
  Exp exp = copy_with_fresh_names(stmt.exp, prog_.names);
  bool all = true;
  map_operands(exp, [&](const Operand& o) {
    const std::optional<Operand> copy = outside(o, inside, out, depth + 1);
    all = all && copy.has_value();
    return copy.value_or(o);
  });
  if (!all) return std::nullopt;
  const Operand copy = out.let1(stmt.pat[0].type, std::move(exp), prog_.names.base(*name));
  values_.add(out.stmts().back());
  inside.copied[*name] = copy;
  return copy;
}

// The factors of a number of bytes; see Planner::saturating_mul.
static void collect_factors(const Operand& bytes, const NameMap<const Stmt*>& scalars,
                            std::vector<Operand>& factors, int depth = 0) {
  const Name* name = as_name(bytes);
  if (name == nullptr) return;
  const auto found = scalars.find(*name);
  if (found != scalars.end() && depth < kMaxDepth) {
    if (const Select* select = as<Select>(found->second->exp))
      return collect_factors(select->then, scalars, factors, depth + 1);
    if (const BinOp* op = as<BinOp>(found->second->exp);
        op != nullptr && (op->op == BinOpKind::kMul || op->op == BinOpKind::kMax)) {
      collect_factors(op->lhs, scalars, factors, depth + 1);
      return collect_factors(op->rhs, scalars, factors, depth + 1);
    }
  }
  if (std::find(factors.begin(), factors.end(), bytes) == factors.end()) factors.push_back(bytes);
}

bool Buffers::is_known_dim(const Operand& size) const {
  const Name* name = as_name(size);
  return name == nullptr || std::find(dims_.begin(), dims_.end(), *name) != dims_.end();
}

bool Buffers::is_known_size(const Operand& bytes, const Inside& inside) const {
  std::vector<Operand> factors;
  collect_factors(bytes, inside.scalars, factors);
  return std::all_of(factors.begin(), factors.end(),
                     [&](const Operand& factor) { return is_known_dim(factor); });
}

Operand Buffers::guarded_bytes(const std::vector<Operand>& bytes, const Loop& loop, Inside& inside,
                               Builder& out) {
  Operand most = const_i64(0);
  std::vector<Operand> seen, factors;
  for (const Operand& each : bytes) {
    collect_factors(each, inside.scalars, factors);
    const Operand copy = *outside(each, inside, out);
    const Operand value = values_.of(copy);
    if (std::find(seen.begin(), seen.end(), value) != seen.end()) continue;
    most = seen.empty() ? copy : out.binop(BinOpKind::kMax, Prim::kI64, most, copy, "bytes");
    seen.push_back(value);
  }
  // As large as arrays that exist anyway: no surprise, and surely not negative.
  std::vector<Operand> unsure;
  for (const Operand& factor : factors)
    if (!is_known_dim(factor)) unsure.push_back(outside(factor, inside, out).value_or(factor));
  if (as_const(most) != nullptr || unsure.empty()) return most;
  Operand wanted = const_bool(true);
  if (loop.form == Loop::kFor) {
    const Prim type = loop.var.type.elem;
    wanted = out.cmpop(CmpOpKind::kLt, type, Const{type, 0}, loop.bound, "runs");
  } else {
    for (const LoopParam& p : loop.params)
      if (p.param.name == loop.cond) wanted = p.init;
  }
  for (const Operand& factor : unsure)
    wanted = out.logical_and(
        wanted, out.cmpop(CmpOpKind::kLe, Prim::kI64, const_i64(0), factor, "positive"));
  if (wanted == Operand{const_bool(true)}) return most;
  return out.let1(scalar_type(Prim::kI64), Select{wanted, most, const_i64(0)}, "bytes");
}

void Buffers::hoist_from(Body& body, bool in_branch, const Loop& loop, Hoisting& hoisting,
                         std::vector<HoistedBlock> free) {
  std::vector<size_t> moved;
  for (size_t k = 0; k < body.stmts.size(); ++k) {
    Stmt& stmt = body.stmts[k];
    if (If* branch = as<If>(stmt.exp)) {
      // Only one side runs, so the other one may have the same blocks.
      const size_t then = hoisting.blocks.size();
      hoist_from(branch->then_body, true, loop, hoisting, {});
      hoist_from(branch->else_body, true, loop, hoisting,
                 {hoisting.blocks.begin() + static_cast<ptrdiff_t>(then), hoisting.blocks.end()});
      continue;
    }
    const Alloc* alloc = as<Alloc>(stmt.exp);
    if (alloc == nullptr || hoisting.handed_on.contains(hoisting.classes.of(stmt.pat[0].name)))
      continue;
    const Operand bytes = unguarded(alloc->bytes, hoisting.inside.scalars);
    if (!is_invariant(bytes, hoisting.inside)) continue;
    // A branch may never run: its sizes must be those of arrays at hand.
    if (in_branch && !is_known_size(bytes, hoisting.inside)) continue;
    if (!ctx_.may_rewrite("hoist")) return;
    hoisting.before.set_loc(stmt.loc);
    const Operand size = guarded_bytes({bytes}, loop, hoisting.inside, hoisting.before);
    const Name block = stmt.pat[0].name;
    moved.push_back(k);
    const auto same = std::find_if(free.begin(), free.end(), [&](const HoistedBlock& other) {
      return other.space == stmt.pat[0].type.space && values_.same(other.bytes, size);
    });
    if (same != free.end()) {
      hoisting.shared[block] = same->block;
      free.erase(same);
      continue;
    }
    hoisting.before.append({stmt.pat, Alloc{size}, {}, {}, stmt.loc});
    hoisting.blocks.push_back({block, size, stmt.pat[0].type.space});
  }
  hoisting.removed.emplace_back(&body, std::move(moved));
}

void Buffers::hoist_temporaries(const Around& around, Loop& loop, Inside& inside) {
  Hoisting hoisting{inside, analysis::BlockClasses(block_of_), Builder(prog_)};
  hoisting.classes.add(loop.body);
  for (const Operand& result : loop.body.result)
    if (const Name* name = as_name(result)) {
      if (const Name block = block_of_(*name))
        hoisting.handed_on.insert(hoisting.classes.of(block));
    }
  hoist_from(loop.body, false, loop, hoisting, {});
  Body made = hoisting.before.finish({});
  for (Stmt& each : made.stmts) around.before.push_back(std::move(each));
  // Now that nothing looks at the statements any more.
  for (auto& [body, moved] : hoisting.removed)
    for (size_t k = moved.size(); k-- > 0;)
      body->stmts.erase(body->stmts.begin() + static_cast<ptrdiff_t>(moved[k]));
  substitute(loop.body, hoisting.shared);
}

void Buffers::loop(const Around& around, Stmt& stmt) {
  Loop& loop = *as<Loop>(stmt.exp);
  const auto look = [&] {
    Inside inside;
    for (const LoopParam& p : loop.params) inside.bound.insert(p.param.name);
    if (loop.form == Loop::kFor) inside.bound.insert(loop.var.name);
    learn(loop.body, inside);
    return inside;
  };
  const size_t count = loop.params.size();
  std::optional<Inside> inside;
  for (size_t k = 0; k < count; ++k) {
    if (loop.params[k].param.type.kind != Type::kMem) continue;
    // Statements move when something is rewritten, so what is known is collected anew.
    if (write_in_place(around, stmt, k)) {
      block_of_.add(loop.body);
      inside.reset();
    }
    if (!inside) inside = look();
    if (rotate_result(around, stmt, k, *inside)) inside.reset();
  }
  if (!inside) inside = look();
  hoist_temporaries(around, loop, *inside);
}

Program hoist_memory(Program prog, PassContext& ctx) {
  for (Function& fn : prog.functions) {
    Buffers(prog, fn, ctx);
    share_scalars(fn);
    remove_unused_scalars(fn);
  }
  return prog;
}

}  // namespace skald::passes
