// SPDX-License-Identifier: Apache-2.0
// Values of the iteration some places before (imp::Earlier): in memory that the iterations before
// have filled, one after the other.  Lanes shuffle them (vector/memory.cpp).
#include "codegen/cpu/emit/statements.h"

namespace skald::cpu {

using llvm::Value;

void emit_stmt(FunctionEmitter& f, const imp::Earlier& n) {
  f.store(n.type, f.element(n.block, n.type, n.index), f.value(n.value), n.block);
  Value* by = f.b.getInt64(static_cast<uint64_t>(core::int_value(*core::as_const(n.by))));
  Value* index = f.value(n.index);
  Value* exists = f.b.CreateICmpSGE(index, by);
  Value* at = f.b.CreateSelect(exists, f.b.CreateSub(index, by), index);
  llvm::Type* in_memory = memory_type(f.module.context(), n.type);
  Value* before = f.load(n.type, f.b.CreateInBoundsGEP(in_memory, f.data(n.block), at), n.block);
  f.bind(n.name, n.type, f.b.CreateSelect(exists, before, f.value(n.none)));
}

}  // namespace skald::cpu
