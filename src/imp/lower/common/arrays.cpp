// SPDX-License-Identifier: Apache-2.0
// Addresses, copies, and the nodes that fill arrays.
#include "core/ir/visit.h"
#include "imp/lower/common/function.h"
#include "machine/cache_shares.h"

namespace skald::imp {

using core::as;
using core::DimSlice;
using core::MemLoc;

namespace {

// Copies and fills of fewer bytes are not worth a task.
constexpr int64_t kPieceBytes = 256 << 10;

}  // namespace

const ArrayPlace* FunctionLowering::find_place(Name array) const {
  const auto other = alias.find(array);
  const auto found = arrays.find(other == alias.end() ? array : std::get<Name>(other->second));
  return found == arrays.end() ? nullptr : &found->second;
}

const ArrayPlace& FunctionLowering::place(Name array) const {
  const ArrayPlace* found = find_place(array);
  SKALD_CHECK(found != nullptr, "no place for the array {}", prog.names.text(array));
  return *found;
}

void FunctionLowering::remember(const core::Param& param) {
  if (!param.type.is_array()) return;
  SKALD_CHECK(param.mem.size() == 1, "no memory for the array {}", prog.names.text(param.name));
  ArrayPlace place{param.type, param.mem[0]};
  for (Operand& dim : place.type.shape) dim = value(dim);
  place.loc.block = block(place.loc.block);
  place.loc.offset = value(place.loc.offset);
  for (Operand& stride : place.loc.strides) stride = value(stride);
  arrays[param.name] = std::move(place);
}

std::vector<Operand> strides(Code& code, const ArrayPlace& array) {
  if (!array.loc.strides.empty()) return array.loc.strides;
  std::vector<Operand> result(array.type.shape.size());
  Operand stride = const_i64(1);
  for (size_t k = array.type.shape.size(); k-- > 0;) {
    result[k] = stride;
    if (k > 0) stride = code.mul_i64(stride, array.type.shape[k]);
  }
  return result;
}

Operand address(Code& code, const ArrayPlace& array, const std::vector<Operand>& indices) {
  Operand at = const_i64(0);
  if (array.loc.strides.empty()) {
    // Horner's rule: ((i * d1 + j) * d2 + k) …
    for (size_t k = 0; k < indices.size(); ++k) {
      if (k > 0) at = code.mul_i64(at, array.type.shape[k]);
      at = code.add_i64(at, indices[k]);
    }
  } else {
    for (size_t k = 0; k < indices.size(); ++k)
      at = code.add_i64(at, code.mul_i64(indices[k], array.loc.strides[k]));
  }
  return code.add_i64(array.loc.offset, at);
}

ArrayPlace FunctionLowering::slice(Code& code, const ArrayPlace& array,
                                   const std::vector<DimSlice>& slice) {
  const std::vector<Operand> from = strides(code, array);
  ArrayPlace result{{core::Type::kArray, array.type.elem, {}, {}, array.type.space},
                    {array.loc.block, array.loc.offset}};
  bool dense = array.loc.strides.empty();
  std::vector<Operand> kept;
  for (size_t k = 0; k < array.type.shape.size(); ++k) {
    if (k >= slice.size()) {
      result.type.shape.push_back(array.type.shape[k]);
      kept.push_back(from[k]);
      continue;
    }
    const DimSlice& s = slice[k];
    result.loc.offset = code.add_i64(result.loc.offset, code.mul_i64(value(s.start), from[k]));
    if (s.is_index) {
      dense = dense && kept.empty();
      continue;
    }
    dense = dense && kept.empty() && s.stride == Operand{const_i64(1)};
    result.type.shape.push_back(value(s.count));
    kept.push_back(code.mul_i64(value(s.stride), from[k]));
  }
  if (!dense) result.loc.strides = std::move(kept);
  return result;
}

ArrayPlace FunctionLowering::part(Code& code, const ArrayPlace& array,
                                  const std::vector<Operand>& indices) {
  std::vector<DimSlice> fixed;
  for (const Operand& index : indices) fixed.push_back({true, index});
  return slice(code, array, fixed);
}

Operand element_count(Code& code, const core::Type& type) {
  Operand count = const_i64(1);
  for (const Operand& dim : type.shape) count = code.mul_i64(count, dim);
  return count;
}

Operand load(Code& code, const ArrayPlace& array, const std::vector<Operand>& indices,
             std::string_view base) {
  return code.load(array.type.elem, array.loc.block, address(code, array, indices), base);
}

void FunctionLowering::store(Code& code, const ArrayPlace& dest,
                             const std::vector<Operand>& indices, const Operand& stored) {
  if (indices.size() == dest.type.shape.size()) {
    target.once(*this, code, [&](Code& one) {
      one.add(Store{dest.type.elem, dest.loc.block, address(one, dest, indices), value(stored)});
    });
    return;
  }
  copy(code, part(code, dest, indices), place(std::get<Name>(stored)));
}

void FunctionLowering::for_each_index(
    Code& code, const std::vector<Operand>& shape, core::Space space,
    const std::function<void(Code&, const std::vector<Operand>&)>& visit) {
  const auto by_number = [&](Code& inner, const Operand& i) {
    visit(inner, unflatten(inner, i, shape));
  };
  if (target.spreads(*this, space)) {
    Operand count = const_i64(1);
    for (const Operand& dim : shape) count = code.mul_i64(count, dim);
    return target.spread(*this, code, count, by_number);
  }
  std::vector<Operand> indices;
  const std::function<void(Code&, size_t)> level = [&](Code& at, size_t k) {
    if (k == shape.size()) return visit(at, indices);
    const auto inside = [&](Code& inner, const Operand& i) {
      indices.push_back(i);
      level(inner, k + 1);
      indices.pop_back();
    };
    if (k > 0 || parallel_depth > 0) return at.loop(const_i64(0), shape[k], inside);
    ++parallel_depth;
    // Rows of unknown length; elements cost next to nothing.
    at.parallel_for(shape[k], const_i64(shape.size() == 1 ? kPieceBytes / 8 : 0), inside);
    --parallel_depth;
  };
  level(code, 0);
}

// The elements of a dense array in pieces `begin`, `count`: one inside kernels, several at a time
// in host code.
void FunctionLowering::in_pieces(
    Code& code, const core::Type& type,
    const std::function<void(Code&, const Operand&, const Operand&)>& piece) {
  const Operand count = element_count(code, type);
  const core::Const* known = core::as_const(count);
  const int64_t grain = kPieceBytes / prim_size(type.elem);
  if (target.has_whole_copies(*this) || parallel_depth > 0 ||
      (known != nullptr && core::int_value(*known) <= grain))
    return piece(code, const_i64(0), count);
  code.parallel_range(count, const_i64(grain),
                      [&](Code& at, const Operand& begin, const Operand& end) {
                        piece(at, begin, at.sub_i64(end, begin));
                      });
}

void FunctionLowering::copy(Code& code, const ArrayPlace& dest, const ArrayPlace& src) {
  if (dest.loc == src.loc) return;
  const Operand width = const_i64(prim_size(dest.type.elem));
  if (dest.loc.strides.empty() && src.loc.strides.empty() && target.in_group()) {
    target.spread(*this, code, element_count(code, dest.type), [&](Code& at, const Operand& i) {
      const Operand element =
          at.load(src.type.elem, src.loc.block, at.add_i64(src.loc.offset, i), "x");
      at.add(Store{dest.type.elem, dest.loc.block, at.add_i64(dest.loc.offset, i), element});
    });
    return;
  }
  if (dest.loc.strides.empty() && src.loc.strides.empty()) {
    in_pieces(code, dest.type, [&](Code& at, const Operand& begin, const Operand& count) {
      at.add(CopyBytes{dest.loc.block, at.mul_i64(at.add_i64(dest.loc.offset, begin), width),
                       src.loc.block, at.mul_i64(at.add_i64(src.loc.offset, begin), width),
                       at.mul_i64(count, width)});
    });
    return;
  }
  if (dest.type.space != src.type.space) return copy_between_spaces(code, dest, src);
  if (target.copy(*this, code, dest, src)) return;
  for_each_index(
      code, dest.type.shape, dest.type.space, [&](Code& inner, const std::vector<Operand>& at) {
        const Operand element = load(inner, src, at, "x");
        inner.add(Store{dest.type.elem, dest.loc.block, address(inner, dest, at), element});
      });
}

// Only dense arrays go from one space to another: the others are put in order before or after.
void FunctionLowering::copy_between_spaces(Code& code, const ArrayPlace& dest,
                                           const ArrayPlace& src) {
  const bool from_dense = src.loc.strides.empty();
  const ArrayPlace& uneven = from_dense ? dest : src;
  const Operand bytes =
      code.mul_i64(element_count(code, uneven.type), const_i64(prim_size(uneven.type.elem)));
  const ArrayPlace between{uneven.type,
                           {code.alloc(temporary(uneven.type.space), bytes, "in_order")}};
  copy(code, between, src);
  copy(code, dest, between);
  code.add(Free{between.loc.block});
}

size_t contiguous_elsewhere(const ArrayPlace& dest, const ArrayPlace& src) {
  const Operand one = const_i64(1);
  const size_t last = dest.type.shape.size() - 1;
  if (!dest.loc.strides.empty() && !(dest.loc.strides[last] == one)) return last;
  if (src.loc.strides[last] == one) return last;
  size_t along = 0;
  while (along < last && !(src.loc.strides[along] == one)) ++along;
  return along;
}

// Inside one block the two places may overlap; then the elements go through a copy.
void FunctionLowering::copy_overlapping(Code& code, const ArrayPlace& dest, const ArrayPlace& src) {
  if (dest.loc == src.loc || !(dest.loc.block == src.loc.block)) return copy(code, dest, src);
  const Operand bytes =
      code.mul_i64(element_count(code, src.type), const_i64(prim_size(src.type.elem)));
  const Name block = code.alloc(temporary(src.type.space), bytes, "copy");
  const ArrayPlace between{src.type, {block}};
  copy(code, between, src);
  copy(code, dest, between);
  if (parallel_depth == 0) code.add(Free{block});
}

void FunctionLowering::if_streamed(Code& code, const core::Type& result,
                                   const std::function<void(Code&)>& large,
                                   const std::function<void(Code&)>& otherwise) {
  if (!options.streams || !target.has_vectors()) return otherwise(code);
  const int64_t most = machine::streamed_result(options.caches) / prim_size(result.elem);
  code.branch(code.less_i64(const_i64(most - 1), element_count(code, result)), large, otherwise);
}

void FunctionLowering::fill(Code& code, const ArrayPlace& dest, const Operand& stored) {
  if (dest.loc.strides.empty() && !target.in_group()) {
    in_pieces(code, dest.type, [&](Code& at, const Operand& begin, const Operand& count) {
      at.add(Fill{dest.type.elem, dest.loc.block, at.add_i64(dest.loc.offset, begin), count,
                  value(stored)});
    });
    return;
  }
  for_each_index(
      code, dest.type.shape, dest.type.space, [&](Code& inner, const std::vector<Operand>& at) {
        inner.add(Store{dest.type.elem, dest.loc.block, address(inner, dest, at), value(stored)});
      });
}

bool FunctionLowering::array_stmt(Code& code, const core::Stmt& stmt) {
  if (const core::Index* node = as<core::Index>(stmt.exp)) {
    if (stmt.pat[0].type.is_array()) return true;
    std::vector<Operand> at;
    for (const DimSlice& s : node->slice) at.push_back(value(s.start));
    const ArrayPlace& array = place(node->array);
    code.add(Load{stmt.pat[0].name, array.type.elem, array.loc.block, address(code, array, at)});
  } else if (const core::Update* node = as<core::Update>(stmt.exp)) {
    update(code, *node);
  } else if (const core::FlatUpdate* node = as<core::FlatUpdate>(stmt.exp)) {
    flat_update(code, *node);
  } else if (const core::ArrayLit* node = as<core::ArrayLit>(stmt.exp)) {
    const ArrayPlace dest = place(stmt.pat[0].name);
    for (size_t k = 0; k < node->elems.size(); ++k)
      store(code, dest, {const_i64(static_cast<int64_t>(k))}, node->elems[k]);
  } else if (const core::Concat* node = as<core::Concat>(stmt.exp)) {
    concat(code, place(stmt.pat[0].name), *node);
  } else if (const core::Iota* node = as<core::Iota>(stmt.exp)) {
    iota(code, place(stmt.pat[0].name), *node);
  } else if (const core::Replicate* node = as<core::Replicate>(stmt.exp)) {
    replicate(code, place(stmt.pat[0].name), *node);
  } else if (const core::Copy* node = as<core::Copy>(stmt.exp)) {
    copy(code, place(stmt.pat[0].name), place(node->array));
  } else {
    // Views and scratch arrays need no code.
    return as<core::Reshape>(stmt.exp) != nullptr || as<core::Rearrange>(stmt.exp) != nullptr ||
           as<core::FlatIndex>(stmt.exp) != nullptr || as<core::Scratch>(stmt.exp) != nullptr;
  }
  return true;
}

void FunctionLowering::update(Code& code, const core::Update& node) {
  const ArrayPlace changed = slice(code, place(node.array), node.slice);
  if (changed.type.shape.empty())
    store(code, changed, {}, node.value);
  else
    copy_overlapping(code, changed, place(std::get<Name>(node.value)));
}

void FunctionLowering::flat_update(Code& code, const core::FlatUpdate& node) {
  const ArrayPlace array = place(node.array);
  const Operand step = strides(code, array)[0];
  ArrayPlace changed{
      place(node.value).type,
      {array.loc.block, code.add_i64(array.loc.offset, code.mul_i64(value(node.offset), step))}};
  for (const core::FlatDim& dim : node.dims)
    changed.loc.strides.push_back(code.mul_i64(value(dim.stride), step));
  copy_overlapping(code, changed, place(node.value));
}

void FunctionLowering::replicate(Code& code, const ArrayPlace& dest, const core::Replicate& node) {
  if (dest.type.shape.size() == node.shape.size()) return fill(code, dest, node.value);
  if (target.spreads(*this, dest.type.space)) {
    // The same row again and again, so that threads have elements and not rows.
    ArrayPlace rows = place(std::get<Name>(node.value));
    rows.loc.strides = strides(code, rows);
    rows.loc.strides.insert(rows.loc.strides.begin(), node.shape.size(), const_i64(0));
    rows.type.shape = dest.type.shape;
    return copy(code, dest, rows);
  }
  const std::vector<Operand> outer(
      dest.type.shape.begin(), dest.type.shape.begin() + static_cast<ptrdiff_t>(node.shape.size()));
  for_each_index(code, outer, dest.type.space, [&](Code& inner, const std::vector<Operand>& at) {
    store(inner, dest, at, node.value);
  });
}

void FunctionLowering::concat(Code& code, const ArrayPlace& dest, const core::Concat& node) {
  Operand start = const_i64(0);
  for (const Name name : node.arrays) {
    const ArrayPlace src = place(name);
    const auto dim = static_cast<size_t>(node.dim);
    std::vector<DimSlice> slices;
    for (size_t k = 0; k <= dim; ++k)
      slices.push_back({false, k == dim ? start : const_i64(0), src.type.shape[k], const_i64(1)});
    copy(code, slice(code, dest, slices), src);
    start = code.add_i64(start, src.type.shape[dim]);
  }
}

void FunctionLowering::iota(Code& code, const ArrayPlace& dest, const core::Iota& node) {
  for_each_index(
      code, dest.type.shape, dest.type.space, [&](Code& inner, const std::vector<Operand>& at) {
        Operand i = at[0];
        if (node.type != Prim::kI64)
          i = inner.let(node.type, core::Convert{Prim::kI64, node.type, i}, "i");
        const Operand scaled =
            inner.let(node.type, core::BinOp{BinOpKind::kMul, node.type, i, value(node.step)}, "x");
        const Operand element = inner.let(
            node.type, core::BinOp{BinOpKind::kAdd, node.type, value(node.start), scaled}, "x");
        inner.add(Store{node.type, dest.loc.block, address(inner, dest, at), element});
      });
}

}  // namespace skald::imp
