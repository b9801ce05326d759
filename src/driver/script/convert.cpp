// SPDX-License-Identifier: Apache-2.0
#include "driver/script/convert.h"

#include "runtime/values/value_writer.h"

namespace skald::driver {

namespace {

// Every element through its text: exact, and only numbers that somebody typed come here.
bool convert_leaf(runtime::Value& leaf, Prim type) {
  Result<runtime::Value> converted = runtime::Value::allocate(type, leaf.shape);
  if (!converted) return false;
  for (int64_t i = 0; i < leaf.element_count(); ++i) {
    std::string text = runtime::scalar_text(leaf.type, leaf.element_bits(i));
    text.resize(text.size() - prim_name(leaf.type).size());
    const Result<runtime::Literal> literal = runtime::parse_literal(text);
    if (!literal) return false;
    const Result<uint64_t> bits = runtime::convert_literal(*literal, type);
    if (!bits) return false;
    std::memcpy(converted->data.data() + i * prim_size(type), &*bits,
                static_cast<size_t>(prim_size(type)));
  }
  leaf = std::move(*converted);
  return true;
}

// Walks both types at once; `leaf` is the next leaf of the value.
bool convert_part(ScriptEvaluator::Value& value, Layout& have, const Layout& wanted, size_t& leaf) {
  if (have == wanted) {
    leaf += leaf_count(have);
    return true;
  }
  if (have.kind != wanted.kind || have.parts.size() != wanted.parts.size()) return false;
  switch (have.kind) {
    case Layout::kPrim: {
      const bool open = value.open[leaf] &&
                        (is_float(wanted.prim) || (is_int(wanted.prim) && !is_float(have.prim)));
      if (!open || !convert_leaf(value.value.leaves[leaf], wanted.prim)) return false;
      have.prim = wanted.prim;
      ++leaf;
      return true;
    }
    case Layout::kArray:
      return convert_part(value, have.parts[0].second, wanted.parts[0].second, leaf);
    case Layout::kRecord:
      for (size_t k = 0; k < have.parts.size(); ++k)
        if (have.parts[k].first != wanted.parts[k].first ||
            !convert_part(value, have.parts[k].second, wanted.parts[k].second, leaf))
          return false;
      return true;
    case Layout::kSum:
    case Layout::kAbstract: return false;
  }
  return false;
}

}  // namespace

bool convert(ScriptEvaluator::Value& value, const Layout& wanted) {
  size_t leaf = 0;
  return convert_part(value, value.value.layout, wanted, leaf);
}

}  // namespace skald::driver
