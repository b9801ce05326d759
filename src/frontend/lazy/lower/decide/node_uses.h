// SPDX-License-Identifier: Apache-2.0
// Who reads the nodes of a plan, and how.
#pragma once

#include <utility>
#include <vector>

#include "frontend/lazy/plan.h"

namespace skald::lazy {

struct Uses {
  std::vector<const PlanInput*> views;
  std::vector<std::pair<int, const PlanInput*>> by;  // the readers
  int readers = 0;
  bool read_flat = false;  // at positions that are no tuple of indices
  bool repeated = false;   // along an axis
  bool is_factor = false;  // of a product, which needs it for each row or column
  int only_reader = -1;
};
// Those of all nodes.
std::vector<Uses> uses_of_nodes(const Plan& plan);

}  // namespace skald::lazy
