// SPDX-License-Identifier: Apache-2.0
// Loops with comparisons of the index with a bound: the borders of stencils, the ends of arrays.
// The iterations are cut into stretches in which no comparison changes; there the comparisons are
// scalars, known before the stretch begins, and what depends on them is not divergent at all.
// Indices of 32 bits that are extended to 64 do not wrap inside a stretch, and so stay linear.
// Where an index is clamped (`max 0 (min (n-1) (i+1))`) and that changes it, scalar code runs.
//
//   begin     1                                        n-1   end        i == 0, i + 1 == n
//   |---------|-----------------------------------------|-----|
//    scalar    groups of all lanes, of few lanes              scalar
//
// The last group of few lanes runs again what the one before has done already, where that does not
// matter: it ends where the stretch ends.
#include <unordered_set>

#include "codegen/cpu/vector/vector_emitter.h"
#include "imp/ir/visit.h"

namespace skald::cpu {

using llvm::Value;

// An operand as it is in the first lane.
Value* FunctionEmitter::value_before(const core::Operand& operand, const imp::For& loop,
                                     const imp::LanesAnalysis& analysis, Value* first) {
  const core::Name* name = core::as_name(operand);
  if (name != nullptr && *name == loop.var) return first;
  const imp::Exp* exp = name == nullptr ? nullptr : analysis.definition(*name);
  if (exp == nullptr) return value(operand);
  const auto again = [&](const core::Operand& o) { return value_before(o, loop, analysis, first); };
  if (const auto* e = std::get_if<core::Value>(exp)) return again(e->arg);
  if (const auto* e = std::get_if<core::Bitcast>(exp))
    return scalars_.bitcast(e->from, e->to, again(e->arg));
  if (const auto* e = std::get_if<core::Convert>(exp))
    return scalars_.convert(e->from, e->to, again(e->arg));
  const auto* e = std::get_if<core::BinOp>(exp);
  return scalars_.binop(e->op, e->type, again(e->lhs), again(e->rhs));
}

// How many iterations from the first one on have the same result, at least one.
Value* FunctionEmitter::stretch(const imp::Border& border, const imp::For& loop,
                                const imp::LanesAnalysis& analysis, Value* first) {
  const core::CmpOp& c = border.comparison;
  Value* low = value_before(border.linear_left ? c.lhs : c.rhs, loop, analysis, first);
  Value* bound = value_before(border.linear_left ? c.rhs : c.lhs, loop, analysis, first);
  const auto* type = llvm::cast<llvm::IntegerType>(low->getType());
  const unsigned bits = type->getBitWidth();
  Value* last = llvm::ConstantInt::get(low->getType(), is_signed_int(c.type)
                                                           ? llvm::APInt::getSignedMaxValue(bits)
                                                           : llvm::APInt::getMaxValue(bits));
  const auto distance = [&](Value* to) {
    return b_.CreateZExt(b_.CreateSub(to, low), b_.getInt64Ty());
  };
  // The linear side grows by one, and is smaller than before where it wraps.
  Value* none = distance(last);
  Value* to_bound = distance(bound);
  Value* below = scalars_.cmpop(core::CmpOpKind::kLt, c.type, low, bound);
  Value* same = nullptr;
  const bool equality = c.op == core::CmpOpKind::kEq || c.op == core::CmpOpKind::kNe;
  if (equality) {
    same = b_.CreateSelect(b_.CreateICmpEQ(low, bound), b_.getInt64(1),
                           b_.CreateSelect(below, to_bound, none));
  } else if ((c.op == core::CmpOpKind::kLt) == border.linear_left) {
    // linear < bound, or bound <= linear: it changes at the bound.
    same = b_.CreateSelect(below, to_bound, none);
  } else {
    Value* above = scalars_.cmpop(core::CmpOpKind::kLt, c.type, bound, low);
    same = b_.CreateSelect(above, none, b_.CreateAdd(to_bound, b_.getInt64(1)));
  }
  same = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, same, none);
  return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, same, b_.getInt64(1));
}

namespace {

// The memory that a body reads and writes.
void collect_accesses(const imp::Body& body, std::vector<core::Name>& read,
                      std::vector<core::Name>& written) {
  for (const imp::Stmt& stmt : body.stmts) {
    if (const auto* n = imp::as<imp::Load>(stmt)) read.push_back(n->block);
    if (const auto* n = imp::as<imp::Store>(stmt)) written.push_back(n->block);
    if (const auto* n = imp::as<imp::Fill>(stmt)) written.push_back(n->block);
    if (const auto* n = imp::as<imp::CopyBytes>(stmt)) {
      read.push_back(n->src);
      written.push_back(n->dest);
    }
    imp::for_each_body(stmt,
                       [&](const imp::Body& inner) { collect_accesses(inner, read, written); });
  }
}

}  // namespace

// Could an iteration that runs twice do the same both times?  Not if it changes what it reads; but
// see `is_apart` below.
bool FunctionEmitter::may_run_again(const imp::For& loop, const imp::LanesAnalysis& analysis) {
  if (analysis.collects()) return false;
  std::vector<core::Name> read, written;
  collect_accesses(loop.body, read, written);
  for (const core::Name w : written)
    for (const core::Name r : read)
      if (w == r && !analysis.is_private(w)) return false;
  return true;
}

// Is what the body writes not what it reads?  Names that may lead to the same memory, such as two
// buffers that change places, mostly do not.
Value* FunctionEmitter::is_apart(const imp::For& loop, const imp::LanesAnalysis& analysis) {
  std::vector<core::Name> read, written;
  collect_accesses(loop.body, read, written);
  Value* result = b_.getTrue();
  std::unordered_set<uint64_t> asked;
  for (const core::Name w : written)
    for (const core::Name r : read) {
      const bool inner = analysis.is_private(w) || analysis.is_private(r);
      if (inner || !aliases_.may_overlap(w, r)) continue;
      if (asked.insert(uint64_t{w.id} << 32 | r.id).second)
        result = b_.CreateAnd(result, b_.CreateICmpNE(data(w), data(r)));
    }
  return result;
}

void FunctionEmitter::simd_loop_with_borders(const imp::For& loop, const imp::LanesAnalysis& all,
                                             const imp::LanesAnalysis& inside,
                                             const std::vector<imp::Border>& borders,
                                             const imp::LaneChoice& choice) {
  const auto lanes = static_cast<unsigned>(choice.lanes);
  Value* end = value(loop.end);
  llvm::AllocaInst* position = variable(b_.getInt64Ty());
  b_.CreateStore(value(loop.begin), position);
  Value* scratch_mark = nullptr;
  if (all.has_large_arrays())
    scratch_mark = b_.CreateCall(m_.runtime("skald_rt_scratch_mark", b_.getInt64Ty(), {}), {});
  const int width = imp::common_width(inside.work());
  const unsigned few = std::min(lanes, static_cast<unsigned>(std::max(2, choice.bytes / width)));
  const bool large = is_rest_scalar(inside.work());
  const bool cheap = is_cheap_body(inside.work());
  llvm::BasicBlock* head = new_block("stretches");
  llvm::BasicBlock* some = new_block("stretch");
  llvm::BasicBlock* scalar = new_block("scalar");
  llvm::BasicBlock* after = new_block("after");
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  Value* start = b_.CreateLoad(b_.getInt64Ty(), position);
  b_.CreateCondBr(b_.CreateICmpSLT(start, end), some, after);
  b_.SetInsertPoint(some);
  Value* length = b_.CreateSub(end, start);
  // A stretch in which two sides are equal is one iteration long, so in a group of several they are
  // not: its branches need not ask.
  std::unordered_map<uint32_t, Value*> known, known_in_groups;
  Value* inside_clamps = nullptr;
  for (const imp::Border& border : borders) {
    length =
        b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, length, stretch(border, loop, all, start));
    if (border.kind == imp::Border::kExtends) continue;
    const core::CmpOp& c = border.comparison;
    Value* holds = scalars_.cmpop(c.op, c.type, value_before(c.lhs, loop, all, start),
                                  value_before(c.rhs, loop, all, start));
    if (border.kind == imp::Border::kClamps) {
      inside_clamps = inside_clamps == nullptr ? holds : b_.CreateAnd(inside_clamps, holds);
      continue;
    }
    known[border.name.id] = holds;
    known_in_groups[border.name.id] = c.op == core::CmpOpKind::kEq   ? b_.getFalse()
                                      : c.op == core::CmpOpKind::kNe ? b_.getTrue()
                                                                     : known[border.name.id];
  }
  Value* next = b_.CreateAdd(start, length);
  if (inside_clamps != nullptr) {
    llvm::BasicBlock* in_lanes = new_block("inside");
    b_.CreateCondBr(inside_clamps, in_lanes, scalar);
    b_.SetInsertPoint(in_lanes);
  }
  const bool again = may_run_again(loop, inside);
  // What becomes of the iterations at the end that do not fill a group: they are left, run together
  // with some that have run before, or run in a part of the lanes.
  enum class Last { kLeft, kAgain, kMasked };
  const auto groups = [&](unsigned size, Last last) {
    llvm::BasicBlock* group_head = new_block("groups");
    llvm::BasicBlock* group = new_block("group");
    llvm::BasicBlock* done = new_block("next");
    Value* can_repeat = nullptr;
    if (last == Last::kAgain)
      can_repeat =
          b_.CreateAnd(b_.CreateICmpSGE(length, b_.getInt64(size)), is_apart(loop, inside));
    b_.CreateBr(group_head);
    b_.SetInsertPoint(group_head);
    Value* first = b_.CreateLoad(b_.getInt64Ty(), position);
    Value* left = b_.CreateSub(next, first);
    Value* enough = b_.CreateICmpSGE(left, b_.getInt64(last == Last::kMasked ? 1 : size));
    if (can_repeat != nullptr)
      enough =
          b_.CreateOr(enough, b_.CreateAnd(can_repeat, b_.CreateICmpSGE(left, b_.getInt64(1))));
    b_.CreateCondBr(enough, group, done);
    b_.SetInsertPoint(group);
    if (last == Last::kAgain)
      first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, first,
                                       b_.CreateSub(next, b_.getInt64(size)));
    VectorEmitter emitter(*this, inside, size, choice.bytes, scalar);
    emitter.know(last == Last::kMasked || size == 1 ? known : known_in_groups);
    if (size == lanes) emitter.run_in_stages(choice.first_stage);
    emitter.group(loop, first, last == Last::kMasked ? left : nullptr);
    Value* step = b_.getInt64(size);
    if (last == Last::kMasked) step = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, step);
    b_.CreateStore(b_.CreateAdd(first, step), position);
    b_.CreateBr(group_head);
    b_.SetInsertPoint(done);
  };
  // Stretches mostly begin one after a border.  A few iterations run twice, so that the stores of
  // wide registers do not touch two cache lines each.
  imp::RowStore row;
  if (again && !large && choice.bytes > static_cast<int>(m_.vector_bytes()))
    row = imp::contiguous_store(loop, inside);
  if (row.store != nullptr) {
    llvm::BasicBlock* unaligned = new_block("unaligned");
    llvm::BasicBlock* aligned = new_block("aligned");
    Value* is_long = b_.CreateICmpSGE(length, b_.getInt64(lanes + few));
    b_.CreateCondBr(b_.CreateAnd(is_long, is_apart(loop, inside)), unaligned, aligned);
    b_.SetInsertPoint(unaligned);
    VectorEmitter emitter(*this, inside, few, choice.bytes, scalar);
    emitter.know(known_in_groups);
    Value* count = emitter.until_aligned(loop, row, start);
    emitter.group(loop, start, nullptr);
    b_.CreateStore(b_.CreateAdd(start, count), position);
    b_.CreateBr(aligned);
    b_.SetInsertPoint(aligned);
  }
  // Large bodies exist once as vector code.
  groups(lanes, again && large ? Last::kAgain : Last::kLeft);
  const imp::LaneWork& work = inside.work();
  const bool masked = !cheap && !large && (!again || work.has_function || work.has_loop);
  if (again && !large)
    groups(few, Last::kAgain);
  else if (cheap && !large && few < lanes)
    groups(few, Last::kLeft);
  if (masked) groups(few, Last::kMasked);
  b_.CreateBr(masked ? head : scalar);
  if (scalar->hasNPredecessorsOrMore(1)) {
    b_.SetInsertPoint(scalar);
    if (scratch_mark != nullptr)
      b_.CreateCall(m_.runtime("skald_rt_scratch_reset", b_.getVoidTy(), {b_.getInt64Ty()}),
                    {scratch_mark});
    Value* from = b_.CreateLoad(b_.getInt64Ty(), position);
    leave_scalar(counted_loop(from, next, b_.getInt64(1), loop.var, loop.type, loop.body));
    b_.CreateStore(next, position);
    b_.CreateBr(head);
  } else {
    scalar->eraseFromParent();
  }
  b_.SetInsertPoint(after);
}

}  // namespace skald::cpu
