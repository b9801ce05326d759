// SPDX-License-Identifier: Apache-2.0
// Statements about many elements.
#include <cstdlib>
#include <cstring>

#include "core/interp/code/array.h"
#include "imp/interp/handlers.h"
#include "imp/interp/machine.h"

namespace skald::imp::interp {

using core::interp::load_bits;
using core::interp::store_bits;

void run_copy(Machine& m, const Instr& i) {
  const auto& code = *static_cast<const CopyCode*>(i.node);
  const int64_t bytes = m.number(code.bytes);
  if (bytes < 0) m.wrong(fmt::format("copies {} bytes", bytes));
  if (bytes == 0) return;
  std::byte* dest = m.elements(code.dest, m.number(code.dest_offset), bytes, 1);
  const std::byte* src = m.elements(code.src, m.number(code.src_offset), bytes, 1);
  if (!code.overlap && dest != src && dest < src + bytes && src < dest + bytes)
    m.wrong(fmt::format("copies {} bytes between places that are {} bytes apart", bytes,
                        std::abs(dest - src)));
  std::memmove(dest, src, static_cast<size_t>(bytes));
}

void run_fill(Machine& m, const Instr& i) {
  const auto& code = *static_cast<const FillCode*>(i.node);
  const int64_t count = m.number(code.count);
  std::byte* at = m.elements(code.block, m.number(code.start), count, code.size);
  const uint64_t bits = m.slot(code.value);
  for (int64_t k = 0; k < count; ++k, at += code.size) store_bits(at, code.size, bits);
}

void run_transpose(Machine& m, const Instr& i) {
  const auto& code = *static_cast<const TransposeCode*>(i.node);
  const int64_t rows = m.number(code.rows), columns = m.number(code.columns);
  const int64_t dest_start = m.number(code.dest_start), dest_stride = m.number(code.dest_stride);
  const int64_t src_start = m.number(code.src_start), src_stride = m.number(code.src_stride);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      const std::byte* from = m.element(code.src, src_start + r * src_stride + c, code.size);
      std::byte* to = m.element(code.dest, dest_start + c * dest_stride + r, code.size);
      std::memcpy(to, from, static_cast<size_t>(code.size));
    }
}

namespace {

// `group` becomes its inclusive scan, in the order that ScanBlock says.
void scan_group(core::BinFn op, uint64_t* group, int64_t length, int64_t part) {
  for (int64_t step = 1; step < part; step *= 2)
    for (int64_t k = length; k-- > 0;)
      if (k % part >= step) group[k] = op(group[k - step], group[k]);
  const auto add_last = [&](int64_t from, int64_t to) {
    const uint64_t last = group[from * part + part - 1];
    for (int64_t k = to * part; k < (to + 1) * part; ++k) group[k] = op(last, group[k]);
  };
  add_last(0, 1);
  add_last(2, 3);
  add_last(1, 2);
  add_last(1, 3);
}

}  // namespace

void run_scan(Machine& m, const Instr& i) {
  const auto& code = *static_cast<const ScanCode*>(i.node);
  const int size = prim_size(code.type);
  const int64_t count = m.number(code.count);
  if (count <= 0) return;
  const std::byte* from = m.elements(code.src, m.number(code.src_start), count, size);
  std::byte* to = m.elements(code.dest, m.number(code.start), count, size);
  std::byte* carry = m.element(code.carry, 0, size);
  if (to != from && to < from + count * size && from < to + count * size)
    m.wrong("scans between places that overlap");
  uint64_t before = load_bits(carry, size);
  // Integers may be added in any order.
  const int64_t group = is_float(code.type) ? 64 / size : 1;
  int64_t k = 0;
  while (k < count) {
    uint64_t values[16];
    const int64_t length = count - k >= group ? group : 1;
    for (int64_t e = 0; e < length; ++e) values[e] = load_bits(from + (k + e) * size, size);
    if (length > 1) scan_group(code.op, values, length, 16 / size);
    for (int64_t e = 0; e < length; ++e) {
      values[e] = code.op(before, values[e]);
      store_bits(to + (k + e) * size, size, values[e]);
    }
    before = values[length - 1];
    k += length;
  }
  store_bits(carry, size, before);
}

void run_scan_rows(Machine& m, const Instr& i) {
  const auto& code = *static_cast<const ScanCode*>(i.node);
  const int size = prim_size(code.type);
  const int64_t count = m.number(code.count), length = m.number(code.length);
  if (count <= 0) return;
  if (length < 1 || length > kLongestScanRow) m.wrong(fmt::format("has rows of {}", length));
  const std::byte* from = m.elements(code.src, m.number(code.src_start), count, size);
  std::byte* to = m.elements(code.dest, m.number(code.start), count, size);
  uint64_t before = 0;
  for (int64_t k = 0; k < count; ++k) {
    const uint64_t value = load_bits(from + k * size, size);
    before = k % length == 0 ? value : code.op(before, value);
    store_bits(to + k * size, size, before);
  }
}

void run_earlier(Machine& m, const Instr& i) {
  const auto& code = *static_cast<const EarlierCode*>(i.node);
  const int64_t index = m.number(code.index), by = m.number(code.by);
  const uint64_t value = m.slot(code.value), none = m.slot(code.none);
  store_bits(m.element(code.block, index, code.size), code.size, value);
  m.slot(code.name) =
      index < by ? none : load_bits(m.element(code.block, index - by, code.size), code.size);
}

void run_collect(Machine& m, const Instr& i) {
  const auto& code = *static_cast<const CollectCode*>(i.node);
  const bool holds = m.slot(code.cond) != 0;
  const int64_t next = m.number(code.next);
  // What is there may be overwritten in any case, so it is.
  constexpr uint64_t kNothing = 0xc5c5c5c5c5c5c5c5;
  for (const CollectCode::Member& each : code.members)
    store_bits(m.elements(each.block, next, kCollectRoom, each.size), each.size,
               holds ? m.slot(each.value) : kNothing);
  if (holds) ++m.slot(code.next);
}

}  // namespace skald::imp::interp
