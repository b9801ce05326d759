// SPDX-License-Identifier: Apache-2.0
// The state of hoist-memory for one function; see buffers.cpp.
#pragma once

#include <optional>
#include <vector>

#include "analysis/blocks.h"
#include "analysis/scalar_values.h"
#include "core/edit/builder.h"
#include "core/edit/rename.h"
#include "core/ir/name_map.h"
#include "core/ir/program.h"
#include "passes/pass.h"

namespace skald::passes {

// A number of bytes without the guards that an inner loop put around it.
core::Operand unguarded(core::Operand bytes, const core::NameMap<const core::Stmt*>& scalars);

class Buffers {
 public:
  Buffers(core::Program& prog, core::Function& fn, PassContext& ctx)
      : prog_(prog), ctx_(ctx), block_of_(fn), values_(fn.body) {
    for (const core::Param& p : fn.params) add_dims(p);
    body(fn.body, fn.params);
  }

 private:
  // `params` are those of the function, if it is its body.
  void body(core::Body& body, const std::vector<core::Param>& params);
  // The two blocks that a loop may write next, and whether it may have written one.
  struct Spares {
    core::Name next, after;
    bool written = false;
  };
  // One loop at a time: what is bound inside and how scalars there are computed.
  struct Inside {
    core::NameSet bound;
    core::NameMap<const core::Stmt*> scalars;
    core::NameMap<core::Operand> copied;
  };
  // The statement in front of which things are put, and what surrounds it.
  struct Around {
    std::vector<core::Stmt>& before;
    const core::Body& body;
    size_t at;  // the loop's index in `body`; earlier statements are in `before`
  };

  void add_dims(const core::Param& param);
  void loop(const Around& around, core::Stmt& stmt);
  void learn(const core::Body& body, Inside& inside) const;
  // The value of a scalar computed in the loop, computed before it; none if that cannot be.
  std::optional<core::Operand> outside(const core::Operand& operand, Inside& inside,
                                       core::Builder& out, int depth = 0);
  bool is_invariant(const core::Operand& operand, const Inside& inside, int depth = 0) const;
  bool is_known_dim(const core::Operand& size) const;
  // Is it the size of arrays at hand?
  bool is_known_size(const core::Operand& bytes, const Inside& inside) const;
  // How many bytes to allocate before the loop.
  core::Operand guarded_bytes(const std::vector<core::Operand>& bytes, const core::Loop& loop,
                              Inside& inside, core::Builder& out);

  // ---- rotation
  bool rotate_result(const Around& around, core::Stmt& stmt, size_t k, Inside& inside);
  // Code of one round: a body, and where in it the next inner one is.
  struct Scope {
    core::Body* body;
    size_t at;
  };
  using Scopes = std::vector<Scope>;
  // What a rotation replaces.
  struct Replaced {
    bool apply = false;
    core::Name current;  // the block that the round begins with
    std::vector<core::Name> allocs = {};
    std::vector<core::Operand> bytes = {};
    void add(core::Name block, const core::Operand& size);
  };
  // Makes the code that gives block `result` write into the spare blocks, or only asks whether that
  // can be and collects the allocations it would replace.
  std::optional<Spares> rotate(Scopes scopes, const core::Operand& result, Spares spares,
                               Replaced& replaced);
  std::optional<Spares> rotate_branch(const Scopes& scopes, core::Stmt& stmt, core::Name name,
                                      Spares spares, Replaced& replaced);
  std::optional<Spares> rotate_loop(Scopes scopes, core::Name name, Spares spares,
                                    Replaced& replaced);
  // Is the block used by the innermost statement (a loop, other than as initial value) or later?
  bool used_later(const Scopes& scopes, core::Name block) const;
  // Where a block is allocated: before the loop, or before the branches that it is in.
  const core::Alloc* alloc_of(const Around& around, core::Name block) const;
  // A block of the right size that nobody else wants any more, handed to the loop as `init`.
  bool can_give_up(const Around& around, const core::Stmt& stmt, size_t k,
                   const std::vector<core::Operand>& bytes) const;

  // ---- results that take the place of the parameter
  bool write_in_place(const Around& around, core::Stmt& stmt, size_t k);
  // What the rewriting knows: the loop's parameter, and arrays outside kernels with their places.
  struct InPlace {
    core::Name block;
    analysis::BlockClasses classes;
    core::NameMap<const core::Param*> arrays = {};
    core::Operand bytes = core::const_i64(0);  // of the initial block
  };
  bool is_as_large(const Scopes& scopes, core::Operand bytes, const core::Operand& initial) const;
  bool write_in_place(Scopes scopes, const core::Operand& result, InPlace& in_place);
  // Does no other parameter hand on the block of parameter k, or the one that replaces it?
  static bool hands_on_alone(const core::Loop& loop, size_t k,
                             const analysis::BlockClasses& classes);

  // ---- blocks that no round hands on
  struct HoistedBlock {
    core::Name block;
    core::Operand bytes;
    core::Space space;
  };
  struct Hoisting {
    Inside& inside;
    analysis::BlockClasses classes;
    core::Builder before;
    core::NameSet handed_on = {};
    std::vector<HoistedBlock> blocks = {};
    // Blocks of one side of a branch that stand for those of the other.
    core::Substitution shared = {};
    std::vector<std::pair<core::Body*, std::vector<size_t>>> removed = {};
  };
  void hoist_from(core::Body& body, bool in_branch, const core::Loop& loop, Hoisting& hoisting,
                  std::vector<HoistedBlock> free);
  void hoist_temporaries(const Around& around, core::Loop& loop, Inside& inside);

  core::Program& prog_;
  PassContext& ctx_;
  analysis::BlockOf block_of_;
  analysis::ScalarValues values_;
  // The branches that we are in, outermost first, up to the innermost loop or kernel.
  std::vector<Around> branches_;
  // Sizes of arrays that exist where we are.
  std::vector<core::Name> dims_;
  // For a loop parameter that rotates: the positions of its spare blocks.
  core::NameMap<std::pair<size_t, size_t>> rotating_;
};

}  // namespace skald::passes
