// SPDX-License-Identifier: Apache-2.0
// Points whose values do not come from the thunk: those that wait in buffers, and others.
#include "imp/lower/common/lane_code.h"
#include "imp/lower/kernel/writer.h"

namespace skald::imp {

PointsFrom::PointsFrom(KernelWriter& kernel, PointSource source)
    : kernel_(kernel), source_before_(std::move(kernel.source)), staged_before_(kernel.staged) {
  kernel.source = std::move(source);
}

PointsFrom::PointsFrom(KernelWriter& kernel, const Staged& staged)
    : PointsFrom(
          kernel, [&](Code& code, const std::vector<Operand>& indices, const PointBody& then) {
            const Operand j = code.sub_i64(indices.back(), staged.begin);
            std::vector<Operand> values;
            for (size_t v = 0; v < staged.buffers.size(); ++v)
              values.push_back(
                  code.load(kernel.node.pull.results[v].type.elem, staged.buffers[v], j, "kept"));
            if (!kernel.facts.is_seg) return then(code, indices, values);
            then(code, {code.add_i64(kernel.segment_begin(code, indices[0]), indices[1])}, values);
          }) {
  kernel.staged = &staged;
}

PointsFrom::~PointsFrom() {
  kernel_.source = std::move(source_before_);
  kernel_.staged = staged_before_;
}

void stage(KernelWriter& kernel, Code& code, const std::vector<Operand>& outer,
           const Operand& begin, const Operand& end, const Operand& base,
           const std::vector<Name>& buffers) {
  code.loop(
      begin, end,
      [&](Code& at, const Operand& i) {
        std::vector<Operand> indices = outer;
        indices.push_back(i);
        kernel.point(
            at, indices,
            [&](Code& here, const std::vector<Operand>&, const std::vector<Operand>& values) {
              for (size_t v = 0; v < values.size(); ++v)
                here.add(Store{kernel.node.pull.results[v].type.elem, buffers[v],
                               here.sub_i64(i, base), values[v]});
            });
      },
      1, has_loop(kernel.node.pull.body) ? LoopHint::kNone : LoopHint::kSimd);
}

}  // namespace skald::imp
