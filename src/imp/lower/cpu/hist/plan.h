// SPDX-License-Identifier: Apache-2.0
// The plan of histograms on the cpu that all threads work on: which way, how many copies.
//
// Where an operator gives the same in any order, times decide, by machine/hist_model.h with the
// constants of this machine (machine/hist_costs.h).  Where it rounds, they must not: how floats are
// added up is the same on all machines
// (docs/adr/0008-float-reductions-have-a-fixed-association.md). Then the numbers of points and bins
// decide, by rules with fixed numbers.
#pragma once

#include "imp/lower/cpu/hist/hist.h"
#include "imp/lower/kernel/hist_notes.h"
#include "machine/hist_costs.h"

namespace skald::imp {

// What all threads work on, with the sizes that decide how.
struct SharedBins {
  SharedBins(KernelWriter& writer, Code& code);

  KernelWriter& kernel;
  std::vector<SinkInfo> infos;
  bool sortable = false, atomic = false;
  bool any_order;                     // is the result the same in any order?
  Operand total;                      // points
  std::vector<Operand> bins;          // of each
  Operand bytes = const_i64(0);       // of all
  std::optional<NearKeys> seen = {};  // if keys may have been looked at; else lines are -1
  Operand copies = const_i64(1);      // how many are good

  bool cheap() const { return kernel.facts.grain > 0; }
  // The fewest points that are worth a task.
  int64_t least_points() const;
  // What `--param hist.way` asks for.
  machine::HistWay wanted() const;
  // Says that a way is taken, and what decided.
  void report(Code& code, std::string_view way, std::vector<HistNumber> more = {}) const;

 private:
  void look_at_keys(Code& code);
};

Operand largest_of(Code& code, const std::vector<Operand>& counts);
Operand thread_count(Code& code);

// ---- Are copies, or one thread, at least as good as sorting?
Operand copies_beat_sorting(const SharedBins& shared, Code& code);
std::string why_copies_beat_sorting(const SharedBins& shared);

// ---- Would copies that neighbours use in turn be good for so many chunks …
Operand turns_may_pay(const SharedBins& shared, Code& code, const Operand& chunks);
// … and are they, if so many of kSampledPairs neighbours have the same bin?
inline constexpr int64_t kSampledPairs = 64;
// near_keys.cpp: looks at as many pairs of neighbouring points all over the input.  How many of
// them lie in the same bin?
Operand equal_pairs(KernelWriter& kernel, Code& code, const std::vector<SinkInfo>& infos,
                    const Operand& total);
Operand turns_pay(const SharedBins& shared, Code& code, const Operand& chunks,
                  const Operand& equal);
// The same where keys cannot be looked at.
Operand turns_pay_unseen(const SharedBins& shared, Code& code, const Operand& chunks);

}  // namespace skald::imp
