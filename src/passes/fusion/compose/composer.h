// SPDX-License-Identifier: Apache-2.0
// Makes one SOAC out of several, or one kernel out of several.
//
// Everything happens point by point: the parts' code is strung together, and what is read at the
// own point of an array that is made inside is simply a value.  Code runs before the scans or after
// them; what the latter needs of the former is handed over.  Rows that a partition keeps are known
// under its guard: sinks get values for dropped rows that change nothing, and arrays over these
// rows join the partition.
//
//   vertical     let {ys} = map(n, {xs}, \{x} -> f in {y})
//                let {s} = soac(n, {ys}, \{z} -> g in {v}, reduce op)
//           →    let {s} = soac(n, {xs}, \{x} -> f g[y/z] in {v}, reduce op)
//
//   horizontal   let {s} = soac(n, {xs}, f, reduce op)    let {t} = soac(n, {xs}, g, reduce op')
//           →    let {s, t} = soac(n, {xs}, f g, reduce op, reduce op')
//
//   after a scan let {ys} = soac(n, {xs}, f, scan op)     let {zs} = map(n, {ys}, g)
//           →    let {zs} = soac(n, {xs}, f, scan op, post g)
//
//   kernels      let {ys} = kernel(flat(n), \{i} -> let {x} = xs[i] f in {y}, out 1)
//                let {h} = kernel(flat(n), \{j} -> let {z} = ys[j] g in {k, w}, hist …)
//           →    let {h} = kernel(flat(n), \{i} -> let {x} = xs[i] f g[y/z] in {k, w}, hist …)
//
// Read next: part.h (what joins), guard.cpp (filters), finish_soac.cpp and finish_kernel.cpp.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "core/ir/program.h"
#include "passes/fusion/compose/part.h"

namespace skald::passes::fusion {

// Where the result runs: a SOAC has a width, a kernel a domain.
using Space = std::variant<core::Operand, core::Domain>;

class Composer {
 public:
  using Wanted = std::function<bool(core::Name)>;

  Composer(core::Program& prog, Space space);

  // In an order in which they may run.  `guard`: the size of the class of a partition, added
  // before, whose rows the statement runs over.
  void add(core::Stmt stmt, std::optional<core::Name> guard);
  // The statement that gives all results for which `wanted` holds.
  core::Stmt finish(const Wanted& wanted);

 private:
  // The value of an array at the own point.
  struct Row {
    core::Operand value;
    bool late = false;  // made after the scans
  };
  struct Out {
    core::Param param;
    core::Operand value;
    core::Type type;
    std::optional<core::Name> guard;
  };
  // A sink with the values it takes and the results it gives.
  struct Fed {
    core::Sink sink;
    std::vector<core::Operand> values;
    std::vector<core::Type> types;
    std::vector<core::Param> pat;
  };
  // Values on their way to arrays, or to a part's post-function.
  struct Given {
    std::vector<core::Operand> values;
    std::vector<core::Type> types;
    std::vector<core::Param> pat;
  };
  using Others = std::vector<std::optional<core::Operand>>;

  bool is_kernel() const { return std::holds_alternative<core::Domain>(space_); }
  void note(const core::Stmt& stmt);
  void add(Part part, std::optional<core::Name> guard);
  void connect(Part& part);
  void replace_own_reads(core::Body& body, const std::vector<core::Name>& index);
  void distribute(Part& part, const std::vector<core::Operand>& values, Given& given,
                  std::vector<Fed>& late);
  void run_post(Part& part, Given& given, std::vector<Fed> late, std::optional<core::Name> guard);
  void feed(Fed fed);
  void give(const core::Param& param, const core::Operand& value, const core::Type& type,
            std::optional<core::Name> guard);
  void append(core::Stmt stmt);
  core::Name let(core::Type type, core::Exp exp, std::string_view base);
  bool is_late(const core::Operand& operand) const;
  bool is_late(const Fed& fed) const;

  // guard.cpp
  static Others values_of_dropped(const std::vector<const core::Sink*>& sinks, size_t count);
  std::vector<core::Operand> run(core::Lambda& fn, std::optional<core::Name> guard,
                                 const Others& others);
  core::Operand keeps(core::Name size);
  core::Operand select(const core::Operand& cond, const core::Operand& then,
                       const core::Operand& otherwise, const core::Type& type);
  void close_partitions(const Wanted& wanted);
  bool close_partition(Fed& fed, const Wanted& wanted, std::vector<Fed>& counts);
  Fed count_members(const core::Param& size);

  // accumulators.cpp
  core::Stmt open_accumulators(core::Stmt stmt);
  void wrap_accumulators(core::Stmt& stmt);

  // finish_soac.cpp, finish_kernel.cpp
  void finish_kernel(core::Stmt& stmt);
  void finish_soac(core::Stmt& stmt);
  void finish_hist(core::Stmt& stmt);
  void finish_scatter(core::Stmt& stmt);
  void finish_partition(core::Stmt& stmt, Fed& fed);
  void finish_flatmap(core::Stmt& stmt);
  core::Lambda function(std::vector<core::Operand> results, std::vector<core::Type> types);
  core::Lambda writing_function();
  using HandOver = std::function<void(core::Name, const core::Type&)>;
  std::optional<core::Lambda> post_function(core::Lambda post, const HandOver& hand_over);

  core::Program& prog_;
  Space space_;
  std::vector<core::Param> params_;  // of the code: rows of inputs_, or the index of a kernel
  std::vector<core::Name> inputs_;
  std::unordered_map<core::Name, core::Name> param_of_;  // by input
  std::unordered_map<core::Name, Row> rows_;             // by array that is made inside
  std::vector<core::Stmt> pre_, post_;                   // before and after the scans
  std::unordered_set<core::Name> post_names_;            // made after the scans
  // The part that is added runs after the scans, as a whole (SOACs only: in kernels every statement
  // runs as early as it can).
  bool late_ = false;
  std::unordered_map<core::Name, core::Operand> guards_;  // by the size of the class
  std::vector<Fed> scans_, sinks_;
  std::vector<core::Param> scanned_;  // what the post-function calls the scanned values
  std::vector<Out> outs_;
  struct Accumulators {
    core::AccInput input;
    core::Param param;             // the accumulator, inside
    core::Name written;            // what it is when all is written
    std::vector<core::Param> pat;  // the arrays
  };
  std::vector<Accumulators> accs_;
  std::optional<core::FlatMap> flatmap_;
  std::vector<core::Param> flatmap_pat_;
  std::vector<core::Name> tokens_;
  core::Hints hints_;
  core::Loc loc_;
};

}  // namespace skald::passes::fusion
