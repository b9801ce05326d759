// SPDX-License-Identifier: Apache-2.0
// A blank is what the code goes on with.
#include "frontend/futhark/elaborate/types/placeholders.h"

#include "frontend/futhark/elaborate/code/coerce.h"
#include "frontend/futhark/pretty/pretty.h"

namespace skald::futhark::elab {

ValuePtr limitation(Code& code, Types& types, const std::string& what, const Use& use) {
  code.report_limitation(use.span, what);
  RepPtr rep = use.type ? types.resolve(use.type, use.env) : unknown_rep();
  if (!is_first_order(*rep)) return tuple_value({});
  return blank(code, types.force(rep));
}

ValuePtr hole_value(Code& code, Types& types, const Type* type, const Env& env, Span span) {
  if (type && type->kind == Type::kArrow) {
    Closure c;
    c.code = Closure::kHole;
    c.use_type = type;
    c.use_env = env;
    return closure_value(std::move(c));
  }
  RepPtr rep = types.resolve(type, env);
  if (!is_first_order(*rep))
    return limitation(code, types, "a hole of this type", {span, nullptr, env});
  rep = types.force(rep);
  Name token = code.b().check(core::const_bool(false),
                              {"Reached hole of type: " + (type ? pretty(*type) : std::string())});
  std::vector<Operand> leaves;
  for (auto& type : leaf_types(*rep)) {
    core::Exp scratch = type.is_scalar() ? core::Exp(core::Opaque{core::Const{type.elem, 0}})
                                         : core::Exp(core::Scratch{type.elem, type.shape});
    leaves.push_back(code.emit1(type, std::move(scratch), "hole", {token}));
  }
  return make_value(rep, leaves);
}

}  // namespace skald::futhark::elab
