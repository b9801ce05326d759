// SPDX-License-Identifier: Apache-2.0
// The typing rules of derivatives.
#include "core/verify/verifier.h"

namespace skald::core::detail {

std::optional<Verifier::Types> Verifier::applied(const Lambda& fn, const std::vector<Operand>& args,
                                                 const std::vector<Operand>& seeds,
                                                 SeedsLike like) {
  Types types;
  for (const Operand& arg : args) {
    const Type* type = type_of(arg);
    if (!type) return std::nullopt;
    types.push_back(*type);
  }
  lambda(fn, types, "the function");
  expect_no_names(fn.results);
  const Types wanted = like == SeedsLike::kArgs ? types : types_of(fn.results);
  if (seeds.size() != wanted.size())
    problems_.add("{} tangents or cotangents, expected {}", seeds.size(), wanted.size());
  for (size_t i = 0; i < seeds.size() && i < wanted.size(); ++i)
    expect(seeds[i], wanted[i], "the tangent or cotangent");
  return types;
}

std::optional<Verifier::Types> Verifier::exp(const Jvp& e) {
  if (!applied(e.fn, e.args, e.tangents, SeedsLike::kArgs)) return std::nullopt;
  Types types = types_of(e.fn.results);
  const Types once = types;
  types.insert(types.end(), once.begin(), once.end());
  return types;
}

std::optional<Verifier::Types> Verifier::exp(const Vjp& e) {
  const auto args = applied(e.fn, e.args, e.cotangents, SeedsLike::kResults);
  if (!args) return std::nullopt;
  Types types = types_of(e.fn.results);
  types.insert(types.end(), args->begin(), args->end());
  return types;
}

std::optional<Verifier::Types> Verifier::exp(const WithVjp& e) {
  const auto args = applied(e.fn, e.args, e.args, SeedsLike::kArgs);
  if (!args) return std::nullopt;
  const Types types = types_of(e.fn.results);
  Types both = types;
  both.insert(both.end(), types.begin(), types.end());
  lambda(e.rule, both, "the rule");
  expect_no_names(e.rule.results);
  match(types_of(e.rule.results), *args, "results of the rule");
  return types;
}

}  // namespace skald::core::detail
