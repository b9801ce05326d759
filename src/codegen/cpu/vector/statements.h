// SPDX-License-Identifier: Apache-2.0
// One function for each kind of statement that is different in lanes; it adds the statement's code
// for a group of iterations.  All others are what they are in scalar code.
//
//   values.cpp      expressions and variables
//   control.cpp     branches, loops, checks; stragglers.cpp for the last lanes
//   of a loop memory.cpp      accesses; gather.cpp those by instructions of
//   their own own_arrays.cpp  arrays of the lanes' own, whole pieces of memory
//   collect.cpp     chosen elements moved together
//   stages.cpp      the registers of a group one after another, up to a
//   division first
#pragma once

#include "codegen/cpu/emit/statements.h"
#include "codegen/cpu/vector/vector_emitter.h"

namespace skald::cpu {

template <class N>
void emit_lanes(VectorEmitter& vec, const N& n) {
  emit_stmt(vec.f, n);
}
void emit_lanes(VectorEmitter& vec, const imp::Let& n);
void emit_lanes(VectorEmitter& vec, const imp::Var& n);
void emit_lanes(VectorEmitter& vec, const imp::Assign& n);
void emit_lanes(VectorEmitter& vec, const imp::Load& n);
void emit_lanes(VectorEmitter& vec, const imp::Store& n);
void emit_lanes(VectorEmitter& vec, const imp::Alloc& n);
void emit_lanes(VectorEmitter& vec, const imp::BlockVar& n);
void emit_lanes(VectorEmitter& vec, const imp::BlockAssign& n);
void emit_lanes(VectorEmitter& vec, const imp::CopyBytes& n);
void emit_lanes(VectorEmitter& vec, const imp::Earlier& n);
void emit_lanes(VectorEmitter& vec, const imp::Collect& n);
void emit_lanes(VectorEmitter& vec, const imp::Fill& n);
void emit_lanes(VectorEmitter& vec, const imp::If& n);
void emit_lanes(VectorEmitter& vec, const imp::For& n);
void emit_lanes(VectorEmitter& vec, const imp::While& n);
void emit_lanes(VectorEmitter& vec, const imp::Check& n);

// The iterations from `first` on (LanePlan::first_stage).
void group_in_stages(VectorEmitter& vec, const imp::For& loop, llvm::Value* first);
// How many iterations from `first` on, at least one, until a group begins where a register does.
llvm::Value* until_aligned(VectorEmitter& vec, const imp::For& loop, const imp::RowStore& update,
                           llvm::Value* first);

}  // namespace skald::cpu
