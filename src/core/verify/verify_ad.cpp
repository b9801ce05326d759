// SPDX-License-Identifier: Apache-2.0
// The typing rules of derivatives.
#include "core/verify/verifier.h"

namespace skald::core::detail {

std::optional<Verifier::Types> Verifier::applied(const Lambda& fn,
                                                 const std::vector<Operand>& args) {
  Types types;
  for (const Operand& arg : args) {
    const Type* type = type_of(arg);
    if (!type) return std::nullopt;
    types.push_back(*type);
  }
  lambda(fn, types, "the function");
  expect_no_names(fn.results);
  return types;
}

void Verifier::expect_all(const std::vector<Operand>& values, const Types& types,
                          std::string_view what) {
  if (values.size() != types.size())
    problems_.add("{} of {}, expected {}", values.size(), what, types.size());
  for (size_t i = 0; i < values.size() && i < types.size(); ++i) expect(values[i], types[i], what);
}

std::optional<Verifier::Types> Verifier::exp(const Jvp& e) {
  const auto args = applied(e.fn, e.args);
  if (!args) return std::nullopt;
  expect_all(e.tangents, *args, "the tangents");
  Types types = types_of(e.fn.results);
  const Types once = types;
  types.insert(types.end(), once.begin(), once.end());
  return types;
}

std::optional<Verifier::Types> Verifier::exp(const Vjp& e) {
  const auto args = applied(e.fn, e.args);
  if (!args) return std::nullopt;
  Types types = types_of(e.fn.results);
  expect_all(e.cotangents, types, "the cotangents");
  types.insert(types.end(), args->begin(), args->end());
  return types;
}

std::optional<Verifier::Types> Verifier::exp(const WithVjp& e) {
  const auto args = applied(e.fn, e.args);
  if (!args) return std::nullopt;
  Types types = types_of(e.fn.results), both = types;
  both.insert(both.end(), types.begin(), types.end());
  lambda(e.rule, both, "the rule");
  expect_no_names(e.rule.results);
  match(types_of(e.rule.results), *args, "results of the rule");
  return types;
}

}  // namespace skald::core::detail
