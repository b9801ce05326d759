// SPDX-License-Identifier: Apache-2.0
// Values of source types: what the core values of an entry point's parameter or result mean.
//
// A structured value is its leaves, in core's order, with a Layout that says how they form tuples,
// records, sums and arrays of those.  An array of records is one array per field.
//
// Read next: script/eval.h (expressions over such values), test/property.h.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/backend/entry_values.h"
#include "core/ir/program.h"
#include "runtime/values/value.h"

namespace skald::driver {

struct Layout {
  enum Kind : uint8_t { kPrim, kArray, kRecord, kSum, kAbstract } kind = kRecord;
  Prim prim = Prim::kI32;  // kPrim
  // kArray: one, the element.  kRecord: the fields; a tuple has fields "0", "1", …  kSum: one
  // record per constructor.
  std::vector<std::pair<std::string, Layout>> parts = {};
  std::string name = {};  // kAbstract
  int count = 0;          // kAbstract: how many core values
  friend bool operator==(const Layout&, const Layout&) = default;
};

bool is_tuple(const Layout& layout);
Layout tuple_layout(std::vector<Layout> parts);
Layout plain_layout(Prim type, int rank);

// As in EntryValue::layout.
Result<Layout> parse_layout(std::string_view text);
std::string layout_text(const Layout& layout);

// The type of each leaf; abstract types count as i32.
std::vector<compile::PlainType> leaf_types(const Layout& layout);
size_t leaf_count(const Layout& layout);

// For each leaf: how many values it may have if it is the tag of a sum, else 0.
std::vector<int> tag_bounds(const Layout& layout);
bool has_abstract_part(const Layout& layout);

// The leaf of each payload value of a constructor, counted after the tag.
std::vector<size_t> payload_leaves(const Layout& sum, size_t constructor);

std::vector<Layout> parameter_layouts(const core::Function& entry);
// One layout for all results; several results are a tuple.
Layout result_layout(const core::Function& entry);

struct StructuredValue {
  Layout layout;
  std::vector<runtime::Value> leaves;
};

// "({a = 1i32, b = true}, [#some 2i64, #none])"
std::string structured_text(const StructuredValue& value, size_t limit = 2000);

// The element (or sub-array) of an array at an index; the index must be within bounds.
Result<runtime::Value> element_of(const runtime::Value& array, int64_t index);
// Values of equal shape as one array.  Fails if the shapes differ.
Result<runtime::Value> array_of(const std::vector<runtime::Value>& rows);

}  // namespace skald::driver
