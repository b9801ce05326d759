// SPDX-License-Identifier: Apache-2.0
// Where what is computed on the fly is computed: once for each place, seen from what is stored,
// that its readers read it at.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "frontend/lazy/plan.h"

namespace skald::lazy {

// Where something is computed, seen from the elements that are stored.
struct Place {
  std::map<int, int64_t> positions;  // known ones, by axis
  std::string moves;                 // how far away along the other axes
  friend bool operator<(const Place& a, const Place& b) {
    return std::tie(a.positions, a.moves) < std::tie(b.positions, b.moves);
  }
};

// How often the same elements are computed, less one.
int64_t times_again(const std::set<Place>& places);

class ReadPlaces {
 public:
  // Rolls that are done where the result is written, and writes that only move something.
  ReadPlaces(const std::set<const PlanNode*>& pushed_rolls,
             std::function<bool(const PlanNode&)> is_moved)
      : pushed_rolls_(pushed_rolls), is_moved_(std::move(is_moved)) {}

  // The place of an input, if its reader is computed at this one.
  void add(std::set<Place>& places, const PlanNode& reader, const PlanInput& input,
           const Place& at) const;

 private:
  // How a reader moves: nothing if it reads where it computes.  Different positions of an axis that
  // it does not go along are different elements, which nobody computes twice.
  std::string step(const PlanNode& reader, const PlanInput& input) const;

  const std::set<const PlanNode*>& pushed_rolls_;
  std::function<bool(const PlanNode&)> is_moved_;
};

}  // namespace skald::lazy
