// SPDX-License-Identifier: Apache-2.0
// A `simd for` as vector code:
//
//   for (i = begin; i + lanes <= end; i += lanes) the body in all lanes
//   for (; i < end; i += few)                     the body in `few` lanes, masked
//
// `few` lanes are one register, so that short loops are not slowed down by lanes that do nothing.
// Of cheap bodies the second loop runs while all of the few lanes are used, and scalar code does
// the rest.  Of large bodies the last group runs again some of what the one before has done, where
// that does not matter, or scalar code does all of the rest, which is quick to compile; of those
// that loops or functions make expensive there is only the masked loop.  After a failing check,
// scalar code takes over from the first iteration of the group on.
//
// Rows that are updated where they are (update_in_place.cpp) have a masked group before the others,
// so that these begin where registers do, and a masked one at the end, if masks cost nothing.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/cpu/optimise/optimise.h"
#include "codegen/cpu/vector/vector_emitter.h"
#include "imp/ir/visit.h"

namespace skald::cpu {

using llvm::Value;

namespace {

// Larger bodies exist once as vector code.
constexpr int kTwiceStatements = 250;
// Of larger ones without loops and functions, what is left after whole groups is scalar code.
constexpr int kLargeStatements = 64;
// Of smaller ones the last few iterations run as scalar code.
constexpr int kCheapStatements = 24;

}  // namespace

bool is_rest_scalar(const imp::LaneWork& work) {
  return work.statements > kLargeStatements && !work.has_loop && !work.has_function;
}

bool is_cheap_body(const imp::LaneWork& work) {
  return work.statements <= kCheapStatements && !work.has_loop && !work.has_function;
}

// Does the loop do nothing but fill arrays on the side?  Then something else is done with these
// next, and meanwhile the machine would stop fetching what the loop reads.
bool VectorEmitter::only_collects(const imp::Body& body) const {
  bool stores = false;
  for (const imp::Stmt& stmt : body.stmts) {
    const auto* store = imp::as<imp::Store>(stmt);
    const auto* collect = imp::as<imp::Collect>(stmt);
    if (store == nullptr && collect == nullptr && imp::as<imp::Let>(stmt) == nullptr &&
        imp::as<imp::Load>(stmt) == nullptr)
      return false;
    if (store != nullptr && !is_scratch(store->block)) return false;
    stores |= store != nullptr || collect != nullptr;
  }
  return stores;
}

// Does the loop add up a long stretch in lanes?  The machine does not fetch as much ahead of one
// stream of loads as memory can bring.
bool VectorEmitter::accumulates(const imp::Body& body) const {
  if (!f_.in_chunks_) return false;
  for (const imp::Stmt& stmt : body.stmts) {
    const auto* store = imp::as<imp::Store>(stmt);
    if (store == nullptr) continue;
    const bool updates = std::ranges::any_of(body.stmts, [&](const imp::Stmt& other) {
      const auto* load = imp::as<imp::Load>(other);
      return load != nullptr && load->block == store->block && load->index == store->index;
    });
    if (!updates) return false;
  }
  return only_collects(body);
}

bool VectorEmitter::is_scratch(core::Name block) const {
  const auto slot = f_.slots_.find(block.id);
  return slot != f_.slots_.end() && slot->second.type.space == imp::Space::kScratch;
}

void VectorEmitter::group(const imp::For& loop, Value* first, Value* active) {
  if (first_stage_ > 0 && active == nullptr) return group_in_stages(loop, first);
  fetches_ahead_ =
      core::as_const(loop.end) == nullptr ? only_collects(loop.body) : accumulates(loop.body);
  slots_.clear();
  context_ = contexts_ = 0;
  mask_ = nullptr;
  if (active != nullptr) {
    llvm::Type* element = b_.getIntNTy(std::max(mask_bits_, 8U));
    // No number of lanes is larger than what fits into eight bits.
    Value* count = b_.CreateTrunc(
        b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, active, b_.getInt64(lanes_)), element);
    mask_ = widen(b_.CreateICmpULT(lane_numbers(element), splat(count)));
  }
  bind(loop.var, loop.type, {Shape::kLinear, first, b_.getInt64(1)});
  body(loop.body);
}

void ModuleEmitter::explain_simd(const imp::Function& fn, const imp::For& loop,
                                 const std::string& what) {
  if (options_.explain_simd)
    options_.explain_simd(
        fmt::format("simd: the loop over {} in {} {}", prog_.names.text(loop.var), fn.name, what));
}

void FunctionEmitter::use_wide_registers(int bytes) {
  fn_->addFnAttr(kLegalVectors, std::to_string(8 * bytes));
  if (m_.vector_registers().bit_masks) scalars_.use_wide_maths();
}

void FunctionEmitter::trap() {
  b_.CreateIntrinsic(llvm::Intrinsic::trap, {}, {});
  b_.CreateUnreachable();
}

// One masked group up to where registers begin in memory.
void FunctionEmitter::align_first(const imp::For& loop, const imp::LanesAnalysis& analysis,
                                  const imp::RowStore& update, unsigned lanes, int bytes,
                                  Value* position) {
  llvm::BasicBlock* some = new_block("unaligned");
  llvm::BasicBlock* next = new_block("aligned");
  Value* begin = value(loop.begin);
  Value* end = value(loop.end);
  b_.CreateCondBr(b_.CreateICmpSLT(begin, end), some, next);
  b_.SetInsertPoint(some);
  VectorEmitter emitter(*this, analysis, lanes, bytes, nullptr);
  Value* count = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateSub(end, begin),
                                          emitter.until_aligned(loop, update, begin));
  emitter.group(loop, begin, count);
  b_.CreateStore(b_.CreateAdd(begin, count), position);
  b_.CreateBr(next);
  b_.SetInsertPoint(next);
}

bool FunctionEmitter::simd_loop(const imp::For& loop) {
  if (!m_.simd()) return false;
  next_chunk_ = collects_again(loop) ? next_chunk() : nullptr;
  const auto run_in = [&](const imp::LaneChoice& choice, const char* how) {
    const auto lanes = static_cast<unsigned>(choice.lanes);
    m_.explain_simd(source_, loop,
                    fmt::format("runs in {} lanes, registers of {} bits{}{}{}{}", lanes,
                                8 * choice.bytes, *choice.why != '\0' ? " because " : "",
                                choice.why, how, choice.first_stage > 0 ? ", in two stages" : ""));
    if (choice.bytes > static_cast<int>(m_.vector_bytes())) use_wide_registers(choice.bytes);
    if (const core::Name* begin = core::as_name(loop.begin);
        begin != nullptr && piece_begins_.contains(begin->id))
      piece_lanes_ = std::max(piece_lanes_, lanes);
  };
  const auto refuse = [&](const std::string& why) {
    m_.explain_simd(source_, loop, "stays scalar: " + why);
    return false;
  };
  const auto scalar = [&](const imp::LanesAnalysis& points) {
    if (side_by_side(loop, points)) return true;
    refuse("lanes do not pay");
    scalar_points(loop, points);
    return true;
  };
  const imp::LanesAnalysis analysis(loop);
  if (!analysis.obstacle().empty()) return refuse(analysis.obstacle());
  for (const core::Name written : analysis.written_before_check())
    for (const core::Name read : analysis.read())
      if (aliases_.may_overlap(written, read))
        return refuse("after a failing check it could not be repeated");
  std::vector<imp::Border> borders = analysis.borders();
  // What is linear after an extension or a clamp may be compared with a border as well.
  const auto makes_linear = [](const imp::Border& border) {
    return border.kind != imp::Border::kCompares;
  };
  for (size_t before = 0; before < borders.size() && std::ranges::any_of(borders, makes_linear);) {
    before = borders.size();
    std::vector<imp::Border> more = imp::LanesAnalysis(loop, borders).borders();
    if (more.size() > before) borders = std::move(more);
  }
  const bool constant =
      core::as_const(loop.begin) != nullptr && core::as_const(loop.end) != nullptr;
  if (!borders.empty() && !constant) {
    const imp::LanesAnalysis inside(loop, borders);
    const imp::LaneChoice choice = imp::choose_lanes(loop, inside, m_.vector_registers());
    if (choice.lanes == 0) return scalar(analysis);
    run_in(choice, ", with borders apart");
    simd_loop_with_borders(loop, analysis, inside, borders, choice);
    return true;
  }
  const imp::VectorRegisters registers = m_.vector_registers();
  // A row; pieces of a loop that threads share begin at cache lines anyway.
  imp::RowStore update;
  if (const core::Name* first = core::as_name(loop.begin);
      registers.bit_masks && registers.wide_bytes > 0 &&
      (first == nullptr || !piece_begins_.contains(first->id)))
    update = imp::update_in_place(loop, analysis);
  const imp::LaneChoice choice =
      imp::choose_lanes(loop, analysis, registers, update.store != nullptr);
  if (choice.lanes == 0) return scalar(analysis);
  run_in(choice, "");

  const auto lanes = static_cast<unsigned>(choice.lanes);
  const int width = imp::common_width(analysis.work());
  const unsigned few = std::min(lanes, static_cast<unsigned>(std::max(2, choice.bytes / width)));
  const bool cheap = is_cheap_body(analysis.work());
  Value* begin = value(loop.begin);
  Value* end = value(loop.end);
  llvm::BasicBlock* repeat = new_block("repeat");
  llvm::BasicBlock* after = new_block("after");
  llvm::AllocaInst* position = variable(b_.getInt64Ty());
  Value* scratch_mark = nullptr;
  if (analysis.has_large_arrays())
    scratch_mark = b_.CreateCall(m_.runtime("skald_rt_scratch_mark", b_.getInt64Ty(), {}), {});
  b_.CreateStore(begin, position);
  // The groups at position, position + size … while `inside` holds; the last one may begin earlier.
  std::vector<core::Name> streamed;
  const auto groups = [&](unsigned size, bool masked, bool again = false) {
    Value* can_repeat = nullptr;
    if (again)
      can_repeat = b_.CreateAnd(b_.CreateICmpSGE(b_.CreateSub(end, begin), b_.getInt64(size)),
                                is_apart(loop, analysis));
    llvm::BasicBlock* head = new_block("groups");
    llvm::BasicBlock* inside = new_block("group");
    llvm::BasicBlock* next = new_block("next");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    Value* first = b_.CreateLoad(b_.getInt64Ty(), position);
    Value* left = b_.CreateSub(end, first);
    Value* enough =
        masked ? b_.CreateICmpSLT(first, end) : b_.CreateICmpSGE(left, b_.getInt64(size));
    if (again) enough = b_.CreateOr(enough, b_.CreateAnd(can_repeat, b_.CreateICmpSLT(first, end)));
    b_.CreateCondBr(enough, inside, next);
    b_.SetInsertPoint(inside);
    if (again)
      first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, first,
                                       b_.CreateSub(end, b_.getInt64(size)));
    VectorEmitter vectors(*this, analysis, size, choice.bytes, repeat);
    vectors.store_past_caches(streamed);
    if (size == lanes) vectors.run_in_stages(choice.first_stage);
    vectors.group(loop, first, masked ? left : nullptr);
    b_.CreateStore(b_.CreateAdd(first, b_.getInt64(size)), position);
    b_.CreateBr(head);
    b_.SetInsertPoint(next);
  };
  llvm::BasicBlock* rest = after;
  const auto* first = llvm::dyn_cast<llvm::ConstantInt>(begin);
  const auto* last = llvm::dyn_cast<llvm::ConstantInt>(end);
  if (first != nullptr && last != nullptr &&
      last->getSExtValue() - first->getSExtValue() == static_cast<int64_t>(lanes)) {
    VectorEmitter(*this, analysis, lanes, choice.bytes, repeat).group(loop, begin, nullptr);
  } else if (update.store != nullptr) {
    align_first(loop, analysis, update, few, choice.bytes, position);
    groups(lanes, false);
    if (few < lanes) groups(few, false);
    groups(few, true);
  } else if (cheap) {
    if (const auto large = streamable_results(loop, lanes, analysis); !large.empty()) {
      llvm::BasicBlock* past_caches = new_block("past_caches");
      llvm::BasicBlock* as_usual = new_block("as_usual");
      llvm::BasicBlock* both = new_block("both");
      b_.CreateCondBr(should_stream(loop, large, analysis), past_caches, as_usual);
      b_.SetInsertPoint(past_caches);
      streamed = large;
      groups(lanes, false);
      streamed.clear();
      b_.CreateBr(both);
      b_.SetInsertPoint(as_usual);
      groups(lanes, false);
      b_.CreateBr(both);
      b_.SetInsertPoint(both);
    } else {
      groups(lanes, false);
    }
    if (few < lanes) groups(few, false);
    rest = repeat;
  } else if (is_rest_scalar(analysis.work())) {
    groups(lanes, false, may_run_again(loop, analysis));
    rest = repeat;
  } else if (analysis.work().statements <= kTwiceStatements) {
    groups(lanes, false);
    groups(few, true);
  } else {
    groups(lanes, true);
  }
  b_.CreateBr(rest);
  if (repeat->hasNPredecessorsOrMore(1)) {
    b_.SetInsertPoint(repeat);
    if (scratch_mark != nullptr)
      b_.CreateCall(m_.runtime("skald_rt_scratch_reset", b_.getVoidTy(), {b_.getInt64Ty()}),
                    {scratch_mark});
    Value* from = b_.CreateLoad(b_.getInt64Ty(), position);
    leave_scalar(counted_loop(from, end, b_.getInt64(1), loop.var, loop.type, loop.body));
    // What failed once fails again, if it is computed in the same way.  That this path does not
    // come back lets accumulators of a loop around this one stay in registers.
    if (rest == after && !analysis.work().has_function)
      trap();
    else
      b_.CreateBr(after);
  } else {
    repeat->eraseFromParent();
  }
  b_.SetInsertPoint(after);
  return true;
}

}  // namespace skald::cpu
