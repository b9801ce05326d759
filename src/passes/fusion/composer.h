// SPDX-License-Identifier: Apache-2.0
// Makes one SOAC out of several.
//
// Everything happens row by row: the functions are strung together, and a row of an array that is
// made inside is simply a value.  Statements run before the scans (`pre`) or after them (`post`);
// rows that a partition keeps are known under its guard.  What the result gives is collected per
// kind and put together at the end.
//
// The rules are the files in rules/, one per kind of node that joins.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/ir/program.h"

namespace skald::passes::fusion {

// Rows of class `cls` of the partition whose size is `size`.
struct Guard {
  core::Name size = {};
  friend bool operator==(Guard, Guard) = default;
};

class Composer {
 public:
  Composer(core::Program& prog, core::Operand width) : prog_(prog), width_(std::move(width)) {}

  // In an order in which they may run.  `guard`: the width is the size of a class of a partition
  // that was added before.
  void add(core::Stmt stmt, std::optional<Guard> guard);
  // The statement that gives all results for which `wanted` holds.
  core::Stmt finish(const std::function<bool(core::Name)>& wanted);

 private:
  enum class Phase : uint8_t { kPre, kPost };
  struct Value {
    core::Operand operand;
    core::Type type;
    Phase phase = Phase::kPre;
  };
  struct Out {
    core::Param param;
    Value value;
    std::optional<Guard> guard;
  };
  struct Fold {
    core::Operator op;
    std::vector<core::Param> pat;  // of a reduction
    std::vector<core::Operand> values;
    std::vector<core::Type> types;
    std::vector<core::Name> scanned;  // what the post-body calls a scan's values
  };
  struct HistPart {
    core::HistOp op;
    std::vector<core::Param> pat;
    std::vector<core::Operand> indices, values;
    std::vector<core::Type> types;
  };
  struct ScatterPart {
    core::ScatterDest dest;
    core::Param param;
    std::vector<core::Operand> indices;
    core::Operand value;
    core::Type type;
  };
  struct AccPart {
    core::AccInput input;
    core::Param param;             // the accumulator, inside
    core::Name written;            // what it is when all is written
    std::vector<core::Param> pat;  // the arrays
  };
  struct PartitionPart {
    int classes = 0;
    core::Operand cls;
    std::vector<core::Param> pat;
    std::vector<core::Operand> values;
    std::vector<core::Type> types;
  };

  // rules/soac.cpp, rules/hist.cpp, rules/scatter.cpp, rules/partition.cpp, rules/flatmap.cpp,
  // rules/with_acc.cpp
  void add(core::Stmt& stmt, core::Soac soac, std::optional<Guard> guard);
  void add(core::Stmt& stmt, core::Hist hist, std::optional<Guard> guard);
  void add(core::Stmt& stmt, core::Scatter scatter, std::optional<Guard> guard);
  void add(core::Stmt& stmt, core::Partition part, std::optional<Guard> guard);
  void add(core::Stmt& stmt, core::FlatMap flat, std::optional<Guard> guard);
  void add(core::Stmt& stmt, core::WithAcc with);

  // Strings `fn` on: rows of `inputs` are values made before or parameters.  Under a guard, `other`
  // gives what result k is for a row that was dropped (a blank if nothing is said).
  struct Applied {
    std::vector<core::Operand> results;
    Phase phase = Phase::kPre;
    bool guarded = false;  // dropped rows already have their other values
  };
  using Others = std::function<std::optional<core::Operand>(size_t)>;
  Applied apply(core::Lambda fn, const std::vector<core::Name>& inputs, std::optional<Guard> guard,
                const Others& other = {});
  // rules/guard.cpp
  core::Operand guard_value(Guard guard);
  core::Operand select(const core::Operand& cond, const core::Operand& then,
                       const core::Operand& otherwise, const core::Type& type,
                       std::string_view base);
  void append_guarded(core::Lambda fn, std::optional<Guard> guard, const Others& other,
                      std::vector<core::Operand>& results);

  core::Operand row_of(core::Name input, core::Param& param);
  std::vector<core::Stmt>& code(Phase phase) { return phase == Phase::kPre ? pre_ : post_; }
  void give(const core::Param& param, const core::Operand& operand, const core::Type& type,
            Phase phase, std::optional<Guard> guard);
  core::Name let(core::Type type, core::Exp exp, std::string_view base);

  // finish.cpp
  core::Lambda function(std::vector<core::Operand> results, std::vector<core::Type> types);
  void finish_soac(core::Stmt& stmt, const std::function<bool(core::Name)>& wanted);
  void finish_hist(core::Stmt& stmt);
  void finish_scatter(core::Stmt& stmt);
  void finish_partition(core::Stmt& stmt, const std::function<bool(core::Name)>& wanted);
  void wrap_accumulators(core::Stmt& stmt);
  void count_rows(const std::function<bool(core::Name)>& wanted);

  core::Program& prog_;
  core::Operand width_;
  std::vector<core::Name> inputs_;
  std::vector<core::Param> params_;
  std::unordered_map<core::Name, core::Name> param_of_;
  std::unordered_map<core::Name, Value> values_;
  std::vector<core::Stmt> pre_, post_;
  std::vector<Fold> scans_, reduces_;
  std::vector<Out> outs_;
  std::vector<HistPart> hists_;
  std::vector<ScatterPart> scatters_;
  std::vector<PartitionPart> partitions_;
  std::vector<AccPart> accs_;
  std::unordered_map<core::Name, core::Operand> guards_;  // by the name of the size
  std::optional<core::FlatMap> flatmap_;
  std::vector<core::Param> flatmap_pat_;
  std::vector<core::Name> tokens_;
  core::Hints hints_;
  core::Loc loc_;
};

}  // namespace skald::passes::fusion
