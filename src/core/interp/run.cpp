// SPDX-License-Identifier: Apache-2.0
// The instruction loop.
#include "core/interp/format.h"
#include "core/interp/machine.h"

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
          store_.fail_index(at, array.shape[0]);
          return store_.locate(code.locs[static_cast<size_t>(i - begin)], calls_);
        }
        s[i->dst] = load_bits(array.data + at * array.step(0), array.elem_size());
        break;
      }
      case Op::kAssert:
        if (s[i->a] != 0) break;
        store_.fail_assert(*static_cast<const AssertCode*>(i->node), f);
        return store_.locate(code.locs[static_cast<size_t>(i - begin)], calls_);
      default:
        if (!run_node(*i, f))
          return store_.locate(code.locs[static_cast<size_t>(i - begin)], calls_);
    }
  }
  return true;
}

bool Machine::run_node(const Instr& instr, Frame& f) {
  switch (instr.op) {
#define SKALD_NODE(op, Code, handler) \
  case Op::op: return handler(*static_cast<const Code*>(instr.node), f);
    SKALD_NODE(kBound, Binding, store_.bound)
    SKALD_NODE(kIndexAll, SliceCode, arrays_.index_all)
    SKALD_NODE(kSlice, SliceCode, arrays_.slice)
    SKALD_NODE(kUpdate, SliceCode, arrays_.update)
    SKALD_NODE(kFlatIndex, FlatCode, arrays_.flat_index)
    SKALD_NODE(kFlatUpdate, FlatCode, arrays_.flat_update)
    SKALD_NODE(kArrayLit, ArrayLitCode, arrays_.array_lit)
    SKALD_NODE(kConcat, ConcatCode, arrays_.concat)
    SKALD_NODE(kIota, IotaCode, arrays_.iota)
    SKALD_NODE(kReplicate, ShapeCode, arrays_.replicate)
    SKALD_NODE(kScratch, ShapeCode, arrays_.scratch)
    SKALD_NODE(kReshape, ShapeCode, arrays_.reshape)
    SKALD_NODE(kRearrange, RearrangeCode, arrays_.rearrange)
    SKALD_NODE(kCopy, CopyCode, arrays_.copy)
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
    SKALD_NODE(kAlloc, AllocCode, arrays_.alloc)
#undef SKALD_NODE
    case Op::kIf:
      return branch(*static_cast<const IfCode*>(instr.node), f.scalars[instr.a] != 0, f);
    case Op::kFree: return arrays_.free_block(instr.a, f);
    case Op::kTrace: arrays_.trace(*static_cast<const TraceCode*>(instr.node), f); return true;
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
  return store_.fail_at_limit(time_limit_message(options_.time_limit), "time-limit");
}

}  // namespace skald::core::interp
