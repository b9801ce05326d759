// SPDX-License-Identifier: Apache-2.0
// Blocks that become the branches of an `if` of core.
#include "frontend/futhark/elaborate/bodies/branches.h"

#include "core/ir/visit.h"
#include "frontend/futhark/elaborate/code/blocks.h"
#include "frontend/futhark/elaborate/code/coerce.h"
#include "frontend/futhark/elaborate/values/reps.h"

namespace skald::futhark::elab {

static void flat_dims(const RepPtr& rep, std::vector<Operand>& out) {
  map_dims(rep, [&](const Dim& d) {
    out.push_back(d.op.value_or(core::const_i64(0)));
    return d;
  });
}

// What both branches give.
struct Merged {
  RepPtr rep;
  std::vector<Operand> then_dims, else_dims;  // all sizes, as the branches know them
  // Sizes that the branches have to return.
  std::vector<Name> sizes;
  std::vector<Operand> then_sizes, else_sizes;

  // Inside a branch a size that it returns goes by the branch's own operand.
  RepPtr inside(const std::vector<Operand>& own) const {
    size_t i = 0;
    return map_dims(rep, [&](const Dim& dim) {
      Dim d = dim;
      const Name* name = core::as_name(*d.op);
      for (size_t k = 0; name && k < sizes.size(); ++k)
        if (sizes[k] == *name) d.op = own[i];
      ++i;
      return d;
    });
  }
};

// Finds the operand that stands for each size outside.
static Merged merge(Code& code, Types& types, const Block& then_block, const Block& else_block,
                    const Type* type, const Env& env) {
  Merged out;
  RepPtr then_rep = rep_of(*then_block.value), else_rep = rep_of(*else_block.value);
  const std::unordered_set<Name> then_names = bound_names(then_block);
  flat_dims(then_rep, out.then_dims);
  flat_dims(else_rep, out.else_dims);
  SKALD_CHECK(out.then_dims.size() == out.else_dims.size(), "branches of different structure");
  std::vector<std::optional<Operand>> merged(out.then_dims.size());
  size_t next = 0;
  RepPtr hint = type ? types.resolve(type, env) : nullptr;
  zip_dims(then_rep, hint, [&](const Dim& dim, const Dim* wanted) {
    Operand t = out.then_dims[next], e = out.else_dims[next];
    auto outside = [&](const Operand& op, const std::unordered_set<Name>& inner) {
      const Name* name = core::as_name(op);
      return !name || !inner.contains(*name);
    };
    if (t == e && outside(t, then_names)) {
      merged[next] = t;
    } else {
      // The same size computed in both branches, or a pair met before.
      for (size_t i = 0; i < out.then_sizes.size() && !merged[next]; ++i)
        if (out.then_sizes[i] == t && out.else_sizes[i] == e) merged[next] = out.sizes[i];
      if (!merged[next] && wanted) merged[next] = types.try_dim(*wanted);
      if (!merged[next]) {
        Name name = code.fresh("size");
        out.sizes.push_back(name);
        out.then_sizes.push_back(t);
        out.else_sizes.push_back(e);
        merged[next] = name;
      }
    }
    ++next;
    return dim;
  });
  next = 0;
  out.rep = map_dims(then_rep, [&](const Dim&) {
    Dim d;
    d.op = merged[next++];
    return d;
  });
  return out;
}

ValuePtr if_value(Code& code, Types& types, const Operand& cond,
                  const std::function<ValuePtr()>& then_f, const std::function<ValuePtr()>& else_f,
                  const Type* type, const Env& env) {
  if (const auto* c = core::as_const(cond)) {
    Block taken = code.open_block(c->bits ? then_f : else_f);
    code.splice(std::move(taken.stmts));
    return taken.value;
  }
  Block then_block = code.block({}, then_f), else_block = code.block({}, else_f);
  const RepPtr then_rep = rep_of(*then_block.value);
  if (!is_first_order(*then_rep)) {
    // Only a value without dynamic parts may be shared by both branches.
    SKALD_CHECK(leaf_count(*then_rep) == 0, "a branch gives a function");
    return then_block.value;
  }
  Merged merged = merge(code, types, then_block, else_block, type, env);
  const RepPtr then_target = merged.inside(merged.then_dims);
  const RepPtr else_target = merged.inside(merged.else_dims);
  auto finish = [&](Block& blk, const RepPtr& target, const std::vector<Operand>& own_sizes) {
    code.extend(blk, [&] { return coerce(code, blk.value, target, {}); });
    std::vector<Operand> result = own_sizes;
    append_leaves(*blk.value, result);
    return core::Body(std::move(blk.stmts), std::move(result));
  };
  core::Body then_body = finish(then_block, then_target, merged.then_sizes);
  core::Body else_body = finish(else_block, else_target, merged.else_sizes);

  std::vector<core::Param> pat;
  for (Name size : merged.sizes) pat.push_back({size, core::scalar_type(Prim::kI64)});
  std::vector<Operand> leaves;
  for (auto& leaf_type : leaf_types(*merged.rep)) {
    Name name = code.fresh("if_res");
    if (leaf_type.is_array()) {
      code.sharing().add_alias(name, then_body.result[pat.size()]);
      code.sharing().add_alias(name, else_body.result[pat.size()]);
    }
    leaves.emplace_back(name);
    pat.push_back({name, leaf_type});
  }
  if (pat.empty()) {
    // Nothing is computed, but a check inside may still fail.
    Name dummy = code.fresh("unit");
    pat.push_back({dummy, core::scalar_type(Prim::kBool)});
    then_body.result.emplace_back(core::const_bool(true));
    else_body.result.emplace_back(core::const_bool(true));
  }
  code.emit_pat(std::move(pat), core::If{cond, std::move(then_body), std::move(else_body)});
  return make_value(merged.rep, leaves);
}

// True if evaluating the statements costs nearly nothing and cannot fail.
static bool is_harmless(const std::vector<core::Stmt>& stmts) {
  using namespace core;
  if (stmts.size() > 4) return false;
  for (const auto& stmt : stmts) {
    if (!stmt.tokens.empty()) return false;
    if (!(as<BinOp>(stmt.exp) || as<CmpOp>(stmt.exp) || as<UnOp>(stmt.exp) ||
          as<Convert>(stmt.exp) || as<core::Value>(stmt.exp) || as<Select>(stmt.exp)))
      return false;
  }
  return true;
}

ValuePtr short_circuit(Code& code, const Operand& lhs, bool is_and,
                       const std::function<ValuePtr()>& rhs) {
  if (const auto* c = core::as_const(lhs)) {
    if ((c->bits != 0) == is_and) return rhs();
    return scalar_value(Prim::kBool, lhs);
  }
  Block block = code.block({}, rhs);
  Operand value = scalar_of(*block.value);
  if (is_harmless(block.stmts)) {
    code.splice(std::move(block.stmts));
    return scalar_value(
        Prim::kBool, is_and ? code.b().logical_and(lhs, value) : code.b().logical_or(lhs, value));
  }
  core::Body rhs_body(std::move(block.stmts), {value});
  core::Body lhs_body({}, {core::const_bool(!is_and)});
  core::If node{lhs, std::move(is_and ? rhs_body : lhs_body),
                std::move(is_and ? lhs_body : rhs_body)};
  return scalar_value(Prim::kBool, code.emit1(core::scalar_type(Prim::kBool), std::move(node),
                                              is_and ? "and" : "or"));
}

}  // namespace skald::futhark::elab
