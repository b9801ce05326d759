// SPDX-License-Identifier: Apache-2.0
// Products inside of loops: what a round of the backward loop neither computes again nor writes.
//
//   loop x = a for i < n do … y = map (\row -> map (\w -> row · w) W) x …
//
//   forward    y of each round is stored, as x is                  ys with [i] = y
//   backward   y = ys[i], instead of computing it again; the rule adds to x̄, not to W̄, and the
//              cotangent of y is stored                            ȳs with [i] = ȳ
//   after      W̄ by the rule of one map over all rounds            map f xs, with cotangents ȳs
//
// Values are stored of maps whose rows hold sums, which take much longer than storing what they
// give, if that is no larger than a parameter of the loop: then the tapes grow by a factor that
// does not depend on sizes.  W̄ waits if the map does nothing but add and multiply, and reads W in
// order; it is one product over all rounds then, instead of one added to it in each of them.
#pragma once

#include <functional>
#include <vector>

#include "passes/differentiate/base/session.h"

namespace skald::passes::ad {

// What a product takes that is not the same in all rounds.
struct RoundInput {
  enum class Kind : uint8_t { kParam, kRow, kValue };
  Kind kind = Kind::kParam;
  Name name;    // in the loop
  Name copied;  // in the copy of the product
  Type type;
  size_t param = 0;  // kParam: of the loop
  Name array;        // kRow: `name` is the row [i] of it, and it has as many as there are rounds
};

struct KeptProduct {
  Name value;  // y
  Type type;
  Name tape;  // of y
  // Are cotangents of names from outside added after the loop?
  bool is_summed_later = false;
  NameSet outer;  // these names, and views of them
  std::vector<RoundInput> inputs;
  std::vector<Stmt> copy;  // of views of arrays from outside, and of the product, which is last
  // While a round runs backward: the tape of ȳ as it is called then, and where to store.
  Name bars;
  Operand round = const_i64(0);
  bool is_stored = false;
};

// The products of a loop; tapes have no names yet.
std::vector<KeptProduct> find_products(const Loop& loop, Session& session,
                                       const std::function<bool(Name)>& is_active);

// A value that a loop stores for each round.
struct KeptValue {
  Name value, tape;
};
// What a loop may store: parameters by their numbers, and names inside of it.
struct Tapes {
  std::vector<Name> of_params;  // none for accumulators
  NameMap<Name> of_values;
};

// The product for all rounds at once, from `copy`, which goes.  `all_of`: the array of all values
// of an input.  Rows of all rounds are rows of one map if nothing else tells them apart.
struct WholeProduct {
  Body body;
  Type type;  // of what it gives
};
WholeProduct whole_product(KeptProduct& product, const Operand& rounds,
                           const std::function<Name(const RoundInput&)>& all_of, Emit& out);

}  // namespace skald::passes::ad
