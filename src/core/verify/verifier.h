// SPDX-License-Identifier: Apache-2.0
// The verifier's class, private to verify.cpp (names, scopes, functions, statements),
// verify_exp.cpp (the typing rules of nodes), verify_soac.cpp (of nodes with operators), and
// verify_consumption.cpp and verify_memory.cpp (separate walks).
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/edit/rename.h"
#include "core/ir/program.h"
#include "core/text/print.h"

namespace skald::core::detail {

// Collects problems; knows in which function and statement we are.
class Problems {
 public:
  explicit Problems(const Program& prog) : prog_(prog) {}

  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    if (!full()) add_text(fmt::format(format, std::forward<Args>(args)...));
  }
  bool full() const { return found_.size() >= kMax; }
  std::vector<std::string> take() { return std::move(found_); }

  const Function* function = nullptr;
  const Stmt* stmt = nullptr;

 private:
  static constexpr size_t kMax = 100;
  void add_text(const std::string& what);

  const Program& prog_;
  std::vector<std::string> found_;
};

class Verifier {
 public:
  Verifier(const Program& prog, Problems& problems)
      : prog_(prog), problems_(problems), known_(prog.names.size()) {
    for (const Function& fn : prog.functions) functions_.emplace(fn.name, &fn);
  }
  void program();

 private:
  // ---- names and scopes
  struct Known {
    const Type* type = nullptr;  // null: out of scope
    bool bound = false;          // somewhere in the program
    Operand copy_of = Name{};    // what the name is a copy of
  };
  // Names bound since `mark` go out of scope.
  size_t mark() const { return scope_.size(); }
  void leave(size_t mark);
  void bind(Name name, const Type& type);
  void bind_and_check(const std::vector<Param>& params);
  bool in_scope(Name name) const { return name.id < known_.size() && known_[name.id].type; }
  Operand resolve(Operand o) const;

  // ---- types
  // The type of an operand, null (and a problem) if it is not in scope.
  const Type* type_of(const Operand& o);
  const Type* type_of(Name name);
  std::string text(const Operand& o) const { return print(o, prog_.names); }
  std::string text(const Type& t) const { return print(t, prog_.names); }
  void check_type(const Type& type);
  // Problems if a kernel that does not run there has a value of the type.
  void check_space(const Type& type, std::string_view what);
  void check_mem(const Param& param);
  bool same_operand(const Operand& a, const Operand& b) const { return resolve(a) == resolve(b); }
  bool same_shape(const std::vector<Operand>& a, const std::vector<Operand>& b) const;
  // `subst` is applied to `b`.
  bool same_type(const Type& a, const Type& b, const Substitution& subst = {}) const;
  // Problems unless `o` has the type.
  void expect(const Operand& o, const Type& type, std::string_view what);
  void expect(const Operand& o, Prim prim, std::string_view what) {
    expect(o, scalar_type(prim), what);
  }
  void expect_i64(const std::vector<Operand>& os, std::string_view what) {
    for (const Operand& o : os) expect(o, Prim::kI64, what);
  }
  // The type of an array operand of a node; null (and a problem) if it is not an array.
  const Type* array_type(Name name);
  // Problems unless the two lists of types are equal.
  void match(const std::vector<Type>& actual, const std::vector<Type>& expected,
             std::string_view what);

  // ---- functions, bodies, lambdas
  void function(const Function& fn);
  void entry(const Function& fn);
  void rets(const std::vector<Ret>& rets);
  void body(const Body& body);
  void stmt(const Stmt& stmt);
  // The results of a body against their declared types; `names[k]` stands for result k in them.
  void results(const std::vector<Operand>& actual, const std::vector<Type>& types,
               const std::vector<Name>& names, std::string_view what);
  void results(const std::vector<Operand>& actual, const std::vector<Ret>& rets);
  // A whole lambda that gets values of the given types.
  void lambda(const Lambda& fn, const std::vector<Type>& args, std::string_view what);
  static std::vector<Type> types_of(const std::vector<Ret>& rets, size_t from = 0,
                                    size_t count = SIZE_MAX);
  // Named results are legal only in flatmap and functions.
  void expect_no_names(const std::vector<Ret>& rets);

  // ---- nodes (verify_exp.cpp, verify_soac.cpp): check operands, give the types of the results.
  // Nothing if an operand is so wrong that they cannot be told.  Types that depend on the run
  // mention the names of the pattern.
  using Types = std::vector<Type>;
  std::optional<Types> exp(const Stmt& stmt);
  std::optional<Types> exp(const Value& e);
  std::optional<Types> exp(const Opaque& e);
  std::optional<Types> exp(const Tunable& e);
  std::optional<Types> exp(const UnOp& e);
  std::optional<Types> exp(const BinOp& e);
  std::optional<Types> exp(const CmpOp& e);
  std::optional<Types> exp(const TernOp& e);
  std::optional<Types> exp(const Convert& e);
  std::optional<Types> exp(const Bitcast& e);
  std::optional<Types> exp(const Select& e);
  std::optional<Types> exp(const ArrayLit& e);
  std::optional<Types> exp(const Index& e);
  std::optional<Types> exp(const Update& e);
  std::optional<Types> exp(const FlatIndex& e);
  std::optional<Types> exp(const FlatUpdate& e);
  std::optional<Types> exp(const Concat& e);
  std::optional<Types> exp(const Iota& e);
  std::optional<Types> exp(const Replicate& e);
  std::optional<Types> exp(const Scratch& e);
  std::optional<Types> exp(const Reshape& e);
  std::optional<Types> exp(const Rearrange& e);
  std::optional<Types> exp(const Copy& e);
  std::optional<Types> exp(const Assert& e);
  std::optional<Types> exp(const If& e);
  std::optional<Types> exp(const Loop& e);
  std::optional<Types> exp(const Call& e);
  std::optional<Types> exp(const Soac& e);
  std::optional<Types> exp(const Hist& e);
  std::optional<Types> exp(const Scatter& e);
  std::optional<Types> exp(const Partition& e);
  std::optional<Types> exp(const FlatMap& e);
  std::optional<Types> exp(const WithAcc& e);
  std::optional<Types> exp(const UpdateAcc& e);
  std::optional<Types> exp(const Jvp& e);
  std::optional<Types> exp(const Vjp& e);
  std::optional<Types> exp(const WithVjp& e);
  // A function that is differentiated at `args`: their types.  `seeds` have these types, or those
  // of the results.
  enum class SeedsLike : bool { kArgs, kResults };
  std::optional<Types> applied(const Lambda& fn, const std::vector<Operand>& args,
                               const std::vector<Operand>& seeds, SeedsLike like);
  std::optional<Types> exp(const Kernel& e);
  std::optional<Types> exp(const Alloc& e);
  std::optional<Types> exp(const Free& e);

  // The type of array[slice].
  std::optional<Type> slice_type(const Type& array, const std::vector<DimSlice>& slice);
  // The types of one row of each input; nothing if one is wrong.
  std::optional<Types> row_types(const Operand& width, const std::vector<Name>& inputs);
  // An operator on values of the given types.
  enum class Neutral : uint8_t { kRequired, kOptional };
  void op(const Operator& op, const Types& types, std::string_view what,
          Neutral neutral = Neutral::kRequired);
  // The row types of destinations with outer dimensions `shape`.
  void writing_function(const Lambda& fn, const Types& rows, Types indices, const Types& values);
  std::optional<Types> dest_rows(const std::vector<Operand>& shape, const std::vector<Name>& dests);
  std::optional<Types> kernel_results(const Kernel& e);
  Types sink_results(const Kernel& kernel, const Sink& sink, const Types& values, size_t& at);
  Name pattern_name(size_t k) const { return k < pat_->size() ? (*pat_)[k].name : Name{}; }
  // A new array lies where the pattern says.
  Type made(Type array) const {
    if (array.is_array() && !pat_->empty()) array.space = pat_->front().type.space;
    return array;
  }

  const Program& prog_;
  Problems& problems_;
  // The statement at hand runs only if its checks pass.
  bool behind_check_ = false;
  std::unordered_map<std::string_view, const Function*> functions_;
  std::vector<Known> known_;
  std::vector<Name> scope_;
  const std::vector<Param>* pat_ = nullptr;
  int kernel_depth_ = 0;               // how many kernels we are in; 2 where no kernel may be
  std::optional<Space> kernel_space_;  // where the kernel runs that we are in
};

// Consumption, on a program that the Verifier accepted.
void check_consumption(const Program& prog, Problems& problems);
void check_memory(const Program& prog, Problems& problems);

}  // namespace skald::core::detail
