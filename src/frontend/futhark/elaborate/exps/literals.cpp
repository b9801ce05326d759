// SPDX-License-Identifier: Apache-2.0
// Arrays, strings and sums as written.
#include "frontend/futhark/elaborate/code/coerce.h"
#include "frontend/futhark/elaborate/exps/exps.h"
#include "frontend/futhark/elaborate/values/reps.h"

namespace skald::futhark::elab {

ValuePtr Exps::string_literal(const EString& n) {
  core::ArrayLit lit{core::scalar_type(Prim::kU8), {}};
  for (unsigned char c : n.bytes) lit.elems.emplace_back(core::const_int(Prim::kU8, c));
  Operand size = core::const_i64(static_cast<int64_t>(n.bytes.size()));
  core::Type type = core::array_of(size, lit.row);
  return make_value(array_rep(size, prim_rep(Prim::kU8)),
                    {code_.emit1(type, std::move(lit), "string")});
}

// Literals of literals become one flat literal, reshaped.
static bool collect_nested(const Exp& e, size_t level, std::vector<size_t>& shape,
                           std::vector<const Exp*>& elems) {
  const auto* array = std::get_if<EArray>(&e.node);
  if (!array || array->elems.empty()) return false;
  if (level == shape.size()) shape.push_back(array->elems.size());
  if (shape[level] != array->elems.size()) return false;
  bool nested = std::holds_alternative<EArray>(array->elems[0]->node);
  for (const auto& elem : array->elems) {
    if (nested != std::holds_alternative<EArray>(elem->node)) return false;
    if (!nested) {
      if (shape.size() != level + 1) return false;
      elems.push_back(elem.get());
    } else if (!collect_nested(*elem, level + 1, shape, elems)) {
      return false;
    }
  }
  return true;
}

ValuePtr Exps::array_literal(const Exp& e, const EArray& a, const Env& env) {
  std::vector<size_t> shape;
  std::vector<const Exp*> exps;
  if (!collect_nested(e, 0, shape, exps)) {
    shape = {a.elems.size()};
    exps.clear();
    for (const auto& elem : a.elems) exps.push_back(elem.get());
  }
  std::vector<ValuePtr> elems;
  for (const Exp* elem : exps) elems.push_back(exp(*elem, env));
  RepPtr elem_rep;
  if (!elems.empty()) {
    elem_rep = rep_of(*elems[0]);
  } else {
    RepPtr rep = types_.resolve(e.type, env);
    SKALD_CHECK(rep->kind == Rep::kArray, "an array literal without an array type");
    elem_rep = types_.force(rep->elem);
  }
  std::vector<core::Type> rows = leaf_types(*elem_rep);
  std::vector<core::ArrayLit> lits;
  for (auto& row : rows) lits.push_back({row, {}});
  for (const auto& elem : elems) {
    ValuePtr v = coerce(code_, elem, elem_rep,
                        {std::string("shape of element differs from shape of first element")});
    std::vector<Operand> leaves = leaves_of(*v);
    for (size_t i = 0; i < lits.size(); ++i) lits[i].elems.push_back(leaves.at(i));
  }
  RepPtr rep = elem_rep;
  std::vector<Operand> dims;
  for (size_t i = shape.size(); i-- > 0;) {
    Operand dim = core::const_i64(static_cast<int64_t>(shape[i]));
    rep = array_rep(dim, rep);
    dims.insert(dims.begin(), dim);
  }
  Operand total = core::const_i64(static_cast<int64_t>(elems.size()));
  std::vector<Operand> leaves;
  for (size_t i = 0; i < lits.size(); ++i) {
    Operand flat = code_.emit1(core::array_of(total, rows[i]), std::move(lits[i]), "array");
    if (dims.size() > 1) {
      core::Type type = core::array_of(dims, rows[i]);
      flat = code_.emit1(type, core::Reshape{std::get<Name>(flat), type.shape}, "array");
    }
    leaves.push_back(flat);
  }
  return make_value(rep, leaves);
}

ValuePtr Exps::constructor(const Exp& e, const EConstr& c, const Env& env) {
  std::vector<ValuePtr> args;
  for (const auto& arg : c.args) args.push_back(exp(*arg, env));
  RepPtr rep = types_.resolve(e.type, env);
  size_t constr = constr_index(*rep, c.name.name);
  // The payload at hand tells its own sizes.
  Rep known = *rep;
  known.constrs[constr].second.clear();
  for (const auto& arg : args) known.constrs[constr].second.push_back(rep_of(*arg));
  rep = std::make_shared<const Rep>(std::move(known));
  if (!is_first_order(*rep)) {
    Value v;
    v.kind = Value::kSum;
    v.rep = rep;
    v.constr = c.name.name;
    for (auto& arg : args) v.fields.emplace_back("", arg);
    return std::make_shared<const Value>(std::move(v));
  }
  rep = types_.force(rep);
  SumLayout layout = sum_layout(*rep);
  std::vector<Operand> payload;
  for (const auto& arg : args) append_leaves(*arg, payload);
  std::vector<Operand> leaves = {core::const_int(Prim::kI8, static_cast<int64_t>(constr))};
  for (size_t slot = 0; slot < layout.slots.size(); ++slot) {
    const std::vector<int>& used = layout.leaves[constr];
    size_t i = 0;
    while (i < used.size() && used[i] != static_cast<int>(slot)) ++i;
    if (i < used.size()) {
      leaves.push_back(payload.at(i));
    } else if (layout.slots[slot].is_scalar()) {
      leaves.emplace_back(core::Const{layout.slots[slot].elem, 0});
    } else {
      const core::Type& type = layout.slots[slot];
      leaves.push_back(code_.emit1(type, core::Scratch{type.elem, type.shape}, "blank"));
    }
  }
  return make_value(rep, leaves);
}

}  // namespace skald::futhark::elab
