// SPDX-License-Identifier: Apache-2.0
// The typing rules of scalars, arrays and control, in the order of exp.h, and the table of what is
// legal at which stage.
#include <array>

#include "core/ir/visit.h"
#include "core/verify/verifier.h"

namespace skald::core::detail {

namespace {

// Which nodes exist at which stage.
struct Legality {
  std::string_view node;
  bool soacs, kernels, memory;
};
constexpr Legality kLegality[] = {
    {"soac", true, false, false},       {"hist", true, false, false},
    {"scatter", true, false, false},    {"partition", true, false, false},
    {"flatmap", true, false, false},    {"with_acc", true, false, false},
    {"update_acc", true, false, false}, {"kernel", false, true, true},
    {"jvp", true, false, false},        {"vjp", true, false, false},
    {"with_vjp", true, false, false},   {"alloc", false, false, true},
    {"free", false, false, true},
};

// A node that is not in the table is legal everywhere.
bool is_legal_at(std::string_view node, Stage stage) {
  for (const Legality& row : kLegality) {
    if (row.node != node) continue;
    return stage == Stage::kSoacs ? row.soacs : stage == Stage::kKernels ? row.kernels : row.memory;
  }
  return true;
}

}  // namespace

std::optional<Verifier::Types> Verifier::exp(const Stmt& stmt) {
  behind_check_ = !stmt.tokens.empty();
  return visit(stmt.exp, [&](auto& node) {
    using Node = std::remove_cvref_t<decltype(node)>;
    if (!is_legal_at(Node::kName, prog_.stage))
      problems_.add("{} is not legal at stage {}", Node::kName, stage_name(prog_.stage));
    return exp(node);
  });
}

// ---- scalars

std::optional<Verifier::Types> Verifier::exp(const Value& e) {
  const Type* type = type_of(e.arg);
  if (!type) return std::nullopt;
  return Types{*type};
}

std::optional<Verifier::Types> Verifier::exp(const Opaque& e) {
  const Type* type = type_of(e.arg);
  if (!type) return std::nullopt;
  return Types{*type};
}

std::optional<Verifier::Types> Verifier::exp(const Tunable& e) {
  if (e.param.empty()) problems_.add("a tuning parameter without a name");
  expect(e.fallback, Prim::kI64, "the operand");
  return Types{scalar_type(Prim::kI64)};
}

std::optional<Verifier::Types> Verifier::exp(const UnOp& e) {
  if (!is_legal(e.op, e.type)) problems_.add("not defined on {}", prim_name(e.type));
  expect(e.arg, e.type, "the operand");
  return Types{scalar_type(result_type(e.op, e.type))};
}

std::optional<Verifier::Types> Verifier::exp(const BinOp& e) {
  if (!is_legal(e.op, e.type)) problems_.add("not defined on {}", prim_name(e.type));
  expect(e.lhs, e.type, "the operand");
  expect(e.rhs, e.op == BinOpKind::kLdexp ? Prim::kI32 : e.type, "the operand");
  return Types{scalar_type(e.type)};
}

std::optional<Verifier::Types> Verifier::exp(const CmpOp& e) {
  if (!is_legal(e.op, e.type)) problems_.add("not defined on {}", prim_name(e.type));
  expect(e.lhs, e.type, "the operand");
  expect(e.rhs, e.type, "the operand");
  return Types{scalar_type(Prim::kBool)};
}

std::optional<Verifier::Types> Verifier::exp(const TernOp& e) {
  if (!is_legal(e.op, e.type)) problems_.add("not defined on {}", prim_name(e.type));
  for (const Operand& o : {e.a, e.b, e.c}) expect(o, e.type, "the operand");
  return Types{scalar_type(e.type)};
}

std::optional<Verifier::Types> Verifier::exp(const Convert& e) {
  expect(e.arg, e.from, "the operand");
  return Types{scalar_type(e.to)};
}

std::optional<Verifier::Types> Verifier::exp(const Bitcast& e) {
  if (prim_bits(e.from) != prim_bits(e.to)) problems_.add("the types have different widths");
  expect(e.arg, e.from, "the operand");
  return Types{scalar_type(e.to)};
}

std::optional<Verifier::Types> Verifier::exp(const Select& e) {
  expect(e.cond, Prim::kBool, "the condition");
  const Type* type = type_of(e.then);
  if (!type) return std::nullopt;
  if (!type->is_scalar()) problems_.add("select between values of type {}", text(*type));
  expect(e.otherwise, *type, "the operand");
  return Types{*type};
}

// ---- arrays

std::optional<Verifier::Types> Verifier::exp(const ArrayLit& e) {
  check_type(e.row);
  if (e.row.kind != Type::kArray) {
    problems_.add("an array of {}", text(e.row));
    return std::nullopt;
  }
  for (const Operand& o : e.elems) expect(o, e.row, "the element");
  const Type type = array_of(Operand{const_i64(static_cast<int64_t>(e.elems.size()))}, e.row);
  return Types{e.row.is_array() ? type : made(type)};
}

std::optional<Type> Verifier::slice_type(const Type& array, const std::vector<DimSlice>& slice) {
  if (slice.size() > array.shape.size()) {
    problems_.add("{} dimensions of an array of rank {}", slice.size(), array.rank());
    return std::nullopt;
  }
  Type result = scalar_type(array.elem);
  for (const DimSlice& dim : slice) {
    expect(dim.start, Prim::kI64, "the index");
    if (dim.is_index) {
      if (!(dim == DimSlice{.start = dim.start})) problems_.add("an index with a count or stride");
      continue;
    }
    expect(dim.count, Prim::kI64, "the count");
    expect(dim.stride, Prim::kI64, "the stride");
    result.shape.push_back(dim.count);
  }
  result.shape.insert(result.shape.end(),
                      array.shape.begin() + static_cast<ptrdiff_t>(slice.size()),
                      array.shape.end());
  if (result.is_array()) result.space = array.space;
  return result;
}

std::optional<Verifier::Types> Verifier::exp(const Index& e) {
  const Type* array = array_type(e.array);
  if (!array) return std::nullopt;
  auto type = slice_type(*array, e.slice);
  if (!type) return std::nullopt;
  return Types{std::move(*type)};
}

std::optional<Verifier::Types> Verifier::exp(const Update& e) {
  const Type* array = array_type(e.array);
  if (!array) return std::nullopt;
  if (const auto type = slice_type(*array, e.slice)) expect(e.value, *type, "the value");
  return Types{*array};
}

std::optional<Verifier::Types> Verifier::exp(const FlatIndex& e) {
  const Type* array = array_type(e.array);
  if (!array) return std::nullopt;
  if (array->rank() != 1) problems_.add("flat slice of an array of rank {}", array->rank());
  expect(e.offset, Prim::kI64, "the offset");
  Type result = scalar_type(array->elem);
  for (const FlatDim& dim : e.dims) {
    expect(dim.count, Prim::kI64, "the count");
    expect(dim.stride, Prim::kI64, "the stride");
    result.shape.push_back(dim.count);
  }
  result.space = array->space;
  return Types{std::move(result)};
}

std::optional<Verifier::Types> Verifier::exp(const FlatUpdate& e) {
  const auto slice = exp(FlatIndex{e.array, e.offset, e.dims});
  if (!slice) return std::nullopt;
  expect(e.value, slice->front(), "the value");
  return Types{*type_of(e.array)};
}

std::optional<Verifier::Types> Verifier::exp(const Concat& e) {
  expect(e.size, Prim::kI64, "the size");
  if (e.arrays.empty()) {
    problems_.add("concat of nothing");
    return std::nullopt;
  }
  const Type* first = array_type(e.arrays[0]);
  if (!first) return std::nullopt;
  if (e.dim < 0 || e.dim >= first->rank()) {
    problems_.add("dimension {} of an array of rank {}", e.dim, first->rank());
    return std::nullopt;
  }
  Type result = *first;
  result.shape[static_cast<size_t>(e.dim)] = e.size;
  for (Name array : e.arrays) {
    const Type* type = array_type(array);
    if (!type) continue;
    Type other = *type;
    if (e.dim < other.rank()) other.shape[static_cast<size_t>(e.dim)] = e.size;
    if (!same_type(other, result))
      problems_.add("{} of type {} does not fit to {}", prog_.names.text(array), text(*type),
                    text(*first));
  }
  return Types{std::move(result)};
}

std::optional<Verifier::Types> Verifier::exp(const Iota& e) {
  if (!is_int(e.type)) problems_.add("not defined on {}", prim_name(e.type));
  expect(e.count, Prim::kI64, "the count");
  expect(e.start, e.type, "the start");
  expect(e.step, e.type, "the step");
  return Types{made(array_of(e.count, scalar_type(e.type)))};
}

std::optional<Verifier::Types> Verifier::exp(const Replicate& e) {
  expect_i64(e.shape, "the size");
  const Type* row = type_of(e.value);
  if (!row) return std::nullopt;
  if (row->kind != Type::kArray) {
    problems_.add("replicate of {}", text(*row));
    return std::nullopt;
  }
  const Type type = array_of(e.shape, *row);
  return Types{row->is_array() ? type : made(type)};
}

std::optional<Verifier::Types> Verifier::exp(const Scratch& e) {
  expect_i64(e.shape, "the size");
  return Types{made(Type{Type::kArray, e.elem, e.shape})};
}

std::optional<Verifier::Types> Verifier::exp(const Reshape& e) {
  expect_i64(e.shape, "the size");
  const Type* array = array_type(e.array);
  if (!array) return std::nullopt;
  // Wrap-around is harmless: equal products stay equal.
  const auto product = [&](const std::vector<Operand>& shape) -> std::optional<uint64_t> {
    uint64_t size = 1;
    for (const Operand& dim : shape) {
      const Operand resolved = resolve(dim);
      const Const* c = as_const(resolved);
      if (!c) return std::nullopt;
      size *= c->bits;
    }
    return size;
  };
  const auto before = product(array->shape), after = product(e.shape);
  if (before && after && *before != *after && !behind_check_)
    problems_.add("{} elements become {}", *before, *after);
  return Types{Type{Type::kArray, array->elem, e.shape, {}, array->space}};
}

std::optional<Verifier::Types> Verifier::exp(const Rearrange& e) {
  const Type* array = array_type(e.array);
  if (!array) return std::nullopt;
  Type result = *array;
  std::vector<bool> seen(array->shape.size());
  bool is_permutation = e.perm.size() == array->shape.size();
  for (size_t k = 0; k < e.perm.size() && is_permutation; ++k) {
    const auto from = static_cast<size_t>(e.perm[k]);
    is_permutation = from < seen.size() && !seen[from];
    if (!is_permutation) break;
    seen[from] = true;
    result.shape[k] = array->shape[from];
  }
  if (!is_permutation) {
    problems_.add("this does not permute the {} dimensions", array->rank());
    return std::nullopt;
  }
  return Types{std::move(result)};
}

// The only node that takes an array from one space to another.
std::optional<Verifier::Types> Verifier::exp(const Copy& e) {
  const Type* array = array_type(e.array);
  if (!array) return std::nullopt;
  return Types{made(*array)};
}

// ---- control

std::optional<Verifier::Types> Verifier::exp(const Assert& e) {
  expect(e.cond, Prim::kBool, "the condition");
  for (const MessagePart& part : e.message)
    if (const auto* operand = std::get_if<Operand>(&part))
      if (const Type* type = type_of(*operand); type && type->kind != Type::kArray)
        problems_.add("{} of type {} in a message", text(*operand), text(*type));
  return Types{token_type()};
}

std::optional<Verifier::Types> Verifier::exp(const If& e) {
  expect(e.cond, Prim::kBool, "the condition");
  const Stmt* stmt = problems_.stmt;
  const std::vector<Param>& pat = *pat_;
  Types types;
  std::vector<Name> names;
  for (const Param& p : pat) {
    types.push_back(p.type);
    names.push_back(p.name);
  }
  for (const Body* side : {&e.then_body, &e.else_body}) {
    const size_t outside = mark();
    body(*side);
    problems_.stmt = stmt;
    results(side->result, types, names,
            side == &e.then_body ? "results of the first branch" : "results of the second branch");
    leave(outside);
  }
  return types;
}

std::optional<Verifier::Types> Verifier::exp(const Loop& e) {
  const Stmt* stmt = problems_.stmt;
  const std::vector<Param>& pat = *pat_;
  std::vector<Operand> inits;
  Types types;
  std::vector<Name> names;
  for (const LoopParam& p : e.params) {
    inits.push_back(p.init);
    types.push_back(p.param.type);
    names.push_back(p.param.name);
  }
  results(inits, types, names, "initial values");
  if (e.form == Loop::kFor) expect(e.bound, e.var.type, "the bound");

  const size_t outside = mark();
  for (const LoopParam& p : e.params) bind(p.param.name, p.param.type);
  for (const LoopParam& p : e.params) {
    check_type(p.param.type);
    check_mem(p.param);
  }
  if (e.form == Loop::kFor) {
    if (!e.var.type.is_scalar() || !is_int(e.var.type.elem))
      problems_.add("{} counts in type {}", prog_.names.text(e.var.name), text(e.var.type));
    bind(e.var.name, e.var.type);
  } else {
    expect(e.cond, Prim::kBool, "the condition");
    bool is_param = false;
    for (Name name : names) is_param = is_param || name == e.cond;
    if (!is_param) problems_.add("the condition is not a parameter of the loop");
  }
  body(e.body);
  problems_.stmt = stmt;
  results(e.body.result, types, names, "results of the body");
  leave(outside);

  Substitution to_pattern;
  for (size_t i = 0; i < names.size() && i < pat.size(); ++i) to_pattern[names[i]] = pat[i].name;
  for (Type& type : types) substitute(type, to_pattern);
  return types;
}

std::optional<Verifier::Types> Verifier::exp(const Call& e) {
  const auto found = functions_.find(e.fn);
  if (found == functions_.end()) {
    problems_.add("there is no function {}", e.fn);
    return std::nullopt;
  }
  const Function* fn = found->second;
  Types params;
  std::vector<Name> names;
  Substitution subst;
  for (size_t i = 0; i < fn->params.size(); ++i) {
    params.push_back(fn->params[i].type);
    names.push_back(fn->params[i].name);
    if (i < e.args.size()) subst[names.back()] = e.args[i];
  }
  results(e.args, params, names, "arguments");
  Types types;
  for (size_t i = 0; i < fn->results.size(); ++i)
    if (fn->results[i].name && pattern_name(i)) subst[fn->results[i].name] = pattern_name(i);
  for (const Ret& ret : fn->results) {
    types.push_back(ret.type);
    substitute(types.back(), subst);
  }
  return types;
}

// ---- stage MEMORY

std::optional<Verifier::Types> Verifier::exp(const Alloc& e) {
  expect(e.bytes, Prim::kI64, "the size");
  return Types{mem_type(pat_->empty() ? Space::kHost : pat_->front().type.space)};
}

std::optional<Verifier::Types> Verifier::exp(const Free& e) {
  const Type* block = type_of(e.block);
  if (block && block->kind != Type::kMem)
    problems_.add("{} is not a block but {}", prog_.names.text(e.block), text(*block));
  return Types{};
}

}  // namespace skald::core::detail
