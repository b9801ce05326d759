// SPDX-License-Identifier: Apache-2.0
// The instruction loop, and what happens when something goes wrong.
#include "core/interp/format.h"
#include "core/interp/machine.h"
#include "core/ir/backtrace.h"

namespace skald::core::interp {

bool Machine::run(const Code& code, Frame& f) {
  if (--until_clock_ == 0 && !look_at_clock()) return false;
  uint64_t* const s = f.scalars.data();
  const Instr* const begin = code.instrs.data();
  const Instr* const end = begin + code.instrs.size();
  for (const Instr* i = begin; i != end; ++i) {
    switch (i->op) {
      case Op::kMove: s[i->dst] = s[i->a]; break;
      case Op::kUn: s[i->dst] = i->un(s[i->a]); break;
      case Op::kBin: s[i->dst] = i->bin(s[i->a], s[i->b]); break;
      case Op::kTern: s[i->dst] = i->tern(s[i->a], s[i->b], s[i->c]); break;
      case Op::kSelect: s[i->dst] = s[i->a] != 0 ? s[i->b] : s[i->c]; break;
      case Op::kRelease: f.arrays[i->a].block = {}; break;
      case Op::kIndex1: {
        const Array& array = f.arrays[i->a];
        const auto at = static_cast<int64_t>(s[i->b]);
        if (static_cast<uint64_t>(at) >= static_cast<uint64_t>(array.shape[0])) {
          fail_index(at, array.shape[0]);
          return locate(code.locs[static_cast<size_t>(i - begin)]);
        }
        s[i->dst] = load_bits(array.data + at * array.step(0), array.elem_size());
        break;
      }
      case Op::kAssert:
        if (s[i->a] != 0) break;
        fail_assert(*static_cast<const AssertCode*>(i->node), f);
        return locate(code.locs[static_cast<size_t>(i - begin)]);
      default:
        if (!run_node(*i, f)) return locate(code.locs[static_cast<size_t>(i - begin)]);
    }
  }
  return true;
}

bool Machine::run_node(const Instr& instr, Frame& f) {
  switch (instr.op) {
#define SKALD_NODE(op, Code, handler) \
  case Op::op: return handler(*static_cast<const Code*>(instr.node), f);
    SKALD_NODE(kBound, Binding, bound)
    SKALD_NODE(kIndexAll, SliceCode, index_all)
    SKALD_NODE(kSlice, SliceCode, slice)
    SKALD_NODE(kUpdate, SliceCode, update)
    SKALD_NODE(kFlatIndex, FlatCode, flat_index)
    SKALD_NODE(kFlatUpdate, FlatCode, flat_update)
    SKALD_NODE(kArrayLit, ArrayLitCode, array_lit)
    SKALD_NODE(kConcat, ConcatCode, concat)
    SKALD_NODE(kIota, IotaCode, iota)
    SKALD_NODE(kReplicate, ShapeCode, replicate)
    SKALD_NODE(kScratch, ShapeCode, scratch)
    SKALD_NODE(kReshape, ShapeCode, reshape)
    SKALD_NODE(kRearrange, RearrangeCode, rearrange)
    SKALD_NODE(kCopy, CopyCode, copy)
    SKALD_NODE(kLoop, LoopCode, loop)
    SKALD_NODE(kCall, CallCode, call)
    SKALD_NODE(kSoac, SoacCode, soac)
    SKALD_NODE(kHist, WriteCode, scattered)
    SKALD_NODE(kScatter, WriteCode, scattered)
    SKALD_NODE(kPartition, PartitionCode, partition)
    SKALD_NODE(kFlatMap, FlatMapCode, flat_map)
    SKALD_NODE(kWithAcc, WithAccCode, with_acc)
    SKALD_NODE(kUpdateAcc, UpdateAccCode, update_acc)
    SKALD_NODE(kKernel, KernelCode, kernel)
    SKALD_NODE(kAlloc, AllocCode, alloc)
#undef SKALD_NODE
    case Op::kIf:
      return branch(*static_cast<const IfCode*>(instr.node), f.scalars[instr.a] != 0, f);
    case Op::kFree: return free_block(instr.a, f);
    case Op::kTrace: trace(*static_cast<const TraceCode*>(instr.node), f); return true;
    case Op::kMoveArray:
      f.arrays[instr.dst] = take({Kind::kArray, instr.a, instr.b == 1}, f);
      return true;
    default: SKALD_BUG("interpreter: instruction {}", static_cast<int>(instr.op));
  }
}

bool Machine::look_at_clock() {
  until_clock_ = kBodiesPerLook;
  if (options_.time_limit <= 0) return true;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
  if (passed.count() < options_.time_limit) return true;
  return fail_at_limit(time_limit_message(options_.time_limit), "time-limit");
}

bool Machine::fail(std::string message) {
  if (failed_) return false;
  error_.gave_up = message.starts_with("Out of memory");
  error_.message = std::move(message);
  failed_ = true;
  return false;
}

bool Machine::fail_at_limit(std::string message, std::string_view code) {
  if (failed_) return false;
  fail(std::move(message));
  error_.gave_up = true;
  error_.code = code;
  return false;
}

bool Machine::fail_for_memory(int64_t bytes, const std::string& what) {
  if (options_.memory_limit > 0 && budget_.limit == options_.memory_limit)
    return fail_at_limit(memory_limit_message(budget_.limit, bytes), "memory-limit");
  return fail(fmt::format("Out of memory: cannot allocate {} bytes{}.", bytes, what));
}

bool Machine::locate(Loc loc) {
  // Code that the compiler made has no place; then the statement around it has.
  if (located_ || loc.index == 0) return false;
  located_ = true;
  // Of deep recursions the innermost calls are enough.
  constexpr size_t kMaxCalls = 64;
  std::vector<Loc> places = {loc};
  for (size_t n = 0; n < std::min(kMaxCalls, calls_.size()); ++n)
    places.push_back(calls_[calls_.size() - 1 - n]);
  error_.backtrace = backtrace(prog_.locs, places);
  return false;
}

bool Machine::fail_assert(const AssertCode& code, const Frame& f) {
  std::string message;
  for (const AssertCode::Part& part : code.message)
    message += part.value ? format_scalar(part.type, f.scalars[*part.value]) : part.text;
  return fail(std::move(message));
}

bool Machine::fail_index(int64_t index, int64_t size) {
  return fail(fmt::format("Unchecked access outside an array: index {} in a dimension of size {}.",
                          index, size));
}

}  // namespace skald::core::interp
