// SPDX-License-Identifier: Apache-2.0
// Reverse mode: the statements of a body run forward, then their rules run backward.
//
//   let y = f(x)          let y = f(x)
//   let z = g(x, y)       let z = g(x, y)
//   in z                  -- z̄ is given
//                         ȳ = ∂g/∂y z̄ ;  x̄ = ∂g/∂x z̄          rule of the last statement
//                         x̄ = x̄ + ∂f/∂x ȳ                       rule of the first one
//
// Everything that the forward sweep computes stays alive: what it would consume is copied before
// (keep_alive.h), so that the rules see all values of their scope.  A rule for code with bodies
// does not store what the bodies computed but runs them again, inside the new body (branches,
// maps): nests of maps need no tape.  Loops are the exception: the parameters of every round are
// stored in arrays, the tapes, and the rule is a loop that reads them from the end.
//
// A cotangent is a value of the type of its name, or, for an array that a map around reads, an
// accumulator into which contributions are added (docs/adr/0031).  Those that are arrays are
// updated in place if nobody else can see them (`owned`).
//
//   reverse.cpp       the sweeps, cotangents
//   adjoints.cpp      adding contributions
//   arrays.cpp        operations on arrays
//   branches.cpp, loops.cpp, map.cpp, reduce.cpp, scan.cpp, hist.cpp, scatter.cpp, irregular.cpp
//   (partition, flatmap), accumulators.cpp, custom.cpp
#pragma once

#include <functional>
#include <optional>

#include "passes/differentiate/base/activity.h"

namespace skald::passes::ad {

class Reverse {
 public:
  Reverse(Session& session, Activity& activity) : session_(session), activity_(activity) {}

  // The statement `let {pat} = vjp(…)`, whose function is prepared.
  void derive(Stmt stmt, Emit& out);

 private:
  struct Adjoint {
    Operand value = const_i64(0);
    bool owned = false;
    bool is_acc = false;
  };
  // A statement that ran forward.
  struct Step {
    Stmt stmt;
    size_t at = 0;                  // of what was emitted for it
    Operand rounds = const_i64(0);  // of a loop
  };
  using Seeds = std::vector<std::optional<Operand>>;
  using SeedsOf = std::function<Seeds(Emit&)>;

  bool active(const Operand& operand) const { return activity_.has(operand); }

  // Both sweeps over a body.  `seeds` is asked for cotangents of the results after the first one.
  void run(Body& body, const SeedsOf& seeds, Emit& out);
  Step forward(Stmt stmt, Emit& out);
  void backward(Step step, Emit& out);
  // The cotangents of the arguments of a function, which is copied.
  std::vector<Operand> pull_back(const Lambda& fn, const std::vector<Operand>& args,
                                 const std::vector<Operand>& seeds, Emit& out);

  // ---- cotangents (adjoints.cpp)
  std::optional<Operand> find(Name name) const;
  bool owns(Name name) const;
  Operand seed(Name name, Emit& out);
  Seeds seeds_of(const std::vector<Param>& pat) const;
  enum class Own : bool { kNo, kYes };
  void add(const Operand& to, const Operand& value, Emit& out, Own own = Own::kNo);
  void add_at(Name array, const std::vector<DimSlice>& slice, const Operand& value,
              const std::vector<Name>& tokens, Emit& out);
  // A cotangent that may be consumed.
  Name own_array(Name name, Emit& out);
  Name own_copy(const Operand& array, bool owned, Emit& out);
  // Active names that the code uses but does not bind, except accumulators.
  std::vector<Name> active_free(const NameSet& names) const;

  struct Carry {
    Type type;
    Operand init;  // an array must be owned
  };
  using Round =
      std::function<std::vector<Operand>(Emit&, const Operand&, const std::vector<Name>&)>;
  // A loop of `rounds` rounds that carries these values and the cotangents of `free`.
  std::vector<Name> loop_with(const Operand& rounds, const std::vector<Name>& free,
                              const std::vector<Carry>& carries, const Round& round, Emit& out);

  // ---- rules
  bool scalar(const Stmt& stmt, Emit& out);
  bool array(const Stmt& stmt, Emit& out);
  void update(const Stmt& stmt, const Update& e, Emit& out);
  void flat_index(const Stmt& stmt, const FlatIndex& e, Emit& out);
  void flat_update(const Stmt& stmt, const FlatUpdate& e, Emit& out);
  void concat(const Stmt& stmt, const Concat& e, Emit& out);
  void branch(Stmt& stmt, If& e, Emit& out);
  void loop(Step& step, Loop& e, Emit& out);
  void map(Stmt& stmt, Soac& e, Emit& out);
  struct RowRule {
    Operand width;
    std::vector<Name> inputs;  // with those of seeds behind
    Lambda fn;                 // the same
    size_t rows = 0;           // how many are the function's own
    SeedsOf seeds;
  };
  void map_rows(RowRule rule, const std::vector<Name>& tokens, Emit& out);
  void reduce(Stmt& stmt, Soac& e, Emit& out);
  void scan(Stmt& stmt, Soac& e, Emit& out);
  void scan_by_composition(const Stmt& stmt, const Soac& e, Emit& out);
  void scan_backward(
      const Operand& width, const Operator& op, const std::vector<Name>& inputs,
      const std::vector<Name>& scanned,
      const std::function<std::optional<Operand>(Emit&, size_t, const Operand&)>& seed, Emit& out);
  void hist(Stmt& stmt, Hist& e, Emit& out);
  void hist_in_order(Stmt& stmt, Hist& e, Emit& out);
  // A histogram as one step after another.
  struct BinSteps {
    BinSteps(const Stmt& stmt, const Hist& e);
    const Hist& hist;
    const HistOp& op;
    std::vector<Type> arrays = {}, rows = {}, stored = {};  // destinations, bins, bins of all steps
    std::vector<Operand> bin(Emit& in, const Operand& at) const;
  };
  std::vector<Name> bins_before(const BinSteps& steps, Emit& out);
  void scatter(Stmt& stmt, Scatter& e, Emit& out);
  void partition(Stmt& stmt, Partition& e, Emit& out);
  void flatmap(Stmt& stmt, FlatMap& e, Emit& out);
  void with_acc(Stmt& stmt, WithAcc& e, Emit& out);
  void update_acc(Stmt& stmt, UpdateAcc& e, Emit& out);
  void custom(Stmt& stmt, WithVjp& e, Emit& out);

  Session& session_;
  Activity& activity_;
  NameMap<Adjoint> adjoints_;
  // Accumulators of the program: the cotangents of the arrays they become.
  NameMap<std::vector<Operand>> acc_sources_;
};

}  // namespace skald::passes::ad
