// SPDX-License-Identifier: Apache-2.0
// One function for each kind of statement of imp; it adds the statement's code to a function.
//
//   stmts.cpp       scalars and memory
//   control.cpp     branches, loops, calls, checks
//   atomics.cpp     what threads do to the same memory
//   parallel.cpp    parallel loops, which become functions of their own
//   ordered.cpp     chunks with something to do in order
//   calls           calls side by side, and those that end at once
//   recursion.cpp   functions that call themselves
//   choices.cpp, side_by_side.cpp, shared_guards.cpp      scalar code with fewer branches
//   scans, transpose.cpp, stream.cpp                      whole pieces of memory
#pragma once

#include <span>

#include "codegen/cpu/emit/function_emitter.h"
#include "support/bug.h"

namespace skald::cpu {

void emit_stmt(FunctionEmitter& f, const imp::Let& n);
void emit_stmt(FunctionEmitter& f, const imp::Var& n);
void emit_stmt(FunctionEmitter& f, const imp::Assign& n);
void emit_stmt(FunctionEmitter& f, const imp::Tunable& n);
void emit_stmt(FunctionEmitter& f, const imp::Load& n);
void emit_stmt(FunctionEmitter& f, const imp::Store& n);
void emit_stmt(FunctionEmitter& f, const imp::Alloc& n);
void emit_stmt(FunctionEmitter& f, const imp::BlockVar& n);
void emit_stmt(FunctionEmitter& f, const imp::BlockAssign& n);
void emit_stmt(FunctionEmitter& f, const imp::Free& n);
void emit_stmt(FunctionEmitter& f, const imp::CopyBytes& n);
void emit_stmt(FunctionEmitter& f, const imp::Fill& n);
void emit_stmt(FunctionEmitter& f, const imp::TransposeBlock& n);
void emit_stmt(FunctionEmitter& f, const imp::ScanBlock& n);
void emit_stmt(FunctionEmitter& f, const imp::ScanRows& n);
void emit_stmt(FunctionEmitter& f, const imp::Earlier& n);
void emit_stmt(FunctionEmitter& f, const imp::Collect& n);
void emit_stmt(FunctionEmitter& f, const imp::Trace& n);
void emit_stmt(FunctionEmitter& f, const imp::If& n);
void emit_stmt(FunctionEmitter& f, const imp::For& n);
void emit_stmt(FunctionEmitter& f, const imp::While& n);
void emit_stmt(FunctionEmitter& f, const imp::Call& n);
void emit_stmt(FunctionEmitter& f, const imp::Check& n);
void emit_stmt(FunctionEmitter& f, const imp::ParallelFor& n);
void emit_stmt(FunctionEmitter& f, const imp::ParallelRange& n);
void emit_stmt(FunctionEmitter& f, const imp::ParallelChunks& n);
void emit_stmt(FunctionEmitter& f, const imp::Ordered& n);
void emit_stmt(FunctionEmitter& f, const imp::MyTurn& n);
void emit_stmt(FunctionEmitter& f, const imp::ChunkSize& n);
void emit_stmt(FunctionEmitter& f, const imp::Workers& n);
void emit_stmt(FunctionEmitter& f, const imp::Atomic& n);
void emit_stmt(FunctionEmitter& f, const imp::AtomicUpdate& n);
void emit_stmt(FunctionEmitter& f, const imp::Locked& n);
inline void emit_stmt(FunctionEmitter&, const imp::Launch&) {
  SKALD_BUG("a launch in code for the cpu");
}
inline void emit_stmt(FunctionEmitter&, const imp::Barrier&) {
  SKALD_BUG("a barrier in code for the cpu");
}
inline void emit_stmt(FunctionEmitter&, const imp::WarpMeet&) {
  SKALD_BUG("a warp in code for the cpu");
}
inline void emit_stmt(FunctionEmitter&, const imp::Fence&) {
  SKALD_BUG("a fence in code for the cpu");
}
inline void emit_stmt(FunctionEmitter&, const imp::MatrixSum&) {
  SKALD_BUG("matrices of a device in code for the cpu");
}
inline void emit_stmt(FunctionEmitter&, const imp::QuickQuotient&) {
  SKALD_BUG("a quick quotient in code for the cpu");
}
inline void emit_stmt(FunctionEmitter&, const imp::Shuffle&) {
  SKALD_BUG("a shuffle in code for the cpu");
}
inline void emit_stmt(FunctionEmitter&, const imp::Ballot&) {
  SKALD_BUG("a ballot in code for the cpu");
}
inline void emit_stmt(FunctionEmitter&, const imp::FetchAdd&) {
  SKALD_BUG("a fetch_add in code for the cpu");
}
inline void emit_stmt(FunctionEmitter&, const imp::Misaligned&) {
  SKALD_BUG("a question about alignment in code for the cpu");
}
inline void emit_stmt(FunctionEmitter&, const imp::Stop&) {
  SKALD_BUG("a stop in code for the cpu");
}
inline void emit_stmt(FunctionEmitter&, const imp::Attempt&) {
  SKALD_BUG("an attempt in code for the cpu");
}

// Gives back a lock, at its address.
void unlock(FunctionEmitter& f, llvm::Value* lock);

// ---- calls

// The arguments of a call, with the places for its results at the end.
std::vector<llvm::Value*> call_args(FunctionEmitter& f, const imp::Call& n,
                                    const std::vector<llvm::AllocaInst*>& results);
// Gives whether the call failed.
llvm::Value* call_function(FunctionEmitter& f, const imp::Call& n,
                           const std::vector<llvm::AllocaInst*>& results);
// Goes on only if the call did not fail.
void after_call(FunctionEmitter& f, const imp::Call& n, llvm::Value* failed);
// Calls side by side, at the beginning of these statements; gives the number of statements.
size_t fork(FunctionEmitter& f, std::span<const imp::Stmt> stmts);
// An empty function that the runtime can call: i32 loop(ptr env, i64 begin, i64 end, i32 worker).
llvm::Function* new_loop_function(FunctionEmitter& f);

// ---- scalar code with fewer branches

// Stores behind a branch that nobody can foresee; false (and no code) if there is more there.
bool stores_without_branch(FunctionEmitter& f, const imp::If& n);
// Remembers variables of places that a branch made negative: points left out.
void remember_left_out(FunctionEmitter& f, const imp::Body& side);
void both_sides(FunctionEmitter& f, const imp::If& n);
// Iterations side by side for their checks.
void side_by_side(FunctionEmitter& f, const imp::For& loop);
void checks_ahead(FunctionEmitter& f, const imp::For& loop);
// The body of a loop that is several guarded updates; false (and no code) if it is not.
bool guards_together(FunctionEmitter& f, const imp::Body& body);

}  // namespace skald::cpu
