// SPDX-License-Identifier: Apache-2.0
// What the two files that replace accumulators by arrays share.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/program.h"

namespace skald::passes {

inline bool is_accumulator(const core::Type& type) {
  return type.kind == core::Type::kAcc;
}

// An accumulator as the arrays it stands for.
struct AccArrays {
  core::Type type;
  std::vector<core::Name> arrays;
  const core::Operator* op = nullptr;
  // Accumulators with the same number have the same operator, up to the names that it uses from
  // outside, which `free` lists in a fixed order.
  int number = 0;
  std::vector<core::Name> free = {};
};

// Functions that take accumulators exist once for each way they are called: what a write does is
// known only where the accumulator comes from.
class AccVariants {
 public:
  explicit AccVariants(core::Program& prog) : prog_(prog) {}

  void run();
  int next_number() { return ++numbers_; }
  // The variant of a function for these accumulators.
  std::string variant(const std::string& fn, const std::vector<const AccArrays*>& accs,
                      const std::vector<std::vector<core::Type>>& free_types);

 private:
  core::Program& prog_;
  std::unordered_map<std::string, core::Function> sources_;
  std::unordered_map<std::string, std::string> names_;
  std::vector<core::Function> made_;
  int numbers_ = 0;
};

// Replaces the accumulators of a function whose parameters are none, or stand for these.
void expand_in_function(core::Program& prog, AccVariants& variants, core::Function& fn,
                        std::unordered_map<core::Name, AccArrays> accs = {});

}  // namespace skald::passes
