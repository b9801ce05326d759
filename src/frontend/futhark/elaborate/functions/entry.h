// SPDX-License-Identifier: Apache-2.0
// Entry points: parameters and results as the outside sees them.
#pragma once

#include "frontend/futhark/elaborate/types/types.h"

namespace skald::futhark::elab {

// Adds the function for a definition to the program, or reports that it cannot be one.
class EntryPoints {
 public:
  EntryPoints(Code& code, KnownIds& ids, Types& types, Evaluator& evaluator)
      : code_(code), ids_(ids), types_(types), evaluator_(evaluator) {}

  void add(const DVal& def, const Dec& dec, const Env& env);

 private:
  struct Parts;
  std::optional<Operand> constant_size(const Dim& dim);
  Dim parameter_size(const Dim& dim, Parts& parts);
  bool add_parameter(const Type* type, const std::string& name, const TypeExp* written,
                     Parts& parts);
  Block make_body(const DVal& def, const Type* result_type, const Parts& parts,
                  const std::vector<core::Param>& params);

  Code& code_;
  KnownIds& ids_;
  Types& types_;
  Evaluator& evaluator_;
};

}  // namespace skald::futhark::elab
