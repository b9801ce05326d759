// SPDX-License-Identifier: Apache-2.0
// Which arrays can be built where they will be copied to.
//
//   let {as} = map …             as and bs are built in the block of cs, if nobody looks at them
//   after the let {bs} = map …             concatenation; the same for rows of array literals,
//   values of updates, let {cs} = concat(as, bs)    results of branches and rows of kernels'
//   outputs
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "analysis/memory_sharing.h"
#include "analysis/origins.h"
#include "core/ir/program.h"

namespace skald::passes {

// A place that will be known when the array is made, or not; the planner finds out.
struct Target {
  enum Kind : uint8_t {
    kConcat,  // part number `part` of the concatenation that gives `dest`
    kRow,     // row number `part` of `dest`
    kUpdate,  // dest[slice], an array that exists already
    kOutput,  // dest[slice], an output of the kernel we are in
    kWhole,   // a block of its own, which a permuted view of the array will fill
    kPlace    // `place`
  };
  Kind kind = kPlace;
  core::Name dest = {};
  core::Type dest_type = {};
  core::Name copied_by = {};  // what the statement binds that would copy the array
  size_t part = 0;
  int dim = 0;                              // kConcat
  std::vector<core::Operand> lengths = {};  // kConcat: of the parts before
  std::vector<core::DimSlice> slice = {};   // kUpdate, kOutput
  std::vector<core::Name> tokens = {};      // checks that must have passed
  core::MemLoc place = {};                  // kPlace
  // What is copied is a view of the array that is made; from there to here.
  struct View {
    core::Name name;
    core::Type type, source;
    std::vector<int> perm = {};       // none: a reshape or reversal
    std::vector<bool> reversed = {};  // by dimension; none: a reshape or rearrangement
    bool moves() const { return !perm.empty() || !reversed.empty(); }
  };
  core::Type type = {};
  std::vector<View> views = {};
};

// Where the results of a body go, by position, and what else is known about it.
using ResultTargets = std::vector<std::optional<Target>>;

class Targets {
 public:
  Targets(const analysis::MemorySharing& sharing, const analysis::Origins& origins)
      : sharing_(sharing), origins_(origins) {}
  // The targets of arrays made by the statements of `body`; inner bodies are not entered.
  std::unordered_map<core::Name, Target> find(const core::Body& body,
                                              const ResultTargets& results) const;

 private:
  struct Context;
  void add(Context& context, size_t at, const core::Operand& value, Target target) const;
  std::optional<core::Name> maker(const Context& context, core::Name array, Target& target) const;
  std::optional<core::Name> earlier_version(const Context& context, const Target& target,
                                            size_t from) const;
  bool looks_elsewhere(const Context& context, const Target& target, core::Name array,
                       size_t maker) const;
  bool is_worth_whole(const Context& context, core::Name made, const Target& target) const;

  const analysis::MemorySharing& sharing_;
  const analysis::Origins& origins_;
};

}  // namespace skald::passes
