// SPDX-License-Identifier: Apache-2.0
// Launches and device functions as C text.
//
// A kernel gets the record of failures, the number of its launch, the number of its first group,
// the arena of scratch memory and the bytes of it that each thread has; the group's memory, if it
// asks for some; then what its body uses of the code around it, blocks as pointers to bytes and
// scalars as their bits.  A group with blocks of its own in the device's memory has one more piece
// of the arena for them, with a heap that its first thread looks after.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "codegen/clike/dialect.h"
#include "codegen/clike/failure.h"
#include "codegen/clike/recursion.h"
#include "codegen/clike/scalar_text.h"
#include "codegen/clike/shared_divisors.h"
#include "codegen/clike/value_bounds.h"
#include "core/tuning/tuning.h"
#include "imp/ir/imp.h"
#include "runtime/device/kernel_unit.h"
#include "support/bug.h"
#include "support/writer.h"

namespace skald::clike {

// What a piece of text needs in the same unit.
struct TextNeeds {
  HelperSet helpers = {};
  std::set<std::string> functions = {};  // device functions that it calls
  bool uses_f64 = false;

  void add(const TextNeeds& other);
};

// What kernels and host code of a program share while they are written.
struct ProgramText {
  const imp::Program& prog;
  const core::Tuning& tuning;
  Places places = Places::kHidden;
  std::vector<FailureMessage> failures = {};

  // Device functions, callees first, with what each needs, its callees included.
  struct DeviceFunction {
    std::string name, text;
    TextNeeds needs;
  };
  std::vector<DeviceFunction> functions = {};

  struct Kernel {
    runtime::KernelUnit unit;  // without its pieces
    TextNeeds needs;
  };
  std::vector<Kernel> kernels = {};
  // Numbers of kernels, by their texts without their names.
  std::unordered_map<std::string, int32_t> by_text = {};

  void add_function(const imp::Function& fn);
  // `captured` are the names that the launch uses of the code around it; `unaliased` the blocks
  // among them that no other one can change.
  void add_kernel(const std::string& name, const imp::Launch& launch,
                  const std::vector<imp::Decl>& captured,
                  const std::unordered_set<core::Name>& unaliased);
  // All kernels, with what each needs.
  runtime::KernelTexts texts(const Dialect& dialect);
  // What a tuning parameter is in this program.
  core::Operand tunable(const imp::Tunable& n) const;
  // The number of a new message, and the values that go with it.
  int64_t add_failure(const imp::Check& check,
                      const std::function<Prim(const core::Operand&)>& type_of,
                      std::vector<core::Operand>& values);
};

// Are there blocks of a group in the device's memory?
bool has_group_blocks(const imp::Body& body);

using Types = std::unordered_map<core::Name, imp::Type>;

class KernelText {
  friend class RecursiveText;

 public:
  // `needs` gets what the text needs besides itself.
  KernelText(ProgramText& program, TextNeeds& needs) : program_(program), needs_(needs) {}

  std::string kernel(const std::string& name, const imp::Launch& launch,
                     const std::vector<imp::Decl>& captured,
                     const std::unordered_set<core::Name>& unaliased);
  std::string function(const imp::Function& fn);
  // Only the head, so that functions may call each other.
  std::string declaration(const imp::Function& fn);

 private:
  // ---- pieces
  std::string name(core::Name name) const;
  std::string text(const core::Operand& operand) const;
  std::string element(core::Name block, Prim type, const core::Operand& index,
                      bool fresh = false) const;
  std::string pointer(Prim type, core::Name block, bool fresh = false) const;
  Prim type_of(const core::Operand& operand) const;
  void bind(core::Name name, imp::Type type) { types_[name] = type; }
  void note_type(Prim type) { needs_.uses_f64 = needs_.uses_f64 || type == Prim::kF64; }

  // ---- scopes: blocks that own a reference give it back at the end
  void body(const imp::Body& body);
  void indented_body(const imp::Body& inner);
  void statements(const imp::Body& body);

  void open_scope() {
    owned_.emplace_back();
    first_shared_.emplace_back();
  }
  void close_scope();
  void own(core::Name name) { owned_.back().push_back(name); }
  bool is_private(core::Name block) const { return types_.at(block).space == imp::Space::kPrivate; }
  bool is_shared(core::Name block) const { return types_.at(block).space == imp::Space::kShared; }
  std::string_view space_word(core::Name block) const {
    return is_shared(block) ? "SK_LOCAL" : is_private(block) ? "SK_PRIVATE" : "SK_GLOBAL";
  }
  // A name with its type where it gets its first value.
  std::string declared(std::string_view type, core::Name name);
  // Counting the references of a block that owns one.
  std::string retain(core::Name owner, const std::string& block);
  std::string release(core::Name owner, const std::string& block);

  // ---- failures
  std::string leave();
  std::string position() const;

  // ---- statements
  void stmt(const imp::Let& n);
  // The reciprocal of a number that was just bound, if several quotients want it.
  void reciprocal(core::Name divisor);
  void stmt(const imp::Var& n);
  void stmt(const imp::Assign& n);
  void stmt(const imp::Tunable& n);
  void stmt(const imp::Load& n);
  void stmt(const imp::Store& n);
  void stmt(const imp::Alloc& n);
  void stmt(const imp::BlockVar& n);
  void stmt(const imp::BlockAssign& n);
  void stmt(const imp::Free& n);
  void stmt(const imp::CopyBytes& n);
  void stmt(const imp::Misaligned& n);
  void stmt(const imp::Fill& n);
  void stmt(const imp::If& n);
  void stmt(const imp::For& n);
  void stmt(const imp::While& n);
  void stmt(const imp::Call& n);
  void stmt(const imp::Check& n);
  void stmt(const imp::Atomic& n);
  void stmt(const imp::AtomicUpdate& n);
  // One of its elements.
  void atomic_element(const imp::Atomic& n, const std::string& index, const std::string& value);
  void swap_sum(const imp::Atomic& n, const std::string& index, const std::string& value);
  void add_float(const imp::Atomic& n, const std::string& place, const std::string& index,
                 const std::string& value);
  void atomic_of_warp(const imp::Atomic& n);
  void stmt(const imp::FetchAdd& n);
  void stmt(const imp::Locked& n);
  void stmt(const imp::Barrier& n);
  void stmt(const imp::WarpMeet& n);
  void stmt(const imp::Shuffle& n);
  void place(core::Loc loc);
  void parameters(const std::vector<imp::Decl>& captured,
                  const std::unordered_set<core::Name>& unaliased);
  void stmt(const imp::QuickQuotient& n);
  void stmt(const imp::Ballot& n);
  void stmt(const imp::Fence& n);
  void stmt(const imp::MatrixSum& n);
  void stmt(const imp::Attempt& n);
  void stmt(const imp::Stop& n);
  void stmt(const imp::Launch&) { SKALD_BUG("a launch inside a launch"); }
  void stmt(const imp::ParallelFor&) { SKALD_BUG("a parallel loop for the cpu on a device"); }
  void stmt(const imp::ParallelRange&) { SKALD_BUG("a parallel loop for the cpu on a device"); }
  void stmt(const imp::ParallelChunks&) { SKALD_BUG("a parallel loop for the cpu on a device"); }
  void stmt(const imp::TransposeBlock&) { SKALD_BUG("a transposition for the cpu on a device"); }
  void stmt(const imp::ScanRows&) { SKALD_BUG("a scan for the cpu on a device"); }
  void stmt(const imp::Earlier&) { SKALD_BUG("a scan for the cpu on a device"); }
  void stmt(const imp::ScanBlock&) { SKALD_BUG("a scan for the cpu on a device"); }
  void stmt(const imp::Ordered&) { SKALD_BUG("a parallel loop for the cpu on a device"); }
  void stmt(const imp::Trace&) { SKALD_BUG("a trace on a device"); }
  void stmt(const imp::Collect&) { SKALD_BUG("a partition for the cpu on a device"); }
  void stmt(const imp::MyTurn&) { SKALD_BUG("chunks for the cpu on a device"); }
  void stmt(const imp::ChunkSize&) { SKALD_BUG("chunks for the cpu on a device"); }
  void stmt(const imp::Workers&) { SKALD_BUG("threads of the cpu on a device"); }

  // Writes op(old, given), and gives it back as text.
  using Combine = std::function<std::string(const std::string& old, const std::string& given)>;
  // `after` is what those do whose turn it was not.
  void swap_and_exchange(const imp::AtomicUpdate& n, const Combine& apply);
  void compare_and_swap(Prim type, core::Name block, const std::string& index,
                        const std::function<std::string(const std::string& old)>& combine,
                        const std::function<void()>& after = {});
  void meet(const imp::AtomicUpdate& n, const Combine& apply);
  // What a thread has of a value, and what another one has.
  struct MeetingValue {
    std::string_view type;
    std::string own, other;
  };
  void meet(std::string_view place, const std::vector<MeetingValue>& values,
            const std::function<void()>& combine);
  void meet_at_lock(const imp::Locked& n, const std::string& lock);
  // ---- kernel_wide.cpp
  void wide_copy(const imp::CopyBytes& n);
  void collect_shared(const imp::Body& body);
  // The element types of private blocks.
  void collect_private(const imp::Body& body);

  ProgramText& program_;
  TextNeeds& needs_;
  Writer out_;
  Types types_;
  std::unordered_map<core::Name, Prim> private_elements_;
  // In the order in which the text mentions them.
  mutable std::unordered_map<core::Name, size_t> numbers_;
  ValueBounds bounds_;
  SharedDivisors divisors_;
  std::vector<std::vector<core::Name>> owned_;
  // The first block of each scope that lies in the group's memory.
  std::vector<core::Name> first_shared_;
  bool in_kernel_ = false;
  // In a function that calls itself.
  std::optional<RecursiveText> recursive_;
  int labels_ = 0;
  // The innermost attempt.
  std::string label_;
  std::string position_;
  std::vector<std::string> locks_;  // held
  bool label_used_ = false;
};

}  // namespace skald::clike
