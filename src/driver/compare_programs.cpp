// SPDX-License-Identifier: Apache-2.0
#include "driver/compare_programs.h"

#include "core/edit/rename.h"
#include "core/interp/interp.h"
#include "passes/differentiate/differentiate.h"
#include "runtime/values/compare.h"
#include "runtime/values/random_value.h"

namespace skald::driver {

using core::ArrayValue;
using runtime::Random;

namespace {

constexpr int kDataSets = 3;

// Small arguments that fit the parameters' types: sizes 0 … 7, other integers small enough to be
// indices now and then.
std::optional<std::vector<ArrayValue>> random_args(const core::Function& fn, Random& random) {
  std::unordered_map<core::Name, int64_t> sizes;
  for (const core::Param& p : fn.params)
    for (const core::Operand& dim : p.type.shape)
      if (const core::Name* name = core::as_name(dim))
        sizes.emplace(*name, static_cast<int64_t>(random.below(8)));
  std::vector<ArrayValue> args;
  for (const core::Param& p : fn.params) {
    if (p.type.kind != core::Type::kArray) return std::nullopt;
    ArrayValue value{p.type.elem, {}, std::make_shared<std::vector<std::byte>>()};
    size_t count = 1;
    for (const core::Operand& dim : p.type.shape) {
      const core::Const* c = core::as_const(dim);
      value.shape.push_back(c != nullptr ? core::int_value(*c) : sizes.at(*core::as_name(dim)));
      count *= static_cast<size_t>(value.shape.back());
    }
    const auto width = static_cast<size_t>(prim_size(p.type.elem));
    value.data->resize(count * width);
    for (size_t k = 0; k < count; ++k) {
      core::Const c = core::const_int(Prim::kI64, static_cast<int64_t>(random.below(16)) - 4);
      if (is_float(p.type.elem))
        c = core::const_float(p.type.elem, static_cast<double>(random.below(1000)) / 64 - 4);
      else if (p.type.elem == Prim::kBool)
        c = core::const_bool(random.below(2) != 0);
      else
        c = core::const_int(p.type.elem, core::int_value(c));
      if (const auto size = sizes.find(p.name); size != sizes.end())
        c = core::const_i64(size->second);
      std::memcpy(value.data->data() + k * width, &c.bits, width);
    }
    args.push_back(std::move(value));
  }
  return args;
}

std::string outcome(const core::Program& prog, const std::string& fn,
                    std::vector<ArrayValue> args) {
  const auto result = core::interpret(prog, fn, std::move(args));
  if (!result) return "error: " + result.error().message;
  std::string text;
  for (const ArrayValue& value : *result) {
    text += fmt::format("{}:{}:", prim_name(value.elem), fmt::join(value.shape, "x"));
    text.append(reinterpret_cast<const char*>(value.data->data()), value.data->size());
  }
  return text;
}

}  // namespace

std::optional<std::string> compare_on_random_data(const core::Program& a, const core::Program& b) {
  // Nobody interprets derivatives themselves.
  if (passes::ad::has_derivatives(a) || passes::ad::has_derivatives(b)) {
    core::Program left = core::clone(a), right = core::clone(b);
    for (core::Program* prog : {&left, &right})
      if (!passes::ad::differentiate(*prog).empty())
        return "one of the programs has something that cannot be differentiated";
    return compare_on_random_data(left, right);
  }
  Random random(1);
  for (const core::Function& fn : a.functions) {
    if (b.find(fn.name) == nullptr) continue;
    for (int k = 0; k < kDataSets; ++k) {
      std::optional<std::vector<ArrayValue>> args = random_args(fn, random);
      if (!args) break;
      const std::string left = outcome(a, fn.name, *args);
      if (left != outcome(b, fn.name, std::move(*args)))
        return fmt::format(
            "the programs differ: function `{}` gives other results on random data set {}", fn.name,
            k);
    }
  }
  return std::nullopt;
}

}  // namespace skald::driver
