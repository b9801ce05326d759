// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/gpu/kernel.h"

#include "imp/lower/gpu/launch.h"

namespace skald::imp {

using core::Sink;

void GpuKernel::count_points(Code& code) {
  if (std::exchange(counted_, true)) return;
  const std::vector<Operand>& dims = kernel.facts.dims;
  if (is_seg()) {
    segments = dims[0];
    total = dims[1];
    return;
  }
  for (size_t k = 0; k + 1 < dims.size(); ++k) segments = code.mul_i64(segments, dims[k]);
  length = dims.back();
  total = code.mul_i64(segments, length);
}

void GpuKernel::write_point(Code& code, const GpuPoint& at) {
  kernel.point(code, at.indices,
               [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
                 direct(here, at, values);
               });
}

void GpuKernel::map_points(Code& code) {
  launch_for(kernel.fn, code, total,
             [&](Code& inner, const Operand& i) { write_point(inner, point_at(inner, i)); });
}

GpuPoint GpuKernel::point_at(Code& code, const Operand& number) {
  if (!is_seg()) {
    const std::vector<Operand> indices = unflatten(code, number, kernel.facts.dims);
    return {indices, indices, number};
  }
  const Operand segment = find_segment(code, number);
  return {{segment, code.sub_i64(number, offset(code, segment)), number}, {number}, number};
}

Operand GpuKernel::offset(Code& code, const Operand& segment) {
  return load(code, kernel.fn.place(kernel.node.domain.offsets[0]), {segment}, "offset");
}

// The last segment that begins at or before a point, by bisection.
Operand GpuKernel::find_segment(Code& code, const Operand& flat) {
  const Name low = code.var(Prim::kI64, const_i64(0), "low");
  const Name high = code.var(Prim::kI64, segments, "high");
  const auto far_apart = [&](Code& at) { return at.less_i64(at.add_i64(low, const_i64(1)), high); };
  const Name more = code.var(Prim::kBool, far_apart(code), "more");
  Code inner(code.program());
  const Operand middle =
      inner.binop(BinOpKind::kQuot, inner.add_i64(low, high), const_i64(2), "middle");
  inner.branch(
      inner.less_i64(flat, offset(inner, middle)), [&](Code& at) { at.add(Assign{high, middle}); },
      [&](Code& at) { at.add(Assign{low, middle}); });
  inner.add(Assign{more, far_apart(inner)});
  code.add(While{more, inner.finish()});
  return code.let(Prim::kI64, core::Value{low}, "segment");
}

void GpuKernel::direct(Code& code, const GpuPoint& at, const std::vector<Operand>& values,
                       bool late) {
  for (size_t k = 0; k < kernel.facts.sinks.size(); ++k) {
    const SinkInfo& info = kernel.facts.sinks[k];
    if (info.sink->late != late) continue;
    if (info.sink->kind == Sink::kOut && kernel.node.post.empty())
      kernel.out_sink(code, info, at.place, values);
    if (info.sink->kind == Sink::kScatter) kernel.scatter_sink(code, info, values);
    if (info.sink->kind == Sink::kHist) update_hist(code, k, values);
  }
}

}  // namespace skald::imp
