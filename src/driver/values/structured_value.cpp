// SPDX-License-Identifier: Apache-2.0
// Taking structured values apart, and printing them.
#include <cstring>

#include "driver/values/layout.h"
#include "runtime/values/value_writer.h"

namespace skald::driver {

using runtime::Value;

namespace {

class ValuePrinter {
 public:
  explicit ValuePrinter(size_t limit) : limit_(limit) {}

  void print(const Layout& layout, std::span<const Value> leaves) {
    if (text_.size() > limit_) return;
    switch (layout.kind) {
      case Layout::kPrim:
        text_ += runtime::scalar_text(leaves[0].type, leaves[0].element_bits(0));
        break;
      case Layout::kArray: array(layout, leaves); break;
      case Layout::kRecord: record(layout, leaves); break;
      case Layout::kSum: sum(layout, leaves); break;
      case Layout::kAbstract: text_ += "<" + layout.name + ">"; break;
    }
  }
  std::string take() {
    if (text_.size() > limit_) text_ = text_.substr(0, limit_) + "…";
    return std::move(text_);
  }

 private:
  void array(const Layout& layout, std::span<const Value> leaves) {
    const Layout& element = layout.parts[0].second;
    const int64_t length = leaves.empty() ? 0 : leaves[0].shape.at(0);
    if (leaves.size() == 1 && leaves[0].element_count() == 0) {
      text_ += runtime::value_text(leaves[0]);
      return;
    }
    text_ += "[";
    for (int64_t i = 0; i < length && text_.size() <= limit_; ++i) {
      std::vector<Value> rows;
      for (const Value& leaf : leaves)
        if (Result<Value> row = element_of(leaf, i)) rows.push_back(std::move(*row));
      if (i > 0) text_ += ", ";
      if (rows.size() == leaves.size()) print(element, rows);
    }
    text_ += "]";
  }

  void record(const Layout& layout, std::span<const Value> leaves) {
    const bool tuple = is_tuple(layout);
    text_ += tuple ? "(" : "{";
    for (size_t k = 0; k < layout.parts.size(); ++k) {
      const auto& [name, part] = layout.parts[k];
      if (k > 0) text_ += ", ";
      if (!tuple) text_ += name + " = ";
      const size_t count = leaf_count(part);
      print(part, leaves.first(count));
      leaves = leaves.subspan(count);
    }
    text_ += tuple ? ")" : "}";
  }

  void sum(const Layout& layout, std::span<const Value> leaves) {
    const uint64_t tag = leaves[0].element_bits(0);
    if (tag >= layout.parts.size()) {
      text_ += "#?";
      return;
    }
    const auto& [name, payload] = layout.parts[tag];
    text_ += "#" + name;
    std::vector<Value> mine;
    for (const size_t slot : payload_leaves(layout, tag)) mine.push_back(leaves[1 + slot]);
    std::span<const Value> rest = mine;
    for (const auto& [index, part] : payload.parts) {
      text_ += " ";
      const size_t count = leaf_count(part);
      print(part, rest.first(count));
      rest = rest.subspan(count);
    }
  }

  size_t limit_;
  std::string text_;
};

}  // namespace

std::string structured_text(const StructuredValue& value, size_t limit) {
  ValuePrinter printer(limit);
  printer.print(value.layout, value.leaves);
  return printer.take();
}

Result<Value> element_of(const Value& array, int64_t index) {
  SKALD_CHECK(array.rank() > 0 && index >= 0 && index < array.shape[0], "index out of bounds");
  Result<Value> element = Value::allocate(array.type, {array.shape.begin() + 1, array.shape.end()});
  if (element && element->data.bytes() > 0)
    std::memcpy(element->data.data(), array.data.data() + index * element->data.bytes(),
                static_cast<size_t>(element->data.bytes()));
  return element;
}

Result<Value> array_of(const std::vector<Value>& rows) {
  SKALD_CHECK(!rows.empty(), "an array without elements has no type");
  std::vector<int64_t> shape = {static_cast<int64_t>(rows.size())};
  shape.insert(shape.end(), rows[0].shape.begin(), rows[0].shape.end());
  Result<Value> array = Value::allocate(rows[0].type, std::move(shape));
  if (!array) return array;
  int64_t offset = 0;
  for (const Value& row : rows) {
    if (row.type != rows[0].type || row.shape != rows[0].shape)
      return Failure(fmt::format("the elements of an array have types {} and {}",
                                 runtime::type_text(rows[0].type, rows[0].shape),
                                 runtime::type_text(row.type, row.shape)));
    if (row.data.bytes() > 0)
      std::memcpy(array->data.data() + offset, row.data.data(),
                  static_cast<size_t>(row.data.bytes()));
    offset += row.data.bytes();
  }
  return array;
}

}  // namespace skald::driver
