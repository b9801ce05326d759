// SPDX-License-Identifier: Apache-2.0
#include "compile/backend/entry_values.h"

namespace skald::compile {

using core::Function;
using runtime::Value;

namespace {

template <class Slot>
std::vector<PlainType> plain_types(const std::vector<Slot>& slots, int skip) {
  std::vector<PlainType> types;
  for (size_t k = static_cast<size_t>(skip); k < slots.size(); ++k)
    if (slots[k].type.kind == core::Type::kArray)
      types.push_back({slots[k].type.elem, slots[k].type.rank()});
  return types;
}

}  // namespace

std::vector<PlainType> entry_inputs(const Function& entry) {
  return plain_types(entry.params, entry.entry ? entry.entry->sizes : 0);
}
std::vector<PlainType> entry_outputs(const Function& entry) {
  return plain_types(entry.results, entry.entry ? entry.entry->result_sizes : 0);
}

Result<std::vector<Value>> with_sizes(const Function& entry, std::vector<Value> args) {
  const auto sizes = static_cast<size_t>(entry.entry ? entry.entry->sizes : 0);
  // What is known about each size: its value and the argument that said so.
  std::unordered_map<core::Name, int64_t> known;
  // A number that is itself an argument may be a size of others.
  for (size_t k = sizes; k < entry.params.size(); ++k) {
    const core::Type& type = entry.params[k].type;
    if (!type.is_scalar() || type.elem != Prim::kI64) continue;
    int64_t number = 0;
    std::memcpy(&number, args[k - sizes].data.data(), sizeof number);
    known.emplace(entry.params[k].name, number);
  }
  for (size_t k = sizes; k < entry.params.size(); ++k) {
    const core::Type& type = entry.params[k].type;
    const Value& arg = args[k - sizes];
    for (size_t d = 0; d < type.shape.size(); ++d) {
      int64_t expected = arg.shape[d];
      if (const core::Const* c = core::as_const(type.shape[d]))
        expected = core::int_value(*c);
      else
        expected = known.emplace(*core::as_name(type.shape[d]), arg.shape[d]).first->second;
      if (expected != arg.shape[d])
        return Failure(
            fmt::format("entry point arguments have invalid sizes.\nArgument {} has shape {}, but "
                        "dimension {} must be {} here",
                        k - sizes, runtime::type_text(arg.type, arg.shape), d, expected));
    }
  }
  std::vector<Value> all;
  for (size_t k = 0; k < sizes; ++k) {
    const auto found = known.find(entry.params[k].name);
    SKALD_CHECK(found != known.end(), "a size of entry point {} does not follow from its arguments",
                entry.name);
    Result<Value> size = Value::scalar(Prim::kI64, static_cast<uint64_t>(found->second));
    if (!size) return size.failure();
    all.push_back(std::move(*size));
  }
  for (Value& arg : args) all.push_back(std::move(arg));
  return all;
}

Result<Value> copy_on_host(const Value& value, runtime::MemoryBudget* budget) {
  Result<Value> copy = Value::allocate(value.type, value.shape, budget);
  if (copy && copy->data.bytes() > 0)
    std::memcpy(copy->data.data(), value.data.data(), static_cast<size_t>(copy->data.bytes()));
  return copy;
}

namespace {

Result<Unit> make_own(Value& value, runtime::MemoryBudget* budget) {
  Result<Value> copy = copy_on_host(value, budget);
  if (!copy) return copy.failure();
  value = std::move(*copy);
  return Unit{};
}

}  // namespace

Result<Unit> own_unique(const Function& entry, std::vector<Value>& args, size_t first,
                        runtime::MemoryBudget* budget) {
  for (size_t k = 0; k < args.size(); ++k) {
    if (!entry.params[first + k].unique || args[k].shape.empty() ||
        args[k].data.block() == nullptr || args[k].data.block()->refs == 1)
      continue;
    if (Result<Unit> own = make_own(args[k], budget); !own) return own;
  }
  return Unit{};
}

Result<Unit> align_elements(std::vector<Value>& args, runtime::MemoryBudget* budget) {
  for (Value& value : args) {
    const auto address = reinterpret_cast<uintptr_t>(value.data.data());
    if (address % static_cast<size_t>(prim_size(value.type)) == 0) continue;
    if (Result<Unit> own = make_own(value, budget); !own) return own;
  }
  return Unit{};
}

}  // namespace skald::compile
