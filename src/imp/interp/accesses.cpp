// SPDX-License-Identifier: Apache-2.0
#include "core/interp/code/array.h"
#include "imp/interp/handlers.h"
#include "imp/interp/machine.h"

namespace skald::imp::interp {

using core::interp::load_bits;
using core::interp::store_bits;

namespace {

template <int size>
void run_load(Machine& m, const Instr& i) {
  m.slot(i.dst) = load_bits(m.element(i.a, m.number(i.b), size), size);
}
template <int size>
void run_store(Machine& m, const Instr& i) {
  store_bits(m.element(i.a, m.number(i.b), size), size, m.slot(i.c));
}

constexpr int kLockSize = 4;

}  // namespace

void run_load_1(Machine& m, const Instr& i) {
  run_load<1>(m, i);
}
void run_load_2(Machine& m, const Instr& i) {
  run_load<2>(m, i);
}
void run_load_4(Machine& m, const Instr& i) {
  run_load<4>(m, i);
}
void run_load_8(Machine& m, const Instr& i) {
  run_load<8>(m, i);
}
void run_store_1(Machine& m, const Instr& i) {
  run_store<1>(m, i);
}
void run_store_2(Machine& m, const Instr& i) {
  run_store<2>(m, i);
}
void run_store_4(Machine& m, const Instr& i) {
  run_store<4>(m, i);
}
void run_store_8(Machine& m, const Instr& i) {
  run_store<8>(m, i);
}

// Threads are interrupted at barriers only, so that a lock is always free.
void run_lock(Machine& m, const Instr& i) {
  std::byte* lock = m.element(i.a, m.number(i.b), kLockSize);
  if (load_bits(lock, kLockSize) != 0) m.wrong("takes a lock that is held, or no lock");
  store_bits(lock, kLockSize, 1);
  m.hold(lock);
}
void run_unlock(Machine& m, const Instr& i) {
  store_bits(m.element(i.a, m.number(i.b), kLockSize), kLockSize, 0);
  m.hold(nullptr);
}

void run_atomic(Machine& m, const Instr& i) {
  const auto& code = *static_cast<const AtomicCode*>(i.node);
  std::byte* place = m.element(code.block, m.number(code.index), code.size);
  store_bits(place, code.size, code.op(load_bits(place, code.size), m.slot(code.value)));
}
void run_fetch_add(Machine& m, const Instr& i) {
  const auto& code = *static_cast<const AtomicCode*>(i.node);
  std::byte* place = m.element(code.block, m.number(code.index), code.size);
  const uint64_t before = load_bits(place, code.size);
  store_bits(place, code.size, code.op(before, m.slot(code.value)));
  m.slot(code.before) = before;
}

}  // namespace skald::imp::interp
