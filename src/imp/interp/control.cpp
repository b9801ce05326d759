// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/interp/format.h"
#include "imp/interp/handlers.h"
#include "imp/interp/machine.h"

namespace skald::imp::interp {

void run_jump(Machine& m, const Instr& i) {
  m.jump(i.number);
}
void run_jump_unless(Machine& m, const Instr& i) {
  if (m.slot(i.a) == 0) m.jump(i.number);
}
void run_jump_if_not_less(Machine& m, const Instr& i) {
  if (m.number(i.a) >= m.number(i.b)) m.jump(i.number);
}
void run_jump_back(Machine& m, const Instr& i) {
  m.jump(i.number);
  m.look_at_clock();
}
void run_next(Machine& m, const Instr& i) {
  m.slot(i.a) += m.slot(i.b);
  m.jump(i.number);
  m.look_at_clock();
}

// Three pieces; a negative grain asks for multiples of it.
void run_piece(Machine& m, const Instr& i) {
  const int64_t quantum = std::max<int64_t>(1, -m.number(i.b));
  const int64_t third = std::max<int64_t>(m.number(i.a) / 3, 1);
  m.slot(i.dst) = static_cast<uint64_t>((third + quantum - 1) / quantum * quantum);
}

void run_call(Machine& m, const Instr& i) {
  m.call(*static_cast<const CallCode*>(i.node));
}
void run_return(Machine& m, const Instr&) {
  m.leave_function();
}

void run_check(Machine& m, const Instr& i) {
  const auto& code = *static_cast<const CheckCode*>(i.node);
  if (m.slot(code.cond) != 0) return;
  std::string message;
  size_t next = 0;
  for (const MessagePart& part : code.check->message) {
    if (const auto* words = std::get_if<std::string>(&part)) {
      message += *words;
    } else {
      message += core::interp::format_scalar(code.types[next], m.slot(code.values[next]));
      ++next;
    }
  }
  m.fail(std::move(message), code.check->loc);
}

void run_trace(Machine& m, const Instr& i) {
  const auto& code = *static_cast<const TraceCode*>(i.node);
  core::interp::Array array;
  array.elem = code.trace->type;
  array.shape = core::interp::Dims(static_cast<int>(code.shape.size()));
  int64_t count = 1;
  for (size_t k = 0; k < code.shape.size(); ++k)
    count *= array.shape[static_cast<int>(k)] = m.number(code.shape[k]);
  array.strides = core::interp::dense_strides(array.shape);
  array.data = m.elements(code.block, m.number(code.index), count, array.elem_size());
  if (m.options().trace)
    m.options().trace(fmt::format("{}: {}", code.trace->tag, core::interp::format_array(array)));
}

}  // namespace skald::imp::interp
