// SPDX-License-Identifier: Apache-2.0
// Types of the checker as representations, and the sizes in them.
//
// Every value knows its shape as operands, and that is what the code goes by: a type from the
// checker is only asked where no value tells (empty arrays, sums, results of recursive functions,
// sizes that leave the block they were computed in).
//
//   types.cpp     types → representations
//   sizes.cpp     evaluating sizes, finding them in the shapes of values
//   matching.cpp  the types of a definition against those of a use
#pragma once

#include <optional>
#include <unordered_set>

#include "frontend/futhark/elaborate/code/code.h"
#include "frontend/futhark/elaborate/types/evaluator.h"
#include "frontend/futhark/elaborate/values/known_ids.h"

namespace skald::futhark::elab {

class Types {
 public:
  Types(KnownIds& ids, Code& code, Evaluator& evaluator)
      : ids_(ids), code_(code), evaluator_(evaluator) {}

  RepPtr resolve(const Type* type, const Env& env, int depth = 0);
  // The operand of a size, if all names in it are known; may emit code.
  std::optional<Operand> try_size(const Exp* exp, const Env& env);
  std::optional<Operand> try_dim(const Dim& dim);
  // All sizes as operands; one that nobody knows becomes 0.
  RepPtr force(const RepPtr& rep);
  // An expression of an integer type, as i64.
  Operand i64_exp(const Exp& e, const Env& env);

  // Binds sizes and type parameters of `type` that are not known yet (or are in `ids`) from a
  // value's shape.
  void bind_sizes(Env& env, const Type* type, const RepPtr& rep,
                  std::unordered_set<uint32_t>* ids = nullptr);
  // The sizes that the expression brought into being are known from now on.
  void log_sizes(const Exp& e, const Env& env, const Value& v);
  // Binds the type and size parameters `ids` of a definition to what stands there in a use.
  void match_types(Env& env, const Type* def, const Type* use, const Env& use_env,
                   std::unordered_set<uint32_t>& ids, int depth = 0);

 private:
  bool size_is_known(const Exp& exp, const Env& env);
  void bind_named_sizes(Env& env, const Type* type, const RepPtr& rep,
                        std::unordered_set<uint32_t>* ids);
  void match_sizes(Env& env, const Exp* def, const Exp* use, const Env& use_env,
                   std::unordered_set<uint32_t>& ids);

  KnownIds& ids_;
  Code& code_;
  Evaluator& evaluator_;
};

}  // namespace skald::futhark::elab
