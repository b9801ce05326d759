// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/reduce/transposed.h"

#include <algorithm>

#include "core/edit/rename.h"

namespace skald::imp {

namespace {

// Squares of so many bytes on each side go through registers (imp::TransposeBlock).
constexpr int64_t kSquareBytes = 16;
// More arrays of short rows do not fit into the first cache.
constexpr size_t kMostRowReads = 4;

}  // namespace

Prim TransposedReads::read_type(size_t k) const {
  return kernel_->node.pull.body.stmts[reads_[k]].pat[0].type.elem;
}

std::optional<TransposedReads> TransposedReads::along(KernelWriter& kernel, Code& code,
                                                      int64_t width, int64_t longest) {
  if (!kernel.facts.has_vectors || kernel.facts.is_seg) return std::nullopt;
  const auto buffer = [&](Prim type) {
    return code.alloc(Space::kScratch, const_i64(width * longest * prim_size(type)), "columns");
  };
  const auto fits = [&](Prim type) { return width * prim_size(type) % kSquareBytes == 0; };
  TransposedReads made(kernel, width);
  made.staged_ = kernel.staged;
  if (made.staged_ != nullptr) {
    for (const core::Ret& ret : kernel.node.pull.results)
      if (!fits(ret.type.elem)) return std::nullopt;
    for (const core::Ret& ret : kernel.node.pull.results)
      made.buffers_.push_back(buffer(ret.type.elem));
    return made;
  }
  for (const Access& access : kernel.accesses(code)) {
    const Prim type = kernel.node.pull.body.stmts[access.stmt].pat[0].type.elem;
    if (!is_step(access.steps.back(), 1) || !fits(type)) continue;
    made.reads_.push_back(access.stmt);
    made.buffers_.push_back(buffer(type));
  }
  if (made.reads_.empty()) return std::nullopt;
  return made;
}

void TransposedReads::fill(Code& code, const std::vector<Operand>& outer, const Operand& first,
                           const Operand& stretch) {
  const Operand width = const_i64(width_);
  const auto transpose = [&](Prim type, Name to, Name from, const Operand& start) {
    code.add(TransposeBlock{type, to, const_i64(0), width, from, start, stretch, width, stretch});
  };
  if (staged_ != nullptr) {
    const Operand start = code.sub_i64(first, staged_->begin);
    for (size_t v = 0; v < buffers_.size(); ++v)
      transpose(kernel_->node.pull.results[v].type.elem, buffers_[v], staged_->buffers[v], start);
    return;
  }
  std::vector<Operand> at = outer;
  at.push_back(first);
  for (size_t k = 0; k < reads_.size(); ++k) {
    const auto [from, start] = kernel_->read_place(code, reads_[k], at);
    transpose(read_type(k), buffers_[k], from, start);
  }
}

PointSource TransposedReads::points() {
  return [this](Code& code, const std::vector<Operand>& indices, const PointBody& then) {
    const Operand place = code.add_i64(code.mul_i64(t_, const_i64(width_)), lane_);
    if (staged_ != nullptr) {
      std::vector<Operand> values;
      for (size_t v = 0; v < buffers_.size(); ++v)
        values.push_back(
            code.load(kernel_->node.pull.results[v].type.elem, buffers_[v], place, "kept"));
      return then(code, indices, values);
    }
    core::Lambda thunk = core::copy_with_fresh_names(kernel_->node.pull, kernel_->fn.prog.names);
    for (size_t k = 0; k < reads_.size(); ++k) {
      const Operand read = code.load(read_type(k), buffers_[k], place, "transposed");
      thunk.body.stmts[reads_[k]].exp = core::Value{read};
    }
    then(code, indices, kernel_->fn.apply(code, thunk, indices));
  };
}

std::optional<RowReads> find_row_reads(KernelWriter& kernel, Code& code) {
  if (!kernel.facts.has_vectors || kernel.facts.is_seg || kernel.facts.dims.size() != 2 ||
      !kernel.facts.only_straight_reductions)
    return std::nullopt;
  RowReads found;
  for (const Access& access : kernel.accesses(code)) {
    const std::optional<Operand>& across = access.steps[0];
    if (is_step(across, 0) || is_step(across, 1)) continue;
    const Prim type = kernel.node.pull.body.stmts[access.stmt].pat[0].type.elem;
    if (!across || !is_step(access.steps[1], 1) || prim_size(type) > kSquareBytes / 4)
      return std::nullopt;
    found.reads.push_back(access.stmt);
    found.steps.push_back(*across);
    found.shortest = std::max(found.shortest, kSquareBytes / prim_size(type));
  }
  if (found.reads.empty() || found.reads.size() > kMostRowReads) return std::nullopt;
  return found;
}

TransposedReads TransposedReads::of_rows(KernelWriter& kernel, Code& code, const RowReads& found,
                                         const Operand& first, int64_t longest) {
  TransposedReads made(kernel, kLanes);
  made.reads_ = found.reads;
  const Operand width = const_i64(kLanes);
  for (size_t k = 0; k < found.reads.size(); ++k) {
    const Prim type = made.read_type(k);
    const auto [from, start] = kernel.read_place(code, found.reads[k], {first, const_i64(0)});
    made.buffers_.push_back(
        code.alloc(Space::kScratch, const_i64(kLanes * longest * prim_size(type)), "columns"));
    code.add(TransposeBlock{type, made.buffers_[k], const_i64(0), width, from, start,
                            kernel.fn.value(found.steps[k]), width, kernel.facts.dims.back()});
  }
  return made;
}

}  // namespace skald::imp
