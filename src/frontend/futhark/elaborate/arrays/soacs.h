// SPDX-License-Identifier: Apache-2.0
// The second-order array intrinsics.
//
//   soacs.cpp       map, reduce, scan, histograms, scatter
//   partitions.cpp  filter, partition, flatmap
//   streams.cpp     accumulators
//   derivatives.cpp jvp, vjp, jmp, mjp, with_vjp
//
// Arguments come in the order of the intrinsic's parameters.
#pragma once

#include <functional>
#include <vector>

#include "frontend/futhark/elaborate/types/types.h"

namespace skald::futhark::elab {

using Args = std::vector<ValuePtr>;
enum class Commutative : bool { kNo, kYes };

class Soacs {
 public:
  Soacs(Code& code, Types& types, Evaluator& evaluator)
      : code_(code), types_(types), evaluator_(evaluator) {}

  ValuePtr map(const Args& args, const Use& use);
  ValuePtr reduce(const Args& args, Commutative commutative, const Use& use);
  ValuePtr scan(const Args& args, const Use& use);
  // `rank`: how many dimensions of the destination are indexed.
  ValuePtr hist(int rank, const Args& args, const Use& use);
  ValuePtr scatter(int rank, const Args& args);

  ValuePtr filter(const Args& args, const Use& use);
  ValuePtr partition(int classes, const Args& args, const Use& use);
  // The number of classes is an argument, which must be a constant.
  ValuePtr partition_by_number(const Args& args, const Use& use);
  ValuePtr flatmap(const Args& args, const Use& use);

  ValuePtr scatter_stream(const Args& args, const Use& use);
  ValuePtr hist_stream(const Args& args, const Use& use);

  ValuePtr jvp(const Args& args, const Use& use);
  ValuePtr vjp(const Args& args, const Use& use);
  // Several tangents or cotangents at once.
  ValuePtr jmp(const Args& args, const Use& use);
  ValuePtr mjp(const Args& args, const Use& use);
  ValuePtr with_vjp(const Args& args, const Use& use);

 private:
  core::Operator operator_of(const ValuePtr& fn, const ValuePtr& neutral, const RepPtr& elem,
                             Commutative commutative, const Use& use);
  // What the type of the result, or its field, says about the rows of the array that it is.
  RepPtr elem_hint(const Use& use, const char* field = nullptr);
  std::vector<ValuePtr> partition_rows(const ValuePtr& xs, int classes,
                                       const std::function<Operand(const ValuePtr&)>& class_of);
  enum class Mode : bool { kForward, kReverse };
  // The value and the derivative for one tangent or cotangent; `hint` is asked for sizes.
  std::pair<ValuePtr, ValuePtr> derivative(Mode mode, const ValuePtr& fn, const ValuePtr& x,
                                           const ValuePtr& seed, const RepPtr& hint,
                                           const Use& use);
  ValuePtr derivatives(Mode mode, const Args& args, const Use& use);
  // The field of the type of the result.
  RepPtr field_hint(const Use& use, const char* field);
  // `op`: none for scatter_stream.
  ValuePtr stream(const ValuePtr& dest, std::vector<core::Operator> op, const ValuePtr& fn,
                  const ValuePtr& xs, const Use& use);

  Code& code_;
  Types& types_;
  Evaluator& evaluator_;
};

}  // namespace skald::futhark::elab
