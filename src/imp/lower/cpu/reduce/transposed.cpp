// SPDX-License-Identifier: Apache-2.0
// What lanes read that are stretches of one reduction (lanes.cpp, "in order"), or short rows.
//
// Lane l is at point first + l * stretch + t when all of them have done t points: an array that is
// contiguous along the points is read in steps of a whole stretch, element by element.  So a block
// of `lanes` stretches is transposed first, by vector registers, into a buffer that fits into the
// first cache; from there each step is one vector load.  Memory is read in its order this way.
//
//    stretch 0   a b c d …       a e i m …   step 0
//    stretch 1   e f g h …   →   b f j n …   step 1
//    stretch 2   i j k l …       c g k o …
//    stretch 3   m n o p …       d h l p …
#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "imp/lower/cpu/kernel/kernel_lowering.h"

namespace skald::imp {

namespace {

// Squares of so many bytes on each side go through registers (imp::TransposeBlock).
constexpr int64_t kSquareBytes = 16;
// More arrays of short rows do not fit into the first cache.
constexpr size_t kMostRowReads = 4;

}  // namespace

bool KernelLowering::start_transposed(Code& code, int64_t width, int64_t longest) {
  if (fn_.target_ != Target::kCpu || kernel_.domain.kind == core::Domain::kSeg) return false;
  const auto buffer = [&](Prim type) {
    return code.alloc(Space::kScratch, const_i64(width * longest * prim_size(type)), "columns");
  };
  const auto fits = [&](Prim type) { return width * prim_size(type) % kSquareBytes == 0; };
  Transposed made{.width = width};
  if (!staged_.empty()) {
    for (const core::Ret& ret : kernel_.pull.results)
      if (!fits(ret.type.elem)) return false;
    for (const core::Ret& ret : kernel_.pull.results) made.buffers.push_back(buffer(ret.type.elem));
  } else {
    for (const Access& access : accesses(code)) {
      const std::optional<Operand>& step = access.steps.back();
      const Prim type = kernel_.pull.body.stmts[access.stmt].pat[0].type.elem;
      if (!is_step(step, 1) || !fits(type)) continue;
      made.reads.push_back(access.stmt);
      made.buffers.push_back(buffer(type));
    }
    if (made.reads.empty()) return false;
  }
  transposed_ = std::move(made);
  return true;
}

void KernelLowering::transpose_points(Code& code, const std::vector<Operand>& outer,
                                      const Operand& first, const Operand& stretch) {
  const Operand width = const_i64(transposed_.width);
  const auto transpose = [&](Prim type, Name to, Name from, const Operand& start) {
    code.add(TransposeBlock{type, to, const_i64(0), width, from, start, stretch, width, stretch});
  };
  transposed_.in_use = true;
  if (!staged_.empty()) {
    const Operand start = code.sub_i64(first, staged_begin_);
    for (size_t v = 0; v < staged_.size(); ++v)
      transpose(kernel_.pull.results[v].type.elem, transposed_.buffers[v], staged_[v], start);
    return;
  }
  std::vector<Operand> at = outer;
  at.push_back(first);
  for (size_t k = 0; k < transposed_.reads.size(); ++k) {
    const size_t read = transposed_.reads[k];
    const auto [from, start] = read_place(code, read, at);
    transpose(kernel_.pull.body.stmts[read].pat[0].type.elem, transposed_.buffers[k], from, start);
  }
}

void KernelLowering::transposed_point(Code& code, const std::vector<Operand>& indices,
                                      const PointBody& then) {
  const Operand place =
      code.add_i64(code.mul_i64(transposed_.t, const_i64(transposed_.width)), transposed_.lane);
  std::vector<Operand> values;
  if (!staged_.empty()) {
    for (size_t v = 0; v < staged_.size(); ++v)
      values.push_back(
          code.load(kernel_.pull.results[v].type.elem, transposed_.buffers[v], place, "kept"));
    return then(code, indices, values);
  }
  core::Lambda thunk = core::copy_with_fresh_names(kernel_.pull, fn_.prog_.names);
  for (size_t k = 0; k < transposed_.reads.size(); ++k) {
    core::Stmt& stmt = thunk.body.stmts[transposed_.reads[k]];
    const Operand read =
        code.load(stmt.pat[0].type.elem, transposed_.buffers[k], place, "transposed");
    stmt.exp = core::Value{read};
  }
  then(code, indices, fn_.apply(code, thunk, indices));
}

std::optional<KernelLowering::RowReads> KernelLowering::reads_of_rows(Code& code) const {
  if (fn_.target_ != Target::kCpu || kernel_.domain.kind == core::Domain::kSeg ||
      dims_.size() != 2 || !can_use_lanes())
    return std::nullopt;
  RowReads found;
  for (const Access& access : accesses(code)) {
    const std::optional<Operand>& across = access.steps[0];
    if (is_step(across, 0) || is_step(across, 1)) continue;
    const Prim type = kernel_.pull.body.stmts[access.stmt].pat[0].type.elem;
    if (!across || !is_step(access.steps[1], 1) || prim_size(type) > kSquareBytes / 4)
      return std::nullopt;
    found.reads.push_back(access.stmt);
    found.steps.push_back(*across);
    found.shortest = std::max(found.shortest, kSquareBytes / prim_size(type));
  }
  if (found.reads.empty() || found.reads.size() > kMostRowReads) return std::nullopt;
  return found;
}

void KernelLowering::reduce_rows_in_lanes(Code& code, const RowReads& found, const Operand& first,
                                          int64_t longest) {
  const Operand width = const_i64(kLanes);
  transposed_ = {.width = kLanes, .reads = found.reads, .in_use = true};
  for (size_t k = 0; k < found.reads.size(); ++k) {
    const Prim type = kernel_.pull.body.stmts[found.reads[k]].pat[0].type.elem;
    const auto [from, start] = read_place(code, found.reads[k], {first, const_i64(0)});
    transposed_.buffers.push_back(
        code.alloc(Space::kScratch, const_i64(kLanes * longest * prim_size(type)), "columns"));
    code.add(TransposeBlock{type, transposed_.buffers[k], const_i64(0), width, from, start,
                            fn_.value(found.steps[k]), width, dims_.back()});
  }
  laned_ = sinks_;
  const Lanes lanes = start_lanes(code, kLanes);
  code.loop(const_i64(0), dims_.back(), [&](Code& at, const Operand& j) {
    feed_lanes(at, lanes, width, LoopHint::kSimd, [&](Code& here, const Operand& lane) {
      transposed_.t = j;
      transposed_.lane = lane;
      return std::vector<Operand>{here.add_i64(first, lane), j};
    });
  });
  transposed_ = {};
  code.loop(
      const_i64(0), width,
      [&](Code& at, const Operand& lane) {
        const Operand row = at.add_i64(first, lane);
        for (size_t k = 0; k < laned_.size(); ++k) {
          const std::vector<Operand> values = load_lane(at, lanes, k, lane);
          for (size_t v = 0; v < values.size(); ++v)
            fn_.store(at, result_place(laned_[k].results + v), {row}, values[v]);
        }
      },
      1, LoopHint::kSimd);
}

// The block and the place of what a statement of the thunk reads at the point `at`.
std::pair<Name, Operand> KernelLowering::read_place(Code& code, size_t read,
                                                    const std::vector<Operand>& at) {
  const std::vector<core::Stmt>& stmts = kernel_.pull.body.stmts;
  std::unordered_set<Name> wanted = core::free_names(stmts[read]);
  std::vector<const core::Stmt*> needed;
  for (size_t k = read; k-- > 0;) {
    const bool used = std::any_of(stmts[k].pat.begin(), stmts[k].pat.end(),
                                  [&](const core::Param& p) { return wanted.contains(p.name); });
    if (!used) continue;
    needed.insert(needed.begin(), &stmts[k]);
    for (const Name name : core::free_names(stmts[k])) wanted.insert(name);
  }
  core::Substitution subst;
  for (size_t k = 0; k < at.size(); ++k) subst[kernel_.pull.params[k].name] = at[k];
  for (const core::Stmt* stmt : needed)
    fn_.stmt(code, core::copy_with_fresh_names(*stmt, fn_.prog_.names, subst));
  const core::Stmt load = core::copy_with_fresh_names(stmts[read], fn_.prog_.names, subst);
  const auto* index = core::as<core::Index>(load.exp);
  const ArrayPlace& place = fn_.place(index->array);
  std::vector<Operand> indices;
  for (const core::DimSlice& s : index->slice) indices.push_back(fn_.value(s.start));
  return {place.loc.block, fn_.address(code, place, indices)};
}

}  // namespace skald::imp
