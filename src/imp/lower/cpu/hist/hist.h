// SPDX-License-Identifier: Apache-2.0
// Histograms: what the ways to make them share.  A kernel may have several, and outputs and
// scatters beside them: each point is computed once.
//
// All ways give the same result in every run, with any number of threads: docs/histograms.md.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "imp/lower/kernel/strategy.h"

namespace skald::imp {

// ---- bins.cpp
// All writes to histograms, one by one; those to the same one follow each other.
std::vector<SinkInfo> hist_writes(const KernelFacts& facts);
// Does the write before go to the same bins?
bool writes_again(const std::vector<SinkInfo>& writes, size_t k);
Operand bin_count(KernelWriter& kernel, Code& code, const SinkInfo& info);
int64_t bin_bytes(const KernelWriter& kernel, const SinkInfo& info);
bool has_dense_bins(const KernelWriter& kernel, const SinkInfo& info);
// True if every outer index has bins of its own.
bool has_own_bins(const KernelFacts& facts);
// True if the points of a row all have bins of their own, as if the operator worked on arrays:
// lanes never meet.
bool has_rows_of_bins(const KernelFacts& facts, const SinkInfo& info);
// The operator that an atomic instruction can do, exactly and in any order.
std::optional<BinOpKind> exact_operator(const core::Sink& sink);
bool are_atomic(const KernelFacts& facts);
// Does an operator compute with floats?  Comparing them and choosing between them does not round.
bool rounds(const core::Body& body);
// The points begin … end-1, one after another.
void hist_in_order(KernelWriter& kernel, Code& code, const Operand& begin, const Operand& end);
void hist_atomically(KernelWriter& kernel, Code& code);

// ---- update.cpp
// Where a write goes.
std::vector<Operand> bin_of(const SinkInfo& info, const std::vector<Operand>& values);
void hist_update(KernelWriter& kernel, Code& code, const SinkInfo& info,
                 const std::vector<ArrayPlace>& dests, const std::vector<Operand>& values);
void hist_atomic_update(KernelWriter& kernel, Code& code, const SinkInfo& info,
                        const std::vector<Operand>& values);
// A histogram, and where its bins are for the points at hand.
struct BinsOfSink {
  SinkInfo info;
  std::vector<ArrayPlace> dests;
};
// What one point does to several histograms; those with the same bin ask once whether it exists.
void update_all(KernelWriter& kernel, Code& code, const std::vector<BinsOfSink>& bins,
                const std::vector<Operand>& values);
// Does the operator choose between what is in the bin and something else?
bool may_keep_bin(const core::Operator& op);
// dests[at] = op(dests[at], values)
void update_bin(KernelWriter& kernel, Code& code, const core::Operator& op,
                const std::vector<ArrayPlace>& dests, const std::vector<Operand>& at,
                const std::vector<Operand>& values);

// ---- pieces.cpp
// The points begin … end-1 in order, with a body for every one of `ways` (a power of two)
// neighbours; what takes some computing is computed in vectors first, some hundred points at a
// time.
void hist_points(KernelWriter& kernel, Code& code, const Operand& begin, const Operand& end,
                 int64_t ways, const std::function<PointBody(int64_t)>& then);
// All that the points begin … end-1 do, sinks other than histograms too: in a row; several at a
// time in the code; or in lanes, where bins of neighbours never meet.
enum class Order : uint8_t { kOneByOne, kUnrolled, kAcross };
void update_points(KernelWriter& kernel, Code& code, const Operand& begin, const Operand& end,
                   const std::vector<BinsOfSink>& bins, Order order);
// True if what is left to do for a point, after all that vectors do first, is short.
bool is_short_point(KernelWriter& kernel);

// ---- near_keys.cpp
bool can_sample_keys(const KernelWriter& kernel, const SinkInfo& info);
// Of 1024 updates: how many find their bin in the second cache, and its page at hand, although all
// bins together do not fit; and how many go to the same bin as the one before.
struct NearKeys {
  Operand lines, pages, equal;
};
// At least 64 points.
NearKeys near_keys(KernelWriter& kernel, Code& code, const SinkInfo& info, const Operand& total);

// ---- notes.cpp: bytes and operators, for --explain=hist.
void explain_bins(KernelWriter& kernel, const std::vector<SinkInfo>& infos);

// ---- copies.cpp
std::vector<Name> bin_copies(KernelWriter& kernel, Code& code, const SinkInfo& info,
                             const Operand& count);
// Copy number `copy`, full of neutral elements.
std::vector<ArrayPlace> start_copy(KernelWriter& kernel, Code& code, const SinkInfo& info,
                                   const std::vector<Name>& copies, const Operand& copy);
void combine_copies(KernelWriter& kernel, Code& code, const SinkInfo& info,
                    const std::vector<Name>& copies, const Operand& count);
// Each of `chunks` chunks fills copies of its own; the first one fills the destinations.
void hist_with_copies(KernelWriter& kernel, Code& code, const Operand& chunks);
// Copies of a chunk that neighbouring points use in turn.
inline constexpr int64_t kTurns = 4;
bool can_use_hist_lanes(KernelWriter& kernel, const std::vector<SinkInfo>& infos);
// Each chunk fills several copies in turn.
void hist_with_lanes(KernelWriter& kernel, Code& code, const Operand& chunks);

// ---- sorted.cpp
bool can_sort_bins(const KernelWriter& kernel, const SinkInfo& info);
// Points are first sorted by ranges of bins.
void hist_sorted(KernelWriter& kernel, Code& code, const SinkInfo& info);

}  // namespace skald::imp
