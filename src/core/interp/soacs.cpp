// SPDX-License-Identifier: Apache-2.0
// Maps, reductions and scans: rows in, rows out, and operators folding from the left.
#include <algorithm>

#include "core/interp/machine.h"
#include "support/bug.h"

namespace skald::core::interp {

// ---- rows --------------------------------------------------------------------------------------

bool Machine::open_inputs(const std::vector<Use>& inputs, const LambdaCode& fn, int64_t width,
                          Frame& f, Readers& readers) {
  SKALD_CHECK(inputs.size() == fn.params.size(), "interpreter: {} inputs for {} parameters",
              inputs.size(), fn.params.size());
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Binding& param = fn.params[k];
    RowReader& reader = readers[k];
    if (inputs[k].kind == Kind::kAcc) {
      f.scalars[param.slot] = f.scalars[inputs[k].slot];
      continue;
    }
    const Array& array = f.arrays[inputs[k].slot];
    SKALD_CHECK(array.rank() == static_cast<int>(param.dims.size()) + 1,
                "interpreter: an input of rank {} for a parameter of rank {}", array.rank(),
                param.dims.size());
    if (array.shape[0] != width)
      return store_.fail(fmt::format("Unchecked shape: an input of {} rows where {} are expected.",
                                     array.shape[0], width));
    reader = {param.kind, param.slot, array.elem_size(), array.step(0), array.data, inputs[k].slot};
  }
  return true;
}

void Machine::read_row(const Readers& readers, int64_t i, Frame& f) {
  for (const RowReader& reader : readers) {
    if (reader.kind == Kind::kScalar)
      f.scalars[reader.to] = load_bits(reader.data + i * reader.step, reader.size);
    else if (reader.kind == Kind::kArray)
      f.arrays[reader.to] = row_of(f.arrays[reader.array], i);
  }
}

bool Machine::open_output(const Binding* dst, const Binding& row, const Use& from, int64_t width,
                          const Frame& f, RowWriter& writer) {
  writer.kind = row.kind;
  writer.from = from;
  if (row.kind != Kind::kScalar && row.kind != Kind::kArray) return true;
  Dims outer(1);
  outer[0] = width;
  const Dims shape = outer + dims_at(row.dims, f);
  const bool ok = dst != nullptr ? store_.output(*dst, shape, f, writer.out)
                                 : store_.allocate(row.elem, shape, writer.out);
  if (!ok) return false;
  writer.size = writer.out.elem_size();
  writer.step = writer.out.step(0);
  return true;
}

// ---- operators ---------------------------------------------------------------------------------

void Machine::start(const OperatorCode& op, Frame& f) {
  for (size_t k = 0; k < op.neutral.size(); ++k)
    put(op.fn.params[k].kind, op.fn.params[k].slot, op.neutral[k], f);
}

bool Machine::feed_general(const OperatorCode& op, const Use* values, Frame& f) {
  const size_t count = op.neutral.size();
  for (size_t k = 0; k < count; ++k) {
    const Binding& right = op.fn.params[count + k];
    put(right.kind, right.slot, values[k], f);
  }
  return run(op.fn.code, f) && store_.carry(op.carry, f);
}

// ---- the node ----------------------------------------------------------------------------------

bool Machine::soac_rows(const SoacCode& code, int64_t width, const Readers& readers,
                        const std::vector<RowWriter>& writers, Frame& f) {
  const Use* const results = code.fn.code.results.data();
  const size_t count = code.fn.code.results.size();
  for (int64_t i = 0; i < width; ++i) {
    read_row(readers, i, f);
    if (!run(code.fn.code, f)) return false;
    const Use* value = results;
    for (const OperatorCode& scan : code.scans) {
      if (!feed(scan, value, f)) return false;
      value += scan.size();
    }
    for (const OperatorCode& reduce : code.reduces) {
      if (!feed(reduce, value, f)) return false;
      value += reduce.size();
    }
    if (code.post) {
      size_t to = 0;
      const std::vector<Binding>& params = code.post->params;
      for (const OperatorCode& scan : code.scans)
        for (int k = 0; k < scan.size(); ++k, ++to) {
          const Binding& left = scan.fn.params[static_cast<size_t>(k)];
          put(params[to].kind, params[to].slot, {left.kind, left.slot}, f);
        }
      for (; value != results + count; ++value, ++to)
        put(params[to].kind, params[to].slot, *value, f);
      if (!run(code.post->code, f)) return false;
    }
    for (const RowWriter& writer : writers)
      if (!write_row(writer, i, f)) return false;
  }
  return true;
}

bool Machine::soac(const SoacCode& code, Frame& f) {
  int64_t width = 0;
  Readers readers(code.inputs.size());
  if (!open_rows(code, width, f, readers)) return false;
  for (const OperatorCode& scan : code.scans) start(scan, f);
  for (const OperatorCode& reduce : code.reduces) start(reduce, f);

  // Rows of a negative size cannot be made, and the body says why.
  const auto impossible = [&](const Binding& row) {
    return row.kind == Kind::kArray &&
           std::ranges::any_of(dims_at(row.dims, f), [](int64_t d) { return d < 0; });
  };
  if (width > 0 &&
      std::ranges::any_of(code.post ? code.post->results : code.fn.results, impossible))
    if (!soac_rows(code, width, readers, {}, f)) return false;

  // Where the arrays of the result come from: the post-body, or scans and further values.
  std::vector<RowWriter> writers;
  const Binding* dst = code.pat.data();
  for (const OperatorCode& reduce : code.reduces) dst += reduce.size();
  const auto add = [&](const Binding& row, const Use& from) {
    return open_output(dst++, row, from, width, f, writers.emplace_back());
  };
  if (code.post) {
    for (size_t k = 0; k < code.post->results.size(); ++k)
      if (!add(code.post->results[k], code.post->code.results[k])) return false;
  } else {
    size_t at = 0;
    for (const OperatorCode& scan : code.scans)
      for (int k = 0; k < scan.size(); ++k, ++at) {
        const Binding& left = scan.fn.params[static_cast<size_t>(k)];
        if (!add(code.fn.results[at], {left.kind, left.slot})) return false;
      }
    for (const OperatorCode& reduce : code.reduces) at += static_cast<size_t>(reduce.size());
    for (; at < code.fn.results.size(); ++at)
      if (!add(code.fn.results[at], code.fn.code.results[at])) return false;
  }

  if (!soac_rows(code, width, readers, writers, f)) return false;

  dst = code.pat.data();
  for (const OperatorCode& reduce : code.reduces)
    for (int k = 0; k < reduce.size(); ++k, ++dst) {
      const Binding& left = reduce.fn.params[static_cast<size_t>(k)];
      put(dst->kind, dst->slot, {left.kind, left.slot, true}, f);
    }
  // The accumulators among the results are those of the inputs, in order.
  const Use* acc = code.inputs.data();
  for (RowWriter& writer : writers) {
    if (writer.kind == Kind::kAcc) {
      while (acc->kind != Kind::kAcc) ++acc;
      f.scalars[dst->slot] = f.scalars[(acc++)->slot];
    } else if (writer.kind != Kind::kNone) {
      f.arrays[dst->slot] = std::move(writer.out);
    }
    ++dst;
  }
  release(code.fn.params, f);
  for (const OperatorCode& scan : code.scans) release(scan.fn.params, f);
  for (const OperatorCode& reduce : code.reduces) release(reduce.fn.params, f);
  if (code.post) release(code.post->params, f);
  return true;
}

}  // namespace skald::core::interp
