// SPDX-License-Identifier: Apache-2.0
// Lifting: code for one instance becomes host code for a whole batch of instances, whatever the
// sizes inside.  lift.cpp says what it does; docs/flattening.md has pictures.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/parallelism.h"
#include "core/edit/builder.h"
#include "core/edit/rename.h"
#include "core/ir/program.h"
#include "passes/flatten/flatten.h"
#include "passes/pass.h"

namespace skald::passes {

// Where the value of a local name is, for all instances of a batch.
struct Lifted {
  enum Kind : uint8_t {
    kHost,      // the same for all: an operand of the host
    kRows,      // rows[s]; its shape is the same for all instances
    kSegments,  // an array whose size differs: from starts[s] on in `data`
    kCode,      // computed again wherever it is needed
  };
  Kind kind = kHost;
  core::Operand host = core::const_i64(0);
  core::Name rows = {};
  core::Name starts = {}, data = {};
  core::Operand total = core::const_i64(0);  // the outer size of data
  // Set if the segments lie one after another: then segment s is offsets[s] … offsets[s+1]-1.
  core::Name offsets = {};
  // Data is one-dimensional, and starts count elements.
  bool flat = false;
  const core::Stmt* code = nullptr;
};

// Instances that run the same code.
struct Batch {
  core::Operand width;
  // Instance s of this batch belongs to instance members[s] of the parent.
  const Batch* parent = nullptr;
  core::Name members = {};
  int depth = 0;
  std::unordered_map<core::Name, Lifted> values = {};
  struct Segments {
    core::Name offsets = {}, total = {};
  };
  // By the name of the length.
  std::unordered_map<core::Name, Segments> segments = {};
};

// How a value of a type is stored for a batch.  kHost: once for all instances, as accumulators are,
// and their sizes among the parameters of a function.
enum class Form : uint8_t { kRegular, kSegments, kFlatSegments, kHost };

// What is known of an accumulator: nothing yet, whether writes overwrite or are combined, or that
// it is called both ways.
enum class AccKind : uint8_t { kNone, kOverwrites, kCombines, kEither };

class Lifter {
 public:
  Lifter(core::Program& prog, PassContext& ctx,
         const std::unordered_map<std::string, core::Function>& originals);

  // map(n, …) with parallelism inside that no grid can show: the host code that computes it.
  // Its results are those of the map.  Nothing if there is none, or if it cannot be lifted.  A map
  // that is given accumulators is lifted whatever is inside: a kernel for each write.
  // Unless it `must` be lifted, only while the program does not grow too much by it.
  std::optional<core::Body> lift_map(const core::Stmt& stmt, bool must);
  // The same for flatmap; appends its kernels.
  bool lift_flatmap(core::Builder& out, const core::Stmt& stmt);
  // A call of a function that calls itself several times, as a batch of one instance: the calls
  // of one level of the recursion run together.
  bool lift_call(core::Builder& out, const core::Stmt& stmt);
  // Is there parallelism in the map whose extent differs from iteration to iteration?
  bool is_irregular_nest(const core::Soac& map) const;
  // Must this kernel be lifted, because the device cannot run its functions?
  bool must_lift(const core::Lambda& fn) const;
  // Does this accumulator surely combine what is written?
  bool combines(core::Name acc) const;
  // Code that came up after the lifter was made.
  void note(const core::Stmt& stmt);

  // The lifted functions made so far.
  std::vector<core::Function> take_functions() { return std::move(made_); }

 private:
  using Names = std::unordered_set<core::Name>;
  // Code of one kernel at one point.
  struct Point {
    Batch& batch;
    core::Builder& body;
    core::Name s;  // the instance
    core::Substitution subst = {};
    std::unordered_map<const Batch*, core::Operand> index = {};
  };
  // The points of an inner SOAC for all instances.
  struct Space {
    bool grid = false;
    core::Operand inner = core::const_i64(0);  // grid
    core::Name offsets = {};                   // otherwise
    core::Operand total = core::const_i64(0);  // otherwise
    core::Name s = {}, j = {}, p = {};
  };
  // An irregular value in the form that crosses branches, loops and calls.
  struct Canonical {
    core::Operand total;
    core::Name starts, data;
  };
  // One body on its way.
  struct Walk {
    const core::Body& body;
    std::vector<Names> uses = {};
    std::unordered_map<core::Name, std::vector<size_t>> users = {};
    std::vector<size_t> group = {};
  };
  struct Found {
    const Batch* owner = nullptr;
    const Lifted* value = nullptr;
  };
  // Where an accumulator is now.  All instances write to it; if there is an owner, each instance of
  // that batch to a part of its own: from starts[s] on, or with s as one more index.
  struct HostAcc {
    core::Name name;
    core::Type type;
    const Batch* owner = nullptr;
    core::Name starts = {};
  };

  // ---- lift.cpp: kinds of statements
  bool is_code(const core::Stmt& stmt) const;
  bool needs_lifting(const core::Stmt& stmt) const;
  bool needs_lifting(const core::Body& body) const;
  bool is_irregular(const core::Body& body, Names& local) const;
  void refuse(std::string_view why);
  void note(const core::Param& p);
  void note(const core::Body& body);

  // ---- maps.cpp
  Batch lift_iterations(core::Builder& out, core::Loc loc, const core::Operand& width,
                        const std::vector<core::Name>& inputs, const core::Lambda& fn);

  // ---- bodies.cpp
  void lift_body(Batch& b, const core::Body& body);
  void process(Batch& b, Walk& walk, size_t i);
  void flush(Batch& b, Walk& walk);
  void write_rows(Batch& b, const std::vector<const core::Stmt*>& stmts,
                  const std::vector<core::Param>& regular,
                  const std::vector<core::Param>& irregular);

  // ---- batch.cpp
  static Found find(const Batch& b, core::Name name);
  std::optional<core::Operand> host_operand(const Batch& b, const core::Operand& operand) const;
  core::Type host_type(const Batch& b, core::Type type) const;
  Form form_of(const Batch& b, const core::Type& type) const;
  Form form_of(const Batch& b, const core::Param& p) const;
  const core::Type& type_of(core::Name name) const;
  core::Operand index_of(Point& at, const Batch* owner);
  void bring(Point& at, core::Name name);
  void bring_all(Point& at, const Names& names);
  core::Operand bring(Point& at, core::Operand operand);
  core::Type bring(Point& at, core::Type type);
  core::Operand element_count(Point& at, const core::Type& type, bool flat);
  std::vector<core::Name> per_instance(
      Batch& b, const std::vector<core::Type>& types,
      const std::function<std::vector<core::Operand>(Point&)>& make, std::string_view base);
  Batch::Segments scan_lengths(Batch& b, const std::function<core::Operand(Point&)>& length);
  core::Name rows_of(Batch& b, const core::Operand& value, const core::Type& type);
  core::Operator combining(core::BinOpKind op, core::Prim type, core::Operand neutral);

  // ---- views.cpp
  struct View {
    core::Name data;
    core::Operand total, start;
  };
  std::optional<View> view_of(Point& at, core::Name array);
  bool has_view(const Batch& b, core::Name array) const;
  Canonical canonical(Batch& b, core::Name array, Form form);
  Canonical densify(Batch& b, core::Name array, Form form);
  bool reshape_segments(Batch& b, const core::Stmt& stmt);

  // ---- state.cpp: values that cross branches, loops and calls
  std::vector<core::Param> state_pattern(Batch& b, const std::vector<core::Param>& params,
                                         const core::Operand& width);
  std::vector<core::Operand> state_values(Batch& b, const std::vector<core::Operand>& values,
                                          const std::vector<core::Type>& types,
                                          const std::vector<Form>& forms);
  std::vector<Form> bind_state(Batch& b, const std::vector<core::Param>& params,
                               const std::vector<core::Name>& names);
  std::vector<Form> forms_of(Batch& b, const std::vector<core::Param>& params);

  // ---- points.cpp
  Space space_of(Batch& b, const core::Operand& width, const std::vector<core::Name>& tokens);
  // All elements of segments that follow one another.
  Space space_of(const Batch::Segments& segments);
  // The checks that a SOAC over these inputs waits for: its own and those of the slices it reads.
  std::vector<core::Name> checks_of(const Batch& b, const core::Stmt& stmt,
                                    const std::vector<core::Name>& inputs) const;
  core::Kernel open(const Space& space, const Batch& b) const;
  Space with_indices(Space space);
  core::Operand element(Point& at, const Space& space, core::Name array, const core::Type& row);
  void bind_output(Batch& b, const core::Param& p, const Space& space, core::Name array);
  // The first of `arrays` have a row for each instance: that is what `params` are there.
  void bind_rows(Batch& b, const std::vector<core::Param>& params,
                 const std::vector<core::Name>& arrays);
  void store_costly(Batch& b, const Names& names);
  bool is_free(const Batch& b, const core::Operator& op) const;
  core::Operator free_operator(const Batch& b, const core::Operator& op);
  std::vector<core::Operand> point_values(Point& at, const Space& space,
                                          const std::vector<core::Name>& inputs,
                                          const core::Lambda& fn, std::vector<core::Ret>& types);

  // ---- soacs.cpp, nested.cpp, inner_rows.cpp
  bool lift_soac(Batch& b, const core::Stmt& stmt, const core::Soac& soac);
  Batch element_batch(Batch& b, const Space& space, core::Name& positions);
  Lifted element_of_input(Batch& b, const Space& space, const core::Operand& total,
                          core::Name input, const core::Param& p, core::Stmt read);
  Lifted rows_as_segments(Batch& b, const Space& space, const core::Operand& total,
                          const Canonical& rows);
  // By result of a nested SOAC's function: what it gives for all elements.
  struct NestedResults {
    core::Operand total;
    std::vector<core::Name> rows;
    std::vector<Canonical> irregular;
    std::vector<Form> forms;
  };
  void bind_nested(Batch& b, const core::Stmt& stmt, const core::Soac& soac, const Space& space,
                   const NestedResults& given);
  bool lift_nested(Batch& b, const core::Stmt& stmt, const core::Soac& soac);
  const core::Soac* inner_map(const core::Soac& soac) const;
  bool lift_inner_rows(Batch& b, const core::Stmt& stmt, const core::Soac& soac);
  void finish_soac(
      Batch& b, const core::Stmt& stmt, const core::Soac& soac, const Space& space,
      const std::function<std::vector<core::Operand>(Point&, std::vector<core::Ret>&)>& values);

  // ---- rows.cpp
  std::vector<core::Param> sort_by_class(Batch& b, const core::Partition& part, const Space& space,
                                         const std::vector<core::Name>& arrays,
                                         const std::vector<core::Ret>& types);
  bool lift_partition(Batch& b, const core::Stmt& stmt, const core::Partition& part);
  bool lift_concat(Batch& b, const core::Stmt& stmt, const core::Concat& concat);

  // ---- writes.cpp
  Canonical copy_of_dest(Batch& b, core::Name dest);
  bool lift_scatter(Batch& b, const core::Stmt& stmt, const core::Scatter& scatter);
  core::Kernel on_flat_domain(core::Kernel kernel, const Space& space);
  bool lift_hist(Batch& b, const core::Stmt& stmt, const core::Hist& hist);

  // ---- accumulators.cpp, acc_roots.cpp, with_acc.cpp
  void note_accumulators(const core::Stmt& stmt);
  void note_results(const core::Stmt& stmt);
  void find_kinds();
  core::Name root_of(const core::Operand& acc) const;
  HostAcc& host_acc(const core::Operand& acc);
  const core::Body& straightened(const core::Body& body);
  void lift_accumulation(Batch& b, const core::Stmt& stmt);
  void lift_update(Batch& b, const core::Stmt& stmt, const core::UpdateAcc& update);
  bool lift_accumulating_map(Batch& b, const core::Stmt& stmt, const core::Soac& soac);
  void host_arrays(Batch& b, const core::AccInput& input, HostAcc& acc, core::AccInput& all,
                   std::vector<core::Type>& types, std::vector<Lifted>& values);
  bool lift_with_acc(Batch& b, const core::Stmt& stmt, const core::WithAcc& node);
  std::vector<core::Operand> acc_place(Point& at, const core::Operand& acc,
                                       std::vector<core::Operand> indices);
  void add_write(Point& at, core::Kernel& kernel, const core::Operand& acc,
                 const std::vector<core::Operand>& indices,
                 const std::vector<core::Operand>& values, std::vector<core::Operand>& given);

  // ---- operators.cpp
  bool lift_operators(Batch& b, const core::Stmt& stmt, const core::Soac& soac);

  // ---- branches.cpp, loops.cpp
  bool check_before(Batch& b, const core::Stmt& stmt, const std::vector<core::Operand>& needed);
  void lift_if(Batch& b, const core::Stmt& stmt, const core::If& node);
  struct Branching;
  void sort_instances(const Batch& b, Branching& branching);
  core::Body nothing_given(const std::vector<core::Param>& pattern,
                           const std::vector<core::Name>& untouched);
  std::vector<core::Name> run_side(Batch& b, Batch& child, const Branching& branching, size_t s,
                                   const core::Body& source);
  void put_back(Batch& b, const core::Operand& width, Branching& branching, size_t s, bool simple,
                const std::vector<core::Name>& names);
  void merge_irregular(Batch& b, const Branching& branching, size_t k, size_t r);
  void if_by_batches(Batch& b, const core::Stmt& stmt, const core::If& node);
  core::Name any_instance(Batch& batch, const core::Operand& value);
  core::Operand most_rounds(Batch& b, const core::Loop& loop);
  const core::Body& guarded_round(const core::Stmt& stmt, const core::Loop& loop,
                                  const std::vector<core::Param>& params);
  void lift_loop(Batch& b, const core::Stmt& stmt, const core::Loop& loop);
  core::Body side(Batch& child, const core::Body& body, const std::vector<core::Type>& types,
                  const std::vector<Form>& forms);

  // ---- calls.cpp
  bool is_parallel_call(const core::Call& call) const;
  void run_calls(Batch& b, const std::vector<const core::Stmt*>& calls);
  std::vector<core::Operand> call_args(Batch& b, const core::Function& fn,
                                       const std::vector<const core::Stmt*>& calls);

  // ---- functions.cpp, threads.cpp
  bool make_function(const std::string& name);
  core::Body lifted_body(Batch& b, const core::Function& fn, const core::Body& source,
                         const std::vector<core::Param>& results, const std::vector<Form>& forms,
                         const std::vector<core::Param>& pattern, bool by_threads);
  std::vector<core::Param> result_params(const core::Function& fn);
  struct StoredCalls;
  StoredCalls store_calls(Batch& b, const core::Function& fn, const core::Stmt& stmt,
                          const std::vector<Form>& forms, const std::vector<core::Param>& regular,
                          const std::vector<core::Param>& irregular);
  core::Name all_fit(const Batch& b, core::Name fits);
  std::vector<core::Name> fitting_or_exact(Batch& b, const core::Stmt& stmt,
                                           const std::vector<Form>& forms,
                                           const std::vector<core::Param>& irregular,
                                           const StoredCalls& stored);
  core::Body sequential_version(Batch& b, const core::Function& fn, const std::vector<Form>& forms);

  // ---- cut_over.cpp
  bool is_linear(const core::Body& body, const std::string& fn) const;
  core::Operand threshold(core::Builder& out, const core::Function& fn, std::string_view what,
                          int64_t value);
  core::Operand little_threshold(core::Builder& out, const core::Function& fn);
  core::Operand cut_over(Batch& b, const core::Function& fn);
  std::vector<core::Operand> batch_of_one(core::Builder& out, const core::Stmt& stmt);

  core::Program& prog_;
  PassContext& ctx_;
  const std::unordered_map<std::string, core::Function>& originals_;
  std::unordered_map<core::Name, core::Type> types_;
  analysis::Ranks ranks_;
  std::unordered_set<std::string> recursive_, tree_recursive_, parallel_;
  // Accumulators by the parameter of the with_acc or function that they come from.
  std::unordered_map<core::Name, core::Name> roots_;
  std::unordered_map<core::Name, AccKind> kinds_;
  std::unordered_map<core::Name, HostAcc> accs_;
  // Calls that hand accumulators on: the function, and their roots.
  std::vector<std::pair<std::string, std::vector<core::Name>>> acc_calls_;
  Replicates replicates_;
  core::Builder* out_ = nullptr;
  core::Loc loc_ = {};
  Names consumed_;
  // Results of calls, which may be views of the arguments.
  Names from_calls_;
  bool refused_ = false;
  // Statements that exist only while lifting.
  std::deque<core::Stmt> synthetic_;
  enum class State : uint8_t { kActive, kDone, kFailed };
  std::unordered_map<std::string, State> functions_;
  std::vector<core::Function> made_;
  size_t lifted_ = 0;  // statements, in all
};

// How often a body calls `fn`, at least; what is inside a SOAC counts twice.
int calls_of(const core::Body& body, const std::string& fn);

// Does the statement give accumulators?
inline bool gives_acc(const core::Stmt& stmt) {
  for (const core::Param& p : stmt.pat)
    if (p.type.kind == core::Type::kAcc) return true;
  return false;
}

inline std::string lifted_name(const std::string& fn) {
  return fn + "_lifted";
}

}  // namespace skald::passes
