// SPDX-License-Identifier: Apache-2.0
// Blocks that become functions of combinators.
#include "frontend/futhark/elaborate/bodies/lambdas.h"

#include "frontend/futhark/elaborate/code/blocks.h"
#include "frontend/futhark/elaborate/code/coerce.h"
#include "frontend/futhark/elaborate/values/reps.h"

namespace skald::futhark::elab {

RepPtr settle(Code& code, Types& types, Block& block, const RepPtr& rep, const RepPtr& hint) {
  std::unordered_set<Name> inner = bound_names(block);
  return zip_dims(rep, hint, [&](const Dim& dim, const Dim* wanted) {
    Dim out = dim;
    const Name* name = core::as_name(*dim.op);
    if (!name || !inner.contains(*name)) return out;
    if (hoist(code, block, inner, *name)) return out;
    std::optional<Operand> known = wanted ? types.try_dim(*wanted) : std::nullopt;
    SKALD_CHECK(known, "the size of a function's result is not known outside");
    out.op = *known;
    return out;
  });
}

// The parameters, and the block of the body.
static Block lambda_block(Code& code, const std::vector<RepPtr>& params, const LambdaBody& f,
                          std::string_view base) {
  std::vector<core::Param> core_params;
  std::vector<ValuePtr> args;
  for (const RepPtr& rep : params) {
    std::vector<Operand> leaves;
    for (auto& type : leaf_types(*rep)) {
      Name name = code.fresh(base);
      leaves.emplace_back(name);
      core_params.push_back({name, type});
    }
    args.push_back(make_value(rep, leaves));
  }
  Block body = code.block(core_params, [&] { return f(args); });
  SKALD_CHECK(is_first_order(*rep_of(*body.value)),
              "a function value as the result of a parallel function");
  return body;
}

static core::Lambda finish_lambda(Code& code, Block body, const RepPtr& rep) {
  code.extend(body, [&] {
    return coerce(code, body.value, rep, {std::string("unexpected lambda result size")});
  });
  if (body.stmts.size() < 16) prune(body);
  core::Lambda fn;
  fn.params = std::move(body.params);
  for (auto& type : leaf_types(*rep)) fn.results.push_back({{}, type});
  fn.body = core::Body(std::move(body.stmts), leaves_of(*body.value));
  return fn;
}

core::Lambda lambda_to(Code& code, const std::vector<RepPtr>& params, const LambdaBody& f,
                       const RepPtr& rep, std::string_view base) {
  return finish_lambda(code, lambda_block(code, params, f, base), rep);
}

LambdaResult lambda(Code& code, Types& types, const std::vector<RepPtr>& params,
                    const LambdaBody& f, const RepPtr& hint) {
  Block body = lambda_block(code, params, f, "x");
  RepPtr rep = settle(code, types, body, rep_of(*body.value), hint);
  return {finish_lambda(code, std::move(body), rep), rep};
}

}  // namespace skald::futhark::elab
