// SPDX-License-Identifier: Apache-2.0
// Hints: how whoever wrote the code, or an earlier pass, wants it to be run.
//
// Hints are data of core, not of a source language: a front end translates its own notation
// (Futhark's attributes) and keeps to itself what has no field here.  No hint changes a value.
// Core text shows them before a statement or function: `#[sequential, "flattening(no_outer)"]`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace skald::core {

// Which version of a nest of maps to take (docs/flattening.md).
struct Flattening {
  bool no_outer = false;    // not the one whose outer maps alone are parallel
  bool only_inner = false;  // all levels, nothing else
  bool no_intra = false;    // no group of threads for each iteration
  bool only_intra = false;  // such groups, nothing else
  // Iterations of different lengths run one after another.
  bool sequentialise_nonuniform = false;

  static auto fields(auto& self) {
    return std::tie(self.no_outer, self.only_inner, self.no_intra, self.only_intra,
                    self.sequentialise_nonuniform);
  }
  friend bool operator==(const Flattening&, const Flattening&) = default;
};

// The value is printed when the statement runs, after `tag` or, if that is empty, the place.
struct Trace {
  bool wanted = false;
  std::string tag = {};

  static auto fields(auto& self) { return std::tie(self.wanted, self.tag); }
  friend bool operator==(const Trace&, const Trace&) = default;
};

// Of a statement.
struct Hints {
  bool sequential = false;        // nothing in it runs in parallel
  bool sequential_outer = false;  // its own iterations do not; what is inside may
  Flattening flattening = {};
  bool sequential_inner = false;  // what is inside its function does not
  bool unroll = false;            // a loop that is to become straight code
  // On a loop: it was a reduction, whose operator may be applied in any order.
  bool reduction = false;
  // On a map: one group of threads for each iteration (docs/flattening.md).  On the last statement
  // in such a map: its iterations are groups too.
  bool in_groups = false;
  Trace trace = {};  // of an `opaque`

  bool empty() const { return *this == Hints{}; }
  static auto fields(auto& self) {
    return std::tie(self.sequential, self.sequential_outer, self.flattening, self.sequential_inner,
                    self.unroll, self.reduction, self.in_groups, self.trace);
  }
  friend bool operator==(const Hints&, const Hints&) = default;
};

enum class Inlining : uint8_t { kFree, kAlways, kNever };

// Of a function.
struct FunctionHints {
  Inlining inlining = Inlining::kFree;
  // Without parameters, and computed at most once in a run (top-level constants).
  bool once = false;

  friend bool operator==(const FunctionHints&, const FunctionHints&) = default;
};

// The words that core text shows, and back.  `add_hint` answers false for a word that is none.
std::vector<std::string> hint_words(const Hints& hints);
std::vector<std::string> hint_words(const FunctionHints& hints);
bool add_hint(Hints& hints, std::string_view word);
bool add_hint(FunctionHints& hints, std::string_view word);

// Adds what `from` says.
void join_hints(Hints& hints, const Hints& from);

}  // namespace skald::core
