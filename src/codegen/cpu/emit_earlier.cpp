// SPDX-License-Identifier: Apache-2.0
// Values of the iteration some places before (imp::Earlier): a shuffle between lanes; memory that
// the iterations before have filled where they run one after the other.
#include "codegen/cpu/vector_emitter.h"

namespace skald::cpu {

using llvm::Value;

namespace {

int64_t distance(const imp::Earlier& n) {
  return core::int_value(*core::as_const(n.by));
}

}  // namespace

void FunctionEmitter::stmt(const imp::Earlier& n) {
  store(n.type, element(n.block, n.type, n.index), value(n.value), n.block);
  Value* by = b_.getInt64(static_cast<uint64_t>(distance(n)));
  Value* index = value(n.index);
  Value* exists = b_.CreateICmpSGE(index, by);
  Value* at = b_.CreateSelect(exists, b_.CreateSub(index, by), index);
  llvm::Type* in_memory = memory_type(m_.context(), n.type);
  Value* before = load(n.type, b_.CreateInBoundsGEP(in_memory, data(n.block), at), n.block);
  bind(n.name, n.type, b_.CreateSelect(exists, before, value(n.none)));
}

void VectorEmitter::stmt(const imp::Earlier& n) {
  Value* mine = vector(n.value);
  const auto by = static_cast<unsigned>(distance(n));
  std::vector<int> from;
  for (unsigned lane = 0; lane < lanes_; ++lane)
    from.push_back(static_cast<int>(lane < by ? lanes_ + lane : lane - by));
  bind(n.name, n.type,
       {Shape::kVarying, b_.CreateShuffleVector(mine, vector(n.none), from), nullptr});
}

}  // namespace skald::cpu
