// SPDX-License-Identifier: Apache-2.0
// Small arrays that an iteration makes, and updates at constant places, are literals.
//
//   before   \{x} -> let {a} = replicate([3], 0)      after   \{x} -> …
//                    let {b} = a with [1] = x
//                    let {e} = b[1]                                   let {e} = x
//                    let {c} = b with [1] = e + x                     let {s} = e + x
//                    in {c}                                           in {array({0, s, 0})}
//
// The derivative of `camera[7]` is such an update: of a row of zeros, one for each element that is
// used.  As an array it would be memory of every thread, filled, read and written again each time.
//
// Part of `scalarise`.  Only inside of SOACs: the arrays of host code lie on a device, and their
// elements would be read from there.
// Tests: tests/golden/passes/scalarise/small_arrays.core, tests/programs/ad/small_arrays.fut
#include "passes/scalarise/small_arrays.h"

#include <optional>
#include <vector>

#include "core/ir/name_map.h"
#include "core/ir/visit.h"

namespace skald::passes {

using namespace core;

namespace {

constexpr int64_t kMostElements = 16;

bool is_soac(const Exp& exp) {
  return as<Soac>(exp) != nullptr || as<Hist>(exp) != nullptr || as<Scatter>(exp) != nullptr ||
         as<Partition>(exp) != nullptr || as<FlatMap>(exp) != nullptr;
}

class SmallArrays {
 public:
  void host(Body& body) {
    for (Stmt& stmt : body.stmts)
      for_each_body(stmt.exp, [&](Body& inner) { is_soac(stmt.exp) ? code(inner) : host(inner); });
  }

 private:
  using Elements = std::vector<Operand>;

  void code(Body& body) {
    for (Stmt& stmt : body.stmts) {
      for_each_body(stmt.exp, [&](Body& inner) { code(inner); });
      if (stmt.pat.size() != 1 || !stmt.tokens.empty()) continue;
      const Param& p = stmt.pat[0];
      if (const auto* read = as<Index>(stmt.exp); read != nullptr && p.type.is_scalar()) {
        if (const Operand* element = element_at(read->array, read->slice))
          stmt.exp = Value{Operand(*element)};
        continue;
      }
      std::optional<Elements> elements = elements_of(stmt.exp, p.type);
      if (!elements) continue;
      if (as<Update>(stmt.exp) != nullptr || as<Copy>(stmt.exp) != nullptr)
        stmt.exp = ArrayLit{scalar_type(p.type.elem), *elements};
      elements_[p.name] = std::move(*elements);
    }
  }

  // The element that a slice of one constant index means.
  Operand* element_at(Name array, const std::vector<DimSlice>& slice) {
    const auto known = elements_.find(array);
    if (known == elements_.end() || slice.size() != 1 || !slice[0].is_index) return nullptr;
    const Const* at = as_const(slice[0].start);
    if (at == nullptr || int_value(*at) < 0 ||
        int_value(*at) >= static_cast<int64_t>(known->second.size()))
      return nullptr;
    return &known->second[static_cast<size_t>(int_value(*at))];
  }

  std::optional<Elements> elements_of(const Exp& exp, const Type& type) {
    if (!type.is_array() || type.shape.size() != 1) return std::nullopt;
    if (const auto* update = as<Update>(exp)) {
      Operand* element = element_at(update->array, update->slice);
      if (element == nullptr) return std::nullopt;
      Elements result = elements_.at(update->array);
      result[static_cast<size_t>(int_value(*as_const(update->slice[0].start)))] = update->value;
      return result;
    }
    if (const auto* literal = as<ArrayLit>(exp)) {
      if (!literal->row.is_scalar() || literal->elems.size() > kMostElements) return std::nullopt;
      return literal->elems;
    }
    if (const auto* same = as<Replicate>(exp)) {
      const Const* size = as_const(type.shape[0]);
      if (size == nullptr || int_value(*size) < 0 || int_value(*size) > kMostElements ||
          same->shape.size() != 1)
        return std::nullopt;
      return Elements(static_cast<size_t>(int_value(*size)), same->value);
    }
    const Operand* from = nullptr;
    Operand copied = const_i64(0);
    if (const auto* value = as<Value>(exp)) from = &value->arg;
    if (const auto* copy = as<Copy>(exp)) from = &(copied = copy->array);
    const Name* name = from == nullptr ? nullptr : as_name(*from);
    if (name == nullptr || !elements_.contains(*name)) return std::nullopt;
    return elements_.at(*name);
  }

  NameMap<Elements> elements_;
};

}  // namespace

void scalarise_small_arrays(Body& host) {
  SmallArrays().host(host);
}

}  // namespace skald::passes
