// SPDX-License-Identifier: Apache-2.0
// loop: for, for-in, while.
//
// The loop's parameters are the leaves of the pattern's value.  A size that the checker marks as
// changing (ELoop::size_params, or anonymous) becomes a further i64 parameter in front.
#pragma once

#include "frontend/futhark/elaborate/functions/names.h"
#include "frontend/futhark/elaborate/types/types.h"

namespace skald::futhark::elab {

class Loops {
 public:
  Loops(Code& code, KnownIds& ids, Types& types, Evaluator& evaluator, Names& names)
      : code_(code), ids_(ids), types_(types), evaluator_(evaluator), names_(names) {}

  ValuePtr loop(const Exp& e, const ELoop& l, const Env& env);

 private:
  struct Parts;
  // The initial value, where none is written: that of the variables the pattern has the names of.
  ValuePtr pattern_value(const Pat& pat, const Env& env);
  void find_sizes(Parts& parts);
  void make_rounds(Parts& parts);
  void next_round(Parts& parts, Block body);
  void start(Parts& parts, const Rep& init_rep);
  ValuePtr results(Parts& parts);

  Code& code_;
  KnownIds& ids_;
  Types& types_;
  Evaluator& evaluator_;
  Names& names_;
};

}  // namespace skald::futhark::elab
