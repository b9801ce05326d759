// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "imp/interp/handlers.h"
#include "imp/interp/machine.h"

namespace skald::imp::interp {

void run_move(Machine& m, const Instr& i) {
  m.slot(i.dst) = m.slot(i.a);
}
void run_unary(Machine& m, const Instr& i) {
  m.slot(i.dst) = i.unary(m.slot(i.a));
}
void run_binary(Machine& m, const Instr& i) {
  m.slot(i.dst) = i.binary(m.slot(i.a), m.slot(i.b));
}
void run_ternary(Machine& m, const Instr& i) {
  m.slot(i.dst) = i.ternary(m.slot(i.a), m.slot(i.b), m.slot(i.c));
}
void run_select(Machine& m, const Instr& i) {
  m.slot(i.dst) = m.slot(i.a) != 0 ? m.slot(i.b) : m.slot(i.c);
}
void run_add(Machine& m, const Instr& i) {
  m.slot(i.dst) = m.slot(i.a) + m.slot(i.b);
}
void run_sub(Machine& m, const Instr& i) {
  m.slot(i.dst) = m.slot(i.a) - m.slot(i.b);
}
void run_mul(Machine& m, const Instr& i) {
  m.slot(i.dst) = m.slot(i.a) * m.slot(i.b);
}
void run_less(Machine& m, const Instr& i) {
  m.slot(i.dst) = m.number(i.a) < m.number(i.b) ? 1 : 0;
}

// As the runtime has it (skald_rt_chunk_size).
void run_chunk_size(Machine& m, const Instr& i) {
  const int64_t even = (std::max<int64_t>(m.number(i.a), 1) - 1) / kMaxChunks + 1;
  int64_t size = std::max({even, m.number(i.b), int64_t{1}});
  constexpr int64_t kLine = 64;
  if (size > kLine && size <= std::numeric_limits<int64_t>::max() - kLine)
    size = (size + kLine - 1) / kLine * kLine;
  m.slot(i.dst) = static_cast<uint64_t>(size);
}

// Some number that is neither one nor a power of two.
void run_workers(Machine& m, const Instr& i) {
  m.slot(i.dst) = 3;
}

// Every other chunk: it is always true that those before have run theirs, and never wrong to say
// no.
void run_my_turn(Machine& m, const Instr& i) {
  m.slot(i.dst) = m.next_turn() ? 1 : 0;
}

}  // namespace skald::imp::interp
