// SPDX-License-Identifier: Apache-2.0
// The walk over expressions.
//
//   exps.cpp       which expression is elaborated where; records, let, sections
//   literals.cpp   array literals, strings, constructors
//   annotated.cpp  attributes, coercions, assertions
#pragma once

#include "frontend/futhark/elaborate/exps/loops.h"
#include "frontend/futhark/elaborate/functions/modules.h"
#include "frontend/futhark/elaborate/functions/names.h"
#include "frontend/futhark/elaborate/scalars/operators.h"
#include "frontend/futhark/elaborate/types/types.h"

namespace skald::futhark::elab {

// What #[unsafe] means.
enum class Unsafe : bool { kIgnored, kObeyed };

class Exps {
 public:
  // `evaluator`: where functions are applied.
  Exps(Code& code, KnownIds& ids, Types& types, Evaluator& evaluator, Operators& operators,
       Modules& modules, Names& names, Unsafe unsafe)
      : code_(code),
        ids_(ids),
        types_(types),
        evaluator_(evaluator),
        operators_(operators),
        modules_(modules),
        names_(names),
        loops_(code, ids, types, evaluator, names),
        unsafe_(unsafe) {}

  ValuePtr exp(const Exp& e, const Env& env);

 private:
  ValuePtr node(const Exp& e, const Env& env);
  Operand scalar(const Exp& e, const Env& env) { return scalar_of(*exp(e, env)); }
  ValuePtr record(const Exp& e, const ERecord& n, const Env& env);
  ValuePtr update(const EUpdate& n, const Env& env);
  ValuePtr left_section(const Exp& e, const ELeftSection& n, const Env& env);
  ValuePtr right_section(const Exp& e, const ERightSection& n, const Env& env);
  ValuePtr let(const ELet& l, const Env& env);
  ValuePtr let_with(const ELetWith& l, const Env& env);
  ValuePtr binary(const Exp& e, const EBinary& bin, const Env& env);
  ValuePtr apply(const Exp& e, const EApply& a, const Env& env);
  ValuePtr match_cases(const EMatch& m, size_t i, const ValuePtr& v, const Exp& e, const Env& env);
  ValuePtr range(const ERange& r, const Env& env);

  ValuePtr array_literal(const Exp& e, const EArray& a, const Env& env);
  ValuePtr string_literal(const EString& n);
  ValuePtr constructor(const Exp& e, const EConstr& c, const Env& env);

  ValuePtr attributed(const EAttr& a, const Env& env);
  ValuePtr opaque(const EAttr& a, const Env& env);
  ValuePtr coercion(const Exp& e, const ECoerce& c, const Env& env);
  ValuePtr assertion(const EAssert& a, const Env& env);

  Code& code_;
  KnownIds& ids_;
  Types& types_;
  Evaluator& evaluator_;
  Operators& operators_;
  Modules& modules_;
  Names& names_;
  Loops loops_;
  Unsafe unsafe_;
  int depth_ = 0;
  bool reported_depth_ = false;
};

}  // namespace skald::futhark::elab
