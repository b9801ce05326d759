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
//   cotangents.h      adding contributions
//   arrays.cpp        operations on arrays
//   branches.cpp, loops.cpp, map.cpp, reduce.cpp, scan.cpp, hist.cpp, scatter.cpp, irregular.cpp
//   (partition, flatmap), accumulators.cpp, calls.cpp (functions that call themselves)
#pragma once

#include "core/edit/rename.h"
#include "passes/differentiate/reverse/cotangents.h"
#include "passes/differentiate/reverse/kept_products.h"

namespace skald::passes::ad {

// A statement that ran forward.
struct Step {
  Stmt stmt;
  size_t at = 0;                  // of what was emitted for it
  Operand rounds = const_i64(0);  // of a loop
  Substitution copied = {};       // by names inside, those of what was emitted
  NameMap<Name> kept = {};        // of a branch: by names inside, those of values outside
};

class Reverse : private Cotangents {
 public:
  Reverse(Session& session, Activity& activity) : Cotangents(session, activity) {}

  // The statement `let {pat} = vjp(…)`, whose function is prepared.
  void derive(Stmt stmt, Emit& out);

 private:
  using SeedsOf = std::function<Seeds(Emit&)>;

  // Both sweeps over a body.  `seeds` is asked for cotangents of the results after the first one;
  // kYes: the rules may consume them.
  void run(Body& body, const SeedsOf& seeds, Emit& out, Own own = Own::kNo);
  Step forward(Stmt stmt, Emit& out);
  void backward(Step step, Emit& out);
  // The cotangents of the arguments of a function, which is copied.
  std::vector<Operand> pull_back(const Lambda& fn, const std::vector<Operand>& args,
                                 const Seeds& seeds, Emit& out);

  // ---- rules
  bool scalar(const Stmt& stmt, Emit& out);
  bool array(const Stmt& stmt, Emit& out);
  void update(const Stmt& stmt, const Update& e, Emit& out);
  void flat_index(const Stmt& stmt, const FlatIndex& e, Emit& out);
  void flat_update(const Stmt& stmt, const FlatUpdate& e, Emit& out);
  void concat(const Stmt& stmt, const Concat& e, Emit& out);
  void branch(Step& step, If& e, Emit& out);
  void loop(Step& step, Loop& e, Emit& out);
  // Says which results of the loop have an influence; the names from outside that these need and
  // that get cotangents.
  std::vector<Name> free_of_wanted(const Loop& e, const std::vector<Param>& pat,
                                   std::vector<bool>& wanted) const;
  // The cotangents of what a product takes from outside of its loop.  `bars`: ȳ of all rounds.
  void product_after_loop(KeptProduct& product, const Operand& rounds, const Tapes& tapes,
                          Name bars, Emit& out);
  void map(Stmt& stmt, Soac& e, Emit& out);
  struct RowRule {
    Operand width;
    std::vector<Name> inputs;  // with those of seeds behind
    Lambda fn;                 // the same
    size_t rows = 0;           // how many are the function's own
    SeedsOf seeds;
  };
  // An array from outside, which has an accumulator inside of a map.
  struct FreeArray {
    Name name, param;
    Type acc;
    bool is_acc;  // also outside
  };
  FreeArray free_array(Name name, Emit& out);
  // An input whose rows add only to a part of their cotangent: they write it to the accumulator of
  // the whole array themselves.
  struct PartOfRow {
    Name input, acc, at, written;
    Type type;  // of the accumulator
  };
  std::vector<PartOfRow> parts_of_rows(const RowRule& rule, const NameMap<Adjoint>& outer,
                                       Emit& in);
  void map_rows(RowRule rule, const std::vector<Name>& tokens, Emit& out);
  void reduce(Stmt& stmt, Soac& e, Emit& out);
  void scan(Stmt& stmt, Soac& e, Emit& out);
  // False if it cannot be done.
  bool scan_by_composition(const Stmt& stmt, const Soac& e, const std::vector<size_t>& some,
                           Emit& out);
  // The cotangents of the left operands of ⊕, whose operands are `args`; if there is no right
  // operand: `bars` themselves.
  std::vector<Operand> pull_back_unless(const Operand& alone, const Operator& op,
                                        const std::vector<Operand>& bars, Emit& out,
                                        const std::function<std::vector<Operand>(Emit&)>& args);
  // The rules of before[i] ⊕ inputs[i] for the cotangents seeds[i], for all i at once; an array
  // without a name: none.
  void fold_rows(const Operand& width, const Operator& op, const std::vector<Name>& befores,
                 const std::vector<Name>& inputs, const std::vector<Name>& seeds, Emit& out);
  void scan_backward(
      const Operand& width, const Operator& op, const std::vector<Name>& inputs,
      const std::vector<Name>& scanned,
      const std::function<std::optional<Operand>(Emit&, size_t, const Operand&)>& seed, Emit& out);
  void hist(Stmt& stmt, Hist& e, Emit& out);
  void hist_of_products(Stmt& stmt, Hist& e, Emit& out);
  void hist_of_extremes(Stmt& stmt, Hist& e, BinOpKind kind, Emit& out);
  void sorted_hist(Stmt& stmt, Hist& e, Emit& out);
  struct SortedValues;
  SortedValues sort_values(const Hist& e, Emit& out);
  void sorted_backward(const Hist& e, const SortedValues& sorted, const std::vector<Name>& bars,
                       Emit& out);
  void scatter(Stmt& stmt, Scatter& e, Emit& out);
  void partition(Stmt& stmt, Partition& e, Emit& out);
  void flatmap(Stmt& stmt, FlatMap& e, Emit& out);
  void call(const Stmt& stmt, const Call& e, Emit& out);
  // The function that gives cotangents of arguments for arguments and cotangents of results.
  Function cotangents_of(const Function& fn, const std::string& name);
  void with_acc(Stmt& stmt, WithAcc& e, Emit& out);
  void update_acc(Stmt& stmt, UpdateAcc& e, Emit& out);
  void custom(Stmt& stmt, WithVjp& e, Emit& out);

  // Accumulators of the program: the cotangents of the arrays they become.
  NameMap<std::vector<Operand>> acc_sources_;
  // By their results: products of loops whose rounds run backward (kept_products.h).
  NameMap<KeptProduct*> products_;
  // By what statements give: where it is already.
  NameMap<Name> kept_;
};

// What a branch that ran forward has computed at some cost is kept: `step` says where.
void keep_costly(Session& session, const If& e, Stmt& primal, Step& step, Emit& out);

// Loops that store what their rounds start with compute it where it is stored; for programs
// without derivatives, because rules would store such tapes themselves.
void keep_states_in_tapes(Session& session, Body& body);

}  // namespace skald::passes::ad
