// SPDX-License-Identifier: Apache-2.0
// The state of lowering one function, shared by all rooms of lowering.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/program.h"
#include "imp/ir/code.h"
#include "imp/ir/imp.h"
#include "imp/lower/common/block_flows.h"
#include "imp/lower/common/options.h"
#include "support/bug.h"

namespace skald::imp {

// Where an array is and what shape it has.
struct ArrayPlace {
  core::Type type;
  core::MemLoc loc;
};
// Of a copy that transposes: the dimension along which the source is contiguous, while the
// destination is along the last one; the last one if it is not such a copy.  The source has
// strides.
size_t contiguous_elsewhere(const ArrayPlace& dest, const ArrayPlace& src);

struct GroupCode;  // gpu/gpu.h

class FunctionLowering {
 public:
  explicit FunctionLowering(Program& prog, Target target = Target::kCpu)
      : prog_(prog), target_(target) {}

  // Only for a device: kernels that call one of these run on the host.
  void set_recursive(const std::unordered_set<std::string>& functions,
                     std::vector<std::string>* notes = nullptr) {
    recursive_ = &functions;
    notes_ = notes;
  }
  void set_options(const LowerOptions& options) { options_ = options; }
  Function lower(const core::Function& fn, FunctionKind kind = FunctionKind::kHost);

 private:
  friend class KernelLowering;
  friend class GpuKernelLowering;
  friend class NestLowering;
  friend class TileLowering;
  friend class SmallNestLowering;
  friend class BlockLowering;

  // Is this host code whose arrays live on a device?
  bool device_host() const { return target_ == Target::kDevice && parallel_depth_ == 0; }
  // Where blocks with references live.
  Space owned() const {
    if (group_ != nullptr) return Space::kGroup;
    return device_host() || kernels_on_host_ ? Space::kDevice : Space::kHeap;
  }
  // Where memory lies that is needed for a moment.
  Space temporary() const {
    return group_ != nullptr ? Space::kShared : parallel_depth_ > 0 ? Space::kScratch : owned();
  }

  // ---- stmts.cpp
  void body(Code& code, const core::Body& body);
  // Is it a histogram with bins of their own for each row, where `fill` makes them?  Then each row
  // is filled before it is used, not all of them before.
  bool can_fill_later(const core::Stmt& fill, const core::Stmt& hist);
  void stmt(Code& code, const core::Stmt& stmt);
  void trace(Code& code, const core::Stmt& stmt, const core::Opaque& node);
  bool scalar_stmt(Code& code, const core::Stmt& stmt);
  void branch(Code& code, const core::Stmt& stmt, const core::If& node);
  void loop(Code& code, const core::Stmt& stmt, const core::Loop& node);
  void assign_next(Code& code, const core::Loop& node);
  // ---- cpu/map/inner_reductions.cpp
  // A loop that reduces, in vector lanes.  False (and no code) if it is none.
  bool reduction_loop(Code& code, const core::Stmt& stmt);
  // ---- stmts.cpp
  void call(Code& code, const core::Stmt& stmt, const core::Call& node);
  Space space_of(Name block_name) const;
  // Binds arrays of a pattern to their places.
  void remember(const core::Param& param);
  Operand value(const Operand& operand) const;
  Name block(Name name) const;

  // ---- arrays.cpp
  bool array_stmt(Code& code, const core::Stmt& stmt);
  const ArrayPlace& place(Name array) const;
  const ArrayPlace* find_place(Name array) const;  // null if it is not known yet
  // The element index of array[indices] (as many as its rank).
  Operand address(Code& code, const ArrayPlace& array, const std::vector<Operand>& indices);
  // The part array[indices], fewer indices than the rank.
  ArrayPlace part(Code& code, const ArrayPlace& array, const std::vector<Operand>& indices);
  ArrayPlace slice(Code& code, const ArrayPlace& array, const std::vector<core::DimSlice>& slice);
  std::vector<Operand> strides(Code& code, const ArrayPlace& array);
  Operand element_count(Code& code, const core::Type& type);
  void copy(Code& code, const ArrayPlace& dest, const ArrayPlace& src);
  // The same if `dest` is contiguous along its last dimension and `src` along another one: in
  // squares that fit into a cache.  False (and no code) if not.
  bool copy_in_squares(Code& code, const ArrayPlace& dest, const ArrayPlace& src);
  // The same on a device, by squares that go through the memory of a group.
  bool copy_in_tiles(Code& code, const ArrayPlace& dest, const ArrayPlace& src);
  void in_pieces(Code& code, const core::Type& type,
                 const std::function<void(Code&, const Operand&, const Operand&)>& piece);
  void copy_overlapping(Code& code, const ArrayPlace& dest, const ArrayPlace& src);
  // dest[indices] = value, a scalar or an array.
  void store(Code& code, const ArrayPlace& dest, const std::vector<Operand>& indices,
             const Operand& value);
  Operand load(Code& code, const ArrayPlace& array, const std::vector<Operand>& indices,
               std::string_view base);
  void fill(Code& code, const ArrayPlace& dest, const Operand& value);
  // Code for a result that is so large that it is better written past the caches, and for others.
  void if_streamed(Code& code, const core::Type& result, const std::function<void(Code&)>& large,
                   const std::function<void(Code&)>& otherwise);
  void concat(Code& code, const ArrayPlace& dest, const core::Concat& node);
  void iota(Code& code, const ArrayPlace& dest, const core::Iota& node);
  // Calls `visit` with the indices of every element, row by row; in parallel in host code.
  void for_each_index(Code& code, const std::vector<Operand>& shape,
                      const std::function<void(Code&, const std::vector<Operand>&)>& visit);

  // ---- gpu/launch.cpp
  // A launch of one thread for each of `count` iterations.
  void launch_for(Code& code, const Operand& count, const Code::LoopBody& body);
  // Adds the launch; finds out how much scratch memory it needs.
  void add_launch(Code& code, Launch launch);

  // ---- gpu/group.cpp
  // Code that all threads of a group run: `body` for 0 … count-1, shared out among them, or once.
  // Whoever comes after sees what was written.
  void in_group(Code& code, const Operand& count, const Code::LoopBody& body);
  void once_in_group(Code& code, const std::function<void(Code&)>& body);
  static void sync(Code& code);
  // Adds statements that may fail: the threads find out after the next barrier.
  static void try_in_group(Code& code, const GroupCode& group, const Operand& position, Body body);
  void stop_if_failed(Code& code);
  // Room for one value of each thread; the same place for the same number.
  Name group_slot(Code& code, size_t number);

  void explain(const std::string& what) const {
    if (options_.explain) options_.explain("order: " + what);
  }

  // ---- kernels.cpp (imp/lower)
  void kernel(Code& code, const core::Stmt& stmt, const core::Kernel& node);

  // ---- rows_as_one_copy.cpp
  // What all points of a kernel together give back, if each gives a rearranged row of one array.
  std::optional<ArrayPlace> view_of_rows(Code& code, const core::Kernel& kernel,
                                         const Operand& result);
  // A kernel that only copies such rows; `otherwise` is its usual code.  False if it is another.
  bool copy_rows(Code& code, const core::Stmt& stmt, const core::Kernel& kernel,
                 const std::function<void(Code&)>& otherwise);

  // Copies `fn` with fresh names, applied to `args`, into `code`.
  std::vector<Operand> apply(Code& code, const core::Lambda& fn, const std::vector<Operand>& args);

  Program& prog_;
  Target target_;
  LowerOptions options_;
  std::unordered_map<Name, ArrayPlace> arrays_;
  // Names that stand for another operand here: results of branches, thunk parameters.
  std::unordered_map<Name, Operand> alias_;
  BlockFlows flows_;
  // Functions that may call themselves; devices cannot run them.
  const std::unordered_set<std::string>* recursive_ = nullptr;
  // Who wants to know about kernels that run on the host.
  std::vector<std::string>* notes_ = nullptr;
  // In a kernel for a device that runs on the host because of them.
  bool kernels_on_host_ = false;
  // In a thunk whose reductions are to run in vector lanes, not its points.
  bool reduce_inside_ = false;
  // How many parallel loops we are in.
  int parallel_depth_ = 0;
  // What the histogram that is lowered next has to do first.
  const core::Stmt* late_fill_ = nullptr;
  // The group whose threads run this code together; null: one thread (or the host) does.
  GroupCode* group_ = nullptr;
};

// The variant of a function that launches call.
inline std::string device_name(const std::string& fn) {
  return fn + ".device";
}

// The function that the outside world calls: arrays come and go as a block and their dimensions.
Function entry_wrapper(Program& prog, const core::Function& fn);

}  // namespace skald::imp
