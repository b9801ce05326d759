// SPDX-License-Identifier: Apache-2.0
#include "imp/verify/legality.h"

#include <fmt/format.h>

#include <array>

#include "support/bug.h"

namespace skald::imp {

namespace {

struct Row {
  std::string_view words;
  // In the order of Place.
  std::array<bool, 3> legal;
};

constexpr std::array<bool, 3> kEverywhere = {true, true, true};
constexpr std::array<bool, 3> kCpuOnly = {true, false, false};
// The host of a device runs parallel loops in order.
constexpr std::array<bool, 3> kNotInKernels = {true, true, false};
constexpr std::array<bool, 3> kNotOnHosts = {true, false, true};
constexpr std::array<bool, 3> kHostsOnly = {false, true, false};
constexpr std::array<bool, 3> kKernelsOnly = {false, false, true};

// clang-format off
// The row of a node; a node without one does not compile.
template <class N>
constexpr Row kRow = N::has_no_row;
template <> constexpr Row kRow<Let> = {"x = exp", kEverywhere};
template <> constexpr Row kRow<Var> = {"var", kEverywhere};
template <> constexpr Row kRow<Assign> = {"assignment", kEverywhere};
template <> constexpr Row kRow<QuickQuotient> = {"quick_div, slow_div", kKernelsOnly};
template <> constexpr Row kRow<Tunable> = {"tunable", kEverywhere};
template <> constexpr Row kRow<Load> = {"load", kEverywhere};
template <> constexpr Row kRow<Store> = {"store", kEverywhere};
template <> constexpr Row kRow<Alloc> = {"alloc", kEverywhere};
template <> constexpr Row kRow<BlockVar> = {"name of a block", kEverywhere};
template <> constexpr Row kRow<BlockAssign> = {"block b = …", kEverywhere};
template <> constexpr Row kRow<Free> = {"free", kEverywhere};
template <> constexpr Row kRow<CopyBytes> = {"copy, move, stream", kEverywhere};
template <> constexpr Row kRow<Misaligned> = {"misaligned", kKernelsOnly};
template <> constexpr Row kRow<Fill> = {"fill", kEverywhere};
template <> constexpr Row kRow<TransposeBlock> = {"transpose", kCpuOnly};
template <> constexpr Row kRow<ScanBlock> = {"scan", kCpuOnly};
template <> constexpr Row kRow<ScanRows> = {"scan rows", kCpuOnly};
template <> constexpr Row kRow<Earlier> = {"earlier", kCpuOnly};
template <> constexpr Row kRow<Collect> = {"collect", kCpuOnly};
template <> constexpr Row kRow<Trace> = {"trace", kNotInKernels};
template <> constexpr Row kRow<If> = {"if, maybe if", kEverywhere};
template <> constexpr Row kRow<For> = {"for, simd for, short for, unroll for", kEverywhere};
template <> constexpr Row kRow<While> = {"while", kEverywhere};
template <> constexpr Row kRow<Call> = {"call", kEverywhere};
template <> constexpr Row kRow<Check> = {"check", kEverywhere};
template <> constexpr Row kRow<ParallelFor> = {"parallel for", kNotInKernels};
template <> constexpr Row kRow<ParallelRange> = {"parallel range", kNotInKernels};
template <> constexpr Row kRow<ParallelChunks> = {"parallel chunks", kNotInKernels};
template <> constexpr Row kRow<Ordered> = {"ordered", kNotInKernels};
template <> constexpr Row kRow<MyTurn> = {"my_turn", kNotInKernels};
template <> constexpr Row kRow<ChunkSize> = {"chunk_size", kNotInKernels};
template <> constexpr Row kRow<Workers> = {"workers", kNotInKernels};
template <> constexpr Row kRow<Atomic> = {"atomic operator", kNotOnHosts};
template <> constexpr Row kRow<AtomicUpdate> = {"atomic { … } yield", kNotOnHosts};
template <> constexpr Row kRow<FetchAdd> = {"fetch_add", kKernelsOnly};
template <> constexpr Row kRow<Locked> = {"lock", kNotOnHosts};
template <> constexpr Row kRow<Launch> = {"launch", kHostsOnly};
template <> constexpr Row kRow<Barrier> = {"barrier", kKernelsOnly};
template <> constexpr Row kRow<WarpMeet> = {"warp_meet", kKernelsOnly};
template <> constexpr Row kRow<Shuffle> = {"shuffle_up, _down, _xor, _index", kKernelsOnly};
template <> constexpr Row kRow<Ballot> = {"ballot", kKernelsOnly};
template <> constexpr Row kRow<Fence> = {"fence", kKernelsOnly};
template <> constexpr Row kRow<MatrixSum> = {"matrix (CUDA only)", kKernelsOnly};
template <> constexpr Row kRow<Attempt> = {"attempt", kKernelsOnly};
template <> constexpr Row kRow<Stop> = {"stop", kKernelsOnly};
// clang-format on

// By index in Node.
const std::vector<Row>& node_rows() {
  static const std::vector<Row> kRows = {
#define X(n) kRow<n>,
      SKALD_IMP_NODES(X)
#undef X
  };
  return kRows;
}

Row space_row(Space space) {
  switch (space) {
    case Space::kHeap: return {"heap", kEverywhere};
    case Space::kScratch: return {"scratch", kEverywhere};
    case Space::kView: return {"view", kEverywhere};
    case Space::kShared: return {"shared", kKernelsOnly};
    case Space::kDevice: return {"device", {false, true, true}};
    case Space::kGroup: return {"group", kKernelsOnly};
    case Space::kPrivate: return {"private", kKernelsOnly};
  }
  SKALD_BUG("no such space");
}

std::string text_of(const Row& row) {
  const auto mark = [&](Place place) { return row.legal[static_cast<size_t>(place)] ? "yes" : ""; };
  return fmt::format("| `{}` | {} | {} | {} |\n", row.words, mark(Place::kCpu),
                     mark(Place::kDeviceHost), mark(Place::kDeviceKernel));
}

}  // namespace

std::string_view place_name(Place place) {
  switch (place) {
    case Place::kCpu: return "code for the cpu";
    case Place::kDeviceHost: return "host code of a device";
    case Place::kDeviceKernel: return "code that a device runs";
  }
  SKALD_BUG("no such place");
}

bool is_legal(const Node& node, Place place) {
  return node_rows()[node.index()].legal[static_cast<size_t>(place)];
}

bool is_legal(Space space, Place place) {
  return space_row(space).legal[static_cast<size_t>(place)];
}

std::string_view node_words(const Node& node) {
  return node_rows()[node.index()].words;
}

std::string legality_table() {
  std::string text = "| statement | cpu | device: host | device: kernels |\n|---|---|---|---|\n";
  for (const Row& row : node_rows()) text += text_of(row);
  text += "\n| blocks | cpu | device: host | device: kernels |\n|---|---|---|---|\n";
  for (const Space space : {Space::kHeap, Space::kScratch, Space::kView, Space::kShared,
                            Space::kDevice, Space::kGroup, Space::kPrivate})
    text += text_of(space_row(space));
  return text;
}

}  // namespace skald::imp
