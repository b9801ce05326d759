// SPDX-License-Identifier: Apache-2.0
// Results whose sizes are known only afterwards: partition and flatmap.
#include "core/interp/machine.h"
#include "support/bug.h"

namespace skald::core::interp {

bool Machine::distribute(const std::vector<int64_t>& class_of, int classes,
                         const std::vector<RowWriter>& writers, std::span<const Binding> pat,
                         Frame& f) {
  std::vector<int64_t> sizes(static_cast<size_t>(classes));
  for (int64_t c : class_of)
    if (c >= 0 && c < classes) ++sizes[static_cast<size_t>(c)];
  // The types of the arrays mention the sizes.
  for (size_t c = 0; c < sizes.size(); ++c)
    f.scalars[pat[c].slot] = static_cast<uint64_t>(sizes[c]);
  const Binding* dst = pat.data() + classes;
  for (int64_t c = 0; c < classes; ++c) {
    for (const RowWriter& writer : writers) {
      Dims shape = writer.out.shape;
      shape[0] = sizes[static_cast<size_t>(c)];
      Array out;
      if (!store_.output(*dst, shape, f, out)) return false;
      int64_t to = 0;
      for (size_t i = 0; i < class_of.size(); ++i) {
        if (class_of[i] != c) continue;
        const auto from = static_cast<int64_t>(i);
        if (writer.kind == Kind::kScalar)
          store_bits(out.data + to * out.step(0), writer.size,
                     load_bits(writer.out.data + from * writer.step, writer.size));
        else
          copy_elements(row_of(out, to), row_of(writer.out, from));
        ++to;
      }
      f.arrays[(dst++)->slot] = std::move(out);
    }
  }
  return true;
}

bool Machine::partition(const PartitionCode& code, Frame& f) {
  int64_t width = 0;
  Readers readers(code.inputs.size());
  if (!open_rows(code, width, f, readers)) return false;
  const std::vector<Use>& results = code.fn.code.results;
  std::vector<RowWriter> writers(results.size() - 1);
  for (size_t k = 0; k < writers.size(); ++k)
    if (!open_output(nullptr, code.fn.results[k + 1], results[k + 1], width, f, writers[k]))
      return false;
  std::vector<int64_t> class_of;
  for (int64_t i = 0; i < width; ++i) {
    read_row(readers, i, f);
    if (!run(code.fn.code, f)) return false;
    class_of.push_back(int_at(results[0].slot, f));
    for (const RowWriter& writer : writers)
      if (!write_row(writer, i, f)) return false;
  }
  release(code.fn.params, f);
  return distribute(class_of, code.classes, writers, code.pat, f);
}

bool Machine::flat_map(const FlatMapCode& code, Frame& f) {
  int64_t width = 0;
  Readers readers(code.inputs.size());
  if (!open_rows(code, width, f, readers)) return false;
  const std::vector<Use>& results = code.fn.code.results;
  const auto data = static_cast<size_t>(code.data);

  // Pattern: m, lengths, flags, offsets, data …, further values …
  const Binding* const pat = code.pat.data();
  Binding i64_row{Kind::kScalar, 0, Prim::kI64};
  RowWriter lengths, offsets;
  if (!open_output(&pat[1], i64_row, {}, width, f, lengths)) return false;
  if (!open_output(&pat[3], i64_row, {}, width, f, offsets)) return false;
  std::vector<RowWriter> further(results.size() - 1 - data);
  for (size_t k = 0; k < further.size(); ++k)
    if (!open_output(&pat[4 + data + k], code.fn.results[1 + data + k], results[1 + data + k],
                     width, f, further[k]))
      return false;

  std::vector<std::vector<Array>> pieces(data);
  std::vector<int64_t> length_of;
  int64_t total = 0;
  for (int64_t i = 0; i < width; ++i) {
    read_row(readers, i, f);
    if (!run(code.fn.code, f)) return false;
    const int64_t length = int_at(results[0].slot, f);
    if (length < 0 || __builtin_add_overflow(total, length, &total))
      return store_.fail(fmt::format("Unchecked size: a row of length {}.", length));
    for (size_t k = 0; k < data; ++k) {
      pieces[k].push_back(take(results[1 + k], f));
      if (pieces[k].back().shape[0] != length)
        return store_.fail(fmt::format("Unchecked shape: a row of shape {} where the length is {}.",
                                       shape_text(pieces[k].back().shape), length));
    }
    for (const RowWriter& writer : further)
      if (!write_row(writer, i, f)) return false;
    store_bits(lengths.out.data + i * lengths.step, 8, static_cast<uint64_t>(length));
    store_bits(offsets.out.data + i * offsets.step, 8, static_cast<uint64_t>(total - length));
    length_of.push_back(length);
  }
  release(code.fn.params, f);

  f.scalars[pat[0].slot] = static_cast<uint64_t>(total);
  Dims flat(1);
  flat[0] = total;
  Array flags;
  if (!store_.output(pat[2], flat, f, flags)) return false;
  fill_elements(flags, 0);
  int64_t at = 0;
  for (int64_t length : length_of) {
    if (length > 0) store_bits(flags.data + at * flags.step(0), 1, 1);
    at += length;
  }
  for (size_t k = 0; k < data; ++k) {
    const Binding& dst = pat[4 + k];
    Array out;
    if (!store_.output(dst, dims_at(dst.dims, f), f, out)) return false;
    Array part = out;
    for (const Array& piece : pieces[k]) {
      part.shape[0] = piece.shape[0];
      if (part.shape != piece.shape)
        return store_.fail(fmt::format("Unchecked shape: a row of shape {} where {} is expected.",
                                       shape_text(piece.shape), shape_text(part.shape)));
      copy_elements(part, piece);
      part.data += piece.shape[0] * out.step(0);
    }
    part = {};
    f.arrays[dst.slot] = std::move(out);
  }
  f.arrays[pat[1].slot] = std::move(lengths.out);
  f.arrays[pat[2].slot] = std::move(flags);
  f.arrays[pat[3].slot] = std::move(offsets.out);
  for (size_t k = 0; k < further.size(); ++k)
    f.arrays[pat[4 + data + k].slot] = std::move(further[k].out);
  return true;
}

}  // namespace skald::core::interp
