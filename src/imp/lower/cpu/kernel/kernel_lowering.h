// SPDX-License-Identifier: Apache-2.0
// One kernel on its way to parallel loops.  Each set of sinks has its skeleton.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "imp/lower/common/function.h"
#include "imp/lower/common/strides.h"

namespace skald::imp {

// The accumulators of one operator: variables, with the operator's types.
using Accumulators = std::vector<Name>;

// Fewer segments than this cannot keep the cores busy: each is worked on in parallel.
inline constexpr int64_t kFewSegments = 8;
// Shorter reductions gain nothing from several accumulators.
inline constexpr int64_t kWorthLanes = 64;
// Copies of a histogram that is not alone in its kernel.
inline constexpr int64_t kCopies = 8;

class KernelLowering {
  friend class NestLowering;
  friend class TileLowering;
  friend class SmallNestLowering;
  friend class BlockLowering;

 public:
  KernelLowering(FunctionLowering& fn, const core::Stmt& stmt, const core::Kernel& kernel);
  void lower(Code& code);
  // Is it a histogram, and nothing else, in which each row has bins of its own in `dest`?
  bool has_own_rows(Name dest) const;

 protected:
  // Where the values of one sink start among the results of the thunk (of the post-function, for a
  // late sink), and its results in the pattern.
  struct SinkInfo {
    const core::Sink* sink;
    size_t values;
    size_t results;
    // Of a histogram: how many times a point writes, one after the other.
    size_t writes = 1;
  };
  using PointBody = std::function<void(Code&, const std::vector<Operand>& indices,
                                       const std::vector<Operand>& values)>;

  // ---- points.cpp
  // Runs the thunk at one point; with a guard, `then` runs only where it holds.
  void point(Code& code, const std::vector<Operand>& indices, const PointBody& then);
  // All points begin … end-1 of the flattened domain, row by row.
  void points(Code& code, const Operand& begin, const Operand& end, const PointBody& then,
              LoopHint hint = LoopHint::kNone);
  // The same with a body for every one of `ways` neighbouring points.
  void points_in_turn(Code& code, const Operand& begin, const Operand& end, int64_t ways,
                      const std::function<PointBody(int64_t)>& then);
  // The rows that the points begin … end-1 lie in: their outer indices, and from where to where.
  using RowBody = std::function<void(Code&, const std::vector<Operand>& outer, const Operand& from,
                                     const Operand& to)>;
  void rows_of(Code& code, const Operand& begin, const Operand& end, const RowBody& body);
  // Does every point touch only the elements at its own place, of dense arrays of one shape?
  bool is_elementwise() const;  // elementwise.cpp
  // The outer indices of segment `number` (all dimensions but the last).
  std::vector<Operand> segment_indices(Code& code, const Operand& number);
  void map_only(Code& code);
  void map_by_rows(Code& code);
  void map_long_rows(Code& code);
  // Short rows: map/unrolled_rows.cpp.
  std::vector<int64_t> short_rows() const;
  void map_short_rows(Code& code, const std::vector<int64_t>& lengths);
  void reduce_short_rows(Code& code, const std::vector<int64_t>& lengths);
  void scan_written_out(Code& code, const std::vector<int64_t>& lengths);
  // Code for rows of 1 … most elements, if their length is not known: `then` finds it known.
  void if_rows_of(Code& code, int64_t most, const std::function<void(Code&)>& then,
                  const std::function<void(Code&)>& otherwise);
  void in_lanes_by_rows(Code& code, const std::vector<int64_t>& lengths,
                        const std::function<void(Code&, const std::vector<Operand>&)>& row);
  // Stores outputs and performs scatters and atomic histogram updates for one point.
  void direct_sinks(Code& code, const std::vector<Operand>& indices,
                    const std::vector<Operand>& values);
  void out_sink(Code& code, const SinkInfo& info, const std::vector<Operand>& indices,
                const std::vector<Operand>& values);
  void scatter_sink(Code& code, const SinkInfo& info, const std::vector<Operand>& values);
  bool leaves_out_points(const SinkInfo& info) const;
  bool is_own_index(size_t value, const Operand& size) const;
  // Does the place of a histogram or scatter exist?
  Operand in_bounds(Code& code, const std::vector<Operand>& at, const SinkInfo& info);
  bool has(core::Sink::Kind kind) const;
  const ArrayPlace& result_place(size_t k) const;

  // ---- segments.cpp
  void segments(Code& code);
  // The first position of segment `s`.
  Operand segment_begin(Code& code, const Operand& s);
  // The thunk at element j of segment s (indices {s, j}); `then` gets the flat position.
  void segment_point(Code& code, const std::vector<Operand>& indices, const PointBody& then);
  Name find_segment(Code& code, const Operand& position);
  void map_segments(Code& code);
  using SegmentBody = std::function<void(Code&, const Operand& s, const Operand& length)>;
  void each_segment(Code& code, const SegmentBody& whole, const SegmentBody& in_parallel);
  void reduce_segments(Code& code);
  void scan_segments(Code& code);

  // ---- reduce.cpp
  Accumulators start(Code& code, const core::Operator& op);
  // acc = op(acc, values)
  void combine(Code& code, const core::Operator& op, const Accumulators& acc,
               const std::vector<Operand>& values);
  std::vector<Operand> sink_values(const SinkInfo& info, const std::vector<Operand>& values) const;
  void reduce_flat(Code& code);
  void reduce_grid(Code& code);
  bool is_exact_reduction() const;
  void reduce_long_rows(Code& code);
  void reduce_by_rows(Code& code);
  void reduce_rows(Code& code, const Operand& first, int64_t rows);
  // The point joins the accumulators; these are the results of the segment.
  void reduce_point(Code& code, const std::vector<Operand>& indices,
                    const std::vector<Accumulators>& accs);
  void store_reduced(Code& code, const std::vector<Operand>& outer,
                     const std::vector<Accumulators>& accs);
  // Feeds the points (outer…, begin … end-1) to the reductions, with several accumulators if that
  // keeps the meaning.
  void reduce_range(Code& code, const std::vector<Operand>& outer, const Operand& begin,
                    const Operand& end, const std::vector<Accumulators>& accs);
  // Feeds the points 0 … length-1 to the reductions, several parts side by side.
  using Feed = std::function<void(Code&, const Operand& i, const std::vector<Accumulators>& into)>;
  void reduce_in_streams(Code& code, const Operand& length, const Feed& feed,
                         const std::vector<Accumulators>& accs);
  // Is the thunk a loop that is worth vectors, while the points are combined one by one?
  bool should_reduce_in_pieces() const;
  void reduce_in_pieces(Code& code, const std::vector<Operand>& outer, const Operand& begin,
                        const Operand& end, const Feed& feed,
                        const std::vector<Accumulators>& accs);
  // One segment of n points in parallel chunks.
  void reduce_segment_in_chunks(Code& code, const std::vector<Operand>& outer, const Operand& n,
                                const std::vector<Accumulators>& accs);

  // ---- lanes.cpp
  // Accumulators in scratch memory: lanes[k][v][lane] is value v of reduction k.
  using Lanes = std::vector<std::vector<Name>>;
  // Nothing but scalar code that cannot fail: no checks, branches, loops, arrays.
  bool is_straight() const;
  // The same, but for branches.
  bool is_scalar_code() const;
  bool can_use_lanes() const;
  bool are_commutative(core::Sink::Kind kind) const;
  // Do points read nothing far apart when the segment changes?
  bool reads_near_across() const;
  // Does the thunk read neighbouring elements when the last but one index moves, rather than when
  // the last one does?
  bool reads_across() const;
  bool can_reduce_along() const;
  bool should_reduce_across() const;
  // How the thunk's loads move; adds what the strides need.
  std::vector<Access> accesses(Code& code) const;
  // Do neighbouring segments read the same elements, or neighbours, but for what each reads once?
  bool shares_points(Code& code) const;
  Lanes start_lanes(Code& code, int64_t count);
  std::vector<Operand> load_lane(Code& code, const Lanes& lanes, size_t reduction,
                                 const Operand& lane);
  // Combines one point into each of the first `count` lanes.
  void feed_lanes(Code& code, const Lanes& lanes, const Operand& count, LoopHint hint,
                  const std::function<std::vector<Operand>(Code&, const Operand&)>& indices_of);
  // How many times kLanes lanes a reduction along its points has.
  int64_t lane_banks() const;
  // into[lane] = op(into[lane], from[lane + offset]) for the first `count` lanes.
  void fold_lanes(Code& code, const Lanes& into, const Lanes& from, int64_t count, int64_t offset);
  void reduce_along(Code& code, const std::vector<Operand>& outer, const Operand& begin,
                    const Operand& length, const std::vector<Accumulators>& accs);
  // How many stretches a reduction, or the totals of a scan, take at a time in order; 0 if lanes
  // would not pay.
  int64_t ordered_lanes(core::Sink::Kind kind) const;
  void reduce_in_order(Code& code, const std::vector<Operand>& outer, const Operand& begin,
                       const Operand& end, const std::vector<Accumulators>& accs);

  // ---- transposed.cpp
  // Blocks of `width` stretches, in which lanes read what was transposed before.
  struct Transposed {
    int64_t width = 0;
    std::vector<size_t> reads;  // statements of the thunk that do, if it has not run already
    std::vector<Name> buffers;  // of each of them, or of each value that waits
    bool in_use = false;
    Operand t = const_i64(0), lane = const_i64(0);  // where the point is
  };
  // For stretches of at most `longest` points.  False, and nothing, if there is no such read.
  bool start_transposed(Code& code, int64_t width, int64_t longest);
  // Fills the buffers with what the points of as many stretches as there are lanes read, from
  // `first` on, and makes `point` read there.
  void transpose_points(Code& code, const std::vector<Operand>& outer, const Operand& first,
                        const Operand& stretch);
  void transposed_point(Code& code, const std::vector<Operand>& indices, const PointBody& then);
  std::pair<Name, Operand> read_place(Code& code, size_t read, const std::vector<Operand>& at);
  // Short rows next to each other, one for each lane; what they read along the row is transposed
  // before.
  struct RowReads {
    std::vector<size_t> reads;   // statements of the thunk
    std::vector<Operand> steps;  // from row to row
    int64_t shortest = 0;        // rows that have no square to go through registers do not pay
  };
  std::optional<RowReads> reads_of_rows(Code& code) const;
  void reduce_rows_in_lanes(Code& code, const RowReads& found, const Operand& first,
                            int64_t longest);

  // ---- lanes.cpp again
  // Neighbouring columns, one for each lane.
  struct ColumnBlock {
    std::vector<Operand> outer;
    Operand first, count;
  };
  ColumnBlock column_block(Code& code, const Operand& number, const Operand& blocks, int64_t width);
  void feed_block(Code& code, const Lanes& lanes, const ColumnBlock& block, int64_t width,
                  const Operand& begin, const Operand& end);
  void reduce_block_in_chunks(Code& code, const ColumnBlock& block, int64_t width);
  void reduce_across(Code& code);
  // The same for segments of less than kWorthLanes points.
  void reduce_short_across(Code& code);
  void reduce_column_block(Code& code, const ColumnBlock& block, int64_t width);
  int64_t across_width() const;
  // Statements of the thunk that cost much and are the same for all segments of a block.
  std::vector<size_t> same_across() const;
  // Computes them for the points 0 … n-1, and makes `point` take them from there.
  void fill_table(Code& code, const std::vector<size_t>& same, const ColumnBlock& block);
  void tabled_point(Code& code, const std::vector<Operand>& indices, const PointBody& then);

  // ---- map/inner_reductions.cpp
  // Should the lanes be rounds of the thunk's loops instead of points?
  bool should_reduce_inside() const;

  // ---- tile.cpp
  // Does the kernel in tiles if it is like a matrix product and large enough, else by `otherwise`.
  // False (and no code) if it has another shape.
  bool tiled(Code& code, const std::function<void(Code&)>& otherwise);

  // ---- blocks.cpp
  // The same for a map that reads some arrays across their rows: in square blocks, in which those
  // arrays are transposed first.
  bool in_blocks(Code& code, const std::function<void(Code&)>& otherwise);

  // ---- scan.cpp, scan/pieces.cpp, scan/grid.cpp
  void scan_flat(Code& code);
  void scan_grid(Code& code);
  void scan_long_rows(Code& code);
  // Advances the scans by one point.
  void scan_point(Code& code, const std::vector<Operand>& indices,
                  const std::vector<Accumulators>& accs, bool write);
  void scan_values(Code& code, const std::vector<Operand>& indices,
                   const std::vector<Operand>& values, const std::vector<Accumulators>& accs,
                   bool write);
  std::vector<Operand> scan_outputs(Code& code, const std::vector<Operand>& indices,
                                    std::vector<Operand> outputs);
  std::vector<const core::Operator*> operators(core::Sink::Kind kind) const;
  std::vector<Accumulators> start_all(Code& code, core::Sink::Kind kind);
  // How many independent parts of a chunk are scanned at once.
  int64_t scan_streams() const;
  Operand scan_chunk(Code& code, const Operand& n);
  // The totals of the points begin … end-1.
  void scan_totals(Code& code, const std::vector<Operand>& outer, const Operand& begin,
                   const Operand& end, const std::vector<Accumulators>& accs);
  // Scans one segment of n points in chunks, in one pass over memory.  Its reductions are added to
  // `reduced`.
  void scan_in_chunks(Code& code, const std::vector<Operand>& outer, const Operand& n,
                      const std::vector<Accumulators>& reduced);
  // May the association depend on which thread comes first?
  bool is_scan_exact() const;
  struct ScanChunk;
  struct ScanParts;
  void scan_chunk_body(Code& code, const ScanChunk& chunk);
  void scan_parts(Code& code, const ScanChunk& chunk, const ScanParts& found);
  // The values of a scan at `place` of their blocks.
  std::vector<Operand> load_scanned(Code& code, const core::Operator& op,
                                    const std::vector<Name>& blocks, const Operand& place);
  void store_scanned(Code& code, const core::Operator& op, const std::vector<Name>& blocks,
                     const Operand& place, const Accumulators& accs);
  // Is the thunk so expensive that its values should be kept, not computed twice?
  bool should_stage() const;
  // Computes the points begin … end-1 and keeps their values in the buffers, that of point `base`
  // first.
  void stage(Code& code, const std::vector<Operand>& outer, const Operand& begin,
             const Operand& end, const Operand& base, const std::vector<Name>& buffers);
  void staged_point(Code& code, const std::vector<Operand>& indices, const PointBody& then);
  // Are all scans pairwise simple operators, so that they can be done in vector registers?
  bool can_scan_in_registers() const;
  // The same, or can other operators be applied to lanes (scan/lanes.cpp)?
  bool can_scan_in_vectors() const { return can_scan_in_registers() || can_scan_in_lanes(); }
  bool can_scan_in_lanes() const;
  bool scans_floats() const;
  int64_t scan_lane_count() const;
  // How long the operators take, in the time of an addition, if each waits for the one before.
  int64_t scan_operator_steps() const;
  struct ScanSteps {
    std::vector<std::vector<std::vector<Name>>> earlier;
    std::vector<std::vector<Name>> scanned;  // the groups' own values
    std::vector<Accumulators> running;
  };
  ScanSteps start_scan_steps(Code& code);
  std::vector<Operand> scan_lane(Code& code, const ScanSteps& steps, size_t k, const Operand& lane,
                                 std::vector<Operand> x);
  void end_scan_group(Code& code, const ScanSteps& steps);
  void lane_totals(Code& code, const std::vector<Operand>& outer, const Operand& begin,
                   const Operand& end, const std::vector<Accumulators>& accs);
  // Like scan_pieces.
  void scan_in_lanes(Code& code, const std::vector<Operand>& outer, const Operand& begin,
                     const Operand& end, const std::vector<std::vector<Name>>& carry,
                     const std::vector<Accumulators>& reduced);
  // The statement that reads value v of the thunk, if that is nothing but an element of an array in
  // the order of the points.
  std::optional<size_t> plain_read(Code& code, size_t v) const;
  // The same for all values; none if there is one that is not.
  std::vector<size_t> plain_reads(Code& code) const;
  std::vector<const ArrayPlace*> scan_places() const;
  // The same for the points begin … end-1, from what the blocks `carry` hold.  Reductions, late
  // ones too, go to `reduced`.
  void scan_pieces(Code& code, const std::vector<Operand>& outer, const Operand& begin,
                   const Operand& end, const std::vector<std::vector<Name>>& carry,
                   const std::vector<Accumulators>& reduced);
  void scan_row_in_pieces(Code& code, const std::vector<Operand>& outer, const Operand& length);
  void scan_rows(Code& code, const Operand& first, int64_t rows);
  void scan_across(Code& code);

  // ---- map/rows_as_one_loop.cpp
  // Points of short rows that follow one another in memory, as one row.
  struct FlatRows {
    std::vector<size_t> reads;  // statements of the thunk that read the element at the point
    bool knows_point = false;   // does something else need to know where in which row it is?
  };
  std::optional<FlatRows> find_flat_rows(Code& code);
  // For each group of whole rows with some hundred points: its first row, and how many points.
  struct FlatGroup {
    Operand first, count;
    Operand length;  // of a row
  };
  void flat_groups(Code& code, const std::function<void(Code&, const FlatGroup&)>& group);
  // All points of a group: their numbers in it, and the values of the thunk.
  void flat_points(
      Code& code, const FlatRows& rows, const FlatGroup& group,
      const std::function<void(Code&, const Operand& k, const std::vector<Operand>& values)>& then);
  void map_flat_rows(Code& code, const FlatRows& rows);
  // ---- scan/rows_in_registers.cpp
  bool can_scan_flat_rows() const;
  void scan_short_rows(Code& code, const FlatRows& rows);

  // ---- map/rows_in_scratch.cpp
  // Rows of its own that a point reads and makes in memory of its own.
  struct KeptRows {
    std::vector<Name> read;  // the arrays they belong to
    // Value of the thunk and result of the kernel: rows made in the result, and rows that are
    // copied there.
    std::vector<std::pair<size_t, size_t>> made, given;
  };
  KeptRows find_kept_rows();
  bool should_keep_rows(const KeptRows& kept);
  Operand kept_bytes(Code& code, const KeptRows& kept);
  void kept_rows_point(Code& code, const std::vector<Operand>& indices, const PointBody& then);
  // `points` with kept rows, where they are short, and `otherwise`.  False (and no code) if keeping
  // rows is of no use.  `only_short` says that long ones are better reduced in lanes of their own.
  bool map_with_kept_rows(Code& code, bool only_short, const std::function<void(Code&)>& points,
                          const std::function<void(Code&)>& otherwise);

  // ---- partition.cpp
  void partition(Code& code);
  bool can_partition_in_order() const;
  // A class of a partition: its values and results.
  struct PartitionClass {
    const SinkInfo* info;
    size_t number, first_result, row_values;
  };
  bool can_pack(const std::vector<PartitionClass>& classes) const;
  // Collects the members among the points begin … end-1 in `buffers`, from `next` on.
  void pack_members(Code& code, const Operand& begin, const Operand& end,
                    const std::vector<PartitionClass>& classes, const std::vector<Name>& next,
                    const std::vector<std::vector<Name>>& buffers, bool again = false);
  bool should_count_first(const std::vector<PartitionClass>& classes) const;
  // Adds to `next` how many of the points begin … end-1 are members.
  void count_members(Code& code, const Operand& begin, const Operand& end,
                     const PartitionClass& each, Name next);
  // Packs them and writes them past the caches, from `place` on.
  void stream_members(Code& code, const Operand& begin, const Operand& end,
                      const PartitionClass& each, Name place, const std::vector<Name>& buffers);
  void copy_members(Code& code, const PartitionClass& each, const Operand& place,
                    const Operand& count, const std::vector<Name>& buffers, bool stream);
  Operand is_member(Code& code, const Operand& row_class, size_t c);
  void count_member(Code& code, const Operand& row_class, size_t c, Name next);
  void partition_rows(Code& code);
  void collect_member(Code& code, const SinkInfo& info, size_t c, Name next,
                      const std::vector<Operand>& values);
  void move_together(Code& code, const SinkInfo& info, const Operand& begin,
                     const std::vector<Name>& counts, const Operand& chunk,
                     const std::vector<Name>& totals);

  // ---- mixed.cpp
  // How a kernel with several sinks treats its histograms.
  enum class Bins : uint8_t { kCopied, kAtomic, kInOrder };
  // What the chunks of such a kernel leave behind.
  struct Gathered;
  bool is_mixed() const;
  void mixed(Code& code);
  void mixed_chunks(Code& code, Bins bins, const Operand& size, const Gathered& into);
  void feed_sinks(Code& code, const Gathered& at, bool late, Bins bins,
                  const std::vector<Operand>& indices, const std::vector<Operand>& values);

  // ---- hist.cpp
  void hist(Code& code);
  // All writes to histograms, one by one; those to the same one follow each other.
  std::vector<SinkInfo> hists() const;
  static std::vector<SinkInfo> writes_of(const SinkInfo& info);
  std::optional<BinOpKind> exact_operator(const core::Sink& sink) const;
  bool can_be_atomic() const;
  void hist_atomically(Code& code);
  void hist_atomic_update(Code& code, const SinkInfo& info, const std::vector<Operand>& values);
  // The points begin … end-1, one after another.
  void hist_in_order(Code& code, const Operand& begin, const Operand& end);
  bool has_own_bins() const;
  // Fills all bins, or those of one row, if that was left to the histogram.
  void fill_bins(Code& code, const core::Stmt* fill);
  void fill_row(Code& code, const core::Stmt& fill, const Operand& row, const Operand& bins);
  Operand point_count(Code& code);
  Operand bin_count(Code& code, const SinkInfo& info);
  int64_t bin_bytes(const SinkInfo& info) const;
  bool has_dense_bins(const SinkInfo& info) const;

  // ---- hist/model.cpp: which way histograms are made, if all threads work on each
  void hist_by_model(Code& code);
  void hist_one_by_one(Code& code);
  // Is the result the same in any order, if the operators are associative and commutative?
  bool any_order(const std::vector<SinkInfo>& infos) const;
  Operand often_equal(Code& code, const std::vector<SinkInfo>& infos, const Operand& total);
  // How many chunks with copies of all bins are good; less than 2: none.
  Operand copy_count(Code& code, const std::vector<SinkInfo>& infos, const Operand& total,
                     const std::vector<Operand>& bins);

  // ---- hist/update.cpp
  std::vector<Operand> bin_of(const SinkInfo& info, const std::vector<Operand>& values) const;
  void hist_update(Code& code, const SinkInfo& info, const std::vector<ArrayPlace>& dests,
                   const std::vector<Operand>& values);
  // A histogram, and where its bins are for the points at hand.
  struct BinsOfSink {
    SinkInfo info;
    std::vector<ArrayPlace> dests;
  };
  // What one point does to several histograms; those with the same bin ask once whether it exists.
  void update_all(Code& code, const std::vector<BinsOfSink>& bins,
                  const std::vector<Operand>& values);
  class BinChoice;
  // Does the operator choose between what is in the bin and something else?
  bool may_keep_bin(const core::Operator& op) const;
  // dests[at] = op(dests[at], values)
  void update_bin(Code& code, const core::Operator& op, const std::vector<ArrayPlace>& dests,
                  const std::vector<Operand>& at, const std::vector<Operand>& values);

  // ---- hist/pieces.cpp
  // The points begin … end-1 in order, with a body for every one of `ways` (a power of two)
  // neighbours; what takes some computing is computed in vectors first, some hundred points at a
  // time.
  void hist_points(Code& code, const Operand& begin, const Operand& end, int64_t ways,
                   const std::function<PointBody(int64_t)>& then);
  // What the first loop computes, and how the second one gets the values of the thunk.
  struct Pieces {
    // Gives what outputs and scatters take, in its place, and then what waits; the other one gives
    // what does not wait, in its place.
    core::Lambda first, second;
    std::vector<Prim> types;                   // of what waits
    std::vector<std::optional<size_t>> waits;  // of the thunk's values: which of these
  };
  std::optional<Pieces> find_pieces() const;
  // All that the points begin … end-1 do, sinks other than histograms too: in a row; several at a
  // time in the code; or in lanes, where bins of neighbours never meet.
  enum class Order : uint8_t { kOneByOne, kUnrolled, kAcross };
  void update_points(Code& code, const Operand& begin, const Operand& end,
                     const std::vector<BinsOfSink>& bins, Order order);

  // ---- hist/copies.cpp
  // The distance between copies of a histogram, in elements.
  Operand copy_stride(Code& code, const SinkInfo& info);
  std::vector<Name> bin_copies(Code& code, const SinkInfo& info, const Operand& count);
  std::vector<ArrayPlace> start_copy(Code& code, const SinkInfo& info,
                                     const std::vector<Name>& copies, const Operand& chunk);
  void combine_copies(Code& code, const SinkInfo& info, const std::vector<Name>& copies,
                      const Operand& count);
  bool has_rows_of_bins(const SinkInfo& info) const;
  static bool writes_again(const std::vector<SinkInfo>& writes, size_t k);
  bool is_short_point() const;
  bool can_use_hist_lanes(const std::vector<SinkInfo>& infos) const;
  // Each of `chunks` chunks fills copies of its own; the first one fills the destinations.
  void hist_with_copies(Code& code, const Operand& chunks);
  ArrayPlace bins_of_chunk(Code& code, const SinkInfo& info, size_t array, Name copies,
                           const Operand& chunk);
  // Each chunk fills kHistLanes copies in turn.
  void hist_with_lanes(Code& code, const Operand& chunks);

  // ---- hist/sorted.cpp
  bool can_partition_bins(const SinkInfo& info) const;
  // Points are first sorted by ranges of bins.
  void hist_partitioned(Code& code, const SinkInfo& info);
  struct BinParts;
  void collect_chunk(Code& code, const SinkInfo& info, const BinParts& parts, const Operand& begin,
                     const Operand& end, const Operand& chunk);
  void update_part(Code& code, const SinkInfo& info, const BinParts& parts, const Operand& part);

  // How many points are worth a task; 0 if their cost is not known.
  int64_t grain() const;
  // The least size of a chunk.
  int64_t least_chunk() const;
  // How many segments of `points` points are worth a task; 0 as above.
  Operand segment_grain(Code& code, const Operand& points);
  Operand segment_count(Code& code);
  // `rows` segments at a time in parallel: group(code, first one), and row(code, number) for each
  // of those that are left over.
  void segments_in_groups(Code& code, const Operand& segments, int64_t rows,
                          const Code::LoopBody& group, const Code::LoopBody& row);
  // Room for `count` values of each accumulator type of `op`.
  std::vector<Name> partials(Code& code, const core::Operator& op, const Operand& count);
  // Combines what `chunks` chunks left in the blocks of `partials` into the accumulators.
  void combine_partials(Code& code, const std::vector<const core::Operator*>& ops,
                        const std::vector<std::vector<Name>>& partial, const Operand& chunks,
                        const std::vector<Accumulators>& accs);
  Operand chunk_count(Code& code, const Operand& n, const Operand& size);

  FunctionLowering& fn_;
  const core::Stmt& stmt_;
  const core::Kernel& kernel_;
  std::vector<SinkInfo> sinks_;
  // Values of the thunk (by position) that are rows built in the output already.
  std::unordered_set<size_t> in_place_;
  // The sinks whose accumulators are lanes: reductions, or scans while their totals are computed.
  std::vector<SinkInfo> laned_;
  Transposed transposed_;
  const KeptRows* kept_rows_ = nullptr;  // while points keep them
  // Statements of the thunk whose values wait in a block, by the last index.
  std::vector<std::pair<size_t, Name>> tabled_;
  // Where the values of the thunk wait, if it has run already, from point `staged_begin_` on.
  std::vector<Name> staged_;
  Operand staged_begin_ = const_i64(0);
  std::vector<Operand> dims_;
  // With a post-function: the values that late sinks take, and its first array among the results.
  size_t late_values_ = 0, first_array_ = 0;
};

}  // namespace skald::imp
