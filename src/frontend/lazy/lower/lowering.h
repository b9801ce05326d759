// SPDX-License-Identifier: Apache-2.0
// The state while one plan is lowered; lower.h says how it is done.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/edit/builder.h"
#include "frontend/lazy/lower/complex_ops.h"
#include "frontend/lazy/lower/lower.h"
#include "frontend/lazy/lower/positions.h"
#include "frontend/lazy/lower/scalar_ops.h"

namespace skald::lazy {

// A value of one dtype as another.
Parts converted(core::Builder& b, DType from, DType to, Parts value);

inline Parts as_parts(const std::vector<core::Name>& names) {
  return {names.begin(), names.end()};
}

// What reads an array before a part of it is written, and is needed afterwards, is stored if it is
// smaller, so that the array need not be copied (consume.cpp).
void keep_what_was_read(const Plan& plan, Decisions& decided);

struct Contraction;

class Lowering : private Positions {
 public:
  Lowering(const Plan& plan, const OpName& op_name, const FindCallee& find_callee, Thrift thrift,
           Machine machine)
      : plan_(plan),
        op_name_(op_name),
        find_callee_(find_callee),
        thrift_(thrift),
        machine_(machine),
        linker_(prog_),
        top_(prog_) {}
  // False: there would be too much code.
  bool run(LoweredPlan& lowered);

 private:
  // An array that is stored; a scalar if it has no axes.  Complex numbers have one more axis for
  // their parts, as in NumPy's memory; what only the plan itself reads has its parts apart.
  struct Stored {
    core::Operand value;
    std::optional<core::Operand> imag;  // if they are apart: `value` is the real part
    std::vector<core::Name> flat;       // the same with one axis, if somebody asked for it
    bool exists = false;
  };
  using Body = std::function<Parts(Scope& scope, const Indices& at)>;

  // ---- Values at a position (values.cpp)
  Parts value(Scope& scope, int node, const Indices& at);
  Parts compute(Scope& scope, int node, const Indices& at);
  Parts input(Scope& scope, const PlanInput& input, const Indices& at, DType type);
  core::Operand element(Scope& scope, core::Name array, const Indices& at, Prim type);
  Parts read(Scope& scope, const Stored& array, const Indices& at, DType type);
  Parts read(Scope& scope, Stored& array, const Shape& shape, const Affine& at, DType type);
  Parts elementwise(Scope& scope, const PlanNode& node, const Indices& at);
  Parts operated(Scope& scope, const PlanNode& node, const std::vector<Parts>& args);
  Parts rolled(Scope& scope, const PlanNode& node, const Indices& at);

  // ---- After writes into a part (selected.cpp)
  Parts selected(Scope& scope, const PlanNode& node, const Indices& at);
  Parts value_of_write(Scope& scope, const PlanNode& node, const Indices& at,
                       const Indices& value_at);
  core::Operand inside(Scope& scope, const PlanNode& node, const Indices& at, Indices& value_at);

  // ---- Over axes (reductions.cpp)
  Parts reduced(Scope& scope, const PlanNode& node, const Indices& kept);
  Parts reduce_axes(Scope& scope, const PlanNode& node, const Shape& shape, size_t axis,
                    Indices& at);
  // What `body` gives at each position, combined.
  Parts sum_over(Scope& scope, const core::Operand& width, std::string_view op, DType type,
                 const Body& body);
  bool is_separable(Scope& scope, const PlanNode& node, const Shape& shape, Indices at);
  Parts reduce_at_once(Scope& scope, const PlanNode& node, const Shape& shape, Indices& at);

  // ---- Thin writes that are not stored (moved.cpp)
  Parts moved(Scope& scope, const PlanNode& write, const Indices& at);
  core::Operand in_part(Scope& scope, const PlanNode& write, const Indices& at, Indices& value_at);
  Parts applied(Scope& scope, const PlanNode& node, DType type, const Parts& element);

  // ---- Stored arrays (arrays.cpp)
  // One array for each value that `body` gives, which are of type `element`.
  Parts nest(Scope& scope, const Shape& shape, size_t axis, Indices& at, const core::Type& element,
             const Body& body);
  // One array of all that `body` gives, or one for each part.
  core::Operand array_of_all(const Shape& shape, DType type, const Body& body);
  Parts nest(const Shape& shape, DType type, const Body& body);
  void store(int node);
  Parts scanned(const PlanNode& node);
  core::Operand assigned(int node);
  core::Operand written(const PlanNode& node, core::Name into);
  core::Operand written(const PlanNode& node, core::Name into, const Parts& values);
  core::Operand pushed(const PlanNode& node);
  core::Name with_rest(const PlanNode& node, core::Name old);
  core::Name with_computed_rest(const PlanNode& node);
  std::vector<core::DimSlice> box_of(const PlanNode& node) const;

  // ---- Sums of products (contraction.cpp)
  // False: it is no sum that is better taken apart.
  bool contracted(const PlanNode& node, Parts& made);
  Parts product(Scope& scope, const Contraction& sum, const std::vector<size_t>& chosen,
                const Indices& at, DType type);
  Parts sum_of_step(Scope& scope, const Contraction& sum, const std::vector<size_t>& chosen,
                    int variable, Indices at, DType type);
  Parts last_sum(const PlanNode& node, const Contraction& sum, const std::vector<size_t>& chosen,
                 int variable, const std::vector<int>& kept);

  // ---- Calls of core functions (calls.cpp)
  core::Name array_argument(const PlanInput& from, const Shape& shape, const core::Type& wanted,
                            bool unique);
  void store_call(int node);
  void store_part(int node);

  // Operations of a plan of some hundred nodes that are computed again and again.
  static constexpr int64_t kTooMuch = 6000;
  bool may_consume(int node) const;

  const Plan& plan_;
  const OpName& op_name_;
  const FindCallee& find_callee_;
  Thrift thrift_;
  Machine machine_;
  int64_t computed_ = 0;                   // values at positions so far
  std::vector<Indices>* reads_ = nullptr;  // notes where arrays are read, if somebody asks
  core::Program prog_;
  Linker linker_;
  Scope top_;
  std::vector<core::Name> scalars_;
  std::vector<Stored> externals_, stored_;
  Decisions decided_;
  // The results of a call.
  struct Called {
    std::vector<core::Name> names;
    std::vector<core::Type> types;
  };
  std::map<int, Called> calls_;
};

}  // namespace skald::lazy
