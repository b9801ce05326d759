// SPDX-License-Identifier: Apache-2.0
// Every pass, and the order they run in.
#include "passes/pass.h"
#include "passes/passes.h"

namespace skald::passes {

using core::Stage;

const std::vector<PassInfo>& all_passes() {
  static const std::vector<PassInfo> kPasses = {
      {"differentiate", "replace derivatives by code that computes them", differentiate,
       Stage::kSoacs, Stage::kSoacs, true},
      {"inline", "replace calls of small functions by their bodies", inline_functions,
       Stage::kSoacs, Stage::kSoacs},
      {"simplify", "propagate copies and constants, fold scalar code", simplify, Stage::kSoacs,
       Stage::kSoacs},
      {"dead-code", "remove statements and functions nobody uses", remove_dead_code, Stage::kSoacs,
       Stage::kSoacs},
      {"first-rounds",
       "the first round of a loop, where it reads ranges and constants, comes before it",
       put_first_rounds, Stage::kSoacs, Stage::kSoacs},
      {"early-products",
       "products in loops that need only the number of the round come before them", early_products,
       Stage::kSoacs, Stage::kSoacs},
      {"scalarise", "operators on small arrays become operators on scalars", scalarise_operators,
       Stage::kSoacs, Stage::kSoacs},
      {"fusion", "merge SOACs that follow each other or read the same arrays", fuse_soacs,
       Stage::kSoacs, Stage::kSoacs},
      {"sum-writes", "writes of derivatives to arrays become sums where each place is known",
       sum_writes, Stage::kSoacs, Stage::kSoacs},
      {"flatten", "make parallelism inside nests visible, with versions to choose from",
       flatten_nests, Stage::kSoacs, Stage::kSoacs},
      {"extract-kernels", "turn outer SOACs into kernels, inner ones into loops", extract_kernels,
       Stage::kSoacs, Stage::kKernels, true},
      {"fuse-kernels", "merge kernels that follow each other or read the same arrays", fuse_kernels,
       Stage::kKernels, Stage::kKernels},
      {"running-offsets", "rows that follow each other in memory are one long row", join_rows,
       Stage::kKernels, Stage::kKernels},
      {"keep-totals", "totals that only kernels need stay on a device", keep_totals,
       Stage::kKernels, Stage::kKernels},
      {"split-operators", "histograms of independent components become several", split_operators,
       Stage::kKernels, Stage::kKernels},
      {"transpose-reads", "copy arrays that kernels read across their rows again and again",
       transpose_reads, Stage::kKernels, Stage::kKernels},
      {"place", "decide where kernels run and arrays lie; copy what is needed elsewhere",
       place_arrays, Stage::kKernels, Stage::kKernels, true},
      {"share-windows", "parts of arrays cross calls, loops and branches without a copy",
       share_windows, Stage::kKernels, Stage::kKernels},
      {"plan-memory", "give every array a memory block and an index function", plan_memory,
       Stage::kKernels, Stage::kMemory, true},
      {"hoist-memory", "allocate before loops; arrays that every round replaces get two blocks",
       hoist_memory, Stage::kMemory, Stage::kMemory},
      {"free-memory", "give blocks back after their last use", free_memory, Stage::kMemory,
       Stage::kMemory},
  };
  return kPasses;
}

std::vector<std::string_view> pipeline_to(Stage stage) {
  std::vector<std::string_view> names = {
      "differentiate",  // first: nothing else knows derivatives
      "inline",         "simplify",
      "first-rounds",    // before dead-code, which removes what it has made again elsewhere
      "dead-code",       // simplify leaves the statements it has bypassed
      "early-products",  // before fusion, which merges products with what they are used for
      "scalarise",       // before fusion, which leaves operators on arrays alone
      "fusion",          // after simplify, so that equal sizes are equal operands
      "simplify",       "dead-code",
      "sum-writes",  // sees writes next to what they write
  };
  if (stage >= Stage::kKernels) {
    names.push_back("flatten");
    names.push_back("extract-kernels");
    names.push_back("simplify");  // loops made from SOACs subscript with constants and copies
    names.push_back("dead-code");
    names.push_back("fuse-kernels");  // sees subscripts where views were
  }
  if (stage >= Stage::kMemory) {
    names.push_back("running-offsets");  // sees sums and differences as simplify writes them
    names.push_back("keep-totals");      // after the last merging of flat kernels
    names.push_back("split-operators");  // after the last merging of histograms
    names.push_back("transpose-reads");  // after all that would take the copies away
    names.push_back("place");            // after all that makes or merges kernels
    names.push_back("share-windows");    // last before arrays get places: it makes slices
    names.push_back("plan-memory");
    names.push_back("hoist-memory");
    names.push_back("free-memory");  // last: the others move and merge blocks
  }
  return names;
}

}  // namespace skald::passes
