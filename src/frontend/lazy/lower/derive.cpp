// SPDX-License-Identifier: Apache-2.0
// Derivatives of recorded functions, as functions with a jvp or vjp node in them; the pass
// `differentiate` does the work.
//
//   f (n, x : [n]f64, c) : {f64}        becomes, with respect to x:
//
//   derivative (n, x, c, bar : f64) : {f64, [n]f64} =
//     let {y, xbar} = vjp(\{x1} -> call f(n, x1, c), {x}, {bar})
//     in {y, xbar}
#include "core/edit/builder.h"
#include "core/edit/rename.h"
#include "frontend/lazy/lower/callees.h"

namespace skald::lazy {

using namespace core;

namespace {

class Deriving {
 public:
  explicit Deriving(const Callee& of) : of_(of), b(prog_) {
    base_ = Linker(prog_).link(of.program, of.function);
    const Function& fn = of.fn();
    Substitution subst;
    for (const Param& param : fn.params) {
      Type type = param.type;
      substitute(type, subst);
      const Name name = add_param(type, of.program->names.base(param.name));
      subst[param.name] = name;
      args.push_back(name);
    }
    for (const Ret& result : fn.results) {
      result_types.push_back(result.type);
      substitute(result_types.back(), subst);
    }
  }

  Name add_param(const Type& type, std::string_view base) {
    const Name name = prog_.names.fresh(base);
    fn_.params.push_back({.name = name, .type = type});
    return name;
  }
  size_t place(int param) const {
    return static_cast<size_t>(of_.sizes) + static_cast<size_t>(param);
  }
  const Type& param_type(int param) const { return fn_.params[place(param)].type; }

  // The function of the active parameters alone, with some of its results.
  Lambda lambda(const std::vector<int>& active, const std::vector<int>& chosen) {
    Lambda made;
    std::vector<Operand> inner = args;
    for (const int param : active) {
      const Name name = prog_.names.fresh("x");
      made.params.push_back({.name = name, .type = param_type(param)});
      inner[place(param)] = name;
    }
    Builder body(prog_);
    const std::vector<Name> results = body.let(result_types, Call{base_, inner}, "y");
    std::vector<Operand> given;
    for (const int result : chosen) {
      made.results.push_back({.type = result_types[static_cast<size_t>(result)]});
      given.push_back(results[static_cast<size_t>(result)]);
    }
    made.body = body.finish(given);
    return made;
  }
  std::vector<Operand> active_args(const std::vector<int>& active) const {
    std::vector<Operand> list;
    for (const int param : active) list.push_back(args[place(param)]);
    return list;
  }
  std::vector<Type> types_of_results(const std::vector<int>& chosen) const {
    std::vector<Type> types;
    for (const int result : chosen) types.push_back(result_types[static_cast<size_t>(result)]);
    return types;
  }
  // All results of the function itself, of which the first names are those of `chosen`.
  std::vector<Operand> values(const std::vector<int>& chosen, const std::vector<Name>& names) {
    std::vector<Operand> all(result_types.size(), const_i64(0));
    std::vector<bool> known(result_types.size(), false);
    for (size_t i = 0; i < chosen.size(); ++i) {
      all[static_cast<size_t>(chosen[i])] = names[i];
      known[static_cast<size_t>(chosen[i])] = true;
    }
    if (chosen.size() < all.size()) {
      const std::vector<Name> others = b.let(result_types, Call{base_, args}, "y");
      for (size_t i = 0; i < all.size(); ++i)
        if (!known[i]) all[i] = others[i];
    }
    return all;
  }
  Callee finish(std::vector<Operand> results, const std::vector<Type>& types) {
    fn_.name = "derivative";
    for (const Type& type : types) fn_.results.push_back({.type = type});
    fn_.body = b.finish(std::move(results));
    prog_.functions.push_back(std::move(fn_));
    return {.program = std::make_shared<const Program>(std::move(prog_)),
            .function = "derivative",
            .sizes = of_.sizes};
  }

 private:
  const Callee& of_;
  Program prog_;
  Function fn_;
  std::string base_;

 public:
  Builder b;
  std::vector<Operand> args;
  std::vector<Type> result_types;
};

}  // namespace

Callee reverse_derivative(const Callee& of, const std::vector<int>& active,
                          const std::vector<int>& seeded) {
  Deriving d(of);
  std::vector<Operand> cotangents;
  for (const Type& type : d.types_of_results(seeded))
    cotangents.push_back(d.add_param(type, "bar"));
  std::vector<Type> types = d.types_of_results(seeded);
  for (const int param : active) types.push_back(d.param_type(param));
  Vjp vjp{.fn = d.lambda(active, seeded),
          .args = d.active_args(active),
          .cotangents = std::move(cotangents)};
  const std::vector<Name> names = d.b.let(types, std::move(vjp), "bar");
  std::vector<Operand> results = d.values(seeded, names);
  std::vector<Type> result_types = d.result_types;
  for (size_t i = seeded.size(); i < names.size(); ++i) {
    results.push_back(names[i]);
    result_types.push_back(types[i]);
  }
  return d.finish(std::move(results), result_types);
}

Callee forward_derivative(const Callee& of, const std::vector<int>& active,
                          const std::vector<int>& wanted) {
  Deriving d(of);
  std::vector<Operand> tangents;
  for (const int param : active)
    tangents.push_back(d.add_param(Type(d.param_type(param)), "tangent"));
  std::vector<Type> types = d.types_of_results(wanted);
  const std::vector<Type> tangent_types = types;
  types.insert(types.end(), tangent_types.begin(), tangent_types.end());
  Jvp jvp{.fn = d.lambda(active, wanted),
          .args = d.active_args(active),
          .tangents = std::move(tangents)};
  const std::vector<Name> names = d.b.let(types, std::move(jvp), "dot");
  std::vector<Operand> results = d.values(wanted, names);
  std::vector<Type> result_types = d.result_types;
  for (size_t i = wanted.size(); i < names.size(); ++i) {
    results.push_back(names[i]);
    result_types.push_back(types[i]);
  }
  return d.finish(std::move(results), result_types);
}

Callee jacobian(const Callee& of, int active, const std::vector<int>& wanted) {
  Deriving d(of);
  Program& prog = d.b.program();
  const Type type = d.param_type(active);
  // A column for each element of the parameter: the derivative along a tangent with one 1.
  Builder inner(prog);
  Builder& column = type.is_scalar() ? d.b : inner;
  const Name k = prog.names.fresh("k");
  Operand count = const_i64(1), tangent = const_float(type.elem, 1);
  for (const Operand& n : type.shape) count = d.b.size_mul(count, n);
  if (!type.is_scalar()) {
    const Type flat{Type::kArray, type.elem, {count}};
    const Name zeros = column.let1(flat, Replicate{{count}, const_float(type.elem, 0)}, "zeros");
    Update one{.array = zeros, .slice = {{.start = k}}, .value = tangent};
    const Name unit = column.let1(flat, std::move(one), "unit");
    tangent = type.rank() == 1 ? unit : column.let1(type, Reshape{unit, type.shape}, "unit");
  }
  const std::vector<Type> dot_types = d.types_of_results(wanted);
  std::vector<Type> types = dot_types;
  types.insert(types.end(), dot_types.begin(), dot_types.end());
  Jvp jvp{.fn = d.lambda({active}, wanted), .args = d.active_args({active}), .tangents = {tangent}};
  const std::vector<Name> names = column.let(types, std::move(jvp), "dot");
  std::vector<Operand> dots(names.begin() + static_cast<std::ptrdiff_t>(wanted.size()),
                            names.end());
  if (type.is_scalar()) return d.finish(std::move(dots), dot_types);

  Lambda fn;
  fn.params.push_back({.name = k, .type = scalar_type(Prim::kI64)});
  std::vector<Type> column_types, result_types;
  for (const Type& dot : dot_types) {
    fn.results.push_back({.type = dot});
    column_types.push_back(array_of(count, dot));
    result_types.push_back(array_of(type.shape, dot));
  }
  fn.body = column.finish(std::move(dots));
  const Name positions = d.b.let1({Type::kArray, Prim::kI64, {count}},
                                  Iota{Prim::kI64, count, const_i64(0), const_i64(1)}, "is");
  Soac map{.width = count, .inputs = {positions}, .fn = std::move(fn)};
  const std::vector<Name> columns = d.b.let(column_types, std::move(map), "columns");
  std::vector<Operand> results;
  for (size_t i = 0; i < columns.size(); ++i) {
    results.push_back(
        type.rank() == 1
            ? columns[i]
            : d.b.let1(result_types[i], Reshape{columns[i], result_types[i].shape}, "columns"));
  }
  return d.finish(std::move(results), result_types);
}

}  // namespace skald::lazy
