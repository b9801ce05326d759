// SPDX-License-Identifier: Apache-2.0
#include "passes/differentiate/base/session.h"

#include <algorithm>
#include <unordered_map>

#include "core/edit/free_names.h"
#include "core/edit/rename.h"
#include "core/ir/visit.h"
#include "support/bug.h"

namespace skald::passes::ad {

Type Session::type_of(const Operand& operand) const {
  if (const Const* c = as_const(operand)) return scalar_type(c->type);
  const auto found = types.find(std::get<Name>(operand));
  SKALD_CHECK(found != types.end(), "no type for {}", prog.names.text(std::get<Name>(operand)));
  return found->second;
}

void Session::learn(const std::vector<Param>& params) {
  for (const Param& p : params) types.insert_or_assign(p.name, p.type);
}

void Session::learn(const Stmt& stmt) {
  learn(stmt.pat);
  for_each_param(stmt.exp, [&](const Param& p) { types.insert_or_assign(p.name, p.type); });
  for_each_body(stmt.exp, [&](const Body& inner) { learn(inner); });
}

void Session::learn(const Body& body) {
  for (const Stmt& stmt : body.stmts) learn(stmt);
}

void Session::report(Loc loc, std::string what) {
  const bool known = std::ranges::any_of(
      problems, [&](const Problem& p) { return p.loc == loc && p.what == what; });
  if (!known) problems.push_back({loc, std::move(what)});
}

namespace {

void collect_calls(const Body& body, std::vector<std::string>& calls) {
  for (const Stmt& stmt : body.stmts) {
    if (const auto* call = as<Call>(stmt.exp)) calls.push_back(call->fn);
    for_each_body(stmt.exp, [&](const Body& inner) { collect_calls(inner, calls); });
  }
}

}  // namespace

const Function* Session::find(const std::string& name) const {
  for (const Function& fn : made)
    if (fn.name == name) return &fn;
  return prog.find(name);
}

void Session::find_recursive() {
  std::unordered_map<std::string, std::vector<std::string>> calls;
  for (const Function& fn : prog.functions) collect_calls(fn.body, calls[fn.name]);
  for (const Function& fn : prog.functions) {
    std::unordered_set<std::string> reached;
    std::vector<std::string> work = calls[fn.name];
    while (!work.empty()) {
      const std::string next = std::move(work.back());
      work.pop_back();
      if (!reached.insert(next).second) continue;
      for (const std::string& more : calls[next]) work.push_back(more);
    }
    if (reached.contains(fn.name)) recursive.insert(fn.name);
  }
}

bool carries(const Type& type) {
  if (type.kind == Type::kAcc) return std::ranges::any_of(type.acc_elems, carries);
  return type.kind == Type::kArray;
}

void remove_unused(Body& body) {
  NameSet used;
  const auto use = [&](const Operand& o) {
    if (const Name* name = as_name(o)) used.insert(*name);
  };
  for (const Operand& o : body.result) use(o);
  std::vector<Stmt> kept;
  for (size_t k = body.stmts.size(); k-- > 0;) {
    Stmt& stmt = body.stmts[k];
    const auto* opaque = as<Opaque>(stmt.exp);
    const bool wanted =
        (opaque != nullptr && stmt.hints.trace.wanted) ||
        std::ranges::any_of(stmt.pat, [&](const Param& p) { return used.contains(p.name); });
    if (!wanted) continue;
    used.merge(free_names(stmt));
    kept.push_back(std::move(stmt));
  }
  std::ranges::reverse(kept);
  body.stmts = std::move(kept);
}

std::vector<Operand> slice_shape(const Type& array, const std::vector<DimSlice>& slice) {
  std::vector<Operand> shape;
  for (size_t d = 0; d < array.shape.size(); ++d) {
    if (d >= slice.size())
      shape.push_back(array.shape[d]);
    else if (!slice[d].is_index)
      shape.push_back(slice[d].count);
  }
  return shape;
}

DimSlice at_index(Operand index) {
  return {.is_index = true, .start = index};
}
DimSlice whole(Operand count) {
  return {.is_index = false, .start = const_i64(0), .count = count};
}

Lambda fresh_lambda(Session& session, const Lambda& fn) {
  Lambda copy = copy_with_fresh_names(fn, session.prog.names);
  session.learn(copy.params);
  session.learn(copy.body);
  return copy;
}

Body open_lambda(Emit& out, Lambda fn, const std::vector<Operand>& args) {
  for (size_t k = 0; k < args.size(); ++k) out.bind(fn.params[k].name, fn.params[k].type, args[k]);
  return std::move(fn.body);
}

// ---- code ---------------------------------------------------------------------------------------

Name Emit::let1(Type type, Exp exp, std::string_view base, std::vector<Name> tokens) {
  return let({std::move(type)}, std::move(exp), base, std::move(tokens)).front();
}

std::vector<Name> Emit::let(const std::vector<Type>& types, Exp exp, std::string_view base,
                            std::vector<Name> tokens) {
  std::vector<Name> names = builder_.let(types, std::move(exp), base, std::move(tokens));
  for (size_t k = 0; k < names.size(); ++k) session_.types.insert_or_assign(names[k], types[k]);
  return names;
}

void Emit::let_pat(std::vector<Param> pat, Exp exp, std::vector<Name> tokens) {
  session_.learn(pat);
  builder_.let_pat(std::move(pat), std::move(exp), std::move(tokens));
}

void Emit::append(Stmt stmt) {
  session_.learn(stmt.pat);
  builder_.append(std::move(stmt));
}

void Emit::bind(Name name, const Type& type, const Operand& value) {
  std::vector<Param> pat;
  pat.push_back({.name = name, .type = type});
  if (value == Operand(name)) return;
  const Operand fitting = coerce(value, type);
  let_pat(std::move(pat), Value{fitting});
}

Operand Emit::zero(const Type& type) {
  Const none{type.elem, 0};
  if (type.is_scalar()) return none;
  return let1(type, Replicate{type.shape, none}, "zeros");
}

Operand Emit::known(const Operand& operand, Prim type) {
  if (const Name* name = as_name(operand))
    session_.types.insert_or_assign(*name, scalar_type(type));
  return operand;
}

Operand Emit::un(UnOpKind op, Prim type, const Operand& x) {
  return known(builder_.unop(op, type, x), result_type(op, type));
}
Operand Emit::bin(BinOpKind op, Prim type, const Operand& x, const Operand& y) {
  return known(builder_.binop(op, type, x, y), type);
}
Operand Emit::cmp(CmpOpKind op, Prim type, const Operand& x, const Operand& y) {
  return known(builder_.cmpop(op, type, x, y), Prim::kBool);
}
Operand Emit::convert(Prim from, Prim to, const Operand& x) {
  return known(builder_.convert(from, to, x), to);
}
Operand Emit::both(const Operand& x, const Operand& y) {
  return known(builder_.logical_and(x, y), Prim::kBool);
}
Operand Emit::either(const Operand& x, const Operand& y) {
  return known(builder_.logical_or(x, y), Prim::kBool);
}
Operand Emit::select(const Operand& cond, const Operand& x, const Operand& y) {
  return let1(session_.type_of(x), Select{cond, x, y});
}
Operand Emit::product(const std::vector<Operand>& shape) {
  Operand n = const_i64(1);
  for (const Operand& dim : shape) n = known(builder_.size_mul(n, dim), Prim::kI64);
  return n;
}

Operand Emit::mul(Prim type, const Operand& x, const Operand& y) {
  const auto is_one = [](const Operand& o) {
    const Const* c = as_const(o);
    return c != nullptr && (is_float(c->type) ? float_value(*c) == 1 : int_value(*c) == 1);
  };
  if (is_one(x)) return y;
  if (is_one(y)) return x;
  return let1(scalar_type(type), BinOp{BinOpKind::kMul, type, x, y});
}

Operand Emit::add(const Operand& x, const Operand& y, const Type& type) {
  if (type == scalar_type(Prim::kBool)) return either(x, y);
  if (type.is_scalar()) return let1(type, BinOp{BinOpKind::kAdd, type.elem, x, y}, "sum");
  const Name a = std::get<Name>(coerce(x, type)), b = std::get<Name>(coerce(y, type));
  const Type row = row_type(type);
  return map(type.shape[0], {a, b},
             [&](Emit& in, const Rows& rows) { return Rows{in.add(rows[0], rows[1], row)}; })[0];
}

Operand Emit::coerce(const Operand& value, const Type& type) {
  const Name* name = as_name(value);
  if (name == nullptr || !type.is_array()) return value;
  const Type old = session_.type_of(value);
  if (old == type) return value;
  return let1(type, Reshape{*name, type.shape}, "fit");
}

Name Emit::index(Name array, std::vector<DimSlice> slice, std::vector<Name> tokens) {
  const Type type = session_.type_of(array);
  Type part = type;
  part.shape = slice_shape(type, slice);
  return let1(part, Index{array, std::move(slice)}, "part", std::move(tokens));
}

Operand Emit::row(Name array, const Operand& at) {
  return index(array, {at_index(at)});
}

std::vector<Name> Emit::map(const Operand& width, const std::vector<Name>& inputs,
                            const std::function<Rows(Emit&, const Rows&)>& f) {
  Soac soac;
  soac.width = width;
  soac.inputs = inputs;
  const Type numbers = array_of(width, scalar_type(Prim::kI64));
  soac.inputs.push_back(
      let1(numbers, Iota{Prim::kI64, width, const_i64(0), const_i64(1)}, "numbers"));
  Rows rows;
  for (const Name input : soac.inputs) {
    const Name row = fresh("x");
    soac.fn.params.push_back({.name = row, .type = row_type(session_.type_of(input))});
    rows.emplace_back(row);
  }
  session_.learn(soac.fn.params);
  Emit in(session_, loc());
  Rows results = f(in, rows);
  std::vector<Type> types;
  for (const Operand& result : results) {
    const Type type = session_.type_of(result);
    soac.fn.results.push_back({.type = type});
    types.push_back(array_of(width, type));
  }
  soac.fn.body = in.finish(std::move(results));
  return let(types, std::move(soac), "map");
}

Operand Emit::sum_outer(const Operand& array, const Type& type, int count) {
  if (count == 0) return array;
  const Name xs = std::get<Name>(array);
  if (type.rank() > count) {
    // Dimensions that stay come first; each of their elements is a sum.
    std::vector<int> perm = {count};
    for (int d = 0; d < type.rank(); ++d)
      if (d != count) perm.push_back(d);
    Type turned = type;
    turned.shape.clear();
    for (const int d : perm) turned.shape.push_back(type.shape[static_cast<size_t>(d)]);
    const Name first = let1(turned, Rearrange{xs, perm}, "turned");
    const Type row = row_type(turned);
    return map(turned.shape[0], {first}, [&](Emit& in, const Rows& rows) {
      return Rows{in.sum_outer(rows[0], row, count)};
    })[0];
  }
  if (count > 1) {
    const Operand n = product(type.shape);
    const Type flat = array_of(n, scalar_type(type.elem));
    return sum_outer(let1(flat, Reshape{xs, {n}}, "flat"), flat, 1);
  }
  const Type elem = scalar_type(type.elem);
  Soac soac;
  soac.width = type.shape[0];
  soac.inputs = {xs};
  const Name x = fresh("x");
  soac.fn.params.push_back({.name = x, .type = elem});
  soac.fn.results.push_back({.type = elem});
  soac.fn.body = Body({}, {x});
  soac.reduces.push_back({addition(session_, {elem}), {Operand(Const{type.elem, 0})}, true});
  session_.learn(soac.fn.params);
  return let1(elem, std::move(soac), "sum");
}

Body Emit::finish(std::vector<Operand> results) {
  Body body = builder_.finish(std::move(results));
  remove_unused(body);
  return body;
}

Lambda addition(Session& session, const std::vector<Type>& types) {
  Lambda fn;
  for (int side = 0; side < 2; ++side)
    for (const Type& type : types)
      fn.params.push_back({.name = session.prog.names.fresh(side == 0 ? "a" : "b"), .type = type});
  session.learn(fn.params);
  Emit out(session);
  std::vector<Operand> sums;
  for (size_t k = 0; k < types.size(); ++k) {
    sums.push_back(out.add(fn.params[k].name, fn.params[k + types.size()].name, types[k]));
    fn.results.push_back({.type = types[k]});
  }
  fn.body = out.finish(std::move(sums));
  return fn;
}

namespace {

// Is `result` the sum of `x` and `y`, which are scalars or rows?
bool is_sum(const Body& body, const Operand& result, Name x, Name y) {
  const Name* name = as_name(result);
  if (name == nullptr) return false;
  for (const Stmt& stmt : body.stmts) {
    if (stmt.pat.size() != 1 || stmt.pat[0].name != *name) continue;
    if (const auto* bin = as<BinOp>(stmt.exp))
      return bin->op == BinOpKind::kAdd && ((bin->lhs == Operand(x) && bin->rhs == Operand(y)) ||
                                            (bin->lhs == Operand(y) && bin->rhs == Operand(x)));
    const auto* soac = as<Soac>(stmt.exp);
    if (soac == nullptr || !soac->is_map()) return false;
    // A map over both, and perhaps over something that it does not use.
    Name a = {}, b = {};
    for (size_t k = 0; k < soac->inputs.size(); ++k) {
      if (soac->inputs[k] == x) a = soac->fn.params[k].name;
      if (soac->inputs[k] == y) b = soac->fn.params[k].name;
    }
    return a && b && soac->fn.body.result.size() == 1 &&
           is_sum(soac->fn.body, soac->fn.body.result[0], a, b);
  }
  return false;
}

}  // namespace

Lambda same_values(const std::vector<Name>& arrays, Emit& out) {
  Lambda fn;
  for (const Name array : arrays) {
    const Type type = row_type(out.session().type_of(array));
    fn.params.push_back({.name = out.fresh("x"), .type = type});
    fn.results.push_back({.type = type});
    fn.body.result.emplace_back(fn.params.back().name);
  }
  out.session().learn(fn.params);
  return fn;
}

bool is_addition(const Lambda& fn) {
  const size_t n = fn.body.result.size();
  for (size_t k = 0; k < n; ++k)
    if (!is_sum(fn.body, fn.body.result[k], fn.params[k].name, fn.params[k + n].name)) return false;
  return true;
}

}  // namespace skald::passes::ad
