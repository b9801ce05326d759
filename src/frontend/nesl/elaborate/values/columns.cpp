// SPDX-License-Identifier: Apache-2.0
#include "frontend/nesl/elaborate/values/columns.h"

#include <algorithm>

#include "support/bug.h"

namespace skald::nesl {

std::vector<Operand> row_arrays(const Value& sequence) {
  std::vector<Operand> rows;
  const std::vector<ColumnPart> layout = column_layout(*element_of(sequence));
  for (size_t k = 0; k < layout.size(); ++k)
    if (layout[k].is_row()) rows.push_back(sequence.parts[k + 1]);
  return rows;
}

std::vector<Prim> row_prims(const Shape& element) {
  std::vector<Prim> prims;
  for (const ColumnPart& part : column_layout(element))
    if (part.is_row()) prims.push_back(part.prim);
  return prims;
}

Value with_rows(const Value& sequence, const Operand& n, const std::vector<Operand>& rows) {
  Value result = sequence;
  result.parts[0] = n;
  const std::vector<ColumnPart> layout = column_layout(*element_of(sequence));
  for (size_t k = 0, next = 0; k < layout.size(); ++k)
    if (layout[k].is_row()) result.parts[k + 1] = rows[next++];
  return result;
}

namespace {

// A sequence from columns that are part of those of another.
Value inner_sequence(const ShapeRef& shape, const Operand& length, const Value& outer,
                     size_t column) {
  Value inner{shape, {length}};
  for (size_t k = 0; k < column_count(*shape->args[0]); ++k)
    inner.parts.push_back(outer.parts[column + k]);
  return inner;
}

// Builds the parts of an element; `slices` cuts inner sequences out of their columns.
void add_row_parts(Code& code, const ShapeRef& shape, const Value& outer, size_t& column,
                   const std::vector<Operand>& entries, size_t& entry,
                   std::vector<Operand>& parts) {
  if (shape->is_scalar()) {
    ++column;
    parts.push_back(entries[entry++]);
  } else if (shape->kind == Shape::kSequence) {
    const Operand start = entries[entry], length = entries[entry + 1];
    entry += 2;
    const Operand total = outer.parts[column + 2];
    column += 3;
    const Value whole = inner_sequence(shape, total, outer, column);
    column += column_count(*shape->args[0]);
    const Value part = slice_of(code, whole, start, length);
    parts.insert(parts.end(), part.parts.begin(), part.parts.end());
  } else {
    for (const ShapeRef& arg : shape->args)
      add_row_parts(code, arg, outer, column, entries, entry, parts);
  }
}

}  // namespace

Value row_element(Code& code, const Value& sequence, const std::vector<Operand>& entries) {
  Value element{element_of(sequence), {}};
  size_t column = 1, entry = 0;
  add_row_parts(code, element.shape, sequence, column, entries, entry, element.parts);
  return element;
}

Value element_at(Code& code, const Value& sequence, const Operand& index,
                 std::vector<Name> tokens) {
  if (const Value* known = code.known_element(sequence, index)) return *known;
  const std::vector<Operand> rows = row_arrays(sequence);
  const std::vector<Prim> prims = row_prims(*element_of(sequence));
  std::vector<Operand> entries;
  for (size_t k = 0; k < rows.size(); ++k)
    entries.push_back(code.read(rows[k], prims[k], index, tokens));
  return row_element(code, sequence, entries);
}

Value slice_of(Code& code, const Value& sequence, const Operand& start, const Operand& count,
               std::vector<Name> tokens) {
  std::vector<Operand> rows = row_arrays(sequence);
  const std::vector<Prim> prims = row_prims(*element_of(sequence));
  for (size_t k = 0; k < rows.size(); ++k)
    rows[k] = code.slice(rows[k], prims[k], start, count, tokens);
  Value part = with_rows(sequence, count, rows);
  code.remember_part(part, {sequence, start, std::move(tokens)});
  return part;
}

Value gathered(Code& code, const Value& sequence, const Value& indices) {
  const std::vector<Operand> rows = row_arrays(sequence);
  const std::vector<Prim> prims = row_prims(*element_of(sequence));
  const Operand& n = length_of(indices);
  if (rows.empty()) return with_rows(sequence, n, {});
  const std::vector<Operand> taken =
      code.map(n, {indices.parts[1]}, {Prim::kI64}, prims, [&](const std::vector<Operand>& x) {
        std::vector<Operand> entries;
        for (size_t k = 0; k < rows.size(); ++k)
          entries.push_back(code.read(rows[k], prims[k], x[0]));
        return entries;
      });
  return with_rows(sequence, n, taken);
}

namespace {

void add_repeated(Code& code, const ShapeRef& shape, const std::vector<Operand>& parts, size_t& at,
                  const Operand& count, std::vector<Operand>& columns) {
  if (shape->is_scalar()) {
    columns.push_back(code.replicate(count, prim_of(shape->kind), parts[at++]));
  } else if (shape->kind == Shape::kSequence) {
    const Operand length = parts[at++];
    columns.push_back(code.replicate(count, Prim::kI64, core::const_i64(0)));
    columns.push_back(code.replicate(count, Prim::kI64, length));
    columns.push_back(length);
    for (size_t k = 0; k < column_count(*shape->args[0]); ++k) columns.push_back(parts[at++]);
  } else {
    for (const ShapeRef& arg : shape->args) add_repeated(code, arg, parts, at, count, columns);
  }
}

}  // namespace

Value repeated(Code& code, const Value& element, const Operand& count) {
  Value result{sequence_shape(element.shape), {count}};
  size_t at = 0;
  add_repeated(code, element.shape, element.parts, at, count, result.parts);
  return result;
}

Value empty_sequence(Code& code, ShapeRef element) {
  const Operand zero = core::const_i64(0);
  Value result{sequence_shape(element), {zero}};
  for (const ColumnPart& part : column_layout(*element)) {
    const core::Type row = core::scalar_type(part.prim);
    if (part.kind == ColumnPart::kTotal)
      result.parts.push_back(zero);
    else
      result.parts.emplace_back(
          code.builder().let1(core::array_of(zero, row), core::ArrayLit{row, {}}, "none"));
  }
  return result;
}

namespace {

// The elements given in `elements[k].parts[at …]`, as columns.
void add_listed(Code& code, const ShapeRef& shape, const std::vector<Value>& elements, size_t& at,
                std::vector<Operand>& columns) {
  const Operand count = core::const_i64(static_cast<int64_t>(elements.size()));
  const auto array = [&](Prim prim, std::vector<Operand> items) {
    const core::Type row = core::scalar_type(prim);
    return Operand(code.builder().let1(core::array_of(count, row),
                                       core::ArrayLit{row, std::move(items)}, "list"));
  };
  if (shape->is_scalar()) {
    std::vector<Operand> items;
    for (const Value& each : elements) items.push_back(each.parts[at]);
    ++at;
    columns.push_back(array(prim_of(shape->kind), std::move(items)));
  } else if (shape->kind == Shape::kSequence) {
    std::vector<Operand> starts, lengths;
    Operand total = core::const_i64(0);
    const size_t width = part_count(*shape);
    std::vector<Value> inner;
    for (const Value& each : elements) {
      const auto begin = each.parts.begin() + static_cast<std::ptrdiff_t>(at);
      inner.push_back(
          compacted(code, {shape, {begin, begin + static_cast<std::ptrdiff_t>(width)}}));
      starts.push_back(total);
      lengths.push_back(length_of(inner.back()));
      total = code.add(total, lengths.back());
    }
    at += width;
    Value all = inner.front();
    for (size_t k = 1; k < inner.size(); ++k) all = appended(code, all, inner[k]);
    all = with_length(code, all, total, {});
    columns.push_back(array(Prim::kI64, std::move(starts)));
    code.mark_dense(columns.back());
    columns.push_back(array(Prim::kI64, std::move(lengths)));
    columns.push_back(total);
    columns.insert(columns.end(), all.parts.begin() + 1, all.parts.end());
  } else {
    for (const ShapeRef& arg : shape->args) add_listed(code, arg, elements, at, columns);
  }
}

}  // namespace

Value listed(Code& code, const std::vector<Value>& elements) {
  Value result{sequence_shape(elements.front().shape),
               {core::const_i64(static_cast<int64_t>(elements.size()))}};
  size_t at = 0;
  add_listed(code, elements.front().shape, elements, at, result.parts);
  if (has_sequence(*elements.front().shape)) code.remember_elements(result, elements);
  return result;
}

Value with_length(Code& code, const Value& sequence, const Operand& n, std::vector<Name> tokens) {
  if (length_of(sequence) == n && tokens.empty()) return sequence;
  std::vector<Operand> rows = row_arrays(sequence);
  const std::vector<Prim> prims = row_prims(*element_of(sequence));
  for (size_t k = 0; k < rows.size(); ++k) rows[k] = code.resized(rows[k], prims[k], n, tokens);
  return with_rows(sequence, n, rows);
}

Value filtered(Code& code, const Value& sequence,
               const std::function<Operand(const std::vector<Operand>& entries)>& keep) {
  const std::vector<Operand> rows = row_arrays(sequence);
  const std::vector<Prim> prims = row_prims(*element_of(sequence));
  core::Partition partition;
  partition.width = length_of(sequence);
  partition.classes = 1;
  const Name count = code.fresh("n");
  std::vector<core::Param> pattern = {{count, core::scalar_type(Prim::kI64)}};
  std::vector<Operand> entries;
  partition.fn.results.push_back({{}, core::scalar_type(Prim::kI64)});
  for (size_t k = 0; k < rows.size(); ++k) {
    const core::Type type = core::scalar_type(prims[k]);
    partition.inputs.push_back(*core::as_name(rows[k]));
    partition.fn.params.push_back({code.fresh("x"), type});
    partition.fn.results.push_back({{}, type});
    entries.emplace_back(partition.fn.params.back().name);
    pattern.push_back({code.fresh("kept"), core::array_of(count, type)});
  }
  partition.fn.body = code.block([&] {
    const Operand kept = keep(entries);
    std::vector<Operand> results = {
        code.builder().let1(core::scalar_type(Prim::kI64),
                            core::Select{kept, core::const_i64(0), core::const_i64(-1)}, "class")};
    results.insert(results.end(), entries.begin(), entries.end());
    return results;
  });
  std::vector<Operand> kept_rows;
  for (size_t k = 1; k < pattern.size(); ++k) kept_rows.emplace_back(pattern[k].name);
  code.builder().let_pat(std::move(pattern), std::move(partition));
  return with_rows(sequence, count, kept_rows);
}

Value appended(Code& code, const Value& first, const Value& second) {
  const Value a = compacted(code, first), b = compacted(code, second);
  Value result{a.shape, {code.add(length_of(a), length_of(b))}};
  const std::vector<ColumnPart> layout = column_layout(*element_of(a));
  for (size_t k = 0; k < layout.size(); ++k) {
    const Operand &x = a.parts[k + 1], &y = b.parts[k + 1];
    if (layout[k].kind == ColumnPart::kTotal) {
      result.parts.push_back(code.add(x, y));
      continue;
    }
    const auto size_in = [&](const Value& v) {
      return layout[k].total < 0 ? length_of(v) : v.parts[static_cast<size_t>(layout[k].total) + 1];
    };
    Operand shifted = y;
    if (layout[k].kind == ColumnPart::kStarts)
      shifted = code.map(size_in(b), {y}, {Prim::kI64}, {Prim::kI64},
                         [&](const std::vector<Operand>& start) {
                           return std::vector{code.add(start[0], a.parts[k + 3])};
                         })[0];
    const Operand size = size_in(result);
    result.parts.push_back(code.concat(layout[k].prim, {x, shifted}, size));
    if (layout[k].kind == ColumnPart::kStarts) code.mark_dense(result.parts.back());
  }
  return result;
}

}  // namespace skald::nesl
