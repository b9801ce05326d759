// SPDX-License-Identifier: Apache-2.0
#include "driver/script/eval.h"

#include <cstring>

#include "compile/backend/entry_values.h"
#include "driver/script/convert.h"
#include "driver/values/data_file.h"
#include "driver/words.h"
#include "runtime/values/value_writer.h"

namespace skald::driver {

using ScriptValue = ScriptEvaluator::Value;

namespace {

ScriptValue closed(Layout layout, std::vector<runtime::Value> leaves) {
  const size_t count = leaves.size();
  return {{std::move(layout), std::move(leaves)}, std::vector<bool>(count, false)};
}

Result<ScriptValue> bytes_value(std::string_view bytes) {
  Result<runtime::Value> array =
      runtime::Value::allocate(Prim::kU8, {static_cast<int64_t>(bytes.size())});
  if (!array) return array.failure();
  if (!bytes.empty()) std::memcpy(array->data.data(), bytes.data(), bytes.size());
  std::vector<runtime::Value> leaves;
  leaves.push_back(std::move(*array));
  return closed(plain_layout(Prim::kU8, 1), std::move(leaves));
}

ScriptValue plain_value(runtime::Value value) {
  Layout layout = plain_layout(value.type, value.rank());
  std::vector<runtime::Value> leaves;
  leaves.push_back(std::move(value));
  return closed(std::move(layout), std::move(leaves));
}

// Several values as a tuple or record.
ScriptValue combined(const std::vector<std::string>& names, std::vector<ScriptValue> parts) {
  ScriptValue whole;
  for (size_t k = 0; k < parts.size(); ++k) {
    whole.value.layout.parts.emplace_back(names[k], std::move(parts[k].value.layout));
    for (runtime::Value& leaf : parts[k].value.leaves)
      whole.value.leaves.push_back(std::move(leaf));
    whole.open.insert(whole.open.end(), parts[k].open.begin(), parts[k].open.end());
  }
  return whole;
}

ScriptValue tuple_of(std::vector<ScriptValue> parts) {
  std::vector<std::string> names;
  for (size_t k = 0; k < parts.size(); ++k) names.push_back(std::to_string(k));
  return combined(names, std::move(parts));
}

// Fields are kept in the order of the type: sorted by name.
ScriptValue record_of(std::vector<std::string> names, std::vector<ScriptValue> parts) {
  std::vector<size_t> order(names.size());
  for (size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return names[a] < names[b]; });
  std::vector<std::string> sorted_names;
  std::vector<ScriptValue> sorted_parts;
  for (const size_t k : order) {
    sorted_names.push_back(std::move(names[k]));
    sorted_parts.push_back(std::move(parts[k]));
  }
  return combined(sorted_names, std::move(sorted_parts));
}

ScriptValue field_of(const ScriptValue& whole, size_t field) {
  size_t first = 0;
  for (size_t k = 0; k < field; ++k) first += leaf_count(whole.value.layout.parts[k].second);
  const Layout& layout = whole.value.layout.parts[field].second;
  const auto begin = static_cast<ptrdiff_t>(first),
             end = begin + static_cast<ptrdiff_t>(leaf_count(layout));
  const auto& leaves = whole.value.leaves;
  return {{layout, {leaves.begin() + begin, leaves.begin() + end}},
          {whole.open.begin() + begin, whole.open.begin() + end}};
}

std::vector<ScriptValue> tuple_parts(const ScriptValue& tuple) {
  std::vector<ScriptValue> parts;
  for (size_t k = 0; k < tuple.value.layout.parts.size(); ++k) parts.push_back(field_of(tuple, k));
  return parts;
}

}  // namespace

Result<std::vector<runtime::Value>> ScriptEvaluator::arguments(std::string_view script,
                                                               const core::Function& entry) {
  const Result<ScriptExp> exp = parse_script(script);
  if (!exp) return exp.failure();
  Result<ScriptValue> value = evaluate(*exp);
  if (!value) return value.failure();
  const size_t parameters = entry.entry->params.size();
  std::vector<ScriptValue> args;
  if (parameters != 1 && is_tuple(value->value.layout) &&
      value->value.layout.parts.size() == parameters)
    args = tuple_parts(*value);
  else
    args.push_back(std::move(*value));
  return convert_all(entry, std::move(args));
}

Result<ScriptValue> ScriptEvaluator::evaluate(const ScriptExp& exp) {
  switch (exp.kind) {
    case ScriptExp::kLiteral: {
      const Prim type = exp.literal.natural_type();
      const Result<uint64_t> bits = runtime::convert_literal(exp.literal, type);
      // A number that only fits a larger type is still open.
      const bool wide = !bits && !exp.literal.suffix && type == Prim::kI32;
      const Prim taken = wide ? Prim::kI64 : type;
      const Result<uint64_t> wide_bits = runtime::convert_literal(exp.literal, taken);
      if (!wide_bits) return wide_bits.failure();
      Result<runtime::Value> scalar = runtime::Value::scalar(taken, *wide_bits);
      if (!scalar) return scalar.failure();
      ScriptValue value = plain_value(std::move(*scalar));
      value.open[0] = !exp.literal.suffix && type != Prim::kBool;
      return value;
    }
    case ScriptExp::kValue: return plain_value(exp.value);
    case ScriptExp::kString: return bytes_value(exp.text);
    case ScriptExp::kCall: return evaluate_call(exp);
    case ScriptExp::kBuiltin: return evaluate_builtin(exp);
    case ScriptExp::kIndex: return evaluate_index(exp);
    case ScriptExp::kArray: return evaluate_array(exp);
    case ScriptExp::kLet: return evaluate_let(exp);
    case ScriptExp::kTuple:
    case ScriptExp::kRecord: {
      Result<std::vector<ScriptValue>> parts = evaluate_all(exp.parts);
      if (!parts) return parts.failure();
      return exp.kind == ScriptExp::kTuple ? tuple_of(std::move(*parts))
                                           : record_of(exp.names, std::move(*parts));
    }
    case ScriptExp::kProject: {
      const Result<ScriptValue> whole = evaluate(exp.parts[0]);
      if (!whole) return whole;
      const Layout& layout = whole->value.layout;
      for (size_t k = 0; layout.kind == Layout::kRecord && k < layout.parts.size(); ++k)
        if (layout.parts[k].first == exp.text) return field_of(*whole, k);
      return Failure(
          fmt::format("a value of type {} has no field `{}`", layout_text(layout), exp.text));
    }
  }
  SKALD_BUG("unknown kind of script expression");
}

Result<std::vector<ScriptValue>> ScriptEvaluator::evaluate_all(const std::vector<ScriptExp>& exps) {
  std::vector<ScriptValue> values;
  for (const ScriptExp& exp : exps) {
    Result<ScriptValue> value = evaluate(exp);
    if (!value) return value.failure();
    values.push_back(std::move(*value));
  }
  return values;
}

Result<ScriptValue> ScriptEvaluator::evaluate_call(const ScriptExp& exp) {
  for (auto variable = variables_.rbegin(); variable != variables_.rend(); ++variable) {
    if (variable->name != exp.text) continue;
    if (exp.parts.empty()) return variable->value;
    return Failure(fmt::format("`{}` is a value, it cannot be applied", exp.text));
  }
  const core::Function* entry = prog_.find_entry(exp.text);
  if (entry == nullptr)
    return Failure(fmt::format("there is no variable or entry point `{}`", exp.text));
  Result<std::vector<ScriptValue>> args = evaluate_all(exp.parts);
  if (!args) return args.failure();
  return call(*entry, std::move(*args));
}

Result<ScriptValue> ScriptEvaluator::call(const core::Function& entry,
                                          std::vector<ScriptValue> args) {
  const size_t wanted = entry.entry->params.size();
  if (args.size() == 1 && wanted != 1 && is_tuple(args[0].value.layout) &&
      args[0].value.layout.parts.size() == wanted)
    args = tuple_parts(args[0]);
  Result<std::vector<runtime::Value>> leaves = convert_all(entry, std::move(args));
  if (!leaves) return leaves.failure();
  Result<std::vector<runtime::Value>, compile::RunFailure> results =
      program_.run(entry, std::move(*leaves));
  if (!results)
    return Failure(fmt::format("in `{}`: {}", entry.entry->name, results.error().text()));
  return closed(result_layout(entry), std::move(*results));
}

Result<std::vector<runtime::Value>> ScriptEvaluator::convert_all(const core::Function& entry,
                                                                 std::vector<ScriptValue> args) {
  const std::vector<Layout> wanted = parameter_layouts(entry);
  if (args.size() != wanted.size())
    return Failure(fmt::format("`{}` takes {}, but is applied to {}", entry.entry->name,
                               count_text(wanted.size(), "argument"), args.size()));
  std::vector<runtime::Value> leaves;
  for (size_t k = 0; k < args.size(); ++k) {
    if (!convert(args[k], wanted[k]))
      return Failure(fmt::format("argument {} of `{}` has type {}, but the script gives {}", k,
                                 entry.entry->name, layout_text(wanted[k]),
                                 layout_text(args[k].value.layout)));
    for (runtime::Value& leaf : args[k].value.leaves) leaves.push_back(std::move(leaf));
  }
  return leaves;
}

Result<ScriptValue> ScriptEvaluator::evaluate_let(const ScriptExp& exp) {
  Result<ScriptValue> value = evaluate(exp.parts[0]);
  if (!value) return value;
  const size_t outer = variables_.size();
  if (exp.tuple_pattern) {
    const Layout& layout = value->value.layout;
    if (!is_tuple(layout) || layout.parts.size() != exp.names.size())
      return Failure(fmt::format("a value of type {} does not match a pattern of {}",
                                 layout_text(layout), count_text(exp.names.size(), "name")));
    std::vector<ScriptValue> parts = tuple_parts(*value);
    for (size_t k = 0; k < parts.size(); ++k)
      variables_.push_back({exp.names[k], std::move(parts[k])});
  } else {
    variables_.push_back({exp.names[0], std::move(*value)});
  }
  Result<ScriptValue> result = evaluate(exp.parts[1]);
  variables_.resize(outer);
  return result;
}

Result<ScriptValue> ScriptEvaluator::evaluate_array(const ScriptExp& exp) {
  Result<std::vector<ScriptValue>> elements = evaluate_all(exp.parts);
  if (!elements) return elements.failure();
  if (elements->empty()) return Failure("the element type of `[]` is not known; write empty([0]t)");
  ScriptValue whole;
  for (ScriptValue& element : *elements)
    if (!convert(element, elements->at(0).value.layout))
      return Failure(fmt::format("the elements of an array have types {} and {}",
                                 layout_text(elements->at(0).value.layout),
                                 layout_text(element.value.layout)));
  whole.value.layout.kind = Layout::kArray;
  whole.value.layout.parts.emplace_back("", elements->at(0).value.layout);
  for (size_t leaf = 0; leaf < elements->at(0).value.leaves.size(); ++leaf) {
    std::vector<runtime::Value> rows;
    bool open = true;
    for (const ScriptValue& element : *elements) {
      rows.push_back(element.value.leaves[leaf]);
      open = open && element.open[leaf];
    }
    Result<runtime::Value> array = array_of(rows);
    if (!array) return array.failure();
    whole.value.leaves.push_back(std::move(*array));
    whole.open.push_back(open);
  }
  return whole;
}

Result<ScriptValue> ScriptEvaluator::evaluate_index(const ScriptExp& exp) {
  Result<ScriptValue> array = evaluate(exp.parts[0]);
  if (!array) return array;
  for (size_t k = 1; k < exp.parts.size(); ++k) {
    Result<ScriptValue> index = evaluate(exp.parts[k]);
    if (!index) return index;
    if (!convert(*index, plain_layout(Prim::kI64, 0)))
      return Failure(fmt::format("an index has type i64, but the script gives {}",
                                 layout_text(index->value.layout)));
    if (array->value.layout.kind != Layout::kArray || array->value.leaves.empty())
      return Failure(
          fmt::format("a value of type {} cannot be indexed", layout_text(array->value.layout)));
    const auto at = static_cast<int64_t>(index->value.leaves[0].element_bits(0));
    const int64_t length = array->value.leaves[0].shape[0];
    if (at < 0 || at >= length)
      return Failure(
          fmt::format("index {} is out of bounds for an array of length {}", at, length));
    for (runtime::Value& leaf : array->value.leaves) {
      Result<runtime::Value> element = element_of(leaf, at);
      if (!element) return element.failure();
      leaf = std::move(*element);
    }
    Layout element = std::move(array->value.layout.parts[0].second);
    array->value.layout = std::move(element);
  }
  return array;
}

Result<ScriptValue> ScriptEvaluator::restore(const std::string& type, const std::string& file) {
  for (const core::Function& fn : prog_.functions) {
    if (!fn.entry) continue;
    std::vector<Layout> layouts = parameter_layouts(fn);
    auto leaf = static_cast<size_t>(fn.entry->sizes);
    for (size_t k = 0; k < layouts.size(); ++k) {
      const auto count = static_cast<size_t>(fn.entry->params[k].count);
      if (fn.entry->params[k].type == type) {
        std::vector<compile::PlainType> types;
        for (size_t i = leaf; i < leaf + count; ++i)
          types.push_back({fn.params[i].type.elem, fn.params[i].type.rank()});
        Result<std::vector<runtime::Value>> values = read_value_file(file, types);
        if (!values) return values.failure();
        return closed(std::move(layouts[k]), std::move(*values));
      }
      leaf += count;
    }
  }
  return Failure(fmt::format("no entry point has a parameter of type `{}`", type));
}

Result<ScriptValue> ScriptEvaluator::evaluate_builtin(const ScriptExp& exp) {
  Result<std::vector<ScriptValue>> args = evaluate_all(exp.parts);
  if (!args) return args.failure();
  const auto string = [&](size_t k) -> std::optional<std::string> {
    if (k >= args->size() || (*args)[k].value.layout != plain_layout(Prim::kU8, 1)) return {};
    const auto bytes = (*args)[k].value.leaves[0].elements<char>();
    return std::string(bytes.begin(), bytes.end());
  };
  const auto path = [&](const std::string& name) {
    return name.starts_with("/") ? name : folder_ + name;
  };
  const auto usage = [&](std::string_view how) {
    return Failure(fmt::format("${} is used so: ${} {}", exp.text, exp.text, how));
  };
  if (exp.text == "loaddata") {
    if (args->size() != 1 || !string(0)) return usage("\"FILE\"");
    Result<std::vector<runtime::Value>> values = read_value_file(path(*string(0)));
    if (!values) return values.failure();
    std::vector<ScriptValue> parts;
    for (runtime::Value& value : *values) parts.push_back(plain_value(std::move(value)));
    if (parts.size() == 1) return std::move(parts[0]);
    return tuple_of(std::move(parts));
  }
  if (exp.text == "loadbytes") {
    if (args->size() != 1 || !string(0)) return usage("\"FILE\"");
    const Result<std::string> bytes = read_bytes(path(*string(0)));
    if (!bytes) return bytes.failure();
    return bytes_value(*bytes);
  }
  if (exp.text == "restore") {
    if (args->size() != 2 || !string(0) || !string(1)) return usage("\"TYPE\" \"FILE\"");
    return restore(*string(0), path(*string(1)));
  }
  if (exp.text == "store") {
    if (args->size() != 2 || !string(0)) return usage("\"FILE\" VALUE");
    const Result<Unit> written = write_value_file(path(*string(0)), (*args)[1].value.leaves);
    if (!written) return written.failure();
    return tuple_of({});
  }
  if (exp.text == "loadimg" || exp.text == "loadaudio")
    return Failure(
        fmt::format("not supported yet: ${}; $loadbytes gives the bytes of any file", exp.text));
  return Failure(
      fmt::format("there is no builtin ${}; there are $loaddata, $loadbytes, $restore "
                  "and $store",
                  exp.text));
}

}  // namespace skald::driver
