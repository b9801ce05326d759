// SPDX-License-Identifier: Apache-2.0
#include "imp/lower/cpu/nest/blocks.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/edit/rename.h"
#include "core/ir/visit.h"

namespace skald::imp {

using core::as;
using core::Sink;

namespace {

// Bytes in a row of a block, and how many elements that may be.
constexpr int64_t kBlockRowBytes = 256;
constexpr int64_t kMostSide = 128;
// With more buffers of that size blocks are smaller; with many more they do not pay.
constexpr size_t kFewBuffers = 4, kMostBuffers = 16;
// Fewer points than this in either dimension are not worth a block.
constexpr int64_t kLeastSide = 8;
// Larger thunks are expensive enough as they are, and are not compiled twice.
constexpr size_t kMostThunkStatements = 200;
// Smaller ones are compiled a third time, for large results.
constexpr size_t kMostStreamedStatements = 24;
// Points worth a task.
constexpr int64_t kBlockTaskPoints = 1 << 14;

// Can all of it run for every point at any time?
bool never_fails(const core::Body& body) {
  for (const core::Stmt& stmt : body.stmts) {
    bool fine = as<core::Alloc>(stmt.exp) == nullptr && as<core::Assert>(stmt.exp) == nullptr &&
                as<core::Call>(stmt.exp) == nullptr && as<core::Update>(stmt.exp) == nullptr;
    core::for_each_body(stmt.exp,
                        [&](const core::Body& inner) { fine = fine && never_fails(inner); });
    if (!fine) return false;
  }
  return true;
}

class BlockedMap {
 public:
  explicit BlockedMap(KernelWriter& kernel) : kernel_(kernel), fn_(kernel.fn) {}

  // Finds what is read across the rows.
  bool plan(Code& code) {
    const core::Kernel& kernel = kernel_.node;
    if (!fn_.options.blocks || kernel.domain.kind == core::Domain::kSeg || kernel.guarded ||
        !kernel.post.empty() || kernel_.facts.dims.size() < 2)
      return false;
    const std::vector<core::Stmt>& stmts = kernel.pull.body.stmts;
    if (stmts.size() > kMostThunkStatements || !never_fails(kernel.pull.body)) return false;
    for (const core::Ret& ret : kernel.pull.results)
      if (!ret.type.is_scalar()) return false;
    for (const SinkInfo& info : kernel_.facts.sinks) {
      if (info.sink->kind != Sink::kOut) return false;
      for (size_t k = 0; k < static_cast<size_t>(info.sink->count); ++k) {
        const ArrayPlace& place = kernel_.result_place(info.results + k);
        if (!place.loc.strides.empty() && !is_one(place.loc.strides.back())) return false;
      }
    }
    last_ = kernel_.facts.dims.size() - 1;
    const std::vector<Access> accesses = kernel_.accesses(code);
    // The dimension along which most of them are contiguous.
    std::vector<size_t> votes(last_, 0);
    const auto is_across = [&](const Access& access, size_t along) {
      const std::optional<Operand>& step = access.steps[last_];
      return step && !is_zero(*step) && !is_one(*step) && access.steps[along] &&
             is_one(*access.steps[along]);
    };
    for (const Access& access : accesses)
      for (size_t along = 0; along < last_; ++along)
        if (is_across(access, along)) ++votes[along];
    along_ = static_cast<size_t>(std::max_element(votes.begin(), votes.end()) - votes.begin());
    if (votes[along_] == 0 || votes[along_] > kMostBuffers) return false;
    int widest = 1;
    for (const Access& access : accesses) {
      if (!is_across(access, along_)) continue;
      widest = std::max(widest, prim_size(stmts[access.stmt].pat[0].type.elem));
      reads_.push_back({access.stmt, *access.steps[last_]});
    }
    side_ = std::min(kMostSide, kBlockRowBytes / widest);
    if (reads_.size() > kFewBuffers) side_ /= 2;
    return true;
  }

  void write(Code& code, const Otherwise& otherwise) {
    const std::vector<Operand>& dims = kernel_.facts.dims;
    if (fn_.options.explain)
      fn_.options.explain(
          fmt::format("order: the map to {} reads {} array{} across its rows: blocks of {} x {} in "
                      "dimensions {} and {}",
                      fn_.prog.names.text(kernel_.stmt.pat[0].name), reads_.size(),
                      reads_.size() == 1 ? "" : "s", side_, side_, along_, last_));
    const auto large = [&](const Operand& dim) {
      return code.less_i64(const_i64(kLeastSide - 1), dim);
    };
    const Operand rows = large(dims[along_]), columns = large(dims[last_]);
    code.branch(
        code.both(rows, columns, "and"),
        [&](Code& at) {
          if (kernel_.node.pull.body.stmts.size() > kMostStreamedStatements)
            return all_blocks(at, false);
          fn_.if_streamed(
              at, kernel_.result_place(0).type, [&](Code& large) { all_blocks(large, true); },
              [&](Code& small) { all_blocks(small, false); });
        },
        otherwise);
  }

 private:
  struct Read {
    size_t stmt;
    Operand step;  // along the last dimension
  };
  static bool is_one(const Operand& o) { return o == Operand{const_i64(1)}; }
  static bool is_zero(const Operand& o) { return o == Operand{const_i64(0)}; }

  int64_t width(bool streamed) const { return streamed ? side_ / 2 : side_; }

  void all_blocks(Code& code, bool streamed) {
    const std::vector<Operand>& dims = kernel_.facts.dims;
    std::vector<Operand> blocks = dims;
    blocks[along_] = pieces(code, dims[along_], const_i64(side_));
    blocks[last_] = pieces(code, dims[last_], const_i64(width(streamed)));
    if (streamed) std::swap(blocks[along_], blocks[last_]);
    Operand count = const_i64(1);
    for (const Operand& dim : blocks) count = code.mul_i64(count, dim);
    const int64_t grain = std::max<int64_t>(1, kBlockTaskPoints / (side_ * width(streamed)));
    code.parallel_for(count, const_i64(grain), [&](Code& inner, const Operand& number) {
      std::vector<Operand> at = unflatten(inner, number, blocks);
      if (streamed) std::swap(at[along_], at[last_]);
      block(inner, std::move(at), streamed);
    });
  }

  void block(Code& code, std::vector<Operand> at, bool streamed) {
    const std::vector<Operand>& dims = kernel_.facts.dims;
    const Operand side = const_i64(width(streamed));
    const auto range = [&](size_t dim, int64_t most, Operand& begin, Operand& count) {
      begin = code.mul_i64(at[dim], const_i64(most));
      count = code.min_i64(const_i64(most), code.sub_i64(dims[dim], begin));
    };
    Operand row, rows, column, columns;
    range(along_, side_, row, rows);
    range(last_, width(streamed), column, columns);
    at[along_] = row;
    at[last_] = column;
    // Where element (0, 0) of a buffer would be if it began there.
    const Operand offset =
        code.sub_i64(const_i64(0), code.add_i64(code.mul_i64(row, side), column));
    core::Lambda thunk = core::copy_with_fresh_names(kernel_.node.pull, fn_.prog.names);
    for (const Read& read : reads_) {
      const core::Stmt& stmt = kernel_.node.pull.body.stmts[read.stmt];
      const Prim type = stmt.pat[0].type.elem;
      const Name buffer = code.alloc(Space::kScratch,
                                     const_i64(side_ * width(streamed) * prim_size(type)), "block");
      const auto [src, start] = kernel_.read_place(code, read.stmt, at);
      code.add(TransposeBlock{type, buffer, const_i64(0), side, src, start, fn_.value(read.step),
                              columns, rows});
      const Name array = code.fresh("transposed");
      fn_.arrays[array] = {{core::Type::kArray, type, {dims[along_], dims[last_]}},
                           {buffer, offset, {side, const_i64(1)}}};
      thunk.body.stmts[read.stmt].exp =
          core::Index{array, {{true, thunk.params[along_].name}, {true, thunk.params[last_].name}}};
    }
    // A row of each result, if it does not go to its place at once.
    std::vector<Name> collected(streamed ? thunk.results.size() : 0);
    for (size_t v = 0; v < collected.size(); ++v)
      collected[v] =
          code.alloc(Space::kScratch,
                     const_i64(width(streamed) * prim_size(thunk.results[v].type.elem)), "row");
    const Operand end = code.add_i64(column, columns);
    code.loop(row, code.add_i64(row, rows), [&](Code& lines, const Operand& i) {
      std::vector<Operand> indices = at;
      indices[along_] = i;
      lines.loop(
          column, end,
          [&](Code& inner, const Operand& j) {
            std::vector<Operand> point = indices;
            point[last_] = j;
            const std::vector<Operand> values = fn_.apply(inner, thunk, point);
            if (!streamed) return kernel_.direct_sinks(inner, point, values);
            const Operand place = inner.sub_i64(j, column);
            for (size_t v = 0; v < values.size(); ++v)
              inner.add(Store{thunk.results[v].type.elem, collected[v], place, values[v]});
          },
          1, LoopHint::kSimd);
      for (const SinkInfo& info : kernel_.facts.sinks)
        for (size_t k = 0; streamed && k < static_cast<size_t>(info.sink->count); ++k) {
          const ArrayPlace& result = kernel_.result_place(info.results + k);
          const Operand bytes = const_i64(prim_size(result.type.elem));
          const Operand start = address(lines, result, indices);
          const Operand offset = lines.mul_i64(start, bytes);
          lines.add(CopyBytes{result.loc.block, offset, collected[info.values + k], const_i64(0),
                              lines.mul_i64(columns, bytes), false, true});
        }
    });
  }

  KernelWriter& kernel_;
  FunctionLowering& fn_;
  size_t along_ = 0, last_ = 0;
  int64_t side_ = 0;
  std::vector<Read> reads_;
};

}  // namespace

WhyNot why_no_blocks(KernelWriter& kernel) {
  if (!kernel.fn.options.blocks) return "the order of loops is left as it is (--disable=order)";
  if (!kernel.facts.has_vectors) return "it runs on the host of a device";
  // Strides are computed on the way; not in the program if they are of no use.
  Code elsewhere(kernel.fn.prog);
  if (BlockedMap(kernel).plan(elsewhere)) return std::nullopt;
  return "it reads no arrays across their rows";
}

void write_blocks(KernelWriter& kernel, Code& code, const Otherwise& otherwise) {
  BlockedMap blocks(kernel);
  blocks.plan(code);
  blocks.write(code, otherwise);
}

}  // namespace skald::imp
