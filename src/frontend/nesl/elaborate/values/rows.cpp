// SPDX-License-Identifier: Apache-2.0
// Sequences with a row of their own for each element: what maps give, and what is stored anew.
#include <algorithm>

#include "frontend/nesl/elaborate/values/columns.h"
#include "frontend/nesl/elaborate/values/views.h"
#include "support/bug.h"

namespace skald::nesl {

namespace {

// What the parts of a value are; a sequence begins with kLength.
struct ValuePart {
  enum Kind : uint8_t { kScalar, kLength, kArray, kTotal };
  Kind kind = kScalar;
  Prim prim = Prim::kI64;
  size_t size = 0;         // kArray: the part that is its size
  bool is_starts = false;  // kArray: positions among the elements further inside
};

void add_value_parts(const Shape& shape, std::vector<ValuePart>& parts) {
  if (shape.is_scalar()) {
    parts.push_back({ValuePart::kScalar, prim_of(shape.kind)});
    return;
  }
  if (shape.kind != Shape::kSequence) {
    for (const ShapeRef& arg : shape.args) add_value_parts(*arg, parts);
    return;
  }
  const size_t length = parts.size();
  parts.push_back({ValuePart::kLength});
  for (const ColumnPart& part : column_layout(*shape.args[0])) {
    const size_t size = part.total < 0 ? length : length + 1 + static_cast<size_t>(part.total);
    if (part.kind == ColumnPart::kTotal)
      parts.push_back({ValuePart::kTotal});
    else
      parts.push_back({ValuePart::kArray, part.prim, size, part.kind == ColumnPart::kStarts});
  }
}

// A map in the making: the lambda, what its body gives for one element, and how the parts lie.
struct Rows {
  core::Lambda fn;
  std::vector<Name> inputs;
  Value value;
  std::vector<ValuePart> parts;
  std::vector<Operand> sizes;  // all different sizes of arrays
  uint32_t first_inner_name = 0;

  bool is_outer(const Operand& size) const {
    const Name* name = core::as_name(size);
    return name == nullptr || name->id < first_inner_name;
  }
  // All rows have sizes that are known before the map.
  bool is_regular() const {
    return std::ranges::all_of(sizes, [&](const Operand& size) { return is_outer(size); }) &&
           std::ranges::none_of(parts, [](const ValuePart& part) { return part.is_starts; });
  }
};

std::vector<Operand> regular_results(Rows& rows) {
  std::vector<Operand> results;
  for (size_t k = 0; k < rows.parts.size(); ++k) {
    const ValuePart& part = rows.parts[k];
    if (part.kind == ValuePart::kScalar)
      rows.fn.results.push_back({{}, core::scalar_type(part.prim)});
    else if (part.kind == ValuePart::kArray)
      rows.fn.results.push_back({{}, array_type(rows.value.parts[part.size], part.prim)});
    else
      continue;
    results.push_back(rows.value.parts[k]);
  }
  return results;
}

core::Const zero_of(Prim prim) {
  if (prim == Prim::kBool) return core::const_bool(false);
  return prim == Prim::kF64 ? core::const_float(prim, 0) : core::const_int(prim, 0);
}

// The row's length, its arrays, each filled up to that length, then scalars and lengths.
std::vector<Operand> irregular_results(Code& code, Rows& rows) {
  Operand longest = rows.sizes.front();
  for (size_t k = 1; k < rows.sizes.size(); ++k)
    longest = code.builder().binop(core::BinOpKind::kMax, Prim::kI64, longest, rows.sizes[k]);
  const Name length = code.fresh("k");
  rows.fn.results.push_back({length, core::scalar_type(Prim::kI64)});
  std::vector<Operand> results = {longest};
  for (size_t k = 0; k < rows.parts.size(); ++k) {
    const ValuePart& part = rows.parts[k];
    if (part.kind != ValuePart::kArray) continue;
    Operand array = rows.value.parts[k];
    const Operand& size = rows.value.parts[part.size];
    if (rows.sizes.size() > 1) {
      const Operand missing = code.builder().size_sub(longest, size);
      const Operand filling = code.replicate(missing, part.prim, zero_of(part.prim));
      array = code.concat(part.prim, {array, filling}, longest);
    }
    rows.fn.results.push_back({{}, array_type(length, part.prim)});
    results.push_back(array);
  }
  for (size_t k = 0; k < rows.parts.size(); ++k) {
    const ValuePart& part = rows.parts[k];
    if (part.kind != ValuePart::kScalar && part.kind != ValuePart::kLength) continue;
    rows.fn.results.push_back({{}, core::scalar_type(part.prim)});
    results.push_back(rows.value.parts[k]);
  }
  return results;
}

Value regular_sequence(Code& code, const Operand& width, Rows& rows) {
  if (rows.parts.empty()) return {sequence_shape(rows.value.shape), {width}};
  std::vector<core::Type> types;
  for (const core::Ret& ret : rows.fn.results) types.push_back(core::array_of(width, ret.type));
  core::Soac soac;
  soac.width = width;
  soac.inputs = rows.inputs;
  soac.fn = std::move(rows.fn);
  const std::vector<Name> arrays = code.builder().let(std::move(types), std::move(soac), "rows");
  Value result{sequence_shape(rows.value.shape), {width}};
  size_t next = 0;
  Operand total = core::const_i64(0);  // of the sequence that these arrays belong to
  for (size_t k = 0; k < rows.parts.size(); ++k) {
    const ValuePart& part = rows.parts[k];
    if (part.kind == ValuePart::kScalar) {
      code.mark_mapped(arrays[next]);
      result.parts.emplace_back(arrays[next++]);
    } else if (part.kind == ValuePart::kLength) {
      const Operand& size = rows.value.parts[k];
      total = code.builder().size_mul(width, size);
      result.parts.push_back(code.iota(width, core::const_i64(0), size));
      code.mark_dense(result.parts.back());
      result.parts.push_back(code.replicate(width, Prim::kI64, size));
      result.parts.push_back(total);
    } else {
      result.parts.emplace_back(code.builder().let1(
          array_type(total, part.prim), core::Reshape{arrays[next++], {total}}, "flat"));
    }
  }
  return result;
}

// Positions inside a row become positions among all rows.
Operand shifted_starts(Code& code, const Operand& width, const Operand& offsets,
                       const Operand& lengths, const Operand& starts, const Operand& total) {
  core::FlatMap shift;
  shift.width = width;
  shift.data = 1;
  shift.inputs = {*core::as_name(offsets), *core::as_name(lengths)};
  const Name offset = code.fresh("offset"), length = code.fresh("length"), k = code.fresh("k");
  shift.fn.params = {{offset, core::scalar_type(Prim::kI64)},
                     {length, core::scalar_type(Prim::kI64)}};
  shift.fn.results = {{k, core::scalar_type(Prim::kI64)}, {{}, array_type(k, Prim::kI64)}};
  shift.fn.body = code.block([&] {
    const Operand row = code.slice(starts, Prim::kI64, offset, length);
    const Operand moved = code.map(
        length, {row}, {Prim::kI64}, {Prim::kI64},
        [&](const std::vector<Operand>& x) { return std::vector{code.add(x[0], offset)}; })[0];
    return std::vector<Operand>{length, moved};
  });
  const Name m = code.fresh("m"), data = code.fresh("starts");
  std::vector<core::Param> pattern = {{m, core::scalar_type(Prim::kI64)},
                                      {code.fresh("lengths"), array_type(width, Prim::kI64)},
                                      {code.fresh("flags"), array_type(m, Prim::kBool)},
                                      {code.fresh("offsets"), array_type(width, Prim::kI64)},
                                      {data, array_type(m, Prim::kI64)}};
  code.builder().let_pat(std::move(pattern), std::move(shift));
  return code.resized(data, Prim::kI64, total);
}

Value irregular_sequence(Code& code, const Operand& width, Rows& rows) {
  const Name m = code.fresh("m"), lengths = code.fresh("lengths"), offsets = code.fresh("offsets");
  std::vector<core::Param> pattern = {{m, core::scalar_type(Prim::kI64)},
                                      {lengths, array_type(width, Prim::kI64)},
                                      {code.fresh("flags"), array_type(m, Prim::kBool)},
                                      {offsets, array_type(width, Prim::kI64)}};
  core::FlatMap flat_map;
  flat_map.width = width;
  flat_map.data = 0;
  std::vector<Name> data, further;
  for (const ValuePart& part : rows.parts)
    if (part.kind == ValuePart::kArray) {
      data.push_back(code.fresh("data"));
      pattern.push_back({data.back(), array_type(m, part.prim)});
      ++flat_map.data;
    }
  for (const ValuePart& part : rows.parts)
    if (part.kind == ValuePart::kScalar || part.kind == ValuePart::kLength) {
      further.push_back(code.fresh("xs"));
      pattern.push_back({further.back(), array_type(width, part.prim)});
    }
  flat_map.inputs = rows.inputs;
  flat_map.fn = std::move(rows.fn);
  code.builder().let_pat(std::move(pattern), std::move(flat_map));
  const bool is_dense = rows.sizes.size() == 1;
  if (is_dense) code.mark_dense(offsets);
  Value result{sequence_shape(rows.value.shape), {width}};
  size_t next_data = 0, next_further = 0;
  for (const ValuePart& part : rows.parts) {
    if (part.kind == ValuePart::kScalar) {
      result.parts.emplace_back(further[next_further++]);
    } else if (part.kind == ValuePart::kLength) {
      const Name own = further[next_further++];
      result.parts.emplace_back(offsets);
      result.parts.emplace_back(is_dense ? lengths : own);
      result.parts.emplace_back(m);
    } else if (part.kind == ValuePart::kTotal) {
      result.parts.emplace_back(m);
    } else {
      Operand array = data[next_data++];
      if (part.is_starts) array = shifted_starts(code, width, offsets, lengths, array, m);
      result.parts.push_back(array);
    }
  }
  return result;
}

}  // namespace

Value collected(Code& code, const Operand& width, const std::vector<Operand>& arrays,
                const std::vector<Prim>& prims,
                const std::function<Value(const std::vector<Operand>& entries)>& fn) {
  Rows rows;
  rows.first_inner_name = code.program().names.size();
  std::vector<Operand> entries;
  for (size_t k = 0; k < arrays.size(); ++k) {
    rows.inputs.push_back(*core::as_name(arrays[k]));
    rows.fn.params.push_back({code.fresh("x"), core::scalar_type(prims[k])});
    entries.emplace_back(rows.fn.params.back().name);
  }
  Views views(rows.first_inner_name);
  ShapeRef element;
  rows.fn.body = code.block([&] {
    const Value value = fn(entries);
    element = value.shape;
    // No row drags along what others share.
    rows.value = compacted_inside(code, views.without_parts(code, value));
    add_value_parts(*rows.value.shape, rows.parts);
    for (const ValuePart& part : rows.parts)
      if (part.kind == ValuePart::kArray &&
          std::ranges::find(rows.sizes, rows.value.parts[part.size]) == rows.sizes.end())
        rows.sizes.push_back(rows.value.parts[part.size]);
    return rows.is_regular() ? regular_results(rows) : irregular_results(code, rows);
  });
  const Value result = rows.is_regular() ? regular_sequence(code, width, rows)
                                         : irregular_sequence(code, width, rows);
  return views.with_parts(element, result, entries, arrays);
}

namespace {

// A sequence whose elements are sequences, with these one after another.  What is further inside is
// shared, as before.
Value stored_anew(Code& code, const Value& sequence) {
  const Operand& width = length_of(sequence);
  const Value inner{element_of(sequence), {sequence.parts.begin() + 3, sequence.parts.end()}};
  const std::vector<Prim> prims = row_prims(*element_of(inner));
  core::FlatMap copy;
  copy.width = width;
  copy.data = static_cast<int>(prims.size());
  copy.inputs = {*core::as_name(sequence.parts[1]), *core::as_name(sequence.parts[2])};
  const Name start = code.fresh("start"), length = code.fresh("length"), k = code.fresh("k");
  copy.fn.params = {{start, core::scalar_type(Prim::kI64)},
                    {length, core::scalar_type(Prim::kI64)}};
  copy.fn.results = {{k, core::scalar_type(Prim::kI64)}};
  copy.fn.body = code.block([&] {
    std::vector<Operand> results = {length};
    for (const Operand& row : row_arrays(slice_of(code, inner, start, length)))
      results.push_back(row);
    return results;
  });
  const Name m = code.fresh("m"), lengths = code.fresh("lengths"), offsets = code.fresh("offsets");
  std::vector<core::Param> pattern = {{m, core::scalar_type(Prim::kI64)},
                                      {lengths, array_type(width, Prim::kI64)},
                                      {code.fresh("flags"), array_type(m, Prim::kBool)},
                                      {offsets, array_type(width, Prim::kI64)}};
  std::vector<Operand> rows;
  for (const Prim prim : prims) {
    copy.fn.results.push_back({{}, array_type(k, prim)});
    pattern.push_back({code.fresh("data"), array_type(m, prim)});
    rows.emplace_back(pattern.back().name);
  }
  code.builder().let_pat(std::move(pattern), std::move(copy));
  code.mark_dense(offsets);
  Value result{sequence.shape, {width, offsets, lengths}};
  const Value moved = with_rows(inner, m, rows);
  result.parts.insert(result.parts.end(), moved.parts.begin(), moved.parts.end());
  return result;
}

void compact_columns(Code& code, const Operand& n, const ShapeRef& shape,
                     const std::vector<Operand>& columns, size_t& at, std::vector<Operand>& out) {
  if (shape->is_scalar()) {
    out.push_back(columns[at++]);
  } else if (shape->kind == Shape::kSequence) {
    const size_t count = column_count(*shape);
    const auto begin = columns.begin() + static_cast<std::ptrdiff_t>(at);
    Value sequence{sequence_shape(shape), {n}};
    sequence.parts.insert(sequence.parts.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
    at += count;
    if (!code.is_dense(sequence.parts[1])) sequence = stored_anew(code, sequence);
    const Value inner =
        compacted(code, {shape, {sequence.parts.begin() + 3, sequence.parts.end()}});
    out.insert(out.end(), sequence.parts.begin() + 1, sequence.parts.begin() + 3);
    out.insert(out.end(), inner.parts.begin(), inner.parts.end());
  } else {
    for (const ShapeRef& arg : shape->args) compact_columns(code, n, arg, columns, at, out);
  }
}

}  // namespace

Value compacted(Code& code, const Value& sequence) {
  if (!has_sequence(*element_of(sequence))) return sequence;
  Value result{sequence.shape, {length_of(sequence)}};
  const std::vector<Operand> columns(sequence.parts.begin() + 1, sequence.parts.end());
  size_t at = 0;
  compact_columns(code, length_of(sequence), element_of(sequence), columns, at, result.parts);
  return result;
}

Value compacted_inside(Code& code, const Value& value) {
  if (value.shape->kind == Shape::kSequence) return compacted(code, value);
  if (!has_sequence(*value.shape)) return value;
  Value result{value.shape, {}};
  size_t at = 0;
  for (const ShapeRef& arg : value.shape->args) {
    const auto begin = value.parts.begin() + static_cast<std::ptrdiff_t>(at);
    const auto count = part_count(*arg);
    const Value part =
        compacted_inside(code, {arg, {begin, begin + static_cast<std::ptrdiff_t>(count)}});
    result.parts.insert(result.parts.end(), part.parts.begin(), part.parts.end());
    at += count;
  }
  return result;
}

Value flattened(Code& code, const Value& sequence) {
  const Value dense = code.is_dense(sequence.parts[1]) ? sequence : stored_anew(code, sequence);
  return {element_of(sequence), {dense.parts.begin() + 3, dense.parts.end()}};
}

Value partitioned(Code& code, const Value& sequence, const Value& lengths, Lengths which) {
  const auto [starts, total] = code.offsets(length_of(lengths), lengths.parts[1], which);
  std::vector<Name> tokens;
  if (which == Lengths::kAny)
    tokens = code.check(code.at_most(core::const_i64(0), total),
                        {std::string("partition: a length is "), total});
  for (const Name token : code.check(
           code.equal(total, length_of(sequence)),
           {std::string("partition: the lengths add up to "), total,
            std::string(", but the sequence has "), length_of(sequence), std::string(" elements")}))
    tokens.push_back(token);
  code.mark_dense(starts);
  const Value inner = with_length(code, sequence, total, tokens);
  Value result{sequence_shape(sequence.shape), {length_of(lengths), starts, lengths.parts[1]}};
  result.parts.insert(result.parts.end(), inner.parts.begin(), inner.parts.end());
  return result;
}

}  // namespace skald::nesl
