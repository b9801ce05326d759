// SPDX-License-Identifier: Apache-2.0
// Every pass of imp, and the order they run in.
#include "imp/passes/pass.h"
#include "imp/passes/passes.h"

namespace skald::imp {

const std::vector<PassInfo>& all_passes() {
  static const std::vector<PassInfo> kPasses = {
      {"unread",
       "remove blocks that nobody reads, and what was computed for them",
       remove_unread,
       {Target::kCpu}},
      {"whole-indices",
       "row and column of an index, put together again, are the index",
       find_whole_indices,
       {Target::kCpu}},
      {"narrow",
       "loops begin and end where they do something; rows run in lanes",
       narrow_loops,
       {Target::kCpu}},
      {"counts", "count in no more bits than what is compared has", narrow_counts, {Target::kCpu}},
      {"pairs",
       "rows of stencils are taken two at a time where that saves loads",
       pair_rows,
       {Target::kCpu}},
      {"implied-checks",
       "remove checks of indices that follow from earlier ones",
       remove_implied_checks,
       {Target::kCpu}},
      {"fuse-loops",
       "neighbouring loops of a lane become one where that saves loads",
       fuse_loops,
       {Target::kCpu}},
      {"forks",
       "mark calls of a recursive function that may run side by side",
       mark_forks,
       {Target::kCpu}},
      {"vectorise",
       "decide which loops run in the lanes of vector registers, and how",
       vectorise,
       {Target::kCpu}},
      {"polls",
       "loops look whether the run must stop; only for a limit of time",
       mark_polls,
       {Target::kCpu}},
      {"device-loops",
       "run loops over arrays of a device there, on one thread",
       move_loops,
       {Target::kDevice}},
      {"device-scalars",
       "leave scalars on the device that only kernels need",
       keep_scalars,
       {Target::kDevice}},
      {"hoist",
       "in kernels: slow operators that are the same in every round of a loop, before it",
       hoist_operators,
       {Target::kDevice}},
      {"contract",
       "in kernels: products that go into sums are not rounded before; reciprocal square roots",
       contract_products,
       {Target::kDevice}},
      {"carried",
       "loops of kernels keep what the next round would compute again",
       carry_values,
       {Target::kDevice}},
      {"quotients",
       "in kernels: several quotients of f64 share the branch for unusual numbers",
       find_quotients,
       {Target::kDevice}},
  };
  return kPasses;
}

std::vector<std::string_view> pipeline_for(Target target) {
  if (target == Target::kDevice)
    return {"device-loops", "device-scalars", "hoist", "contract",
            "carried",     // knows the sums as they are computed
            "quotients"};  // last: the others look for divisions
  return {
      "unread",         // first: what is removed need not be looked at
      "whole-indices",  // early: the others look at indices
      "narrow",
      "counts",  // sees the loops in lanes that `narrow` has made
      "pairs",         "implied-checks",
      "fuse-loops",  // checks may keep loops apart
      "forks",
      "vectorise",  // last: its marks belong to the statements as they are
  };
}

}  // namespace skald::imp
