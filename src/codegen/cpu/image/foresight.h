// SPDX-License-Identifier: Apache-2.0
// Which kernels a call will run, as far as its arguments tell before it begins.  Branches of host
// code mostly ask for sizes: ways to lower a kernel are arms of such branches.  So what host code
// computes of scalars is computed once more, with the arguments of the call, and of each branch
// whose condition comes out the arm is known.  Memory is not looked at, and of a loop only the
// first round.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/scalar/scalar.h"
#include "imp/ir/imp.h"

namespace skald::cpu {

// The groups of kernels (image.h) of the code that was emitted.
struct EmittedGroups {
  struct Arms {
    uint32_t yes = 0, no = 0;  // 0: there is no such arm
  };
  std::unordered_map<const imp::If*, Arms> branches;  // of host code
  std::unordered_map<std::string, uint32_t> functions;
};

enum class Reach : uint8_t { kUnknown, kLeftOut, kReached };

class Foresight {
 public:
  // `params`: the names of tuning parameters, by row.
  Foresight(const imp::Program& prog, const EmittedGroups& groups,
            const std::vector<std::string>& params);

  // Of each group.  The arguments are those of SkaldEntry; `tuning` holds choices by row, or 0.
  std::vector<Reach> of_call(std::string_view entry, std::span<const int64_t> args,
                             std::span<const int64_t> tuning, int64_t threads, size_t groups) const;

  // A scalar operation, branch, loop or call; numbers are those of slots.
  struct Step {
    enum class Kind : uint8_t {
      kMove,
      kUnary,
      kBinary,
      kTernary,
      kSelect,
      kTunable,
      kWorkers,
      kBranch,
      kFor,
      kWhile,
      kCall,
    };
    Kind kind = Kind::kMove;
    uint32_t dst = 0;
    uint32_t a = 0, b = 0, c = 0;
    core::UnFn unary = nullptr;
    core::BinFn binary = nullptr;
    core::TernFn ternary = nullptr;
    uint32_t row = 0;                             // of the tuning parameter
    EmittedGroups::Arms arms = {};                // of the branch
    std::vector<Step> then = {}, otherwise = {};  // arms; the body of a loop
    std::vector<uint32_t> assigned = {};          // in these
    uint32_t callee = 0;
    std::vector<uint32_t> args = {};  // of the call
  };
  struct Function {
    std::string entry;
    uint32_t group = 0;
    std::vector<uint32_t> params;
    std::vector<core::Prim> types;
    std::vector<Step> steps;
  };

 private:
  std::vector<Function> functions_;
  std::vector<uint64_t> constants_;  // of the last slots
  uint32_t variables_ = 0;           // how many slots come before these
};

}  // namespace skald::cpu
