// SPDX-License-Identifier: Apache-2.0
// One step of a stencil of two or three dimensions.  A thread has four neighbouring columns of a
// row, which it loads and stores at once.  Rows above and below, and the columns beside, mostly
// come from the cache, where threads near by have brought them.  Of three dimensions it goes
// through some planes, and keeps its columns of the plane before, of this one and of the next one
// in registers.
//
// Nothing outside of the array is read: what lies there is the nearest value inside, and no point
// uses it.
#include <algorithm>

#include "core/ir/visit.h"
#include "imp/lower/gpu/launch.h"
#include "imp/lower/gpu/stencil/stencil.h"

namespace skald::imp {

namespace {

constexpr int64_t kColumnsOfThread = 4, kPlanesOfThread = 16;
// Fewer groups do not keep a device busy; narrower arrays leave too many threads without a point.
constexpr int64_t kLeastNearGroups = 512, kLeastColumns = 64, kLeastRows = 4;
constexpr size_t kMostOfPoint = 96;

class NearPoints {
 public:
  NearPoints(GpuKernel& gpu, Stencil stencil)
      : fn_(gpu.kernel.fn), kernel_(gpu.kernel), stencil_(std::move(stencil)) {}

  void write(Code& code, const Otherwise& otherwise);

 private:
  bool has_planes() const { return dims_.size() == 3; }
  const Operand& height() const { return dims_[dims_.size() - 2]; }
  const Operand& width() const { return dims_.back(); }
  // The shape of a group.
  int64_t threads_of_row() const { return has_planes() ? 32 : 64; }
  int64_t rows_of_group() const { return kGroupThreads / threads_of_row(); }
  // Distances of a value that is read.
  int64_t planes_to(const Offset& offset) const { return has_planes() ? offset[0] : 0; }
  static int64_t rows_to(const Offset& offset) { return offset[offset.size() - 2]; }
  static int64_t columns_to(const Offset& offset) { return offset.back(); }
  std::vector<Operand> indices(const Operand& plane, const Operand& row,
                               const Operand& column) const {
    return has_planes() ? std::vector<Operand>{plane, row, column}
                        : std::vector<Operand>{row, column};
  }

  void body(Code& code, Name group, Name thread);
  // All points of the thread; `wide`: rows lie at multiples of sixteen bytes.
  void march(Code& code, bool wide);
  // The own columns of a row, from the place of the first one on.
  void load_row(Code& code, Name room, const Operand& first, bool wide);
  void load_rows(Code& code, const Operand& plane, bool wide);
  void points(Code& code, const Operand& plane, bool wide);
  bool reads(int64_t row, int64_t column) const;
  Operand is_aligned(Code& code, const ArrayPlace& array);
  static Operand inside(Code& code, const Operand& index, const Operand& size) {
    const Operand last = code.sub_i64(size, const_i64(1));
    return code.min_i64(code.max_i64(index, const_i64(0)), last);
  }
  // The place of a row and a column of the first plane, moved inside.
  Operand place(Code& code, int64_t row, const Operand& column) const {
    const Operand j = inside(code, code.add_i64(row_, const_i64(row)), height());
    return address(code, fn_.place(stencil_.array),
                   indices(const_i64(0), j, inside(code, column, width())));
  }
  Name block() const { return fn_.block(fn_.place(stencil_.array).loc.block); }

  FunctionLowering& fn_;
  KernelWriter& kernel_;
  const Stencil stencil_;
  const std::vector<Operand>& dims_ = kernel_.facts.dims;
  const int64_t size_ = prim_size(stencil_.type);
  std::vector<Operand> tiles_;
  Operand first_plane_ = const_i64(0), row_ = const_i64(0), column_ = const_i64(0);
  Name before_ = {}, after_ = {}, made_ = {};
  std::vector<Name> rows_;  // above, this one and below, with a column on either side
};

bool NearPoints::reads(int64_t row, int64_t column) const {
  return std::ranges::any_of(stencil_.offsets, [&](const Offset& offset) {
    return planes_to(offset) == 0 && rows_to(offset) == row &&
           (column == 0 || columns_to(offset) == column);
  });
}

Operand NearPoints::is_aligned(Code& code, const ArrayPlace& array) {
  const Name begin = code.fresh("begin");
  code.add(Misaligned{begin, array.type.elem, fn_.block(array.loc.block)});
  const Operand first =
      code.add_i64(begin, address(code, array, indices(const_i64(0), row_, column_)));
  const Operand low = code.binop(BinOpKind::kAnd, first, const_i64(kWideBytes / size_ - 1), "low");
  return code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, low, const_i64(0)},
                  "aligned");
}

void NearPoints::load_row(Code& code, Name room, const Operand& first, bool wide) {
  if (wide) {
    const Operand from = code.mul_i64(first, const_i64(size_));
    for (int64_t at = 0; at < kColumnsOfThread * size_; at += kWideBytes)
      code.add(CopyBytes{room, const_i64(size_ + at), block(), code.add_i64(from, const_i64(at)),
                         const_i64(kWideBytes), false, false, stencil_.type});
    return;
  }
  for (int64_t c = 0; c < kColumnsOfThread; ++c)
    code.add(Store{stencil_.type, room, const_i64(c + 1),
                   code.load(stencil_.type, block(), code.add_i64(first, const_i64(c)), "value")});
}

void NearPoints::load_rows(Code& code, const Operand& plane, bool wide) {
  for (const int64_t row : {-1, 0, 1}) {
    if (!reads(row, 0)) continue;
    const Name room = rows_[static_cast<size_t>(row + 1)];
    // This one is there already.
    if (row != 0) load_row(code, room, code.add_i64(plane, place(code, row, column_)), wide);
    for (const int64_t side : {-1, 1}) {
      if (!reads(row, side)) continue;
      const Operand column = code.add_i64(column_, const_i64(side < 0 ? -1 : kColumnsOfThread));
      const Operand from = code.add_i64(plane, place(code, row, column));
      code.add(Store{stencil_.type, room, const_i64(side < 0 ? 0 : kColumnsOfThread + 1),
                     code.load(stencil_.type, block(), from, "beside")});
    }
  }
}

void NearPoints::points(Code& code, const Operand& plane, bool wide) {
  const ArrayPlace& to = kernel_.result_place(0);
  for (int64_t c = 0; c < kColumnsOfThread; ++c) {
    const ReadAt read = [&](Code& at, const Offset& offset) {
      const int64_t planes = planes_to(offset);
      const Name room = planes < 0   ? before_
                        : planes > 0 ? after_
                                     : rows_[static_cast<size_t>(rows_to(offset) + 1)];
      return at.load(stencil_.type, room, const_i64(c + 1 + columns_to(offset)), "near");
    };
    const std::vector<Operand> at = indices(plane, row_, code.add_i64(column_, const_i64(c)));
    const Operand value = stencil_point(fn_, code, kernel_.node, stencil_.array, at, read);
    code.add(Store{stencil_.type, made_, const_i64(c), value});
  }
  const Operand first = address(code, to, indices(plane, row_, column_));
  const Name dest = fn_.block(to.loc.block);
  if (wide) {
    const Operand bytes = code.mul_i64(first, const_i64(size_));
    for (int64_t at = 0; at < kColumnsOfThread * size_; at += kWideBytes)
      code.add(CopyBytes{dest, code.add_i64(bytes, const_i64(at)), made_, const_i64(at),
                         const_i64(kWideBytes), false, false, stencil_.type});
    return;
  }
  for (int64_t c = 0; c < kColumnsOfThread; ++c)
    code.add(Store{stencil_.type, dest, code.add_i64(first, const_i64(c)),
                   code.load(stencil_.type, made_, const_i64(c), "value")});
}

void NearPoints::march(Code& code, bool wide) {
  const Operand own = place(code, 0, column_);
  if (!has_planes()) {
    load_row(code, rows_[1], own, wide);
    load_rows(code, const_i64(0), wide);
    return points(code, const_i64(0), wide);
  }
  const Operand step = strides(code, fn_.place(stencil_.array))[0];
  const auto plane = [&](Code& at, const Operand& i) {
    return at.mul_i64(inside(at, i, dims_[0]), step);
  };
  const auto move = [&](Code& at, Name to, Name from) {
    for (int64_t c = 1; c <= kColumnsOfThread; ++c)
      at.add(Store{stencil_.type, to, const_i64(c),
                   at.load(stencil_.type, from, const_i64(c), "moved")});
  };
  const Operand previous = code.sub_i64(first_plane_, const_i64(1));
  load_row(code, before_, code.add_i64(plane(code, previous), own), wide);
  load_row(code, rows_[1], code.add_i64(plane(code, first_plane_), own), wide);
  const auto one = [&](Code& at, const Operand& number) {
    const Operand i = at.add_i64(first_plane_, number);
    const Operand next = plane(at, at.add_i64(i, const_i64(1)));
    load_row(at, after_, at.add_i64(next, own), wide);
    load_rows(at, plane(at, i), wide);
    points(at, i, wide);
    move(at, before_, rows_[1]);
    move(at, rows_[1], after_);
  };
  const Operand count =
      code.min_i64(const_i64(kPlanesOfThread), code.sub_i64(dims_[0], first_plane_));
  if (!wide) return code.loop(const_i64(0), count, one);
  // Two at a time, so that what the second one needs is under way; then what is left over.
  const Operand odd = code.binop(BinOpKind::kAnd, count, const_i64(1), "odd");
  const Operand even = code.sub_i64(count, odd);
  code.loop(
      const_i64(0), even,
      [&](Code& at, const Operand& number) {
        at.loop(
            const_i64(0), const_i64(2),
            [&](Code& inner, const Operand& k) { one(inner, inner.add_i64(number, k)); }, 1,
            LoopHint::kUnroll);
      },
      2);
  code.short_loop(even, count, one);
}

void NearPoints::body(Code& code, Name group, Name thread) {
  const auto room = [&](std::string_view name) {
    return code.alloc(Space::kPrivate, const_i64((kColumnsOfThread + 2) * size_), name);
  };
  for (const std::string_view name : {"above", "here", "below"}) rows_.push_back(room(name));
  if (has_planes()) {
    before_ = room("before");
    after_ = room("after");
  }
  made_ = code.alloc(Space::kPrivate, const_i64(kColumnsOfThread * size_), "made");
  const std::vector<Operand> at = unflatten(code, group, tiles_);
  if (has_planes()) first_plane_ = code.mul_i64(at[0], const_i64(kPlanesOfThread));
  const Operand row = code.binop(BinOpKind::kQuot, thread, const_i64(threads_of_row()), "row");
  const Operand column =
      code.binop(BinOpKind::kAnd, thread, const_i64(threads_of_row() - 1), "column");
  row_ = code.add_i64(code.mul_i64(at[at.size() - 2], const_i64(rows_of_group())), row);
  const Operand threads = code.mul_i64(at.back(), const_i64(threads_of_row()));
  column_ = code.mul_i64(code.add_i64(threads, column), const_i64(kColumnsOfThread));
  const Operand is_row = code.less_i64(row_, height());
  const Operand exists = code.both(is_row, code.less_i64(column_, width()), "exists");
  code.branch(exists, [&](Code& here) {
    const Operand from = is_aligned(here, fn_.place(stencil_.array));
    const Operand to = is_aligned(here, kernel_.result_place(0));
    here.branch(
        here.both(from, to, "wide"), [&](Code& wide) { march(wide, true); },
        [&](Code& narrow) { march(narrow, false); });
  });
}

void NearPoints::write(Code& code, const Otherwise& otherwise) {
  const auto at_least = [&](const Operand& size, int64_t least) {
    return code.less_i64(const_i64(least - 1), size);
  };
  tiles_.clear();
  Operand groups = const_i64(1);
  if (has_planes()) tiles_.push_back(pieces(code, dims_[0], const_i64(kPlanesOfThread)));
  tiles_.push_back(pieces(code, height(), const_i64(rows_of_group())));
  tiles_.push_back(pieces(code, width(), const_i64(threads_of_row() * kColumnsOfThread)));
  for (const Operand& count : tiles_) groups = code.mul_i64(groups, count);
  const Operand rest =
      code.binop(BinOpKind::kAnd, width(), const_i64(kColumnsOfThread - 1), "rest");
  const Operand even =
      code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, rest, const_i64(0)}, "even");
  const Operand large =
      code.both(at_least(height(), kLeastRows), at_least(width(), kLeastColumns), "large");
  const Operand many = code.both(large, at_least(groups, kLeastNearGroups), "many");
  code.branch(
      code.both(even, many, "near"),
      [&](Code& at) {
        Code inner(at.program());
        const Name group = at.fresh("group"), thread = at.fresh("thread");
        {
          const InKernel inside_kernel(fn_);
          body(inner, group, thread);
        }
        add_launch(at,
                   {group, thread, groups, const_i64(kGroupThreads), const_i64(0), inner.finish()});
      },
      otherwise);
}

// The array that the first load reads.
std::optional<Name> read_first(const core::Body& body) {
  std::optional<Name> found;
  for (const core::Stmt& stmt : body.stmts) {
    if (found) return found;
    if (const auto* index = core::as<core::Index>(stmt.exp)) return index->array;
    core::for_each_body(stmt.exp, [&](const core::Body& inner) {
      if (!found) found = read_first(inner);
    });
  }
  return found;
}

FoundStencil stencil_of(GpuKernel& gpu) {
  const core::Kernel& node = gpu.kernel.node;
  const size_t rank = node.domain.dims.size();
  if (node.domain.kind != core::Domain::kGrid || rank < 2 || rank > 3)
    return {std::nullopt, "there are not two or three dimensions"};
  if (!gpu.kernel.facts.scalar_code)
    return {std::nullopt, "points are more than scalar code that cannot fail"};
  if (node.sinks.size() != 1 || node.sinks[0].kind != core::Sink::kOut || node.guarded ||
      !node.post.empty() || node.pull.body.result.size() != 1)
    return {std::nullopt, "it makes something else than one array"};
  const std::optional<Name> array = read_first(node.pull.body);
  if (!array || gpu.kernel.fn.find_place(*array) == nullptr)
    return {std::nullopt, "points read no array"};
  const ArrayPlace& place = gpu.kernel.fn.place(*array);
  const ArrayPlace& result = gpu.kernel.result_place(0);
  if (place.type.shape != gpu.kernel.facts.dims)
    return {std::nullopt, "array and points have different sizes"};
  if (!place.loc.strides.empty() || !result.loc.strides.empty())
    return {std::nullopt, "rows do not lie one after the other"};
  if (place.type.elem != result.type.elem || prim_size(place.type.elem) < 4)
    return {std::nullopt, "values are not of one type of at least four bytes"};
  return find_stencil(node, *array, place.type.elem);
}

}  // namespace

WhyNot why_not_near_points(GpuKernel& gpu) {
  const FoundStencil found = stencil_of(gpu);
  if (!found.stencil) return found.why_not;
  if (found.stencil->reach != 1) return "points do not read their neighbours alone";
  if (found.stencil->operations > kMostOfPoint) return "points cost enough";
  if (std::ranges::any_of(found.stencil->offsets, [](const Offset& offset) {
        return offset.size() == 3 && offset[0] != 0 && (offset[1] != 0 || offset[2] != 0);
      }))
    return "points read across planes and rows at once";
  return std::nullopt;
}

void write_near_points(GpuKernel& gpu, Code& code, const Otherwise& otherwise) {
  NearPoints(gpu, *stencil_of(gpu).stencil).write(code, otherwise);
}

}  // namespace skald::imp
