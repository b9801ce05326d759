// SPDX-License-Identifier: Apache-2.0
// Kernels: every point of the domain, row by row, and what the sinks do with its values.
//
// With a post-body the results of the statement are those of the sinks other than kScan and kOut,
// in order, then one array for each output of the post-body that no late sink takes.  Points left
// out by the guard keep zeros (or whatever their place held) in the arrays over the domain.
#include "core/interp/machine.h"
#include "support/bug.h"

namespace skald::core::interp {

class KernelRun {
 public:
  KernelRun(Machine& machine, const KernelCode& code, Frame& f)
      : m_(machine), code_(code), f_(f), sinks_(code.sinks.size()) {}

  bool run() {
    if (!open_domain() || !open_sinks()) return false;
    for (int64_t row = 0; row < rows_; ++row)
      if (!run_row(row)) return false;
    return close_sinks();
  }

 private:
  // The results of one sink under construction.
  struct SinkState {
    size_t first_value = 0;               // among the results of the thunk or the post-body
    const Binding* dst = nullptr;         // its first result
    std::vector<Array> arrays = {};       // kOut, kScan: over the domain; kReduce: over the rows
    TargetState target = {};              // kScatter, kHist
    std::vector<int64_t> classes = {};    // kPartition
    std::vector<RowWriter> writers = {};  // kPartition
  };

  // ---- the domain

  bool open_domain() {
    const Dims dims = dims_at(code_.dims, f_);
    for (int64_t size : dims)
      if (size < 0) return m_.store_.fail(fmt::format("Unchecked size: {} is negative.", size));
    const int last = dims.size() - 1;
    switch (code_.domain) {
      case Domain::kFlat:
      case Domain::kGrid:
        shape_ = dims;
        outer_ = Dims(last);
        rows_ = 1;
        for (int d = 0; d < last; ++d) {
          outer_[d] = dims[d];
          if (__builtin_mul_overflow(rows_, dims[d], &rows_))
            return m_.store_.fail(
                fmt::format("Out of memory: a kernel over {}.", shape_text(dims)));
        }
        return true;
      case Domain::kSeg: return open_segments(dims);
    }
    return true;
  }

  bool open_segments(const Dims& dims) {
    shape_ = Dims(1);
    shape_[0] = dims[1];
    outer_ = Dims(1);
    outer_[0] = rows_ = dims[0];
    offsets_ = f_.arrays[code_.offsets];
    if (offsets_.shape[0] != dims[0] + 1)
      return m_.store_.fail(
          fmt::format("Unchecked shape: {} offsets for {} segments.", offsets_.shape[0], dims[0]));
    for (int64_t row = 0; row < rows_; ++row)
      if (offset(row) < 0 || offset(row) > offset(row + 1) || offset(row + 1) > dims[1])
        return m_.store_.fail(fmt::format("Unchecked offsets: segment {} is {} … {} of {}.", row,
                                          offset(row), offset(row + 1), dims[1]));
    return true;
  }
  int64_t offset(int64_t segment) const {
    return static_cast<int64_t>(
        load_bits(offsets_.data + segment * offsets_.step(0), offsets_.elem_size()));
  }

  // ---- sinks

  bool open_arrays(SinkState& state, const Binding* dst, const Dims& outer,
                   std::span<const Binding> types) {
    for (const Binding& type : types) {
      Array out;
      if (!m_.store_.output(*dst++, outer + dims_at(type.dims, f_), f_, out)) return false;
      state.arrays.push_back(std::move(out));
    }
    return true;
  }

  bool open_sinks() {
    size_t early = code_.guarded ? 1 : 0;
    const Binding* dst = code_.pat.data();
    for (size_t k = 0; k < sinks_.size(); ++k) {
      const SinkCode& sink = code_.sinks[k];
      SinkState& state = sinks_[k];
      const auto count = static_cast<size_t>(sink.count);
      SKALD_CHECK(!sink.late || code_.post, "interpreter: a late sink without a post-body");
      const LambdaCode& source = sink.late ? *code_.post : code_.pull;
      const std::vector<Binding>& types = source.results;
      size_t& value = sink.late ? late_ : early;
      state.first_value = value;
      state.dst = dst;
      SKALD_CHECK(value + count <= types.size(), "interpreter: a kernel gives too few values");
      const auto of_sink = std::span(types).subspan(value, count);
      value += count;
      switch (sink.kind) {
        case Sink::kOut:
        case Sink::kScan:
          if (code_.post) break;
          if (!open_arrays(state, dst, shape_, of_sink)) return false;
          dst += count;
          break;
        case Sink::kReduce:
          if (outer_.size() > 0 && !open_arrays(state, dst, outer_, of_sink)) return false;
          dst += count;
          break;
        case Sink::kScatter:
        case Sink::kHist:
          if (!m_.open_target(sink.target, f_, state.target)) return false;
          dst += sink.target.arrays.size();
          break;
        case Sink::kPartition:
          state.writers.resize(count - 1);
          for (size_t j = 0; j + 1 < count; ++j)
            if (!m_.open_output(nullptr, of_sink[j + 1],
                                source.code.results[state.first_value + j + 1], shape_[0], f_,
                                state.writers[j]))
              return false;
          dst += static_cast<size_t>(sink.classes) * count;
          break;
      }
    }
    if (code_.post &&
        !open_arrays(post_, dst, shape_, std::span(code_.post->results).subspan(late_)))
      return false;
    post_.dst = dst;
    return true;
  }

  // ---- points

  bool run_row(int64_t row) {
    for (const SinkCode& sink : code_.sinks)
      if (sink.op) Machine::start(*sink.op, f_);
    const bool seg = code_.domain == Domain::kSeg;
    const int last = shape_.size() - 1;
    const int64_t begin = seg ? offset(row) : 0;
    const int64_t length = seg ? offset(row + 1) - begin : shape_[last];
    Dims index(shape_.size());
    int64_t rest = row;
    for (int d = last - 1; d >= 0; --d) {
      index[d] = rest % shape_[d];
      rest /= shape_[d];
    }
    const std::vector<Binding>& params = code_.pull.params;
    for (int d = 0; d < last; ++d)
      f_.scalars[params[static_cast<size_t>(d)].slot] = static_cast<uint64_t>(index[d]);
    for (int64_t j = 0; j < length; ++j) {
      index[last] = begin + j;
      f_.scalars[params.back().slot] = static_cast<uint64_t>(begin + j);
      if (seg) {
        f_.scalars[params[0].slot] = static_cast<uint64_t>(row);
        f_.scalars[params[1].slot] = static_cast<uint64_t>(j);
      }
      if (!m_.run(code_.pull.code, f_)) return false;
      const std::vector<Use>& results = code_.pull.code.results;
      if (code_.guarded && f_.scalars[results[0].slot] == 0) continue;
      for (size_t k = 0; k < sinks_.size(); ++k)
        if (!code_.sinks[k].late && !feed(code_.sinks[k], sinks_[k], index)) return false;
      if (code_.post && !run_post(index)) return false;
    }
    Dims row_index(outer_.size());
    for (int d = 0; d < outer_.size(); ++d) row_index[d] = seg ? row : index[d];
    return store_reductions(row_index);
  }

  static int64_t bytes_at(const Array& array, const Dims& index) {
    int64_t bytes = 0;
    for (int d = 0; d < index.size(); ++d) bytes += index[d] * array.step(d);
    return bytes;
  }

  bool store(std::vector<Array>& arrays, const Dims& index, const Use* values) {
    for (Array& array : arrays)
      if (!m_.arrays_.write_at(array, bytes_at(array, index), index.size(), *values++, f_))
        return false;
    return true;
  }

  // The scanned or reduced values so far.
  static std::vector<Use> left_of(const OperatorCode& op) {
    std::vector<Use> uses;
    for (int k = 0; k < op.size(); ++k) {
      const Binding& left = op.fn.params[static_cast<size_t>(k)];
      uses.push_back({left.kind, left.slot});
    }
    return uses;
  }

  bool feed(const SinkCode& sink, SinkState& state, const Dims& index) {
    const LambdaCode& source = sink.late ? *code_.post : code_.pull;
    const Use* const values = source.code.results.data() + state.first_value;
    switch (sink.kind) {
      case Sink::kOut: return code_.post || store(state.arrays, index, values);
      case Sink::kReduce: return m_.feed(*sink.op, values, f_);
      case Sink::kScan: {
        if (!m_.feed(*sink.op, values, f_)) return false;
        if (code_.post) return true;
        for (size_t k = 0; k < state.arrays.size(); ++k) {
          Array& array = state.arrays[k];
          const Binding& left = sink.op->fn.params[k];
          if (!m_.arrays_.write_at(array, bytes_at(array, index), index.size(),
                                   {left.kind, left.slot}, f_))
            return false;
        }
        return true;
      }
      case Sink::kPartition: {
        state.classes.resize(static_cast<size_t>(index[0]), -1);
        state.classes.push_back(int_at(values[0].slot, f_));
        for (const RowWriter& writer : state.writers)
          if (!m_.write_row(writer, index[0], f_)) return false;
        return true;
      }
      case Sink::kScatter:
        if (sink.count == 3 && state.target.shape.size() == 1)
          return store_rows(state.target.arrays[0], values);
        return m_.write_target(state.target, values, values + state.target.shape.size(), f_);
      case Sink::kHist: {
        const size_t rank = state.target.shape.size(), each = rank + sink.target.arrays.size();
        for (size_t k = 0; k < static_cast<size_t>(sink.count); k += each)
          if (!m_.write_target(state.target, values + k, values + k + rank, f_)) return false;
        return true;
      }
    }
    return true;
  }

  // dest[place for length] = rows, if they fit.
  bool store_rows(const Array& dest, const Use* values) {
    const int64_t place = int_at(values[0].slot, f_);
    const int64_t length = int_at(values[1].slot, f_);
    if (place < 0 || length < 0 || place > dest.shape[0] - length) return true;
    Array part = dest;
    part.data += place * dest.step(0);
    part.shape[0] = length;
    return m_.arrays_.store_into(part, values[2], f_);
  }

  bool run_post(const Dims& index) {
    const Binding* to = code_.post->params.data();
    const auto give = [&](const Use& from) {
      put(to->kind, to->slot, from, f_);
      ++to;
    };
    for (const SinkCode& sink : code_.sinks)
      if (sink.kind == Sink::kScan)
        for (const Use& left : left_of(*sink.op)) give(left);
    for (size_t k = 0; k < sinks_.size(); ++k)
      if (code_.sinks[k].kind == Sink::kOut)
        for (int j = 0; j < code_.sinks[k].count; ++j)
          give(code_.pull.code.results[sinks_[k].first_value + static_cast<size_t>(j)]);
    if (!m_.run(code_.post->code, f_)) return false;
    for (size_t k = 0; k < sinks_.size(); ++k)
      if (code_.sinks[k].late && !feed(code_.sinks[k], sinks_[k], index)) return false;
    return store(post_.arrays, index, code_.post->code.results.data() + late_);
  }

  bool store_reductions(const Dims& row_index) {
    for (size_t k = 0; k < sinks_.size(); ++k) {
      const SinkCode& sink = code_.sinks[k];
      if (sink.kind != Sink::kReduce) continue;
      const std::vector<Use> values = left_of(*sink.op);
      if (outer_.size() > 0) {
        if (!store(sinks_[k].arrays, row_index, values.data())) return false;
        continue;
      }
      for (size_t j = 0; j < values.size(); ++j) {
        const Binding& dst = sinks_[k].dst[j];
        if (dst.kind == Kind::kArray && dst.place) {
          // A reduction to an array that has its place already.
          Array out;
          if (!m_.store_.placed(dst, f_.arrays[values[j].slot].shape, f_, out)) return false;
          copy_elements(out, f_.arrays[values[j].slot]);
          f_.arrays[dst.slot] = std::move(out);
        } else {
          put(dst.kind, dst.slot, values[j], f_);
        }
      }
    }
    return true;
  }

  void bind(const Binding* dst, std::vector<Array>& arrays) {
    for (Array& array : arrays) f_.arrays[(dst++)->slot] = std::move(array);
  }

  bool close_sinks() {
    release(code_.pull.params, f_);
    for (size_t k = 0; k < sinks_.size(); ++k) {
      const SinkCode& sink = code_.sinks[k];
      SinkState& state = sinks_[k];
      bind(state.dst, state.arrays);
      bind(state.dst, state.target.arrays);
      if (sink.op) release(sink.op->fn.params, f_);
      if (sink.target.op) release(sink.target.op->fn.params, f_);
      if (sink.kind != Sink::kPartition) continue;
      const auto results = static_cast<size_t>(sink.classes) * static_cast<size_t>(sink.count);
      if (!m_.distribute(state.classes, sink.classes, state.writers, std::span(state.dst, results),
                         f_))
        return false;
    }
    bind(post_.dst, post_.arrays);
    if (code_.post) release(code_.post->params, f_);
    return true;
  }

  Machine& m_;
  const KernelCode& code_;
  Frame& f_;
  Dims shape_;        // of arrays over the domain
  Dims outer_;        // of reductions
  int64_t rows_ = 0;  // how many reductions
  Array offsets_;
  std::vector<SinkState> sinks_;
  SinkState post_;
  size_t late_ = 0;  // the values of the post-body that late sinks take
};

bool Machine::kernel(const KernelCode& code, Frame& f) {
  return KernelRun(*this, code, f).run();
}

}  // namespace skald::core::interp
