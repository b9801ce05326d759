// SPDX-License-Identifier: Apache-2.0
// Makes one kernel out of several.
//
// The thunks are strung together: a read at the own index of an array that is made inside is simply
// a value.  Statements that depend on a scanned value run in the post-function, all others in the
// thunk; what the post-function needs of the latter is handed over as values for `out`.  Sinks that
// need such values become late.  Rows that a partition keeps are known under its guard: sinks get
// values for dropped rows that change nothing, and arrays over these rows join the partition.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/program.h"

namespace skald::passes::fusion {

class KernelComposer {
 public:
  KernelComposer(core::Program& prog, const core::Domain& domain);

  // In an order in which they may run.  `guard`: the size of the class whose rows the kernel runs
  // over; the partition was added before.
  void add(core::Stmt stmt, std::optional<core::Name> guard);
  // The statement that gives all results for which `wanted` holds.
  core::Stmt finish(const std::function<bool(core::Name)>& wanted);

 private:
  struct Out {
    core::Param param;
    core::Operand value;
    core::Type type;
    std::optional<core::Name> guard;
  };
  // A sink with the values it takes.
  struct Fed {
    core::Sink sink;
    std::vector<core::Operand> values;
    std::vector<core::Type> types;
    std::vector<core::Param> pat;
  };

  void append(core::Stmt stmt);
  void append_guarded(core::Body body, const std::vector<core::Ret>& results,
                      const core::Operand& keep,
                      const std::vector<std::optional<core::Operand>>& others,
                      std::vector<core::Operand>& values);
  static void add_values_of_dropped(const core::Sink& sink,
                                    std::vector<std::optional<core::Operand>>& others, size_t& at);
  void replace_own_reads(core::Body& body, const std::vector<core::Name>& index);
  void give(const core::Param& param, const core::Operand& value, const core::Type& type,
            std::optional<core::Name> guard);
  core::Operand keeps(core::Name size);
  core::Name let(core::Type type, core::Exp exp, std::string_view base);
  bool is_post(const core::Operand& operand) const;
  bool is_late(const Fed& fed) const;
  void close_partitions(const std::function<bool(core::Name)>& wanted);
  Fed count_members(const core::Param& size);

  core::Program& prog_;
  core::Kernel made_;
  std::vector<core::Stmt> pre_, post_;
  std::unordered_set<core::Name> post_names_;             // made after the scans
  std::unordered_map<core::Name, core::Operand> rows_;    // by array
  std::unordered_map<core::Name, core::Operand> guards_;  // by the size of the class
  std::vector<Fed> scans_, sinks_;
  std::vector<core::Param> scanned_;
  std::vector<Out> outs_;
  std::vector<core::Name> tokens_;
  core::Hints hints_;
  core::Loc loc_;
};

}  // namespace skald::passes::fusion
