// SPDX-License-Identifier: Apache-2.0
// One map that is taken apart, with all that is inside; see writes_apart.cpp.
//
//   bodies.cpp    goes through a body, and takes writes out of it
//   branches.cpp  branches around writes
//   nests.cpp     maps and loops around writes
//   slices.cpp    what writes need: computed again, or kept
#pragma once

#include <map>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/edit/builder.h"
#include "core/edit/free_names.h"
#include "core/ir/program.h"

namespace skald::passes::apart {

inline bool holds_accumulator(const core::Type& type) {
  return type.kind == core::Type::kAcc;
}
bool gives_acc(const core::Stmt& stmt);

// Statements that only write, one after the other, to some accumulators of a scope.
struct Writes {
  std::vector<core::Stmt> stmts;
  std::vector<core::Name> accs;   // what they are called where the scope begins
  std::vector<core::Type> types;  // of these
  std::vector<core::Name> last;   // what they are called after the last write
};

// By what an accumulator is called, what it is called where the scope begins.
using Roots = std::map<core::Name, core::Name>;

class Apart {
 public:
  Apart(core::Program& prog, core::Builder& before) : prog_(prog), before_(before) {}

  // The values and the writes; nothing if it cannot be done.  What all iterations share goes
  // before. `roots`: by the map's accumulators, then also by those of its results, what it takes.
  std::optional<std::vector<Writes>> map(core::Stmt& stmt, std::optional<core::Stmt>& values,
                                         Roots& roots);

 private:
  // The statements of a scope that writes need and that are cheap, and what else they need.
  struct Slice {
    std::vector<const core::Stmt*> stmts;
    std::vector<core::Param> params, kept;
  };
  struct Scope {
    const core::Body* body;
    std::vector<core::Param> params;  // that can be had again without being kept
    std::vector<core::Param> states;  // that cannot
    bool checked;                     // may reads depend on a check of the whole, or on a branch?
  };
  // One side of a branch.
  struct Side {
    core::Body* body;
    Roots roots;
    std::vector<Writes> writes;
    std::vector<core::Param> needed;  // by the writes
  };

  bool is_outside(const core::Operand& operand) const;
  bool is_outside(const core::Type& type) const;
  bool is_same_everywhere(const core::Stmt& stmt) const;

  bool take(core::Body& body, Roots& roots, std::vector<Writes>& all);
  void update(core::Builder& kept, core::Stmt stmt, Roots& roots, Writes& together);

  bool branch(core::Builder& kept, core::Stmt& stmt, Roots& roots, std::vector<Writes>& all);
  bool take_side(Side& side);
  void guard(std::vector<core::Stmt>& stmts, const core::Operand& cond, bool positive);

  bool is_cheap(const core::Stmt& stmt, const Scope& scope) const;
  bool repeat(core::Name name, const Scope& scope, const std::map<core::Name, size_t>& made,
              core::NameSet& seen, std::vector<size_t>& repeated, core::NameSet& leaves,
              size_t& budget) const;
  Slice slice(const Writes& writes, const Scope& scope) const;

  Writes around(const Writes& writes, const Slice& slice, const core::Operand& width,
                const std::map<core::Name, core::Name>& arrays, const Roots& outer, core::Loc loc);
  bool keep(const std::vector<Slice>& slices, const core::Operand& width,
            std::vector<core::Param>& kept, std::map<core::Name, core::Name>& arrays);
  bool nested(core::Stmt& stmt, Roots& roots, std::optional<core::Stmt>& values,
              std::vector<Writes>& all);
  bool loop(core::Builder& before, core::Stmt& stmt, Roots& roots,
            std::optional<core::Stmt>& values, std::vector<Writes>& all);

  core::Program& prog_;
  core::Builder& before_;
  core::NameSet inside_;
  std::unordered_set<core::Name> consumed_;
  bool in_branch_ = false;
};

}  // namespace skald::passes::apart
