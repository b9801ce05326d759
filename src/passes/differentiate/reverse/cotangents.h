// SPDX-License-Identifier: Apache-2.0
// The cotangents of names while the rules run, and adding to them.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>

#include "passes/differentiate/base/activity.h"

namespace skald::passes::ad {

// The type of an accumulator into such an array.
inline Type acc_for(const Type& array) {
  Type acc{Type::kAcc};
  acc.shape = array.shape;
  acc.acc_elems = {scalar_type(array.elem)};
  return acc;
}

// An array that becomes an accumulator around a statement: its place among what that gives and
// takes.
struct AccArray {
  Name array;
  Type acc;
  size_t result, input;
};
// What `make` gives for the names of these accumulators, inside a with_acc if there are any.  The
// results are its own, with arrays for the accumulators.
std::vector<Name> inside_with_acc(const std::vector<AccArray>& arrays,
                                  const std::vector<Type>& types, const std::vector<Name>& tokens,
                                  Emit& out,
                                  const std::function<Exp(const std::vector<Name>&)>& make);

class Cotangents {
 protected:
  Cotangents(Session& session, Activity& activity) : session_(session), activity_(activity) {}

  struct Adjoint {
    Operand value = const_i64(0);
    bool owned = false;
    bool is_acc = false;
  };
  using Seeds = std::vector<std::optional<Operand>>;

  bool active(const Operand& operand) const {
    if (!activity_.has(operand)) return false;
    return std::ranges::find(left_out_, *as_name(operand)) == left_out_.end();
  }

  std::optional<Operand> find(Name name) const;
  bool owns(Name name) const;
  Operand seed(Name name, Emit& out);
  Seeds seeds_of(const std::vector<Param>& pat) const;
  enum class Own : bool { kNo, kYes };
  void add(const Operand& to, const Operand& value, Emit& out, Own own = Own::kNo);
  void add_at(Name array, const std::vector<DimSlice>& slice, const Operand& value,
              const std::vector<Name>& tokens, Emit& out);
  // Adds `value` to the part `slice` of an accumulator for an array of that type; the accumulator.
  static Name add_to_acc(Name acc, const Type& array, const std::vector<DimSlice>& slice,
                         const Operand& value, Emit& out);
  // A cotangent that may be consumed.
  Name own_array(Name name, Emit& out);
  Name own_copy(const Operand& array, bool owned, Emit& out);
  // Active names that the code uses but does not bind, except accumulators.
  std::vector<Name> active_free(const NameSet& names) const;

  struct Carry {
    Type type;
    Operand init;  // an array must be owned
  };
  using Round =
      std::function<std::vector<Operand>(Emit&, const Operand&, const std::vector<Name>&)>;
  // A loop of `rounds` rounds that carries these values and the cotangents of `free`.
  std::vector<Name> loop_with(const Operand& rounds, const std::vector<Name>& free,
                              const std::vector<Carry>& carries, const Round& round, Emit& out);

  Session& session_;
  Activity& activity_;
  NameMap<Adjoint> adjoints_;
  // Names that get no cotangents here, but elsewhere.
  std::vector<Name> left_out_;
};

}  // namespace skald::passes::ad
