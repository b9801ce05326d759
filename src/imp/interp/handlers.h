// SPDX-License-Identifier: Apache-2.0
// What instructions do.  `dst`, `a`, `b` and `c` are scalar slots unless it says otherwise.
#pragma once

#include "imp/interp/code.h"

namespace skald::imp::interp {

// scalars.cpp
void run_move(Machine& m, const Instr& i);    // dst = a
void run_unary(Machine& m, const Instr& i);   // dst = unary(a)
void run_binary(Machine& m, const Instr& i);  // dst = binary(a, b)
void run_ternary(Machine& m, const Instr& i);
void run_select(Machine& m, const Instr& i);  // dst = a ? b : c
void run_add(Machine& m, const Instr& i);     // of 64 bits
void run_sub(Machine& m, const Instr& i);
void run_mul(Machine& m, const Instr& i);
void run_less(Machine& m, const Instr& i);        // of i64
void run_chunk_size(Machine& m, const Instr& i);  // dst of a points, at least b
void run_workers(Machine& m, const Instr& i);     // dst
void run_my_turn(Machine& m, const Instr& i);     // dst

// control.cpp: a jump goes to instruction `number`
void run_jump(Machine& m, const Instr& i);
void run_jump_unless(Machine& m, const Instr& i);       // a
void run_jump_if_not_less(Machine& m, const Instr& i);  // a < b of i64
void run_jump_back(Machine& m, const Instr& i);         // of loops: looks at the clock
void run_next(Machine& m, const Instr& i);              // a += b of i64, and jumps back
void run_piece(Machine& m, const Instr& i);             // dst = the size of pieces of a, grain b
void run_call(Machine& m, const Instr& i);
void run_return(Machine& m, const Instr& i);
void run_check(Machine& m, const Instr& i);
void run_trace(Machine& m, const Instr& i);

// accesses.cpp
void run_load_1(Machine& m, const Instr& i);  // dst = block a [b]
void run_load_2(Machine& m, const Instr& i);
void run_load_4(Machine& m, const Instr& i);
void run_load_8(Machine& m, const Instr& i);
void run_store_1(Machine& m, const Instr& i);  // block a [b] = c
void run_store_2(Machine& m, const Instr& i);
void run_store_4(Machine& m, const Instr& i);
void run_store_8(Machine& m, const Instr& i);
void run_lock(Machine& m, const Instr& i);    // block a [b]
void run_unlock(Machine& m, const Instr& i);  // block a [b]
void run_atomic(Machine& m, const Instr& i);
void run_fetch_add(Machine& m, const Instr& i);

// blocks.cpp
void run_alloc(Machine& m, const Instr& i);
void run_hold(Machine& m, const Instr& i);  // block dst = block a, with a reference of its own
void run_view(Machine& m, const Instr& i);  // block dst = block a
void run_drop(Machine& m, const Instr& i);  // blocks a … b-1 give back what they own

// pieces.cpp
void run_copy(Machine& m, const Instr& i);
void run_fill(Machine& m, const Instr& i);
void run_transpose(Machine& m, const Instr& i);
void run_scan(Machine& m, const Instr& i);
void run_scan_rows(Machine& m, const Instr& i);
void run_earlier(Machine& m, const Instr& i);
void run_collect(Machine& m, const Instr& i);

// launch.cpp
void run_launch(Machine& m, const Instr& i);
void run_end_of_thread(Machine& m, const Instr& i);
void run_barrier(Machine& m, const Instr& i);
void run_offer(Machine& m, const Instr& i);    // a, to the lanes of the warp, which all come here
void run_take(Machine& m, const Instr& i);     // dst = what lane a offered; shuffle kind `number`
void run_ballot(Machine& m, const Instr& i);   // dst = which lanes have offered true
void run_attempt(Machine& m, const Instr& i);  // position a; ends at `number`; blocks from b on
void run_end_of_attempt(Machine& m, const Instr& i);
void run_stop(Machine& m, const Instr& i);

}  // namespace skald::imp::interp
