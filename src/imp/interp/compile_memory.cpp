// SPDX-License-Identifier: Apache-2.0
// Statements about memory as instructions.
#include "imp/interp/writer.h"

namespace skald::imp::interp {

namespace {

Handler load_handler(int size) {
  return size == 1 ? run_load_1 : size == 2 ? run_load_2 : size == 4 ? run_load_4 : run_load_8;
}
Handler store_handler(int size) {
  return size == 1 ? run_store_1 : size == 2 ? run_store_2 : size == 4 ? run_store_4 : run_store_8;
}

}  // namespace

void write(Writer& w, const Load& n) {
  const int32_t from = w.block(n.block), index = w.use(n.index);
  w.emit({.run = load_handler(prim_size(n.type)),
          .dst = w.bind(n.name, n.type),
          .a = from,
          .b = index});
}
void write(Writer& w, const Store& n) {
  w.emit({.run = store_handler(prim_size(n.type)),
          .a = w.block(n.block),
          .b = w.use(n.index),
          .c = w.use(n.value)});
}
void write(Writer& w, const Alloc& n) {
  const int32_t bytes = w.use(n.bytes);
  w.emit(run_alloc, AllocCode{&n, bytes, w.bind_block(n.name, n.space)});
}
void write(Writer& w, const BlockVar& n) {
  const int32_t from = n.init ? w.block(n.init) : 0;
  const int32_t to = w.bind_block(n.name, n.space);
  if (n.init)
    w.emit({.run = is_owning(n.space) ? run_hold : run_view, .dst = to, .a = from});
  else
    w.emit({.run = run_drop, .a = to, .b = to + 1});
}
void write(Writer& w, const BlockAssign& n) {
  const bool owning = is_owning(w.space_of(n.var));
  w.emit({.run = owning ? run_hold : run_view, .dst = w.block(n.var), .a = w.block(n.value)});
}
void write(Writer& w, const Free& n) {
  w.emit({.run = run_drop, .a = w.block(n.block), .b = w.block(n.block) + 1});
}
void write(Writer& w, const CopyBytes& n) {
  w.emit(run_copy, CopyCode{w.block(n.dest), w.use(n.dest_offset), w.block(n.src),
                            w.use(n.src_offset), w.use(n.bytes), n.overlap});
}
// The interpreter lends no memory.
void write(Writer& w, const Misaligned& n) {
  const int32_t none = w.use(const_i64(0));
  w.emit({.run = run_move, .dst = w.bind(n.name, Prim::kI64), .a = none});
}
void write(Writer& w, const Fill& n) {
  w.emit(run_fill, FillCode{prim_size(n.type), w.block(n.block), w.use(n.start), w.use(n.count),
                            w.use(n.value)});
}
void write(Writer& w, const TransposeBlock& n) {
  w.emit(run_transpose, TransposeCode{prim_size(n.type), w.block(n.dest), w.use(n.dest_start),
                                      w.use(n.dest_stride), w.block(n.src), w.use(n.src_start),
                                      w.use(n.src_stride), w.use(n.rows), w.use(n.columns)});
}
void write(Writer& w, const ScanBlock& n) {
  w.emit(run_scan,
         ScanCode{core::scalar_fn(n.op, n.type), n.type, w.block(n.dest), w.use(n.start),
                  w.block(n.src), w.use(n.src_start), w.use(n.count), w.block(n.carry), 0});
}
void write(Writer& w, const ScanRows& n) {
  w.emit(run_scan_rows,
         ScanCode{core::scalar_fn(n.op, n.type), n.type, w.block(n.dest), w.use(n.start),
                  w.block(n.src), w.use(n.src_start), w.use(n.count), 0, w.use(n.length)});
}
void write(Writer& w, const Earlier& n) {
  EarlierCode code{prim_size(n.type), 0,           w.block(n.block), w.use(n.index),
                   w.use(n.value),    w.use(n.by), w.use(n.none)};
  code.name = w.bind(n.name, n.type);
  w.emit(run_earlier, code);
}
void write(Writer& w, const Collect& n) {
  CollectCode code{w.use(n.cond), w.use(n.next), {}};
  for (const Collected& each : n.members)
    code.members.push_back({prim_size(each.type), w.block(each.block), w.use(each.value)});
  w.emit(run_collect, std::move(code));
}
void write(Writer& w, const Trace& n) {
  TraceCode code{&n, w.block(n.block), w.use(n.index), {}};
  for (const Operand& dim : n.shape) code.shape.push_back(w.use(dim));
  w.emit(run_trace, std::move(code));
}
void write(Writer& w, const Atomic& n) {
  const auto update = [&](int32_t index, const Operand& value) {
    w.emit(run_atomic, AtomicCode{core::scalar_fn(n.op, n.type), prim_size(n.type),
                                  w.block(n.block), index, w.use(value)});
  };
  update(w.use(n.index), n.value);
  for (size_t k = 0; k < n.further.size(); ++k) {
    const int32_t index = w.fresh();
    w.emit({.run = run_add,
            .dst = index,
            .a = w.use(n.index),
            .b = w.constant(static_cast<int64_t>(k) + 1)});
    update(index, n.further[k]);
  }
}
void write(Writer& w, const FetchAdd& n) {
  AtomicCode code{core::scalar_fn(BinOpKind::kAdd, n.type), prim_size(n.type), w.block(n.block),
                  w.use(n.index), w.use(n.value)};
  code.before = w.bind(n.name, n.type);
  w.emit(run_fetch_add, code);
}
void write(Writer& w, const AtomicUpdate& n) {
  const int size = prim_size(n.type);
  const int32_t place = w.block(n.block), index = w.use(n.index);
  w.scope([&] {
    w.emit({.run = load_handler(size), .dst = w.bind(n.old, n.type), .a = place, .b = index});
    if (n.given) w.emit({.run = run_move, .dst = w.bind(n.given, n.type), .a = w.use(n.value)});
    w.statements(n.body);
    w.emit({.run = store_handler(size), .a = place, .b = index, .c = w.use(n.result)});
  });
}
void write(Writer& w, const Locked& n) {
  const int32_t place = w.block(n.block), index = w.copy(n.index);
  w.emit({.run = run_lock, .a = place, .b = index});
  w.body(n.body);
  w.emit({.run = run_unlock, .a = place, .b = index});
}

}  // namespace skald::imp::interp
