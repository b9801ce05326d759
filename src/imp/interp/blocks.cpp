// SPDX-License-Identifier: Apache-2.0
#include "imp/interp/handlers.h"
#include "imp/interp/machine.h"

namespace skald::imp::interp {

void run_alloc(Machine& m, const Instr& i) {
  const auto& code = *static_cast<const AllocCode*>(i.node);
  const int64_t bytes = m.number(code.bytes);
  const Space space = code.alloc->space;
  Handle made;
  if (space == Space::kShared || space == Space::kGroup) {
    made = m.shared_block(i, code, bytes);
  } else {
    const Where where = m.is_on_device()          ? Where::kThread
                        : space == Space::kDevice ? Where::kDevice
                                                  : Where::kHost;
    const bool counted = is_owning(space);
    made = m.memory().allocate(
        bytes, where, counted ? Handle::Kind::kCounted : Handle::Kind::kScratch, m.statement());
  }
  if (made.kind == Handle::Kind::kNone) return m.fail(m.without_memory(bytes, code.alloc->loc));
  m.handle(code.block) = made;
}

void run_hold(Machine& m, const Instr& i) {
  // First the new reference, since both may be the same block.
  Handle held = m.memory().retain(m.handle(i.a));
  if (held.kind == Handle::Kind::kNone && m.handle(i.a).kind != Handle::Kind::kNone)
    m.wrong("holds a block that is gone");
  m.memory().drop(m.handle(i.dst));
  m.handle(i.dst) = held;
}

void run_view(Machine& m, const Instr& i) {
  const Handle& from = m.handle(i.a);
  m.handle(i.dst) = {from.index, from.generation,
                     from.kind == Handle::Kind::kNone ? from.kind : Handle::Kind::kView};
}

void run_drop(Machine& m, const Instr& i) {
  m.drop(i.a, i.b);
}

}  // namespace skald::imp::interp
