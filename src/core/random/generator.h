// SPDX-License-Identifier: Apache-2.0
// The generator of random programs, private to this folder: generator.cpp (values, bodies, the
// choice of statements, functions), generate_basic.cpp (scalars, arrays, control) and
// generate_soacs.cpp.
//
// It goes forward: it keeps what is in scope, and every step appends a statement that uses some of
// it.  Three things keep programs well formed and quick:
//   sizes   are parameters, small constants, sizes of arrays at hand, or masked values; `bound_`
//           knows an upper bound of each, and loops and maps are made only while the product of
//           the bounds around is small
//   arrays  are consumed only by the body that made them, and are forgotten then
//   order   operators are lawful and writes do not collide, so that every order gives the same
#pragma once

#include <optional>
#include <unordered_map>

#include "core/edit/builder.h"
#include "core/random/random.h"
#include "core/random/random_program.h"

namespace skald::core::detail {

class Generator {
 public:
  Generator(uint64_t seed, const RandomOptions& options) : random_(seed), options_(options) {}
  Program run();

 private:
  struct Var {
    Name name;
    Type type;
    // Nothing else shares its memory, so it may be consumed.
    bool fresh;
  };

  // ---- what is in scope
  Name bind(const Type& type, std::string_view base, bool fresh);
  // let {base : type} = exp; known from now on.
  Name let(Type type, Exp exp, std::string_view base, bool fresh = false,
           std::vector<Name> tokens = {});
  std::vector<Name> lets(std::vector<Param> pat, Exp exp, bool fresh = true);
  Param param(const Type& type, std::string_view base, bool fresh = false);
  // Some array for which `wanted` holds.
  template <class F>
  const Var* find_array(F&& wanted);
  const Var* find_array() {
    return find_array([](const Var&) { return true; });
  }
  void not_fresh(Name name);
  // An array that may be consumed now and is forgotten: one at hand or a copy.
  std::optional<Var> consumable();
  Name copy_of(const Var& var);

  // ---- values
  Prim prim();
  Prim int_prim();
  Const constant(Prim type);
  Operand scalar(Prim type);
  Operand value(const Type& type);
  Operand size();
  Operand index();
  Name array(Prim elem, const Operand& width);
  Type some_type();
  int64_t bound(const Operand& size) const;
  int64_t elements(const Type& type) const;
  Operand binop(BinOpKind op, Prim type, Operand lhs, Operand rhs, std::string_view base = "t");
  Operand cmpop(CmpOpKind op, Prim type, Operand lhs, Operand rhs);

  // ---- bodies
  // What `fill` emits, with the results it gives.
  template <class F>
  Body body(F&& fill);
  // A lambda whose results are chosen from what its body computes.
  Lambda lambda(std::vector<Param> params, int results, const std::vector<Type>& first = {});
  // The types and values of up to `count` things that mean something outside a body which began
  // when names had `start` ids.
  std::vector<std::pair<Operand, Type>> choose(int count, uint32_t start);
  void statements(int count);
  void statement();
  bool affordable(const Operand& width) const { return work_ * bound(width) <= kMaxWork; }

  // ---- generate_basic.cpp
  void scalar_stmt();
  void new_array_stmt();
  void view_stmt();
  void index_stmt();
  void slice_stmt();
  void flat_stmt();
  void update_stmt();
  void concat_stmt();
  void check_stmt();
  void if_stmt();
  void for_stmt();
  void growing_loop_stmt();
  void while_stmt();
  void call_stmt();
  Name check(Operand cond, std::string words);

  // ---- generate_soacs.cpp
  struct TypedOperator {
    Operator op;
    std::vector<Type> types;
  };
  Lambda binary_lambda(const std::vector<Type>& types,
                       const std::function<std::vector<Operand>(const std::vector<Operand>&)>& f);
  TypedOperator simple_operator(Prim type, bool must_commute);
  TypedOperator some_operator(bool must_commute);
  struct Rows {
    Operand width;
    std::vector<Name> inputs;
    std::vector<Param> params;
  };
  std::optional<Rows> rows(int max_inputs);
  void map_stmt();
  void soac_stmt();
  void hist_stmt();
  void scatter_stmt();
  void partition_stmt();
  void flatmap_stmt();

  // ---- generate_accs.cpp
  void with_acc_stmt();
  // `written`: the only value that is written, if there is no operator.
  Name accumulating_map(Name acc, const Type& type, Rows input, const std::optional<Const>& written,
                        int depth);
  Name writes(Name acc, const Type& type, const std::optional<Const>& written, int depth);

  // ---- functions
  void helper_function(int number);
  void recursive_function();
  void recursive_rows();
  void main_function();

  static constexpr int64_t kMaxWork = 2000;
  static constexpr int64_t kMaxElements = 4000;
  static constexpr int kMaxDepth = 4;

  Random random_;
  const RandomOptions options_;
  Program prog_;
  Builder* out_ = nullptr;
  std::vector<Var> env_;
  // Where the variables of the current body begin in env_.
  size_t body_begin_ = 0;
  int depth_ = 0;
  int budget_ = 0;
  // How often the current body runs at most.
  int64_t work_ = 1;
  std::unordered_map<Name, int64_t> bound_;
};

template <class F>
const Generator::Var* Generator::find_array(F&& wanted) {
  std::vector<const Var*> found;
  for (const Var& var : env_)
    if (var.type.is_array() && wanted(var)) found.push_back(&var);
  return found.empty() ? nullptr : random_.pick(found);
}

template <class F>
Body Generator::body(F&& fill) {
  Builder builder(prog_);
  builder.set_loc(out_ ? out_->loc() : Loc{});
  Builder* outer = std::exchange(out_, &builder);
  const size_t outer_begin = std::exchange(body_begin_, env_.size());
  const size_t begin = body_begin_;
  ++depth_;
  std::vector<Operand> results = fill();
  --depth_;
  env_.resize(begin, Var{});
  body_begin_ = outer_begin;
  out_ = outer;
  return builder.finish(std::move(results));
}

}  // namespace skald::core::detail
