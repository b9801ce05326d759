// SPDX-License-Identifier: Apache-2.0
// Arrays of another shape are reshaped; scalars have none.
#include "frontend/futhark/elaborate/code/coerce.h"

namespace skald::futhark::elab {

ValuePtr coerce(Code& code, const ValuePtr& v, const RepPtr& target,
                const std::vector<MessagePart>& message) {
  if (!is_first_order(*target)) return v;
  std::vector<core::Type> want = leaf_types(*target), have = leaf_types(*rep_of(*v));
  std::vector<Operand> leaves = leaves_of(*v);
  SKALD_CHECK(want.size() == have.size(), "coercion between different structures");
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (want[i] == have[i] || !want[i].is_array()) continue;
    SKALD_CHECK(want[i].rank() == have[i].rank(), "coercion between different ranks");
    Tokens tokens;
    if (!message.empty()) {
      Operand ok = core::const_bool(true);
      const auto add_shape = [&](std::vector<MessagePart>& parts, const core::Type& type) {
        for (const Operand& dim : type.shape) {
          parts.emplace_back(std::string(&dim == &type.shape[0] ? "[" : "]["));
          parts.emplace_back(dim);
        }
        parts.emplace_back(std::string("]"));
      };
      std::vector<MessagePart> words = message;
      words.emplace_back(std::string("\nshape "));
      add_shape(words, have[i]);
      words.emplace_back(std::string(" instead of "));
      add_shape(words, want[i]);
      for (size_t d = 0; d < want[i].shape.size(); ++d)
        if (!(want[i].shape[d] == have[i].shape[d]))
          ok = code.b().logical_and(
              ok, code.b().cmpop(CmpOpKind::kEq, Prim::kI64, want[i].shape[d], have[i].shape[d]));
      tokens = code.check(ok, std::move(words));
    }
    leaves[i] = code.emit1(want[i], core::Reshape{std::get<Name>(leaves[i]), want[i].shape},
                           "coerced", std::move(tokens));
  }
  return make_value(target, leaves);
}

ValuePtr with_width(Code& code, const ValuePtr& array, const Operand& width) {
  if (*array->rep->dim.op == width) return array;
  return coerce(code, array, array_rep(width, array->rep->elem), {});
}

std::vector<Name> inputs_of(Code& code, const Value& array, const Operand& width) {
  ValuePtr v = with_width(code, std::make_shared<const Value>(array), width);
  std::vector<Name> names;
  for (const Operand& leaf : v->leaves) names.push_back(std::get<Name>(leaf));
  return names;
}

ValuePtr blank(Code& code, const RepPtr& rep) {
  std::vector<Operand> leaves;
  for (auto& type : leaf_types(*rep)) {
    if (type.is_scalar()) {
      leaves.emplace_back(core::Const{type.elem, 0});
    } else {
      core::Scratch scratch{type.elem, type.shape};
      leaves.push_back(code.emit1(type, std::move(scratch), "blank"));
    }
  }
  return make_value(rep, leaves);
}

}  // namespace skald::futhark::elab
