// SPDX-License-Identifier: Apache-2.0
// Values of the iteration some places before (imp::Earlier): in memory that the iterations before
// have filled, one after the other.  Lanes shuffle them (vector/memory.cpp).
#include "codegen/cpu/emit/function_emitter.h"

namespace skald::cpu {

using llvm::Value;

void FunctionEmitter::stmt(const imp::Earlier& n) {
  store(n.type, element(n.block, n.type, n.index), value(n.value), n.block);
  Value* by = b_.getInt64(static_cast<uint64_t>(core::int_value(*core::as_const(n.by))));
  Value* index = value(n.index);
  Value* exists = b_.CreateICmpSGE(index, by);
  Value* at = b_.CreateSelect(exists, b_.CreateSub(index, by), index);
  llvm::Type* in_memory = memory_type(m_.context(), n.type);
  Value* before = load(n.type, b_.CreateInBoundsGEP(in_memory, data(n.block), at), n.block);
  bind(n.name, n.type, b_.CreateSelect(exists, before, value(n.none)));
}

}  // namespace skald::cpu
