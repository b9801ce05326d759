// SPDX-License-Identifier: Apache-2.0
// Stencils of three dimensions.  A thread has four neighbouring columns of a row and goes through
// some planes: of these columns it keeps the plane before, this one and the next one in registers,
// so that most values come from memory once.  Rows above and below, and the columns beside, come
// from the cache, where threads near by have brought them.  Where rows lie at multiples of sixteen
// bytes, four columns are one access.
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
// Threads of a group along a row, and rows.
constexpr int64_t kThreadsOfRow = 32, kPlaneRows = kGroupThreads / kThreadsOfRow;
constexpr int64_t kPlaneColumns = kThreadsOfRow * kColumnsOfThread;
// Fewer groups do not keep a device busy; narrower arrays leave too many threads without a point.
constexpr int64_t kLeastPlaneGroups = 512, kLeastColumns = 64, kLeastRows = 4;
constexpr size_t kMostOfPoint = 96;

class Planes {
 public:
  Planes(GpuKernel& gpu, Stencil stencil)
      : fn_(gpu.kernel.fn), kernel_(gpu.kernel), stencil_(std::move(stencil)) {}

  void write(Code& code, const Otherwise& otherwise);

 private:
  void launch(Code& code);
  void body(Code& code, Name group, Name thread);
  // All planes of the thread; `wide`: rows lie at multiples of sixteen bytes.
  void march(Code& code, bool wide);
  // The own columns of this row, from the place of the first one on.
  void load_row(Code& code, Name room, const Operand& first, bool wide);
  void load_rows(Code& code, const Operand& plane, bool wide);
  void points(Code& code, const Operand& i, bool wide);
  bool reads(int64_t row, int64_t column) const;
  Operand is_wide(Code& code, const ArrayPlace& array);
  Operand inside(Code& code, const Operand& index, size_t d) const {
    const Operand last = code.sub_i64(dims_[d], const_i64(1));
    return code.min_i64(code.max_i64(index, const_i64(0)), last);
  }
  // The place of a row and a column of the first plane, moved inside.
  Operand place(Code& code, int64_t row, const Operand& column) const {
    return address(
        code, fn_.place(stencil_.array),
        {const_i64(0), inside(code, code.add_i64(j_, const_i64(row)), 1), inside(code, column, 2)});
  }

  FunctionLowering& fn_;
  KernelWriter& kernel_;
  const Stencil stencil_;
  const std::vector<Operand>& dims_ = kernel_.facts.dims;
  const int64_t size_ = prim_size(stencil_.type);
  std::vector<Operand> tiles_;
  Operand first_plane_ = const_i64(0), j_ = const_i64(0), l_ = const_i64(0);
  Name before_ = {}, after_ = {}, made_ = {};
  Name rows_[3] = {};  // above, this one and below, with a column on either side
};

bool Planes::reads(int64_t row, int64_t column) const {
  return std::ranges::any_of(stencil_.offsets, [&](const Offset& offset) {
    return offset[0] == 0 && offset[1] == row && (column == 0 || offset[2] == column);
  });
}

Operand Planes::is_wide(Code& code, const ArrayPlace& array) {
  const Name begin = code.fresh("begin");
  code.add(Misaligned{begin, array.type.elem, fn_.block(array.loc.block)});
  const Operand first = code.add_i64(begin, address(code, array, {const_i64(0), j_, l_}));
  const Operand low = code.binop(BinOpKind::kAnd, first,
                                 const_i64(kWideBytes / prim_size(array.type.elem) - 1), "low");
  return code.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, low, const_i64(0)},
                  "aligned");
}

void Planes::load_row(Code& code, Name room, const Operand& first, bool wide) {
  const Name block = fn_.block(fn_.place(stencil_.array).loc.block);
  if (wide) {
    const Operand from = code.mul_i64(first, const_i64(size_));
    for (int64_t at = 0; at < kColumnsOfThread * size_; at += kWideBytes)
      code.add(CopyBytes{room, const_i64(size_ + at), block, code.add_i64(from, const_i64(at)),
                         const_i64(kWideBytes), false, false, stencil_.type});
    return;
  }
  const Operand last = code.sub_i64(code.sub_i64(dims_[2], const_i64(1)), l_);
  for (int64_t c = 0; c < kColumnsOfThread; ++c) {
    const Operand column = code.min_i64(const_i64(c), last);
    code.add(Store{stencil_.type, room, const_i64(c + 1),
                   code.load(stencil_.type, block, code.add_i64(first, column), "value")});
  }
}

void Planes::load_rows(Code& code, const Operand& plane, bool wide) {
  const Name block = fn_.block(fn_.place(stencil_.array).loc.block);
  for (const int64_t row : {-1, 0, 1}) {
    if (!reads(row, 0)) continue;
    const Name room = rows_[row + 1];
    // This one is there already.
    if (row != 0) load_row(code, room, code.add_i64(plane, place(code, row, l_)), wide);
    for (const int64_t side : {-1, 1}) {
      if (!reads(row, side)) continue;
      const Operand column = code.add_i64(l_, const_i64(side < 0 ? -1 : kColumnsOfThread));
      code.add(Store{stencil_.type, room, const_i64(side < 0 ? 0 : kColumnsOfThread + 1),
                     code.load(stencil_.type, block, code.add_i64(plane, place(code, row, column)),
                               "beside")});
    }
  }
}

void Planes::points(Code& code, const Operand& i, bool wide) {
  const ArrayPlace& to = kernel_.result_place(0);
  for (int64_t c = 0; c < kColumnsOfThread; ++c) {
    const ReadAt read = [&](Code& at, const Offset& offset) {
      if (offset[0] != 0)
        return at.load(stencil_.type, offset[0] < 0 ? before_ : after_, const_i64(c + 1), "near");
      return at.load(stencil_.type, rows_[offset[1] + 1], const_i64(c + 1 + offset[2]), "near");
    };
    const Operand column = code.add_i64(l_, const_i64(c));
    const Operand value =
        stencil_point(fn_, code, kernel_.node, stencil_.array, {i, j_, column}, read);
    if (wide) {
      code.add(Store{to.type.elem, made_, const_i64(c), value});
      continue;
    }
    code.branch(code.less_i64(column, dims_[2]),
                [&](Code& at) { fn_.store(at, to, {i, j_, column}, value); });
  }
  if (!wide) return;
  const Operand first = code.mul_i64(address(code, to, {i, j_, l_}), const_i64(size_));
  for (int64_t at = 0; at < kColumnsOfThread * size_; at += kWideBytes)
    code.add(CopyBytes{fn_.block(to.loc.block), code.add_i64(first, const_i64(at)), made_,
                       const_i64(at), const_i64(kWideBytes), false, false, to.type.elem});
}

void Planes::march(Code& code, bool wide) {
  const Operand step = strides(code, fn_.place(stencil_.array))[0];
  const Operand own = place(code, 0, l_);
  const auto plane = [&](Code& at, const Operand& i) { return at.mul_i64(inside(at, i, 0), step); };
  const auto move = [&](Code& at, Name to, Name from) {
    for (int64_t c = 1; c <= kColumnsOfThread; ++c)
      at.add(Store{stencil_.type, to, const_i64(c),
                   at.load(stencil_.type, from, const_i64(c), "moved")});
  };
  const Operand previous = code.sub_i64(first_plane_, const_i64(1));
  load_row(code, before_, code.add_i64(plane(code, previous), own), wide);
  load_row(code, rows_[1], code.add_i64(plane(code, first_plane_), own), wide);
  const Operand count =
      code.min_i64(const_i64(kPlanesOfThread), code.sub_i64(dims_[0], first_plane_));
  code.loop(const_i64(0), count, [&](Code& at, const Operand& number) {
    const Operand i = at.add_i64(first_plane_, number);
    const Operand next = plane(at, at.add_i64(i, const_i64(1)));
    load_row(at, after_, at.add_i64(next, own), wide);
    load_rows(at, plane(at, i), wide);
    points(at, i, wide);
    move(at, before_, rows_[1]);
    move(at, rows_[1], after_);
  });
}

void Planes::body(Code& code, Name group, Name thread) {
  const auto room = [&](std::string_view name) {
    return code.alloc(Space::kPrivate, const_i64((kColumnsOfThread + 2) * size_), name);
  };
  before_ = room("before");
  after_ = room("after");
  for (Name& row : rows_) row = room("row");
  made_ = code.alloc(Space::kPrivate, const_i64(kColumnsOfThread * size_), "made");
  const std::vector<Operand> at = unflatten(code, group, tiles_);
  first_plane_ = code.mul_i64(at[0], const_i64(kPlanesOfThread));
  const Operand row = code.binop(BinOpKind::kQuot, thread, const_i64(kThreadsOfRow), "row");
  const Operand column =
      code.binop(BinOpKind::kAnd, thread, const_i64(kThreadsOfRow - 1), "column");
  j_ = code.add_i64(code.mul_i64(at[1], const_i64(kPlaneRows)), row);
  l_ = code.add_i64(code.mul_i64(at[2], const_i64(kPlaneColumns)),
                    code.mul_i64(column, const_i64(kColumnsOfThread)));
  const Operand exists =
      code.both(code.less_i64(j_, dims_[1]), code.less_i64(l_, dims_[2]), "exists");
  code.branch(exists, [&](Code& here) {
    if (size_ < 4) return march(here, false);
    const Operand whole =
        here.binop(BinOpKind::kAnd, dims_[2], const_i64(kColumnsOfThread - 1), "rest");
    const Operand even =
        here.let(Prim::kBool, core::CmpOp{CmpOpKind::kEq, Prim::kI64, whole, const_i64(0)}, "even");
    const Operand aligned = here.both(is_wide(here, fn_.place(stencil_.array)),
                                      is_wide(here, kernel_.result_place(0)), "aligned");
    here.branch(
        here.both(even, aligned, "wide"), [&](Code& wide) { march(wide, true); },
        [&](Code& narrow) { march(narrow, false); });
  });
}

void Planes::launch(Code& code) {
  Operand groups = const_i64(1);
  for (const Operand& count : tiles_) groups = code.mul_i64(groups, count);
  Code inner(code.program());
  const Name group = code.fresh("group"), thread = code.fresh("thread");
  {
    const InKernel inside_kernel(fn_);
    body(inner, group, thread);
  }
  add_launch(code, {group, thread, groups, const_i64(kGroupThreads), const_i64(0), inner.finish()});
}

void Planes::write(Code& code, const Otherwise& otherwise) {
  const Operand wide = code.less_i64(const_i64(kLeastColumns - 1), dims_[2]);
  const Operand high = code.less_i64(const_i64(kLeastRows - 1), dims_[1]);
  tiles_ = {pieces(code, dims_[0], const_i64(kPlanesOfThread)),
            pieces(code, dims_[1], const_i64(kPlaneRows)),
            pieces(code, dims_[2], const_i64(kPlaneColumns))};
  const Operand groups = code.mul_i64(code.mul_i64(tiles_[0], tiles_[1]), tiles_[2]);
  const Operand many = code.less_i64(const_i64(kLeastPlaneGroups - 1), groups);
  code.branch(
      code.both(code.both(wide, high, "large"), many, "in_planes"), [&](Code& at) { launch(at); },
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
  if (node.domain.kind != core::Domain::kGrid || node.domain.dims.size() != 3)
    return {std::nullopt, "there are not three dimensions"};
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
  if (place.type.elem != result.type.elem)
    return {std::nullopt, "points give values of another type"};
  return find_stencil(node, *array, place.type.elem);
}

}  // namespace

WhyNot why_no_planes(GpuKernel& gpu) {
  const FoundStencil found = stencil_of(gpu);
  if (!found.stencil) return found.why_not;
  if (found.stencil->reach != 1) return "points do not read their neighbours alone";
  if (found.stencil->operations > kMostOfPoint) return "points cost enough";
  if (std::ranges::any_of(found.stencil->offsets, [](const Offset& offset) {
        return offset[0] != 0 && (offset[1] != 0 || offset[2] != 0);
      }))
    return "points read across planes and rows at once";
  return std::nullopt;
}

void write_planes(GpuKernel& gpu, Code& code, const Otherwise& otherwise) {
  Planes(gpu, *stencil_of(gpu).stencil).write(code, otherwise);
}

}  // namespace skald::imp
