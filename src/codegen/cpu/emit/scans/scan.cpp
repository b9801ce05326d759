// SPDX-License-Identifier: Apache-2.0
// Scans of contiguous memory in vector registers (imp::ScanBlock).
//
// A group is scanned by itself; then what comes before it is combined with all its lanes.  Only the
// latter waits for the group before.  The parts of 16 bytes of a group are scanned side by side, in
// log2(lanes) steps of shifting and combining; then each second part, each second pair of parts …
// gets what the one before it comes to.
//
// A group of floats has 64 bytes on every machine, because their association must be the same.
// Integers do not mind: a group is what a register holds, and four of them are taken at a time if
// that is less than 64 bytes.
#include <algorithm>
#include <optional>

#include "codegen/cpu/emit/scans/scan_lanes.h"
#include "codegen/cpu/emit/statements.h"
#include "codegen/cpu/emit/stream.h"

namespace skald::cpu {

using core::BinOpKind;
using llvm::Value;

namespace {

constexpr uint32_t kScanBytes = 16;
constexpr uint32_t kGroupBytes = 64;

// The lanes of x scanned among themselves; `part` lanes make 16 bytes.
Value* scan_register(llvm::IRBuilder<>& b, BinOpKind op, Prim prim, Value* x, Value* neutral,
                     uint32_t part) {
  const uint32_t lanes = llvm::cast<llvm::FixedVectorType>(x->getType())->getNumElements();
  // Lane k is combined with lane from(k), if there is one.
  const auto step = [&](auto from) {
    std::vector<int> mask;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      const std::optional<uint32_t> other = from(lane);
      mask.push_back(static_cast<int>(other ? lanes + *other : lane));
    }
    x = combine_lanes(b, op, prim, b.CreateShuffleVector(neutral, x, mask), x);
  };
  using Lane = std::optional<uint32_t>;
  for (uint32_t by = 1; by < part; by *= 2)
    step([&](uint32_t lane) { return lane % part < by ? Lane() : Lane(lane - by); });
  for (uint32_t done = part; done < lanes; done *= 2)
    step([&](uint32_t lane) {
      return lane / done % 2 == 0 ? Lane() : Lane(lane / done * done - 1);
    });
  return x;
}

}  // namespace

void emit_stmt(FunctionEmitter& f, const imp::ScanBlock& n) {
  llvm::Type* type = value_type(f.module.context(), n.type);
  const auto element_bytes = static_cast<uint32_t>(prim_size(n.type));
  const auto wide = static_cast<uint32_t>(f.module.vector_registers().wide_bytes);
  const uint32_t widest = std::max(f.module.vector_bytes(), wide);
  const uint32_t group =
      type->isIntegerTy() ? std::clamp(widest, kScanBytes, kGroupBytes) : kGroupBytes;
  const uint32_t groups = group < kGroupBytes ? 4 : 1;
  if (wide >= kGroupBytes) f.use_wide_registers(f.module.vector_registers().wide_bytes);
  const uint32_t part = kScanBytes / element_bytes;
  const uint32_t lanes = group / element_bytes;
  auto* vector = llvm::FixedVectorType::get(type, lanes);
  const llvm::Align align(static_cast<uint64_t>(prim_size(n.type)));
  Value* base = f.element(n.dest, n.type, n.start);
  Value* from = f.element(n.src, n.type, n.src_start);
  Value* carry_place = f.element(n.carry, n.type, core::const_i64(0));
  Value* count = f.value(n.count);
  Value* whole = f.b.CreateAnd(count, f.b.getInt64(~uint64_t{lanes * groups - 1}));
  Value* first = f.load(n.type, carry_place, n.carry);

  // Whole groups.  Only whole lines may be written past the caches: that is asked for each group,
  // because a second loop takes long to compile.
  const bool may_stream = n.stream && has_streams();
  Value* past_caches = may_stream ? is_line(f, base) : nullptr;
  Value* neutral =
      llvm::ConstantVector::getSplat(vector->getElementCount(), neutral_of(n.op, n.type, type));
  using Values = std::vector<Value*>;
  Values carry = {f.b.CreateVectorSplat(lanes, first)};
  const auto scan_groups = [&](Value* i, const Values& so_far) {
    Value* running = so_far[0];
    std::vector<std::pair<Value*, Value*>> stores;
    for (uint32_t r = 0; r < groups; ++r) {
      Value* index = f.b.CreateAdd(i, f.b.getInt64(r * lanes));
      auto* x = f.b.CreateAlignedLoad(vector, f.b.CreateInBoundsGEP(type, from, index), align);
      f.aliases.annotate(x, n.src);
      Value* scanned = scan_register(f.b, n.op, n.type, x, neutral, part);
      Value* total =
          f.b.CreateShuffleVector(scanned, std::vector<int>(lanes, static_cast<int>(lanes) - 1));
      stores.emplace_back(combine_lanes(f.b, n.op, n.type, running, scanned),
                          f.b.CreateInBoundsGEP(type, base, index));
      running = combine_lanes(f.b, n.op, n.type, running, total);
    }
    const auto store_groups = [&](bool stream) {
      for (const auto& [scanned, place] : stores) {
        auto* write = f.b.CreateAlignedStore(scanned, place, stream ? llvm::Align(group) : align);
        f.aliases.annotate(write, n.dest);
        if (stream) set_past_caches(f, write);
      }
    };
    if (may_stream) {
      llvm::BasicBlock* lines = f.new_block("past_caches");
      llvm::BasicBlock* other = f.new_block("other");
      llvm::BasicBlock* stored = f.new_block("stored");
      f.b.CreateCondBr(past_caches, lines, other);
      f.b.SetInsertPoint(lines);
      store_groups(true);
      f.b.CreateBr(stored);
      f.b.SetInsertPoint(other);
      store_groups(false);
      f.b.CreateBr(stored);
      f.b.SetInsertPoint(stored);
    } else {
      store_groups(false);
    }
    return Values{running};
  };
  // Several rounds at a time would take long to compile and be no faster: shuffles are what such a
  // loop waits for.
  f.leave_scalar(f.count_up(f.b.getInt64(0), whole, lanes * groups, carry, scan_groups));

  // The rest, one by one.
  Values acc = {f.b.CreateExtractElement(carry[0], uint64_t{0})};
  f.leave_scalar(f.count_up(whole, count, 1, acc, [&](Value* k, const Values& so_far) {
    Value* x = f.load(n.type, f.b.CreateInBoundsGEP(type, from, k), n.src);
    Value* next = combine_lanes(f.b, n.op, n.type, so_far[0], x);
    f.store(n.type, f.b.CreateInBoundsGEP(type, base, k), next, n.dest);
    return Values{next};
  }));
  f.store(n.type, carry_place, acc[0], n.carry);
  if (n.stream && !f.in_loop) stream_fence(f);
}

}  // namespace skald::cpu
