// SPDX-License-Identifier: Apache-2.0
// Operations on sequences that move elements and never look inside them (shape.h says how sequences
// are stored).  Indices are checked by the callers.
#pragma once

#include <functional>
#include <vector>

#include "frontend/nesl/elaborate/values/code.h"

namespace skald::nesl {

// The arrays that have one entry per element, and the types of those entries.
std::vector<Operand> row_arrays(const Value& sequence);
std::vector<Prim> row_prims(const Shape& element);
// The sequence with other such arrays, of length n.
Value with_rows(const Value& sequence, const Operand& n, const std::vector<Operand>& rows);

// An element, from its entries in these arrays.
Value row_element(Code& code, const Value& sequence, const std::vector<Operand>& entries);
Value element_at(Code& code, const Value& sequence, const Operand& index, std::vector<Name> tokens);

Value slice_of(Code& code, const Value& sequence, const Operand& start, const Operand& count,
               std::vector<Name> tokens = {});
// The elements at these indices.
Value gathered(Code& code, const Value& sequence, const Value& indices);
Value repeated(Code& code, const Value& element, const Operand& count);
Value listed(Code& code, const std::vector<Value>& elements);
Value empty_sequence(Code& code, ShapeRef element);
Value appended(Code& code, const Value& a, const Value& b);
// `target` with `values` at `indices`; those out of bounds are left out.
Value written(Code& code, const Value& target, const Value& indices, const Value& values);
// A sequence of sequences without the inner brackets, and the reverse.
Value flattened(Code& code, const Value& sequence);
Value partitioned(Code& code, const Value& sequence, const Value& lengths, Lengths which);
// Elements for which `keep` gives true.
Value filtered(Code& code, const Value& sequence,
               const std::function<Operand(const std::vector<Operand>& entries)>& keep);
// The same sequence under another name of its length.
Value with_length(Code& code, const Value& sequence, const Operand& n, std::vector<Name> tokens);
// Inner sequences stored without gaps, in order, and nothing else beside them.
Value compacted(Code& code, const Value& sequence);
// The same for all sequences inside a value.
Value compacted_inside(Code& code, const Value& value);

// A sequence with fn's value for each row of the arrays.
Value collected(Code& code, const Operand& width, const std::vector<Operand>& arrays,
                const std::vector<Prim>& prims,
                const std::function<Value(const std::vector<Operand>& entries)>& fn);

}  // namespace skald::nesl
